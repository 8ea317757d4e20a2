/* What becomes of a weak replay: earlier pivots, proof, or new pivots.
 *
 * 1. Earlier pivots replay the values; those that are not weak take over (regimes.c).
 * 2. The replay may prove itself: it solves A x = b for a known x, and where the backward error is small the factors
 * stay, suspect, so that every solve is checked. |l| > 1e6 is a warning sign, not a verdict: many such replays are
 *    backward stable, and a proof costs a solve and a residual where pivoting again costs several refactorizations.
 *    Once accurate_solves, and tries of earlier pivots in vain, have cost what new pivots cost, those are chosen.
 * Healthy replays make up for them slowly, so that accurate_solves few and far between go on for ever.
 * 3. New pivots, by the order and scaling that served before. Their factors answer at once. Where that order does not
 * suit the new values (many pivots leave its diagonal, or the terms exceed its prediction), the first values were a
 * poor sample: once, an analysis of the new ones is tried, and kept if its pivots are cheaper. */
#include "pivot/attempts.h"
#include "solver/solver.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Replays' time that is spent on accurate_solves before new pivots are chosen, and what a proof takes of it with the
 * checked solve that follows: of ng_add20 0.10 ms where a replay takes 0.05. New pivots with their program cost some 16
 * replays; half of that brings two regimes in turn to pivots that serve both, and to their program, within 20 steps. */
static const double NEW_PIVOTS = 7.0, PROOF = 2.0;
/* The part of what was spent that a healthy replay makes up for: accurate_solves rarer than one in 32 replays never
 * come to new pivots. */
static const double MADE_UP = 1.0 / 96.0;
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

/* Whether an earlier program serves these very pivots. */
static int has_program(const warplu_solver *s, const wlu_pivots *pivots)
{
    return (s->current.state != NULL && wlu_pivots_alike(s->current.plan->pivots, pivots, 0)) ||
           wlu_cache_find(&s->cache, pivots, 0, 1) >= 0;
}

/* Pivots, their factors, and what known systems prove of these. */
typedef struct candidate {
    wlu_pivots *pivots;
    wlu_factors *factors;
    int accurate_solves[2];
} candidate;

static void drop(warplu_solver *s, candidate *c)
{
    wlu_pivots_destroy(&s->ctx, &c->pivots);
    wlu_factors_destroy(&s->ctx, &c->factors);
}

/* New pivots: a plan of them, their factors, what known systems prove of these, and where it was asked for a state of
 * the plan's program. */
typedef struct found_pivots {
    wlu_plan *plan;
    wlu_factors *factors;
    wlu_state *state;
    int accurate_solves[2];
} found_pivots;

/* Known systems fail small pivots that the tolerance has kept. Stricter ones take their place where they are proven and
 * cost little more: what is not is checked at every solve on a device. On others the host checks some, and that is the
 * end of it. */
static void try_stricter(warplu_solver *s, candidate *best)
{
    wlu_context quiet = s->ctx; /* those at hand serve too */
    candidate other = {NULL, NULL, {0, 0}};
    if (!wlu_solver_refines(s, best->accurate_solves) || s->options.check == WARPLU_CHECK_ALWAYS) return;
    quiet.message = NULL;
    wlu_pivots_create_stricter(&quiet, &s->options, s->cost, s->analysis, s->entries, best->pivots, &other.pivots,
                               &other.factors);
    if (other.pivots == NULL) return;
    wlu_solver_test_on_known_systems(s, other.pivots, other.factors, other.accurate_solves);
    if (!wlu_solver_refines(s, other.accurate_solves)) {
        candidate kept = *best;
        *best = other;
        other = kept;
    }
    drop(s, &other);
}

