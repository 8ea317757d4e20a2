/* Does on the short way what a few comparisons show to be enough, and leaves other calls to the long way; short.h says
 * what is looked at. */
#include "solver/short.h"

#include "base/environment.h"
#include "numerics/verdict.h"
#include "pivot/factors.h"
#include "solver/replay.h"
#include "solver/row_bounds.h"
#include "solver/trust.h"

#include <float.h>
#include <string.h>

/* A sum of n magnitudes is at most n times the largest, and its roundings. */
static const double MARGIN = 1.25;

/* Whether the factors at hand are by lists, which a program takes away. */
static int has_lists(const warplu_solver *s)
{
    const wlu_factors *f = s->current.factors;
    return s->brief && f != NULL && f->lists != NULL;
}

/* The bound of solves by columns, if it has been found: that takes a lock. */
static const wlu_bound *known_bound(wlu_plan *plan, int transposed)
{
    const wlu_plan_lines *lines = &plan->lines[0][transposed];
    return atomic_load_explicit(&lines->found, memory_order_acquire) ? &lines->bound : NULL;
}

/* What a replay of the base's pivots leaves behind, which is not weak. */
static void settle(warplu_solver *s, wlu_verdict verdict)
{
    const int bounds_aside = verdict == WLU_SUSPECT && wlu_is_in_range(&s->current.factors->health);
    s->counted.refactors++;
    s->current.service.direct_replays++;
    s->ctx.singularity.status = WARPLU_SUCCESS;
    s->checks.kept = 1;
    s->trust.verdict = bounds_aside ? WLU_HEALTHY : verdict;
    if (verdict == WLU_HEALTHY) s->trust.bounded[0] = WLU_BOUNDED;
    s->phase = WLU_REPLAYED;
}

int wlu_short_refactor(warplu_solver *s, const double *values)
{
    unsigned csr;
    if (!has_lists(s) || s->growth.anew || s->base == NULL || s->current.plan != s->base) return 0;
    const wlu_bound *bound = known_bound(s->base, 0);
    if (bound == NULL || !wlu_environment_enter_if_usual(&csr)) return 0;
    wlu_factors *f = s->current.factors;
    const wlu_pivots *p = s->base->pivots;
    wlu_solver_expect_factors(s);
    wlu_pattern_gather(s->analysis->a, values, s->checks.entries);
    wlu_factors_refactor(f, s->analysis->a, p, s->checks.entries);
    const wlu_verdict verdict = wlu_judge_by(&f->health, p->quality.growth, bound, s->options.pivot_absolute);
    if (verdict != WLU_WEAK) settle(s, verdict);
    wlu_environment_leave_usual(csr);
    return verdict != WLU_WEAK;
}

/* ------------------------------------------------------------------ solve */

/* Whether there are factors by columns, with lists or without. */
static int has_columns(const warplu_solver *s)
{
    return s->brief && s->current.factors != NULL && (s->phase == WLU_REPLAYED || s->phase == WLU_FACTORED);
}

/* Whether healthy factors are under a bound that proves all solves, and which of them it proves. */
static int find_least_proven(warplu_solver *s, int transposed)
{
    const wlu_bound *bound = known_bound(s->current.plan, transposed);
    if (bound == NULL || !wlu_solver_is_bounded_by_values(s, transposed)) return 0;
    s->trust.least_proven[transposed] =
        MARGIN * s->analysis->n * wlu_least_solution(&s->current.factors->health, bound, transposed);
    return 1;
}

/* One that is not proven, by its residual, where that is as small as refinement aims at. */
static int solve_checked(warplu_solver *s, int transposed, const double *b, double *x)
{
    const wlu_pattern *a = s->analysis->a;
    const wlu_checked checked = wlu_solver_checked(s);
    const wlu_errors enough = {wlu_trust_aim(s), wlu_solver_thresholds(s).accurate};
    wlu_factors *f = s->current.factors;
    double *aside = wlu_checks_vector(&s->checks, a, 2);
    if (!s->checks.kept || !wlu_factors_solver(f, s->current.plan->pivots, transposed)(f, s->current.plan->pivots,
                                                                                       transposed, b, DBL_MIN, aside))
        return 0;
    const wlu_errors e = wlu_backward_errors(&checked, transposed, b, aside, enough, s->checks.work);
    if (!(e.componentwise <= enough.componentwise && e.whole <= enough.whole)) return 0;
    memcpy(x, aside, (size_t)wlu_vector_doubles(a) * sizeof *x);
    s->counted.checked_solves++;
    s->last.backward_error = e.componentwise;
    s->last.all_checked = 1;
    return 1;
}

/* By columns, with A' too, whose numbers stand in the order that this takes. */
static inline int solve_proven(warplu_solver *s, int transposed, const double *b, double *x)
{
    const wlu_pivots *p = s->current.plan->pivots;
    wlu_factors *f = s->current.factors;
    return wlu_factors_solver(f, p, transposed)(f, p, transposed, b, s->trust.least_proven[transposed], x);
}

/* The first by these factors, and those that are not proven. */
static int solve_by_columns(warplu_solver *s, int transposed, const double *b, double *x)
{
    const int proven = s->trust.verdict == WLU_HEALTHY && find_least_proven(s, transposed);
    return proven ? solve_proven(s, transposed, b, x) : solve_checked(s, transposed, b, x);
}

/* Whether solves by the program at hand are proven, and judged by the host alone. */
static int has_proven_program(const warplu_solver *s)
{
    return s->current.state != NULL && s->phase == WLU_REPLAYED && s->trust.verdict == WLU_HEALTHY &&
           s->options.check == WARPLU_CHECK_SUSPECT && s->target.precision == WARPLU_PRECISION_DOUBLE &&
           s->target.executor->device == NULL && !wlu_solver_is_on_trial(s, 0) && wlu_solver_is_bounded_at_once(s, 0);
}

/* b is put aside, for x may take its place and be none. */
static int solve_by_program(warplu_solver *s, const double *b, double *x)
{
    const int64_t n = wlu_vector_doubles(s->analysis->a);
    const wlu_bound bound = wlu_plan_bound(&s->ctx, s->current.plan, 1, 0);
    double *aside = wlu_checks_vector(&s->checks, s->analysis->a, 2), largest;
    memcpy(aside, b, (size_t)n * sizeof *b);
    if (wlu_state_solve(&s->ctx, s->current.state, WLU_STREAM_SOLVE, 1, aside, n, x, n, &largest) == WARPLU_SUCCESS &&
        largest >= wlu_least_solution(wlu_solver_health(s), &bound, 0) && largest < INFINITY)
        return 1;
    if (x == b) memcpy(x, aside, (size_t)n * sizeof *x);
    return 0;
}

/* What is not known to be proven by columns. */
static int solve_otherwise(warplu_solver *s, int transposed, const double *b, double *x)
{
    if (has_columns(s)) return solve_by_columns(s, transposed, b, x);
    return !transposed && has_proven_program(s) && solve_by_program(s, b, x);
}

/* Pivots that are healthy raise nothing in a solve that traps, unless x overflows. */
int wlu_short_solve(warplu_solver *s, int transposed, const double *b, double *x)
{
    if (!wlu_environment_rounds_as_usual()) return 0;
    s->last.all_checked = 0;
    if (s->trust.least_proven[transposed] > 0.0 && has_columns(s)) {
        if (!solve_proven(s, transposed, b, x)) return 0;
    } else if (!solve_otherwise(s, transposed, b, x)) {
        return 0;
    }
    s->counted.solves++;
    s->trust.wanted[transposed] = 1;
    s->last.refinement_steps = 0;
    return 1;
}
