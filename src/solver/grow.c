/* Growth. See grow.h. Cost: that of the stages; O(1) in calls that take none. */
#include "solver/grow.h"

#include <math.h>

#include "base/pool.h"
#include "cost/stages.h"
#include "order/order.h"
#include "order/race.h"
#include "pivot/attempts.h"
#include "solver/replay.h"
#include "solver/settle.h"

/* The share of what has been spent that a stage may take. */
static const double COMPILATION_SHARE = 0.75, RACE_SHARE = 0.1;
/* A better order saves at least this part of a replay. */
static const double GAIN = 0.05;

static wlu_extent extent_of(const wlu_analysis *an, const wlu_pivots *p)
{
    int32_t n = p->n;
    return (wlu_extent){n, an->a->nnz, (double)(p->lp[n] + p->up[n] + p->fp[n]) + n, (double)p->terms};
}

static int64_t refactors_of_analysis(const warplu_solver *s)
{
    return s->counted.refactors - s->growth.began;
}

static double first_answer_ns(const wlu_extent *x)
{
    return wlu_stage_analysis_ns(x) + wlu_stage_pivoting_ns(x);
}

/* Steps until a stage is paid for, of which so much has been spent. */
static int64_t steps_until(double stage_ns, double share, double spent_ns, double step_ns)
{
    double steps = ceil((stage_ns / share - spent_ns) / step_ns);
    return steps >= 1.0 ? (steps < 1e15 ? (int64_t)steps : INT64_MAX / 2) : 1;
}

int wlu_grow_exceeds_columns(const warplu_solver *s, const wlu_pivots *pivots)
{
    wlu_extent x = extent_of(s->analysis, pivots);
    double program_ns = wlu_stage_compilation_ns(&x) + wlu_stage_replay_ns(&x);
    return s->target.executor->device == NULL && wlu_stage_columns_ns(&x) > program_ns;
}

int wlu_grow_stays_by_columns(const warplu_solver *s, const wlu_pivots *pivots)
{
    wlu_extent x = extent_of(s->analysis, pivots);
    return s->options.expected_refactors == 0.0 && s->target.executor->device == NULL &&
           s->target.precision == WARPLU_PRECISION_DOUBLE && wlu_stage_columns_ns(&x) <= wlu_stage_replay_ns(&x);
}

int64_t wlu_grow_compile_after(const warplu_solver *s, const wlu_pivots *pivots)
{
    wlu_extent x = extent_of(s->analysis, pivots);
    if (wlu_solver_compiles_ahead(s) || wlu_grow_exceeds_columns(s, pivots)) return 0;
    if (s->options.expected_refactors > 0.0) return WLU_COMPILE_AFTER;
    if (wlu_grow_stays_by_columns(s, pivots)) return WLU_COMPILE_NEVER;
    return steps_until(wlu_stage_compilation_ns(&x), COMPILATION_SHARE, first_answer_ns(&x),
                       wlu_stage_columns_ns(&x) + wlu_stage_solve_ns(&x));
}

/* Orders of two forms, others that race, pivots and their program; a replay by which takes so long. */
static double race_ns(const warplu_solver *s, const wlu_extent *x, double replay_ns)
{
    double ns = 2.0 * wlu_stage_analysis_ns(x) + wlu_stage_pivoting_ns(x) + wlu_stage_compilation_ns(x);
    for (int k = 0; k < wlu_orderings; k++) {
        const wlu_ordering *o = wlu_ordering_get((warplu_ordering)k);
        double order_ns = o->ns_per_row * x->n + o->ns_per_entry * x->nnz;
        int races = o->compiled && (o->race == WLU_RACE_IN_BUDGET || o->race == WLU_RACE_DISSECTION);
        if (races && order_ns <= wlu_race_replays(&s->options) * replay_ns) ns += order_ns;
    }
    return ns;
}

int wlu_grow_pays_for_race(const warplu_solver *s)
{
    wlu_extent x = extent_of(s->analysis, s->current.plan->pivots);
    double columns_ns = wlu_stage_columns_ns(&x);
    double spent = first_answer_ns(&x) + (double)refactors_of_analysis(s) * (columns_ns + wlu_stage_solve_ns(&x));
    return race_ns(s, &x, columns_ns) <= RACE_SHARE * spent;
}

/* The pivots in use are of a first order that may still race: not a given one, nor on a device, where a graph may hold
 * the program. */
static int may_race(const warplu_solver *s)
{
    return s->current.plan->analysis->depth == WLU_DEPTH_FIRST && s->options.ordering != WARPLU_ORDERING_GIVEN &&
           s->target.executor->device == NULL;
}

