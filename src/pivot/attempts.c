/* Policy of pivoting. See attempts.h for what is tried and when.
 *
 * Candidates from matching are factored with the scales of a matching of the values at hand, which need not be those of
 * the analysis: a matching of other values has another transversal, yet under its scales, too, no entry of A is larger
 * than 1. Where these values have no full transversal, or finding it takes too long, rows are scaled as usual. */
#include "pivot/attempts.h"

#include "base/clock.h"
#include "numerics/verdict.h"
#include "order/matching.h"
#include "order/row_scale.h"
#include "order/transversal.h"
#include "pivot/search.h"

#include <math.h>
#include <string.h>

/* Actual over predicted terms or height above which the runner-up is tried as well. */
static const double PREDICTION_SLACK = 1.3;
/* A runner-up predicted to need this many times the terms at hand is not tried; predictions are upper bounds on
 * unsymmetric patterns, three times too high on bayer10. An attempt that needs this many times what is predicted, or
 * what is at hand, is given up while there are others: fidapex6 takes a hundred times the terms unless its diagonal is
 * matched. */
static const double HOPELESS = 4.0;
/* The part of all pivots off the diagonal above which a matched candidate is tried whatever the terms: orani678 takes 5
 * %, a quarter fewer terms matched, and growth of 1e-5, 0.2 matched. */
static const double MANY_EXCHANGED = 0.01;

/* Stricter attempts have a tolerance so many times as large, up to 1. */
static const double STRICTER = 100.0;

static int exceeds_prediction(const wlu_pivots *p, const wlu_candidate *c)
{
    return (double)p->terms > PREDICTION_SLACK * c->terms || (double)p->height > PREDICTION_SLACK * c->height;
}

typedef struct chooser {
    wlu_context *ctx;
    const warplu_options *options;
    const wlu_cost *cost;
    const wlu_analysis *analysis;
    const double *x, *size; /* gathered values, and their sizes: ... */
    double *sizes;          /* ... NULL: the values themselves */
    int16_t *exponent;
    int16_t *matched_exponent; /* 2 n: of rows, then of columns; NULL until they are needed */
    int matched;               /* they are at hand */
    double *work;
    wlu_pivots *best;
    wlu_factors *factors; /* the best's */
    double best_ns;       /* once it has been compared with others */
    int compared;
} chooser;

