/* What pivots are worth: their factors solve known systems, in place of the caller's first solves.
 *
 * Threshold pivoting promises little where values span many orders of magnitude, and the health of factors
 * (numerics/verdict.h) says nothing about small unknowns. Solves are checked until WLU_TRIAL_SOLVES in a row have been
 * accurate without refinement: known systems count, one for each trial, for A and A' apart. The last has a right-hand
 * side of ones, the others a known solution without a pattern: one alone shows little of what the other does (rajat19:
 * errors of 1e-13, and of 2e-16). A solve on a device that nobody has proven is checked there.
 *
 * Pivots that fail a known system stay on probation until known systems of later values are solved, tried after an
 * accurate solve, then after 1, 2, 4, ... more of them.
 *
 * Cost: WLU_TRIAL_SOLVES solves and residuals for each of A and A', fewer where they fail. */
#include "solver/solver.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Accurate solves between attempts to prove pivots that a known system has failed, at most. */
enum { MOST_GAP = 4096 };

/* Numbers in (-2, -1] and [1, 2) without a pattern, others for each trial, the same every time. */
static double known_solution(int32_t j, int trial)
{
    uint32_t h = ((uint32_t)j + 1u) * 2654435761u + (uint32_t)trial * 2246822519u;
    double magnitude = 1.0 + (double)(h ^ h >> 15) / 4294967296.0;
    return h >> 13 & 1 ? -magnitude : magnitude;
}

/* A x = b, or A' x = b, in the solver's workspace. */
typedef struct known_system {
    int transposed;
    double *x, *b;
} known_system;

static void draw(const warplu_solver *s, int transposed, int trial, known_system *k)
{
    const wlu_pattern *a = s->analysis->a;
    int64_t n = a->n;
    k->transposed = transposed;
    k->x = s->work + wlu_check_work(a->n);
    k->b = k->x + n;
    int ones = trial == WLU_TRIAL_SOLVES - 1;
    for (int32_t i = 0; i < n; i++) {
        k->x[i] = known_solution(i, trial);
        k->b[i] = ones ? 1.0 : 0.0;
    }
    if (ones) return;
    for (int32_t j = 0; j < n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++)
            k->b[transposed ? j : a->i[e]] += s->entries[e] * k->x[transposed ? a->i[e] : j];
}

/* The backward error of what k->x holds, or a bound of it below `enough`. */
static double error_of(const warplu_solver *s, const known_system *k, double enough)
{
    wlu_checked checked = wlu_solver_checked(s);
    return wlu_backward_error(&checked, k->transposed, k->b, k->x, enough, s->work);
}

warplu_status wlu_solver_known_error(warplu_solver *s, double enough, double *error)
{
    known_system k;
    double largest;
    draw(s, 0, 0, &k);
    warplu_status status = wlu_solver_substitute(s, 0, k.b, k.x, &largest);
    if (status == WARPLU_SUCCESS) *error = error_of(s, &k, enough);
    return status;
}

int wlu_solver_proves(const warplu_solver *s, int ahead)
{
    return (ahead || s->target.executor->device != NULL) && s->options.check != WARPLU_CHECK_OFF &&
           s->target.precision == WARPLU_PRECISION_DOUBLE;
}

/* What accurate solutions come to: a hub's sum is no more exact than its entries are few. Hubs of 2 000 and 16 000
 * entries (sp14_advice2806, sp14_sptrMondo_dc) come to a ninth and a twelfth of half a unit in the last place for each.
 */
static double bound_of(const warplu_solver *s, int transposed)
{
    return fmax(WLU_PROVEN, s->longest[transposed] * DBL_EPSILON / 16.0);
}

static double error_by(const warplu_solver *s, const wlu_pivots *pivots, wlu_factors *factors, int transposed,
                       int trial, double bound)
{
    known_system k;
    draw(s, transposed, trial, &k);
    wlu_factors_solve(factors, pivots, transposed, k.b, k.x);
    return error_of(s, &k, bound);
}

void wlu_solver_test_on_known_systems(const warplu_solver *s, const wlu_pivots *pivots, wlu_factors *factors,
                                      int accurate_solves[2])
{
    for (int transposed = 0; transposed <= 1; transposed++) {
        int32_t trial = 0, trials = wlu_scales_are_even(&pivots->quality, transposed) ? WLU_TRIAL_SOLVES : 0;
        double bound = trials > 0 ? bound_of(s, transposed) : 0.0;
        double error = 0.0;
        while (trial < trials && (error = error_by(s, pivots, factors, transposed, trial, bound)) <= bound) trial++;
        accurate_solves[transposed] = error <= WLU_REFINED ? trial : WLU_DISPROVEN;
    }
}

/* The factors at hand against all known systems. */
static int solves_known(warplu_solver *s, int transposed)
{
    double enough = wlu_solver_bounds(s).refined, largest;
    for (int trial = 0; trial < WLU_TRIAL_SOLVES; trial++) {
        known_system k;
        draw(s, transposed, trial, &k);
        if (wlu_solver_substitute(s, transposed, k.b, k.x, &largest) < 0 || !(error_of(s, &k, enough) <= enough))
            return 0;
    }
    return 1;
}

void wlu_solver_test_later(warplu_solver *s, int transposed)
{
    wlu_retry *retry = &s->retry[transposed];
    if (s->fresh || retry->left-- > 0) return;
    if (solves_known(s, transposed)) {
        s->accurate_solves[transposed] = WLU_TRIAL_SOLVES;
        return;
    }
    retry->gap = retry->gap > 0 ? (retry->gap < MOST_GAP ? 2 * retry->gap : retry->gap) : 1;
    retry->left = retry->gap;
}

int wlu_solver_refines(const warplu_solver *s, const int accurate_solves[2])
{
    const warplu_options *o = &s->options;
    int unproven =
        accurate_solves[0] < WLU_TRIAL_SOLVES || (s->transposed_wanted && accurate_solves[1] < WLU_TRIAL_SOLVES);
    int checks = o->check == WARPLU_CHECK_ALWAYS || (o->check == WARPLU_CHECK_SUSPECT && unproven);
    return checks && o->weak != WARPLU_ON_WEAK_REPORT && !wlu_target_equal(&s->refines, &s->target);
}

const wlu_target *wlu_solver_target(const warplu_solver *s, const int accurate_solves[2])
{
    return wlu_solver_refines(s, accurate_solves) ? &s->refines : &s->target;
}
