/* The analysis: block triangular form, candidate orders, predictions. See order/analysis.h for the method,
 * order/race.c for the race. O(n + nnz) beside the orderings and a matching. */
#include "order/analysis.h"

#include "base/clock.h"
#include "order/order.h"
#include "order/race.h"
#include "order/transversal.h"

#include <string.h>

static warplu_status check_ordering(wlu_context *ctx, warplu_ordering ordering)
{
    if (wlu_ordering_get(ordering) == NULL)
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "ordering is %d, expected 0 to %d", (int)ordering,
                        wlu_orderings - 1);
    if (!wlu_ordering_compiled(ordering))
        return wlu_fail(ctx, WARPLU_NOT_COMPILED, "this build has no %s", wlu_ordering_name(ordering));
    return WARPLU_SUCCESS;
}

/* Entries of the factors by the order of least fill. */
static double least_entries(const wlu_analysis *an)
{
    double least = an->candidate[0].lu_nnz;
    for (int32_t k = 1; k < an->ncandidates; k++)
        least = an->candidate[k].lu_nnz < least ? an->candidate[k].lu_nnz : least;
    return least;
}

static int is_too_large(const warplu_options *options, const wlu_analysis *an)
{
    double most = (double)options->max_factor_bytes;
    return most > 0.0 && WLU_FACTOR_BYTES_PER_ENTRY * least_entries(an) > most;
}

static warplu_status fail_too_large(wlu_context *ctx, const warplu_options *options, const wlu_analysis *an)
{
    return wlu_fail(ctx, WARPLU_FACTORS_TOO_LARGE,
                    "the factors are predicted to take %.0f bytes, %.0f entries; max_factor_bytes is %lld",
                    WLU_FACTOR_BYTES_PER_ENTRY * least_entries(an), least_entries(an),
                    (long long)options->max_factor_bytes);
}

/* The one order is too large: forgets it, so that all race. */
static void begin_race(wlu_context *ctx, wlu_transversal form[WLU_FORMS_MAX], wlu_analysis *an)
{
    wlu_transversals_free(ctx, form);
    wlu_free(ctx, an->candidate[0].row);
    wlu_free(ctx, an->candidate[0].col);
    an->candidate[0] = (wlu_candidate){0};
    an->depth = WLU_DEPTH_RACED;
}

static warplu_status build(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost, const double *entries,
                           wlu_transversal form[WLU_FORMS_MAX], wlu_analysis *an)
{
    int nforms;
    an->provisional = entries == NULL;
    an->rows_are_final = options->ordering == WARPLU_ORDERING_GIVEN && options->row_order != NULL;
    warplu_status status = wlu_transversals_find(ctx, options, an->a, entries, an->depth, form, &nforms);
    if (status < 0) return status;
    const wlu_btf *btf = &form[0].btf;
    an->nblocks = btf->nblocks;
    an->largest_block = btf->largest_block;
    status = wlu_candidates_find(ctx, options, cost, an->a, an->depth, form, nforms, an->candidate, &an->ncandidates);
    if (status >= 0 && is_too_large(options, an)) {
        if (an->depth == WLU_DEPTH_RACED || options->ordering != WARPLU_ORDERING_AUTO)
            return fail_too_large(ctx, options, an);
        begin_race(ctx, form, an);
        return build(ctx, options, cost, entries, form, an);
    }
    if (status < 0) return status;
    an->block = WLU_ALLOC(ctx, (int64_t)an->nblocks + 1, int32_t);
    if (an->block == NULL) return wlu_fail_memory(ctx, "analysis");
    memcpy(an->block, btf->block, ((size_t)an->nblocks + 1) * sizeof *an->block);
    return WARPLU_SUCCESS;
}

warplu_status wlu_analysis_create(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                  wlu_pattern **pattern, const double *entries, wlu_depth depth, wlu_analysis **out)
{
    int64_t start = wlu_now_ns();
    wlu_transversal form[WLU_FORMS_MAX] = {0};
    wlu_pattern *a = *pattern;
    double *owned = NULL;
    const double *sizes;
    wlu_analysis *an = WLU_CALLOC(ctx, 1, wlu_analysis);
    *pattern = NULL;
    *out = NULL;
    if (an == NULL) {
        wlu_pattern_destroy(ctx, &a);
        return wlu_fail_memory(ctx, "analysis");
    }
    an->a = a;
    an->depth = depth;
    an->n = an->whole[1] = a->n;
    warplu_status status = check_ordering(ctx, options->ordering);
    if (status >= 0) status = wlu_pattern_sizes(ctx, a, entries, &owned, &sizes);
    if (status >= 0) status = build(ctx, options, cost, sizes, form, an);
    wlu_free(ctx, owned);
    wlu_transversals_free(ctx, form);
    if (status < 0) {
        wlu_analysis_destroy(ctx, &an);
        return status;
    }
    an->analyze_ns = wlu_now_ns() - start;
    *out = an;
    return status;
}

wlu_analysis *wlu_analysis_share(wlu_analysis *an)
{
    wlu_count_add(&an->count);
    return an;
}

warplu_status wlu_analysis_judge(wlu_context *ctx, const warplu_options *options, const wlu_analysis *an,
                                 const double *entries, int *unsettled)
{
    wlu_diagonal diagonal;
    double *owned;
    const double *sizes;
    *unsettled = 0;
    if (!an->provisional || options->ordering == WARPLU_ORDERING_GIVEN) return WARPLU_SUCCESS;
    *unsettled = options->matching == WARPLU_MATCHING_ALWAYS;
    if (*unsettled || an->depth == WLU_DEPTH_FIRST) return WARPLU_SUCCESS;
    warplu_status status = wlu_pattern_sizes(ctx, an->a, entries, &owned, &sizes);
    if (status == WARPLU_SUCCESS)
        status = wlu_diagonal_judge(ctx, options, an->a, sizes, an->candidate[0].row, an->candidate[0].col, &diagonal);
    wlu_free(ctx, owned);
    if (status < 0) return status;
    *unsettled = diagonal == WLU_DIAGONAL_HAS_ZEROS ||
                 (diagonal == WLU_DIAGONAL_WEAK && options->matching == WARPLU_MATCHING_AUTO);
    return WARPLU_SUCCESS;
}

void wlu_analysis_destroy(wlu_context *ctx, wlu_analysis **analysis)
{
    wlu_analysis *an = *analysis;
    *analysis = NULL;
    if (an == NULL || !wlu_count_drop(&an->count)) return;
    for (int32_t k = 0; k < WLU_CANDIDATES_MAX; k++) {
        wlu_free(ctx, an->candidate[k].row);
        wlu_free(ctx, an->candidate[k].col);
    }
    wlu_pattern_destroy(ctx, &an->a);
    wlu_free(ctx, an->block);
    wlu_free(ctx, an);
}