/* By the order and scaling in use. */
static warplu_status search_pivots(warplu_solver *s, const wlu_pivots *served, int ahead, candidate *c)
{
    warplu_status status =
        wlu_pivots_create(&s->ctx, &s->options, s->cost, s->analysis, s->entries, served, &c->pivots, &c->factors);
    if (status == WARPLU_SUCCESS && !c->factors->health.finite)
        status = wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "the factors overflow");
    if (status == WARPLU_SUCCESS) status = wlu_poll_cancel(&s->ctx);
    if (status == WARPLU_SUCCESS && wlu_solver_proves(s, ahead)) {
        wlu_solver_test_on_known_systems(s, c->pivots, c->factors, c->accurate_solves);
        try_stricter(s, c);
    }
    return status;
}

/* The program of new pivots and a state for it; none where factors by column take its place. */
static warplu_status compile_ahead(warplu_solver *s, found_pivots *f)
{
    wlu_context quiet = s->ctx;
    quiet.message = NULL;
    warplu_status status = wlu_poll_cancel(&quiet);
    if (status == WARPLU_SUCCESS) status = wlu_plan_compile(&quiet, &s->options, f->plan);
    if (status == WARPLU_SUCCESS) status = wlu_plan_state(&quiet, f->plan, s->team, &f->state);
    if (status == WARPLU_SUCCESS || wlu_solver_does_without(s, status)) return WARPLU_SUCCESS;
    return wlu_fail(&s->ctx, status, "%s", quiet.last_message);
}

/* Where a program is refused, the first pivots are found all the same: another search would come to the same end. */
static warplu_status find_pivots(warplu_solver *s, const wlu_pivots *served, int ahead, found_pivots *f)
{
    candidate c = {NULL, NULL, {0, 0}};
    *f = (found_pivots){NULL, NULL, NULL, {0, 0}};
    warplu_status status = search_pivots(s, served, ahead, &c);
    if (status == WARPLU_SUCCESS)
        status =
            wlu_plan_create(&s->ctx, wlu_solver_target(s, c.accurate_solves), s->cost, s->analysis, c.pivots, &f->plan);
    if (f->plan == NULL) {
        drop(s, &c);
        return status;
    }
    f->factors = c.factors;
    memcpy(f->accurate_solves, c.accurate_solves, sizeof f->accurate_solves);
    if (ahead && !has_program(s, c.pivots)) status = compile_ahead(s, f);
    if (status == WARPLU_SUCCESS || (wlu_plan_is_refusal(status) && s->current.plan == NULL)) return status;
    wlu_plan_release(&s->ctx, &f->plan);
    wlu_factors_destroy(&s->ctx, &f->factors);
    return status;
}

static void take_pivots(warplu_solver *s, found_pivots *f)
{
    wlu_solver_change_pivots(s, f->plan, f->factors);
    s->factored = s->fresh = s->entries_kept = s->suspect = 1;
    s->bounded[0] = s->bounded[1] = WLU_BOUND_OPEN;
    memcpy(s->accurate_solves, f->accurate_solves, sizeof s->accurate_solves);
}

warplu_status wlu_solver_pivot_again(warplu_solver *s)
{
    found_pivots found;
    const wlu_pivots *served = s->current.plan->analysis == s->analysis ? s->current.plan->pivots : NULL;
    s->factored = 0;
    warplu_status status = find_pivots(s, served, 0, &found);
    if (status == WARPLU_SUCCESS) take_pivots(s, &found);
    return status;
}

warplu_status wlu_solver_pivot(warplu_solver *s)
{
    found_pivots found;
    s->factored = 0;
    warplu_status status = find_pivots(s, NULL, s->options.expected_refactors >= WLU_COMPILE_AFTER, &found);
    if (found.plan == NULL) return status;
    take_pivots(s, &found);
    s->current.state = found.state;
    s->compilations += found.state != NULL;
    if (found.state != NULL || status < 0) wlu_factors_destroy(&s->ctx, &s->factors);
    if (status < 0) s->factored = s->fresh = s->entries_kept = s->suspect = 0;
    return status;
}

/* Whether the order in use was made for values too unlike these. */
static int order_is_unfit(const warplu_solver *s)
{
    const wlu_pivots *p = s->current.plan->pivots;
    return (double)p->terms > UNFIT_TERMS * p->predicted_terms ||
           wlu_pivots_count_off_diagonal(p, s->analysis) > UNFIT_EXCHANGES * p->n;
}