/* Finds the scales of a matching of these values, once. */
static warplu_status find_matched_scales(chooser *c, wlu_context *ctx)
{
    int64_t n = c->analysis->n;
    if (c->matched_exponent != NULL) return WARPLU_SUCCESS;
    c->matched_exponent = WLU_ALLOC(ctx, 2 * n, int16_t);
    int32_t *match = WLU_ALLOC(ctx, n, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (c->matched_exponent == NULL || match == NULL)
        status = wlu_fail_memory(ctx, "scales of a matching");
    else
        status = wlu_matching_find(ctx, c->analysis->a, c->size, wlu_matching_budget(c->options, c->analysis->a), match,
                                   c->matched_exponent, c->matched_exponent + n, &c->matched);
    if (status < 0) { /* not sought yet */
        wlu_free(ctx, c->matched_exponent);
        c->matched_exponent = NULL;
    }
    wlu_free(ctx, match);
    return status;
}

/* Whether a failed attempt ends it all. Where factors are at hand, only the caller does; where others will be tried,
 * values that this order and scaling cannot eliminate are no verdict yet. */
static int is_fatal(const chooser *c, warplu_status status, int last)
{
    if (status == WARPLU_CANCELLED) return 1;
    return c->best == NULL && (last || (status != WARPLU_SINGULAR && status != WARPLU_NOT_FINITE));
}

/* What is added to each solve where nothing proves these pivots and solves are checked for good: on a device. */
static double check_ns(const chooser *c, const wlu_pivots *p)
{
    const warplu_options *o = c->options;
    int checks = o->check == WARPLU_CHECK_SUSPECT && o->on_weak != WARPLU_ON_WEAK_REPORT &&
                 o->precision == WARPLU_PRECISION_DOUBLE;
    return checks && !wlu_scales_are_even(&p->quality, 0) ? c->cost->path.ns_per_check : 0.0;
}

/* The best's predicted time, once. */
static warplu_status find_best_ns(chooser *c, wlu_context *ctx)
{
    if (c->compared) return WARPLU_SUCCESS;
    warplu_status status = wlu_pivots_price(ctx, c->cost, c->best, &c->best_ns);
    c->best_ns += check_ns(c, c->best);
    c->compared = status == WARPLU_SUCCESS;
    return status;
}

/* Whether these pivots are to take the best's place. Without memory to tell they are not. */
static int is_better(chooser *c, wlu_context *ctx, const wlu_pivots *found)
{
    double ns = 0.0;
    if (c->best == NULL) return 1;
    if (find_best_ns(c, ctx) < 0) return 0;
    if (wlu_pivots_price(ctx, c->cost, found, &ns) < 0) return 0;
    ns += check_ns(c, found);
    if (ns >= c->best_ns) return 0;
    c->best_ns = ns;
    return 1;
}

/* Terms beyond which an attempt is given up. */
static double most_terms(const chooser *c, int candidate)
{
    return HOPELESS * (c->best != NULL ? (double)c->best->terms : c->analysis->candidate[candidate].terms);
}

/* Factors one candidate with one kind of scales; it becomes the best if it is cheaper, nothing changes if it takes more
 * than so many terms. last: nothing else will be tried if this fails. */
static warplu_status attempt(chooser *c, int candidate, wlu_scales scales, int last, double most)
{
    const wlu_candidate *order = &c->analysis->candidate[candidate];
    const int16_t *exponent = c->exponent, *col_exponent = NULL;
    wlu_pivots *found = NULL;
    wlu_factors *factors = NULL;
    wlu_context quiet = *c->ctx; /* most of what an attempt runs into is nobody's error */
    quiet.message = NULL;
    warplu_status status = scales == WLU_BOTH_SCALED ? find_matched_scales(c, &quiet) : WARPLU_SUCCESS;
    if (scales == WLU_BOTH_SCALED && c->matched) {
        exponent = c->matched_exponent;
        col_exponent = c->matched_exponent + c->analysis->n;
    } else {
        wlu_row_scale(c->analysis->a, c->size, scales == WLU_ROWS_UNSCALED ? WARPLU_SCALING_NONE : c->options->scaling,
                      c->exponent, c->work);
    }
    if (status == WARPLU_SUCCESS)
        status = (c->analysis->a->doubles == 1 ? wlu_pivot_search : wlu_pivot_search_complex)(
            &quiet, c->options, c->analysis, order, exponent, col_exponent, c->x, most, &found, &factors);
    if (status < 0 && !is_fatal(c, status, last)) return WARPLU_SUCCESS;
    if (status < 0) {
        c->ctx->singularity = quiet.singularity;
        return wlu_fail(c->ctx, status, "%s", quiet.last_message);
    }
    if (found == NULL) return WARPLU_SUCCESS;
    found->candidate = candidate;
    found->scales = scales;
    if (is_better(c, &quiet, found)) {
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

/* The best candidate from matching behind the first, if the first is not from matching itself; 0 if there is none. */
static int matched_rival(const wlu_analysis *an)
{
    if (an->candidate[0].matched) return 0;
    for (int k = 1; k < an->ncandidates; k++)
        if (an->candidate[k].matched) return k;
    return 0;
}

/* The best candidate that is not from matching, if the first is; 0 if there is none. */
static int unmatched_rival(const wlu_analysis *an)
{
    int k = 0;
    while (k < an->ncandidates && an->candidate[k].matched) k++;
    return k < an->ncandidates ? k : 0;
}

static wlu_scales scales_of(const wlu_candidate *c)
{
    return c->matched ? WLU_BOTH_SCALED : WLU_ROWS_SCALED;
}

static int is_hopeless(const chooser *c, int candidate)
{
    return c->best != NULL && c->analysis->candidate[candidate].terms > HOPELESS * (double)c->best->terms;
}

/* Whether the pivots at hand, if there are any, leave something to gain from other orders. */
static int exceeds(const chooser *c)
{
    return c->best == NULL || exceeds_prediction(c->best, &c->analysis->candidate[0]);
}

static int many_exchanged(const chooser *c)
{
    return c->best == NULL || wlu_pivots_count_off_diagonal(c->best, c->analysis) > MANY_EXCHANGED * c->analysis->n;
}

/* Where paths count, a few pivots off the diagonal may lengthen them even if terms stay few: sp14_sptrMondo_tr six
 * times. Whether they have made the pivots at hand slower than the runner-up is predicted to be. */
static int loses_paths(chooser *c)
{
    if (!wlu_target_is_latency_bound(c->cost) || wlu_pivots_count_off_diagonal(c->best, c->analysis) == 0) return 0;
    return find_best_ns(c, c->ctx) < 0 || c->best_ns > wlu_candidate_ns(&c->analysis->candidate[1]);
}

/* The scales of a matching are uneven where unknowns are: then all solves are checked. */
static int is_checked(const chooser *c)
{
    return c->best != NULL && check_ns(c, c->best) > 0.0;
}

/* Whether this candidate is predicted to be faster than the pivots at hand with what is added to them. */
static int saves_checks(chooser *c, int candidate)
{
    if (!is_checked(c) || is_hopeless(c, candidate)) return 0;
    return find_best_ns(c, c->ctx) == WARPLU_SUCCESS &&
           wlu_candidate_ns(&c->analysis->candidate[candidate]) < c->best_ns;
}

/* Before orders have raced: the one order, with fewer scales where its own are given up. */
static warplu_status try_first(chooser *c, int tried)
{
    wlu_scales scales = scales_of(&c->analysis->candidate[0]);
    warplu_status status = tried ? WARPLU_SUCCESS : attempt(c, 0, scales, 0, most_terms(c, 0));
    if (status == WARPLU_SUCCESS && c->best == NULL && c->options->scaling != WARPLU_SCALING_NONE)
        status = attempt(c, 0, scales == WLU_BOTH_SCALED ? WLU_ROWS_SCALED : WLU_ROWS_UNSCALED, 0, most_terms(c, 0));
    return status;
}

/* The first candidate, and others where it is not what was predicted; none of them if all are given up. */
static warplu_status try_candidates(chooser *c, int tried)
{
    const wlu_analysis *an = c->analysis;
    const wlu_candidate *first = &an->candidate[0];
    int rival = matched_rival(an), unmatched = unmatched_rival(an), runner_up = an->ncandidates > 1 && rival != 1;
    wlu_scales other = first->matched ? WLU_ROWS_SCALED : WLU_ROWS_UNSCALED;
    int rescale =
        first->matched ? c->options->matching == WARPLU_MATCHING_AUTO : c->options->scaling != WARPLU_SCALING_NONE;
    int alone = !rescale && !rival && !runner_up;
    if (an->depth == WLU_DEPTH_FIRST) return try_first(c, tried);
    warplu_status status =
        tried ? WARPLU_SUCCESS : attempt(c, 0, scales_of(first), 1, alone ? HUGE_VAL : most_terms(c, 0));
    if (status < 0) return status;
    if (rescale && (exceeds(c) || is_checked(c))) status = attempt(c, 0, other, 0, most_terms(c, 0));
    if (status == WARPLU_SUCCESS && rival && (exceeds(c) || many_exchanged(c)) && !is_hopeless(c, rival))
        status = attempt(c, rival, WLU_BOTH_SCALED, 0, most_terms(c, rival));
    if (status == WARPLU_SUCCESS && unmatched && saves_checks(c, unmatched))
        status = attempt(c, unmatched, WLU_ROWS_SCALED, 0, most_terms(c, unmatched));
    if (status == WARPLU_SUCCESS && runner_up && (exceeds(c) || loses_paths(c)) && !is_hopeless(c, 1))
        status = attempt(c, 1, scales_of(&an->candidate[1]), 0, most_terms(c, 1));
    return status;
}

static warplu_status choose(chooser *c, const wlu_pivots *served)
{
    const wlu_candidate *first = &c->analysis->candidate[0];
    int tried = c->best != NULL && served->candidate == 0 && served->scales == scales_of(first);
    warplu_status status = try_candidates(c, tried);
    if (status == WARPLU_SUCCESS && c->best == NULL && c->analysis->depth == WLU_DEPTH_RACED)
        status = attempt(c, 0, scales_of(first), 1, HUGE_VAL);
    return status;
}

/* Whether the order and scaling that served before need no comparison with others. */
static int serves_again(const wlu_pivots *p, const wlu_pivots *served)
{
    return served != NULL && p != NULL && (double)p->terms <= PREDICTION_SLACK * (double)served->terms &&
           (double)p->height <= PREDICTION_SLACK * (double)served->height;
}

static warplu_status begin(chooser *c)
{
    c->exponent = WLU_ALLOC(c->ctx, c->analysis->n, int16_t);
    c->work = WLU_ALLOC(c->ctx, c->analysis->n, double);
    if (c->exponent == NULL || c->work == NULL) return wlu_fail_memory(c->ctx, "row scales");
    return wlu_pattern_sizes(c->ctx, c->analysis->a, c->x, &c->sizes, &c->size);
}

/* Hands out the best; the chooser began at begin_ns. */
static warplu_status end(chooser *c, warplu_status status, int64_t begin_ns, wlu_pivots **out, wlu_factors **factors)
{
    wlu_free(c->ctx, c->exponent);
    wlu_free(c->ctx, c->matched_exponent);
    wlu_free(c->ctx, c->work);
    wlu_free(c->ctx, c->sizes);
    if (status < 0) {
        wlu_pivots_destroy(c->ctx, &c->best);
        wlu_factors_destroy(c->ctx, &c->factors);
    }
    if (c->best != NULL) c->best->factor_ns = wlu_now_ns() - begin_ns;
    *out = c->best;
    *factors = c->factors;
    return status;
}

warplu_status wlu_pivots_create(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                const wlu_analysis *analysis, const double *x, const wlu_pivots *served,
                                wlu_pivots **out, wlu_factors **factors)
{
    int64_t begin_ns = wlu_now_ns();
    chooser c = {.ctx = ctx, .options = options, .cost = cost, .analysis = analysis, .x = x};
    warplu_status status = begin(&c);
    if (status == WARPLU_SUCCESS && served != NULL)
        status = attempt(&c, served->candidate, served->scales, 0, HOPELESS * (double)served->terms);
    if (status == WARPLU_SUCCESS && !serves_again(c.best, served)) status = choose(&c, served);
    return end(&c, status, begin_ns, out, factors);
}

/* Whether a stricter tolerance would find these pivots again, or scales alone make their solves be checked. */
static int strictness_is_vain(const wlu_pivots *found, double tolerance)
{
    wlu_pivot_quality quality = found->quality;
    int the_same = quality.largest_l * tolerance <= 1.0;
    quality.largest_l = 1.0;
    return the_same || !wlu_scales_are_even(&quality, 0);
}

/* By the order and scales of the pivots found, and the matched rival where it is predicted to take little longer. */
static warplu_status try_stricter(chooser *c, const wlu_pivots *found)
{
    const wlu_candidate *candidate = c->analysis->candidate;
    int rival = matched_rival(c->analysis);
    int near = wlu_candidate_ns(&candidate[rival]) <= wlu_candidate_ns(&candidate[0]) + c->cost->path.ns_per_check;
    /* more terms would take longer than the checks they save */
    double most = (double)found->terms + c->cost->path.ns_per_check / c->cost->ns_per_dot_term;
    warplu_status status = attempt(c, found->candidate, found->scales, 0, most);
    if (status == WARPLU_SUCCESS && found->candidate == 0 && rival && near)
        status = attempt(c, rival, WLU_BOTH_SCALED, 0, most);
    return status;
}

/* Whether the best is finite, and predicted to take no longer than the pivots found with a check of each solve. Without
 * memory to tell it is not. */
static int is_worth_its_time(chooser *c, const wlu_pivots *found)
{
    double ns, best_ns;
    return c->best != NULL && c->factors->health.finite &&
           wlu_pivots_price(c->ctx, c->cost, found, &ns) == WARPLU_SUCCESS &&
           wlu_pivots_price(c->ctx, c->cost, c->best, &best_ns) == WARPLU_SUCCESS &&
           best_ns <= ns + c->cost->path.ns_per_check;
}

warplu_status wlu_pivots_create_stricter(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                         const wlu_analysis *analysis, const double *x, const wlu_pivots *found,
                                         wlu_pivots **out, wlu_factors **factors)
{
    int64_t begin_ns = wlu_now_ns();
    warplu_options stricter = *options;
    stricter.pivot_tolerance = fmin(1.0, STRICTER * options->pivot_tolerance);
    *out = NULL;
    *factors = NULL;
    if (strictness_is_vain(found, stricter.pivot_tolerance)) return WARPLU_SUCCESS;
    chooser c = {.ctx = ctx, .options = &stricter, .cost = cost, .analysis = analysis, .x = x};
    warplu_status status = begin(&c);
    if (status == WARPLU_SUCCESS) status = try_stricter(&c, found);
    if (status == WARPLU_SUCCESS && !is_worth_its_time(&c, found)) {
        wlu_pivots_destroy(ctx, &c.best);
        wlu_factors_destroy(ctx, &c.factors);
    }
    return end(&c, status, begin_ns, out, factors);
}
