/* Choosing pivots: scales, the first candidate, the runner-up where the prediction was wrong.
 *
 * Predictions count B + B' with diagonal pivots; off-diagonal pivots can exceed them. Then the first
 * order is tried again without scaling (which can make diagonals look weak), then the runner-up, and the cheapest
 * by actual terms and entries is kept. */
#include "factor/factors.h"

#include "base/clock.h"
#include "prep/scale.h"

/* Actual over predicted terms or height above which the runner-up is tried as well. */
static const double WLU_PREDICTION_SLACK = 1.3;
/* A runner-up predicted to need this many times the terms at hand is not tried; predictions are upper bounds on
 * unsymmetric patterns, three times too high on bayer10. */
static const double WLU_HOPELESS = 4.0;

void wlu_pivots_destroy(wlu_context *ctx, wlu_pivots **pivots)
{
    wlu_pivots *p = *pivots;
    if (p == NULL) return;
    void *owned[] = {p->block, p->row, p->col, p->row_pos, p->col_pos, p->exponent, p->col_exponent, p->largest, p->row_largest, p->row_unit, p->lp,
                     p->up,    p->fp,  p->li,  p->ui,      p->fi,      p};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    *pivots = NULL;
}

int wlu_pivots_col_exponent(const wlu_pivots *p, int32_t j)
{
    return p->col_exponent != NULL ? p->col_exponent[j] : 0;
}

int wlu_pivots_exponent(const wlu_pivots *p, int32_t i, int32_t j)
{
    return p->exponent[i] + wlu_pivots_col_exponent(p, j);
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

typedef struct chooser {
    wlu_context *ctx;
    const warplu_options *options;
    const wlu_cost *cost;
    const wlu_analysis *analysis;
    const double *x;
    int16_t *exponent;
    double *work;
    wlu_pivots *best;
    wlu_factors *factors; /* the best's */
} chooser;

/* Whether a failed attempt ends it all. Where factors are at hand, only the caller does; where others will be tried, values
 * that this order and scaling cannot eliminate are no verdict yet. */
static int is_fatal(const chooser *c, warplu_status status, int last)
{
    if (status == WARPLU_CANCELLED) return 1;
    return c->best == NULL && (last || (status != WARPLU_SINGULAR && status != WARPLU_NOT_FINITE));
}

/* Factors one candidate with one scaling; it becomes the best if it is cheaper. last: nothing else will be tried if this
 * fails. */
static warplu_status attempt(chooser *c, int candidate, warplu_scaling scaling, int last)
{
    const wlu_candidate *order = &c->analysis->candidate[candidate];
    wlu_pivots *found = NULL;
    wlu_factors *factors = NULL;
    wlu_context quiet = *c->ctx; /* most of what an attempt runs into is nobody's error */
    quiet.message = NULL;
    wlu_row_scale(c->analysis->a, c->x, scaling, c->exponent, c->work);
    warplu_status status =
        wlu_pivot_search(&quiet, c->options, c->analysis, order, c->exponent, NULL, c->x, &found, &factors);
    if (status < 0) return is_fatal(c, status, last) ? wlu_fail(c->ctx, status, "%s", quiet.last_message) : WARPLU_SUCCESS;
    found->candidate = candidate;
    found->scaling = scaling;
    if (c->best == NULL || actual_ns(c->cost, found) < actual_ns(c->cost, c->best)) {
        wlu_pivots *worse = c->best;
        wlu_factors *worse_factors = c->factors;
        c->best = found;
        c->factors = factors;
        found = worse;
        factors = worse_factors;
    }
    wlu_pivots_destroy(c->ctx, &found);
    wlu_factors_destroy(c->ctx, &factors);
    return WARPLU_SUCCESS;
}

static warplu_status choose(chooser *c)
{
    const wlu_candidate *first = &c->analysis->candidate[0], *second = &c->analysis->candidate[1];
    warplu_scaling scaling = c->options->scaling;
    warplu_status status = attempt(c, 0, scaling, 1);
    if (status == WARPLU_SUCCESS && scaling != WARPLU_SCALE_NONE && exceeds_prediction(c->best, first))
        status = attempt(c, 0, WARPLU_SCALE_NONE, 0);
    if (status == WARPLU_SUCCESS && c->analysis->ncandidates > 1 && exceeds_prediction(c->best, first) &&
        second->terms <= WLU_HOPELESS * (double)c->best->terms)
        status = attempt(c, 1, scaling, 0);
    return status;
}

/* Whether the order and scaling that served before need no comparison with others. */
static int serves_again(const wlu_pivots *p, const wlu_pivots *served)
{
    return served != NULL && p != NULL && (double)p->terms <= WLU_PREDICTION_SLACK * (double)served->terms &&
           (double)p->height <= WLU_PREDICTION_SLACK * (double)served->height;
}

warplu_status wlu_pivots_create(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                const wlu_analysis *analysis, const double *x, const wlu_pivots *served,
                                wlu_pivots **out, wlu_factors **factors)
{
    int64_t begin = wlu_now_ns();
    chooser c = {.ctx = ctx, .options = options, .cost = cost, .analysis = analysis, .x = x};
    *out = NULL;
    c.exponent = WLU_ALLOC(ctx, analysis->n, int16_t);
    c.work = WLU_ALLOC(ctx, analysis->n, double);
    warplu_status status = WARPLU_SUCCESS;
    if (c.exponent == NULL || c.work == NULL) status = wlu_fail_memory(ctx, "row scales");
    if (status == WARPLU_SUCCESS && served != NULL) status = attempt(&c, served->candidate, served->scaling, 0);
    if (status == WARPLU_SUCCESS && !serves_again(c.best, served)) status = choose(&c);
    wlu_free(ctx, c.exponent);
    wlu_free(ctx, c.work);
    if (status < 0) {
        wlu_pivots_destroy(ctx, &c.best);
        wlu_factors_destroy(ctx, &c.factors);
    }
    if (c.best != NULL) c.best->factor_ns = wlu_now_ns() - begin;
    *out = c.best;
    *factors = c.factors;
    return status;
}