/* Once in an analysis' life: another from the values at hand, if the pivots just chosen show that they need it.
 * Whatever fails, these pivots stand. */
static void reconsider_analysis(warplu_solver *s)
{
    if (s->reconsidered || s->options.ordering == WARPLU_ORDERING_GIVEN || !order_is_unfit(s)) return;
    s->reconsidered = 1;
    wlu_context quiet = s->ctx;
    quiet.message = NULL;
    wlu_analysis *other;
    candidate c = {NULL, NULL, {0, 0}};
    wlu_plan *plan = NULL;
    warplu_status status = wlu_solver_analyze_again(&quiet, s, &other);
    if (status >= 0)
        status = wlu_pivots_create(&quiet, &s->options, s->cost, other, s->entries, NULL, &c.pivots, &c.factors);
    if (status >= 0 && c.factors->health.finite && c.pivots->terms < s->current.plan->pivots->terms) {
        if (wlu_solver_proves(s, 0)) wlu_solver_test_on_known_systems(s, c.pivots, c.factors, c.accurate_solves);
        status = wlu_plan_create(&quiet, wlu_solver_target(s, c.accurate_solves), s->cost, other, c.pivots, &plan);
    }
    if (plan == NULL) {
        drop(s, &c);
        wlu_analysis_destroy(&s->ctx, &other);
        return;
    }
    wlu_loaded_release(&s->ctx, &s->current);
    wlu_factors_destroy(&s->ctx, &s->factors);
    wlu_analysis_destroy(&s->ctx, &s->analysis);
    s->analysis = other;
    s->current.plan = plan;
    s->factors = c.factors;
    memcpy(s->accurate_solves, c.accurate_solves, sizeof s->accurate_solves);
}

/* Healthy replays since the last weak one make up for a part of what was spent. */
static void make_up(warplu_solver *s)
{
    int64_t healthy = s->refactors - s->service.counted - 1;
    if (healthy > 0) s->service.spent *= pow(1.0 - MADE_UP, (double)healthy);
    s->service.counted = s->refactors;
}

/* proven: whether the weak factors at hand solve a system with a known solution. */
static warplu_status try_proof(warplu_solver *s, int *proven)
{
    const wlu_health *h = wlu_solver_health(s);
    double error = INFINITY;
    warplu_status status = WARPLU_SUCCESS;
    if (s->service.spent < NEW_PIVOTS && h->finite && h->smallest_pivot >= DBL_MIN &&
        h->smallest_pivot > s->options.pivot_absolute)
        status = wlu_solver_known_error(s, wlu_solver_bounds(s).accurate, &error);
    *proven = error <= wlu_solver_bounds(s).accurate;
    return status;
}

/* The options say that weak pivots stay. */
static warplu_status keep_weak(warplu_solver *s)
{
    if (!wlu_solver_health(s)->finite)
        return wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "the replay overflows or divides by zero, and its pivots are kept");
    s->factored = s->suspect = 1;
    return wlu_fail(&s->ctx, WARPLU_WEAK, "%s", warplu_status_text(WARPLU_WEAK));
}

warplu_status wlu_solver_recover(warplu_solver *s, const double *values)
{
    s->weak_replays++;
    warplu_status status = wlu_gather_finite(&s->ctx, s->analysis->a, values, s->entries);
    if (status < 0) return status;
    s->entries_kept = 1;
    make_up(s);
    if (s->options.weak != WARPLU_ON_WEAK_REPIVOT) return keep_weak(s);
    if (wlu_solver_try_earlier(s, values)) {
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
        s->service.spent += PROOF;
        s->proven_replays++;
        return WARPLU_SUCCESS;
    }
    status = wlu_solver_pivot_again(s);
    if (status < 0) return status;
    reconsider_analysis(s);
    s->repivots++;
    return wlu_fail(&s->ctx, WARPLU_REPIVOTED, "%s", warplu_status_text(WARPLU_REPIVOTED));
}