void wlu_grow_plan_race(warplu_solver *s)
{
    if (s->growth.race_after > 0 || !may_race(s)) return;
    wlu_extent x = extent_of(s->analysis, s->current.plan->pivots);
    double columns_ns = wlu_stage_columns_ns(&x), solve_ns = wlu_stage_solve_ns(&x);
    double replay_ns = s->current.plan->program->predicted_ns;
    int64_t refactors = refactors_of_analysis(s);
    double spent = first_answer_ns(&x) + wlu_stage_compilation_ns(&x) + (double)refactors * (columns_ns + solve_ns);
    s->growth.race_after = refactors + steps_until(race_ns(s, &x, replay_ns), RACE_SHARE, spent, replay_ns + solve_ns);
}

/* What the race came to: an analysis, its pivots, their program and a state. */
typedef struct grown {
    wlu_analysis *analysis;
    wlu_plan *plan;
    wlu_state *state;
} grown;

/* Pivots of the race's analysis, where they are predicted to be better than `most` ns. */
static warplu_status find_pivots(wlu_context *ctx, warplu_solver *s, grown *g, double most)
{
    wlu_pivots *pivots = NULL;
    wlu_factors *factors = NULL;
    double ns;
    warplu_status status =
        wlu_pivots_create(ctx, &s->options, s->cost, g->analysis, s->checks.entries, NULL, &pivots, &factors);
    if (status == WARPLU_SUCCESS && !factors->health.finite) status = WARPLU_NOT_FINITE;
    if (status == WARPLU_SUCCESS) status = wlu_pivots_price(ctx, s->cost, pivots, &ns);
    if (status == WARPLU_SUCCESS && ns < most)
        status = wlu_plan_create(ctx, &s->target, s->cost, g->analysis, pivots, &g->plan);
    if (g->plan == NULL) wlu_pivots_destroy(ctx, &pivots);
    wlu_factors_destroy(ctx, &factors);
    return status;
}

static warplu_status race(wlu_context *ctx, warplu_solver *s, grown *g)
{
    double now, most;
    warplu_status status = wlu_solver_analyze_again(ctx, s, WLU_DEPTH_RACED, &g->analysis);
    if (status == WARPLU_SUCCESS) status = wlu_pivots_price(ctx, s->cost, s->current.plan->pivots, &now);
    if (status < 0) return status;
    most = s->growth.any_gain ? HUGE_VAL : (1.0 - GAIN) * now;
    if (wlu_candidate_ns(&g->analysis->candidate[0]) >= most) return status;
    status = find_pivots(ctx, s, g, most);
    if (status == WARPLU_SUCCESS && g->plan != NULL) status = wlu_plan_compile(ctx, &s->options, g->plan);
    if (status == WARPLU_SUCCESS && g->plan != NULL) status = wlu_plan_state(ctx, g->plan, s->team, &g->state);
    return status;
}

/* The race's winner takes the place of the pivots at hand. */
static void take(warplu_solver *s, grown *g)
{
    wlu_loaded_release(&s->ctx, &s->current);
    wlu_analysis_destroy(&s->ctx, &s->analysis);
    s->analysis = g->analysis;
    s->current = (wlu_loaded){.plan = g->plan, .state = g->state};
    wlu_solver_forget_replays(s);
    wlu_solver_note_compilation(s);
    *g = (grown){0};
}

/* Why a race has failed that may do better later: these values, or the caller's will. */
static int is_of_this_call(warplu_status status)
{
    return status == WARPLU_SINGULAR || status == WARPLU_NOT_FINITE || status == WARPLU_CANCELLED;
}

warplu_status wlu_grow(warplu_solver *s, const double *values)
{
    if (s->growth.race_after == 0 || refactors_of_analysis(s) < s->growth.race_after || s->current.state == NULL ||
        !may_race(s))
        return WARPLU_SUCCESS;
    wlu_context quiet = s->ctx;
    quiet.message = NULL;
    if (wlu_gather_finite(&quiet, s->analysis->a, values, s->checks.entries) < 0) return WARPLU_SUCCESS;
    grown g = {0};
    s->growth.race_after = INT64_MAX;
    warplu_status status = race(&quiet, s, &g);
    if (status == WARPLU_SUCCESS && g.state != NULL) take(s, &g);
    if (is_of_this_call(status)) s->growth.race_after = 2 * refactors_of_analysis(s);
    wlu_state_destroy(&s->ctx, &g.state);
    wlu_plan_release(&s->ctx, &g.plan);
    wlu_analysis_destroy(&s->ctx, &g.analysis);
    wlu_pool_trim(&s->ctx, 0);
    return status == WARPLU_CANCELLED ? wlu_fail(&s->ctx, status, "%s", quiet.last_message) : WARPLU_SUCCESS;
}
