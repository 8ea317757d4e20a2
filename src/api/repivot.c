/* What becomes of a weak replay: an earlier program, proof, or new pivots.
 *
 * 1. Programs of earlier pivots replay the values; one that is not weak takes over. Sequences come back to old regimes.
 * 2. The replay may prove itself: it solves A x = b for a known x, and where the backward error is small the factors stay,
 *    suspect, so that every solve is checked. |l| > 1e6 is a warning sign, not a verdict: many such replays are
 *    backward stable, and a proof costs a solve and a residual where pivoting again costs several refactorizations.
 *    After PROOFS_MAX in a row new pivots are cheaper than more proofs.
 * 3. New pivots, by the order and scaling that served before. Their factors answer at once. Where that order does not suit
 *    the new values (many pivots leave its diagonal, or the terms exceed its prediction), the first values were a poor
 *    sample: once, an analysis of the new ones is tried, and kept if its pivots are cheaper. */
#include "api/solver.h"

#include <float.h>
#include <math.h>

#include "solve/check.h"

/* Earlier programs that are tried. A replay costs a fifth of pivoting again. */
enum { TRIES_MAX = 2 };
enum { PROOFS_MAX = 16 };
/* Terms over their prediction, and pivots off the order's diagonal, above which it is called unfit. */
static const double UNFIT_TERMS = 1.3, UNFIT_EXCHANGES = 0.05;

warplu_status wlu_gather_finite(wlu_context *ctx, const wlu_pattern *a, const double *values, double *entries)
{
    wlu_pattern_gather(a, values, entries);
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++)
            if (!isfinite(entries[e]))
                return wlu_fail(ctx, WARPLU_NOT_FINITE, "entry (%d, %d) is %g", a->i[e], j, entries[e]);
    return WARPLU_SUCCESS;
}

/* A compiled plan goes to the cache, another is let go. */
static void retire_pivots(warplu_solver *s)
{
    wlu_loaded old = s->at;
    s->at = (wlu_loaded){NULL, NULL};
    wlu_factors_destroy(&s->ctx, &s->factors);
    if (old.state != NULL)
        wlu_cache_put(&s->ctx, &s->cache, old, s->options.max_cache_bytes);
    else
        wlu_loaded_release(&s->ctx, &old);
    wlu_solver_forget_replays(s);
}

/* Whether an earlier program serves these very pivots. */
static int has_program(const warplu_solver *s, const wlu_pivots *pivots)
{
    return (s->at.state != NULL && wlu_pivots_alike(s->at.plan->pivots, pivots, 0)) ||
           wlu_cache_find(&s->cache, pivots, 0) >= 0;
}

/* New pivots as a plan, with their factors, and where state is not NULL a state for its program. */
static warplu_status find_pivots(warplu_solver *s, const wlu_pivots *served, wlu_plan **plan, wlu_factors **factors,
                                 wlu_state **state)
{
    wlu_pivots *pivots = NULL;
    warplu_status status = wlu_pivots_create(&s->ctx, &s->options, s->executor->cost, s->analysis, s->entries, served,
                                             &pivots, factors);
    if (status == WARPLU_SUCCESS && !(*factors)->health.finite)
        status = wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "the factors overflow");
    if (status == WARPLU_SUCCESS) status = wlu_plan_create(&s->ctx, s->executor, s->analysis, pivots, plan);
    if (status == WARPLU_SUCCESS && state != NULL && !has_program(s, pivots)) {
        status = wlu_plan_compile(&s->ctx, &s->options, *plan);
        if (status == WARPLU_SUCCESS) status = wlu_plan_state(&s->ctx, *plan, state);
    }
    if (status == WARPLU_SUCCESS) return status;
    if (*plan == NULL) wlu_pivots_destroy(&s->ctx, &pivots);
    wlu_plan_release(&s->ctx, plan);
    wlu_factors_destroy(&s->ctx, factors);
    return status;
}

static void take_pivots(warplu_solver *s, wlu_plan *plan, wlu_factors *factors)
{
    retire_pivots(s);
    s->at.plan = plan;
    s->factors = factors;
    s->factored = s->fresh = s->entries_kept = s->suspect = 1;
}

