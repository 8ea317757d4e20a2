/* What solves so far say of pivots.
 *
 * Threshold pivoting promises little where values span many orders of magnitude, and the health of factors
 * (numerics/verdict.h) says nothing about small unknowns. Solves are checked until WLU_TRIAL_SOLVES in a row have been
 * accurate without refinement: known systems count, one for each, for A and A' apart. A solve on a device by pivots
 * that nobody has proven is checked there.
 *
 * Pivots that fail a known system stay on trial until known systems of later values are solved, tried after an accurate
 * solve, then after 1, 2, 4, ... more of them.
 *
 * Cost: WLU_TRIAL_SOLVES solves and residuals for each of A and A', fewer where they fail. */
#include "solver/trial.h"

#include "base/finite.h"

/* Accurate solves between attempts to prove pivots that a known system has failed, at most. */
enum { MOST_GAP = 4096 };

_Static_assert((int)WLU_TRIAL_SOLVES == (int)WLU_KNOWN_SYSTEMS, "one solve for each known system");

int wlu_solver_proves(const warplu_solver *s, int ahead)
{
    return (ahead || s->target.executor->device != NULL) && s->options.check != WARPLU_CHECK_OFF &&
           s->target.precision == WARPLU_PRECISION_DOUBLE;
}

void wlu_solver_test_on_known_systems(const warplu_solver *s, const wlu_pivots *pivots, wlu_factors *factors,
                                      int accurate_solves[2])
{
    for (int transposed = 0; transposed <= 1; transposed++) {
        double error = 0.0;
        int solved = 0;
        if (wlu_scales_are_even(&pivots->quality, transposed))
            solved = wlu_solver_count_known_systems(s, pivots, factors, transposed, &error);
        accurate_solves[transposed] = error <= wlu_thresholds_of(0).refined ? solved : WLU_DISPROVEN;
    }
}

/* After an accurate solve with factors that are at hand, of pivots that a known system has failed: ends their trial
 * where known systems of these values, other than those of the pivoting, are solved. */
static void test_later(warplu_solver *s, int transposed)
{
    wlu_retry *retry = &s->trust.retry[transposed];
    if (s->phase == WLU_FACTORED || retry->left-- > 0) return;
    if (wlu_solver_solves_known_systems(s, transposed)) {
        s->current.accurate_solves[transposed] = WLU_TRIAL_SOLVES;
        return;
    }
    retry->gap = retry->gap > 0 ? (retry->gap < MOST_GAP ? 2 * retry->gap : retry->gap) : 1;
    retry->left = retry->gap;
}

void wlu_solver_begin_trial(warplu_solver *s, int transposed)
{
    s->current.accurate_solves[transposed] = 0;
}

/* x = 0 says nothing of pivots; and where a known system has failed, the caller's solves do not make up for it, with
 * part of the unknowns at rest as they may be. */
void wlu_solver_count_solve(warplu_solver *s, int transposed, const double *b, double error, int32_t steps)
{
    int *accurate_solves = &s->current.accurate_solves[transposed];
    int accurate = error <= wlu_solver_thresholds(s).refined && steps == 0;
    if (!accurate || !wlu_scales_are_even(&s->current.plan->pivots->quality, transposed)) {
        if (*accurate_solves > 0) wlu_solver_begin_trial(s, transposed);
        return;
    }
    if (*accurate_solves >= WLU_TRIAL_SOLVES || wlu_all_zero(b, s->analysis->n)) return;
    if (*accurate_solves == WLU_DISPROVEN)
        test_later(s, transposed);
    else
        ++*accurate_solves;
}

int wlu_solver_refines(const warplu_solver *s, const int accurate_solves[2])
{
    const warplu_options *o = &s->options;
    int unproven =
        accurate_solves[0] < WLU_TRIAL_SOLVES || (s->trust.transposed_wanted && accurate_solves[1] < WLU_TRIAL_SOLVES);
    int checks = o->check == WARPLU_CHECK_ALWAYS || (o->check == WARPLU_CHECK_SUSPECT && unproven);
    return checks && o->on_weak != WARPLU_ON_WEAK_REPORT && !wlu_target_equal(&s->refines, &s->target);
}

const wlu_target *wlu_solver_target(const warplu_solver *s, const int accurate_solves[2])
{
    return wlu_solver_refines(s, accurate_solves) ? &s->refines : &s->target;
}
