/* New pivots for the values at hand.
 *
 * The first factors answer by columns at once; where enough replays are expected a state for their program waits for
 * its first replay. Known systems put them to the test, and on a device, where solves by unproven pivots are checked
 * each time, stricter pivots may take their place. Pivoting again keeps the order and scaling that served before. Where
 * that order does not suit the new values (many pivots leave its diagonal, or the terms exceed its prediction), an
 * analysis of the new ones is tried once, and kept if its pivots are cheaper. */
#include "solver/repivot.h"

#include <string.h>

#include "pivot/attempts.h"
#include "solver/grow.h"
#include "solver/regimes.h"
#include "solver/replay.h"
#include "solver/settle.h"
#include "solver/trial.h"

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
    wlu_pivots_create_stricter(&quiet, &s->options, s->cost, s->analysis, s->checks.entries, best->pivots,
                               &other.pivots, &other.factors);
    if (other.pivots == NULL) return;
    wlu_solver_test_on_known_systems(s, other.pivots, other.factors, other.accurate_solves);
    if (!wlu_solver_refines(s, other.accurate_solves)) {
        candidate kept = *best;
        *best = other;
        other = kept;
    }
    drop(s, &other);
}

/* By the order and scaling in use; where the first order suits these values not at all, by those that race. */
static warplu_status search_pivots(warplu_solver *s, const wlu_pivots *served, candidate *c)
{
    warplu_status status = wlu_pivots_create(&s->ctx, &s->options, s->cost, s->analysis, s->checks.entries, served,
                                             &c->pivots, &c->factors);
    if (status == WARPLU_SUCCESS && c->pivots == NULL) {
        status = wlu_solver_race(s);
        if (status == WARPLU_SUCCESS)
            status = wlu_pivots_create(&s->ctx, &s->options, s->cost, s->analysis, s->checks.entries, NULL, &c->pivots,
                                       &c->factors);
    }
    if (status == WARPLU_SUCCESS && !c->factors->health.finite)
        status = wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "the factors overflow");
    if (status == WARPLU_SUCCESS) status = wlu_poll_cancel(&s->ctx);
    if (status == WARPLU_SUCCESS && wlu_solver_proves_ahead(s)) {
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
    warplu_status status = search_pivots(s, served, &c);
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

/* New pivots are in use, and their factors at hand. Solves are checked until values are replayed. */
static void take_pivots(warplu_solver *s, found_pivots *f)
{
    wlu_solver_change_pivots(s, f->plan, f->factors);
    memcpy(s->current.accurate_solves, f->accurate_solves, sizeof f->accurate_solves);
    s->phase = WLU_FACTORED;
    s->trust.verdict = WLU_SUSPECT;
    s->checks.kept = 1;
}

warplu_status wlu_solver_pivot_again(warplu_solver *s)
{
    found_pivots found;
    const wlu_pivots *served = s->current.plan->analysis == s->analysis ? s->current.plan->pivots : NULL;
    warplu_status status = find_pivots(s, served, 0, &found);
    if (status < 0) return status;
    take_pivots(s, &found);
    if (wlu_grow_exceeds_columns(s, s->current.plan->pivots)) s->current.service.compile_after = 0;
    if (wlu_grow_stays_by_columns(s, s->current.plan->pivots)) s->current.service.compile_after = WLU_COMPILE_NEVER;
    s->counted.repivots++;
    return wlu_fail(&s->ctx, WARPLU_REPIVOTED, "%s", warplu_status_text(WARPLU_REPIVOTED));
}

warplu_status wlu_solver_pivot(warplu_solver *s)
{
    found_pivots found;
    warplu_status status = find_pivots(s, NULL, wlu_solver_compiles_ahead(s), &found);
    if (found.plan == NULL) return status;
    take_pivots(s, &found);
    if (s->current.service.direct_replays == 0)
        s->current.service.compile_after = wlu_grow_compile_after(s, s->current.plan->pivots);
    s->current.state = found.state;
    if (found.state != NULL) wlu_solver_note_compilation(s);
    if (found.state != NULL || status < 0) wlu_factors_destroy(&s->ctx, &s->current.factors);
    return status;
}

void wlu_solver_reconsider_analysis(warplu_solver *s)
{
    if (s->analysis->depth == WLU_DEPTH_FIRST && !wlu_grow_pays_for_race(s)) return;
    if (!wlu_solver_reconsiders_analysis(s)) return;
    wlu_context quiet = s->ctx;
    quiet.message = NULL;
    wlu_analysis *other;
    candidate c = {NULL, NULL, {0, 0}};
    wlu_plan *plan = NULL;
    warplu_status status = wlu_solver_analyze_again(&quiet, s, WLU_DEPTH_RACED, &other);
    if (status >= 0)
        status = wlu_pivots_create(&quiet, &s->options, s->cost, other, s->checks.entries, NULL, &c.pivots, &c.factors);
    if (status >= 0 && c.factors->health.finite && c.pivots->terms < s->current.plan->pivots->terms) {
        if (wlu_solver_proves_ahead(s)) wlu_solver_test_on_known_systems(s, c.pivots, c.factors, c.accurate_solves);
        status = wlu_plan_create(&quiet, wlu_solver_target(s, c.accurate_solves), s->cost, other, c.pivots, &plan);
    }
    if (plan == NULL) {
        drop(s, &c);
        wlu_analysis_destroy(&s->ctx, &other);
        return;
    }
    wlu_loaded_release(&s->ctx, &s->current);
    wlu_analysis_destroy(&s->ctx, &s->analysis);
    s->analysis = other;
    s->current.plan = plan;
    s->current.factors = c.factors;
    memcpy(s->current.accurate_solves, c.accurate_solves, sizeof c.accurate_solves);
}