warplu_status wlu_solver_pivot_again(warplu_solver *s)
{
    wlu_factors *factors = NULL;
    wlu_plan *plan = NULL;
    const wlu_pivots *served = s->at.plan->analysis == s->analysis ? s->at.plan->pivots : NULL;
    s->factored = 0;
    warplu_status status = find_pivots(s, served, &plan, &factors, NULL);
    if (status == WARPLU_SUCCESS) take_pivots(s, plan, factors);
    return status;
}

warplu_status wlu_solver_pivot(warplu_solver *s)
{
    wlu_factors *factors = NULL;
    wlu_plan *plan = NULL;
    wlu_state *state = NULL;
    int ahead = s->options.expected_refactors >= WLU_COMPILE_AFTER;
    s->factored = 0;
    warplu_status status = find_pivots(s, NULL, &plan, &factors, ahead ? &state : NULL);
    if (status < 0) return status;
    take_pivots(s, plan, factors);
    if (ahead && s->options.check != WARPLU_CHECK_OFF && s->executor->precision == WARPLU_DOUBLE) wlu_solver_prove(s);
    if (state == NULL) return status;
    s->at.state = state;
    s->compilations++;
    wlu_factors_destroy(&s->ctx, &s->factors);
    return status;
}

/* Whether the order in use was made for values too unlike these. */
static int order_is_unfit(const warplu_solver *s)
{
    const wlu_pivots *p = s->at.plan->pivots;
    return (double)p->terms > UNFIT_TERMS * p->predicted_terms ||
           wlu_pivots_exchanged(p, s->analysis) > UNFIT_EXCHANGES * p->n;
}

/* Once in an analysis' life: another from the values at hand, if the pivots just chosen show that they need it. Whatever
 * fails, these pivots stand. */
static void reconsider_analysis(warplu_solver *s)
{
    if (s->reconsidered || s->options.ordering == WARPLU_ORDER_GIVEN || !order_is_unfit(s)) return;
    s->reconsidered = 1;
    wlu_context quiet = s->ctx;
    quiet.message = NULL;
    wlu_analysis *other;
    wlu_pivots *pivots = NULL;
    wlu_factors *factors = NULL;
    wlu_plan *plan = NULL;
    warplu_status status = wlu_solver_analyze_again(&quiet, s, &other);
    if (status >= 0)
        status = wlu_pivots_create(&quiet, &s->options, s->executor->cost, other, s->entries, NULL, &pivots, &factors);
    if (status >= 0 && factors->health.finite && pivots->terms < s->at.plan->pivots->terms)
        status = wlu_plan_create(&quiet, s->executor, other, pivots, &plan);
    if (plan == NULL) {
        wlu_factors_destroy(&s->ctx, &factors);
        wlu_pivots_destroy(&s->ctx, &pivots);
        wlu_analysis_destroy(&s->ctx, &other);
        return;
    }
    wlu_loaded_release(&s->ctx, &s->at);
    wlu_factors_destroy(&s->ctx, &s->factors);
    wlu_analysis_destroy(&s->ctx, &s->analysis);
    s->analysis = other;
    s->at.plan = plan;
    s->factors = factors;
}

/* Replays the values with earlier programs; 1 if one serves and has become the one in use. */
static int try_earlier(warplu_solver *s, const double *values)
{
    wlu_context quiet = s->ctx; /* one that fails does not serve */
    quiet.message = NULL;
    for (int k = 0; k < s->cache.count && k < TRIES_MAX; k++) {
        const wlu_loaded *earlier = &s->cache.kept[k];
        if (s->executor->refactor(&quiet, earlier->plan->image, earlier->state, values) < 0) continue;
        wlu_verdict verdict =
            wlu_judge(&earlier->state->health, &earlier->plan->pivots->quality, s->options.pivot_absolute);
        if (verdict == WLU_WEAK) continue;
        wlu_loaded taken = wlu_cache_take(&s->cache, k);
        retire_pivots(s);
        s->at = taken;
        s->cache_hits++;
        s->suspect = verdict == WLU_SUSPECT;
        return 1;
    }
    return 0;
}

