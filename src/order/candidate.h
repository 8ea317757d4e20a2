/* A candidate: rows and columns from the orders of a form's blocks, and its predictions. */
#ifndef WLU_ORDER_CANDIDATE_H
#define WLU_ORDER_CANDIDATE_H

#include "cost/cost.h"
#include "order/transversal.h"

/* AMD of three forms, dissections of two, one more draw while it is compared, and the others that race. */
enum { WLU_CANDIDATES_MAX = 6 + WLU_ORDERINGS_IN_BUDGET };

typedef struct wlu_candidate {
    warplu_ordering ordering;
    int matched;         /* the diagonal is a maximum product matching, and wants its scales */
    int joined;          /* all blocks are one: of n rows, without F */
    int32_t *row;        /* row[k]: original row in tentative pivot position k */
    int32_t *col;        /* col[k]: original column in position k */
    double terms;        /* predicted multiply-subtracts */
    double lu_nnz;       /* predicted entries of L, U and F */
    int32_t height;      /* predicted pivots on the longest dependent chain */
    double predicted_ns; /* one refactorization by the cost model */
    double solve_ns;     /* what a solve in the same call adds to it, by its longest path; 0 unless paths count */
    int64_t order_ns;    /* what finding the order took */
    int symmetric; /* 1: every entry has a counterpart across its diagonal; 0: nobody has looked, or one has none */
} wlu_candidate;

/* A refactorization and a solve by this candidate. */
static inline double wlu_candidate_ns(const wlu_candidate *c)
{
    return c->predicted_ns + c->solve_ns;
}

/* Takes AMD's counts of all blocks of the form for predictions, mostly upper bounds that cost nothing: time by terms
 * alone, height n. Else as wlu_candidate_predict. */
warplu_status wlu_candidate_estimate(wlu_context *ctx, const wlu_cost *cost, const wlu_pattern *a,
                                     const wlu_transversal *form, const wlu_amd_counts *counts, int32_t *order,
                                     wlu_candidate *c);

/* Fills in *c, except for the ordering, matched, joined and order_ns. order: n, block-local orders of the form's
 * blocks, one after the other. lowers: on a latency-bound target they may be replaced by equivalent orders of smallest
 * height. parent: NULL, or on a latency-bound target n, for the blocks' elimination trees by the orders as they came,
 * by place. The candidate owns row and col, on failure too. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_candidate_predict(wlu_context *ctx, const wlu_cost *cost, const wlu_pattern *a,
                                    const wlu_transversal *form, int lowers, int32_t *order, int32_t *parent,
                                    wlu_candidate *c);

#endif
