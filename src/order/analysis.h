/* The analysis: what is known from the pattern, before any pivot is chosen.
 *
 * 1. Forms (order/transversal.h). A maximum transversal (Duff 1981), among the entries that pass the pivot threshold in
 *    their column if values are known and such a transversal exists. Then strongly connected components (Tarjan 1972;
 *    Duff and Reid 1978), by SuiteSparse's BTF. Rows and columns are permuted so that only diagonal blocks and the
 *    blocks above them hold entries; the diagonal is zero-free. Where A's diagonal is weak, a second form with a
 *    maximum product matching on the diagonal (Duff and Koster 2001) races the first.
 * 2. Candidate orders of each block of a form, applied to its rows and columns alike so that the transversal stays on
 *    the diagonal: natural, AMD, COLAMD, METIS, or the caller's.
 * 3. For each candidate a prediction from symbolic counts of B + B' (elimination tree, column counts): terms, entries
 *    of L + U, height, time by the cost model. Exact if the diagonal is chosen throughout and the pattern is symmetric;
 *    an upper bound on unsymmetric patterns with diagonal pivots.
 *
 * Candidates are sorted by predicted time: of a refactorization, on a latency-bound target of a refactorization and a
 * solve. The first is used, the second is the runner-up. On a latency-bound target, where solves take long, some
 * candidates may be of a form whose blocks are joined.
 *
 * Immutable once built, shared between threads; owners are counted. Memory: the pattern, and 2 n int32 per
 * candidate. */
#ifndef WLU_ORDER_ANALYSIS_H
#define WLU_ORDER_ANALYSIS_H

#include "base/context.h"
#include "cost/cost.h"
#include "base/count.h"
#include "order/candidate.h"

typedef struct wlu_analysis {
    wlu_count count;
    wlu_pattern *a; /* owned */
    int32_t n;
    int32_t nblocks;
    int32_t largest_block;
    int32_t *block; /* nblocks + 1: block b is positions block[b] .. block[b+1]-1; of candidates that are not joined */
    int32_t whole[2];   /* 0, n: the block of those that are */
    int rows_are_final; /* the caller gave both orders: pivots are taken as they stand */
    int32_t ncandidates;
    wlu_candidate candidate[WLU_CANDIDATES_MAX];
    int provisional; /* made without values */
    wlu_depth depth;
    int64_t analyze_ns;
} wlu_analysis;

/* An index and a value: what max_factor_bytes counts for each entry of L, U and F. */
#define WLU_FACTOR_BYTES_PER_ENTRY 12.0

static inline int32_t wlu_analysis_nblocks(const wlu_analysis *an, const wlu_candidate *c)
{
    return c->joined ? 1 : an->nblocks;
}

/* The boundaries of a candidate's blocks. */
static inline const int32_t *wlu_analysis_blocks(const wlu_analysis *an, const wlu_candidate *c)
{
    return c->joined ? an->whole : an->block;
}

/* Takes ownership of *pattern (set to NULL) in every case. entries: the gathered values of the pattern's entries,
 * all finite, or NULL: then the diagonal is sought by pattern alone and the analysis is provisional. Statuses: as
 * warplu_analyze. */
warplu_status wlu_analysis_create(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                  wlu_pattern **pattern, const double *entries, wlu_depth depth, wlu_analysis **out);
/* *unsettled is 1 where a provisional analysis is to be made again with these entries: its diagonal has zeros, or
 * matching would be considered by an analysis of its depth. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_analysis_judge(wlu_context *ctx, const warplu_options *options, const wlu_analysis *analysis,
                                 const double *entries, int *unsettled);
/* One more owner. */
wlu_analysis *wlu_analysis_share(wlu_analysis *analysis);
/* One owner less; the last one frees it. Takes NULL, leaves NULL. */
void wlu_analysis_destroy(wlu_context *ctx, wlu_analysis **analysis);

#endif