/* Numbers in (-2, -1] and [1, 2) without a pattern, others for each trial, the same every time. */
static double known_solution(int32_t j, int trial)
{
    uint32_t h = ((uint32_t)j + 1u) * 2654435761u + (uint32_t)trial * 2246822519u;
    double magnitude = 1.0 + (double)(h ^ h >> 15) / 4294967296.0;
    return h >> 13 & 1 ? -magnitude : magnitude;
}

/* error: the backward error, or a bound of it below `enough`, of A x = b (A' x = b) solved for the b of a known x. */
static warplu_status trial_error(warplu_solver *s, int transposed, int trial, double enough, double *error)
{
    const wlu_pattern *a = s->analysis->a;
    int64_t n = a->n;
    double *x = s->work + wlu_check_work(a->n), *b = x + n;
    for (int32_t i = 0; i < n; i++) {
        x[i] = known_solution(i, trial);
        b[i] = 0.0;
    }
    for (int32_t j = 0; j < n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++)
            b[transposed ? j : a->i[e]] += s->entries[e] * x[transposed ? a->i[e] : j];
    double largest;
    warplu_status status = wlu_solver_substitute(s, transposed, b, x, &largest);
    if (status < 0) return status;
    wlu_checked checked = wlu_solver_checked(s);
    *error = wlu_backward_error(&checked, transposed, b, x, enough, s->work);
    return status;
}

/* proven: whether the weak factors at hand solve a system with a known solution. */
static warplu_status try_proof(warplu_solver *s, int *proven)
{
    const wlu_health *h = wlu_solver_health(s);
    double error = INFINITY;
    warplu_status status = WARPLU_SUCCESS;
    if (s->weak_kept < PROOFS_MAX && h->finite && h->smallest_pivot >= DBL_MIN && h->smallest_pivot > s->options.pivot_absolute)
        status = trial_error(s, 0, 0, wlu_solver_bounds(s).accurate, &error);
    *proven = error <= wlu_solver_bounds(s).accurate;
    return status;
}

void wlu_solver_prove(warplu_solver *s)
{
    for (int transposed = 0; transposed <= 1; transposed++) {
        if (!wlu_scales_even_out(&s->at.plan->pivots->quality, transposed)) continue;
        int trial = 0;
        double error = 0.0; /* of factors by columns, which no device can refuse */
        while (trial < WLU_PROBATION && trial_error(s, transposed, trial, wlu_solver_bounds(s).refined, &error) >= 0 && error <= wlu_solver_bounds(s).refined)
            trial++;
        s->proofs[transposed] = trial;
    }
}

/* The options say that weak pivots stay. */
static warplu_status keep_weak(warplu_solver *s)
{
    if (!wlu_solver_health(s)->finite)
        return wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "the replay overflows or divides by zero, and its pivots are kept");
    s->factored = s->suspect = 1;
    return wlu_fail(&s->ctx, WARPLU_WEAK, "%s", warplu_status_text(WARPLU_WEAK));
}

warplu_status wlu_solver_mend(warplu_solver *s, const double *values)
{
    s->weak_replays++;
    warplu_status status = wlu_gather_finite(&s->ctx, s->analysis->a, values, s->entries);
    if (status < 0) return status;
    s->entries_kept = 1;
    if (s->options.weak != WARPLU_WEAK_REPIVOT) return keep_weak(s);
    if (try_earlier(s, values)) {
        s->factored = 1;
        return WARPLU_SUCCESS;
    }
    int proven;
    status = try_proof(s, &proven);
    if (status < 0) return status;
    if (proven) {
        status = wlu_solver_vouch(s);
        if (status < 0) return status;
        s->factored = s->suspect = 1;
        s->weak_kept++;
        s->proven_replays++;
        return WARPLU_SUCCESS;
    }
    status = wlu_solver_pivot_again(s);
    if (status < 0) return status;
    reconsider_analysis(s);
    s->repivots++;
    return wlu_fail(&s->ctx, WARPLU_REPIVOTED, "%s", warplu_status_text(WARPLU_REPIVOTED));
}
