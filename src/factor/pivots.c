/* Choosing pivots: scales, the first candidate, the runner-up where the prediction was wrong.
 *
 * Predictions count B + B' with diagonal pivots; off-diagonal pivots can exceed them. Then the runner-up is
 * factored too and the cheaper of the two, by actual terms and entries, is kept. */
#include "factor/pivots.h"

#include "base/clock.h"
#include "prep/scale.h"

/* Actual over predicted terms or height above which the runner-up is tried as well. */
static const double WLU_PREDICTION_SLACK = 1.3;

void wlu_pivots_destroy(wlu_context *ctx, wlu_pivots **pivots)
{
    wlu_pivots *p = *pivots;
    if (p == NULL) return;
    void *owned[] = {p->block, p->row, p->col, p->row_pos, p->col_pos, p->exponent, p->lp,
                     p->up,    p->fp,  p->li,  p->ui,      p->fi,      p};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    *pivots = NULL;
}

/* The same formula for both, so that only their order matters. */
static double actual_ns(const wlu_cost *cost, const wlu_pivots *p)
{
    double entries = (double)(p->lp[p->n] + p->up[p->n] + p->fp[p->n] + p->n);
    return cost->ns_per_dot_term * (double)p->terms + cost->ns_per_dot_record * entries;
}

static int exceeds_prediction(const wlu_pivots *p, const wlu_candidate *c)
{
    return (double)p->terms > WLU_PREDICTION_SLACK * c->terms ||
           (double)p->height > WLU_PREDICTION_SLACK * c->height;
}

warplu_status wlu_pivots_create(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                const wlu_analysis *analysis, const double *x, wlu_pivots **out)
{
    int64_t begin = wlu_now_ns();
    *out = NULL;
    int16_t *exponent = WLU_ALLOC(ctx, analysis->n, int16_t);
    if (exponent == NULL) return wlu_fail_memory(ctx, "row scales");
    wlu_row_scale(analysis->a, x, options->scaling, exponent);
    wlu_pivots *best = NULL, *other = NULL;
    warplu_status status = wlu_pivot_search(ctx, options, analysis, &analysis->candidate[0], exponent, x, &best);
    if (status == WARPLU_SUCCESS && analysis->ncandidates > 1 &&
        exceeds_prediction(best, &analysis->candidate[0])) {
        /* The first factors stand, whatever becomes of the second attempt. */
        if (wlu_pivot_search(ctx, options, analysis, &analysis->candidate[1], exponent, x, &other) ==
                WARPLU_SUCCESS &&
            actual_ns(cost, other) < actual_ns(cost, best)) {
            wlu_pivots *t = best;
            best = other;
            other = t;
        }
        wlu_pivots_destroy(ctx, &other);
    }
    wlu_free(ctx, exponent);
    if (status < 0) return status;
    best->factor_ns = wlu_now_ns() - begin;
    *out = best;
    return WARPLU_SUCCESS;
}
