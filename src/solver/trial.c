/* What solves so far say of pivots.
 *
 * Threshold pivoting promises little where values span many orders of magnitude, and the health of factors
 * (numerics/verdict.h) says nothing about small unknowns. Solves are checked until WLU_TRIAL_SOLVES in a row have been
 * accurate without refinement: known systems count, one for each, for A and A' apart. They are solved when the first
 * solve by a program asks, by the program where the values at hand are kept. Where they are not, as in the first
 * transposed solve, factors by columns of earlier values stand in. The first solve by a program that was compiled for
 * first factors untold (solver/first_replay.h) is checked, and the next one asks. A solve on a device by pivots that
 * nobody has proven is checked there, so that these are put to the test when they are chosen.
 *
 * Where the bound is open solves are checked whatever is proven, so that known systems wait until limits of the factors
 * are due, which may vouch once the trial has ended (solver/limited.h). What they show is the same: that unknowns of
 * all sizes come out right by these pivots. Equations as wholes are proven by the bound or the limits, not by them.
 *
 * Pivots that fail a known system stay on trial until known systems of later values are solved, tried after an accurate
 * solve, then after 1, 2, 4, ... more of them.
 *
 * Cost: WLU_TRIAL_SOLVES solves and residuals for each of A and A', fewer where they fail; by columns a replay too. */
#include "solver/trial.h"

#include "base/finite.h"
#include "solver/bounded.h"
#include "solver/replay.h"

/* Accurate solves between attempts to prove pivots that a known system has failed, at most. */
enum { MOST_GAP = 4096 };

_Static_assert((int)WLU_TRIAL_SOLVES == (int)WLU_KNOWN_SYSTEMS, "one solve for each known system");

int wlu_solver_proves_ahead(const warplu_solver *s)
{
    int asked = s->options.check != WARPLU_CHECK_OFF && s->options.check != WARPLU_CHECK_REPLAYS;
    return asked && s->target.executor->device != NULL && s->target.precision == WARPLU_PRECISION_DOUBLE;
}

/* factors: NULL: those at hand. */
static int count_accurate_solves(warplu_solver *s, const wlu_pivots *pivots, wlu_factors *factors, int transposed)
{
    double error = 0.0;
    int solved = 0;
    if (wlu_scales_are_even(&pivots->quality, transposed))
        solved = wlu_solver_count_known_systems(s, pivots, factors, transposed, &error);
    return error <= wlu_thresholds_of(0).refined ? solved : WLU_DISPROVEN;
}

void wlu_solver_test_on_known_systems(warplu_solver *s, const wlu_pivots *pivots, wlu_factors *factors,
                                      int accurate_solves[2])
{
    for (int transposed = 0; transposed <= 1; transposed++)
        accurate_solves[transposed] = count_accurate_solves(s, pivots, factors, transposed);
}

/* By columns of the solver's entries, which are earlier values; 0 without memory for them. */
static int count_by_columns(warplu_solver *s, int transposed)
{
    const wlu_pivots *pivots = s->current.plan->pivots;
    wlu_context quiet = s->ctx;
    wlu_factors *factors;
    int solved = 0;
    quiet.message = NULL;
    if (wlu_factors_create(&quiet, pivots, &factors) < 0) return 0;
    wlu_factors_refactor(factors, s->analysis->a, pivots, s->checks.entries);
    if (factors->health.finite) solved = count_accurate_solves(s, pivots, factors, transposed);
    wlu_factors_destroy(&s->ctx, &factors);
    return solved;
}

/* Whether known systems are still to be tried, before solves of the caller's count: those of a program on the host. The
 * first solve by first factors may be the only one: it is checked itself, which takes less. */
static int is_untried(const warplu_solver *s, int transposed)
{
    int accurate_solves = s->current.accurate_solves[transposed];
    int only = s->phase == WLU_FACTORED && accurate_solves == 0 && !wlu_solver_compiles_ahead(s);
    return !only && s->current.state != NULL && accurate_solves >= 0 && accurate_solves < WLU_TRIAL_SOLVES &&
           !s->trust.retry[transposed].tried && s->options.check == WARPLU_CHECK_SUSPECT &&
           s->target.executor->device == NULL && s->target.precision == WARPLU_PRECISION_DOUBLE;
}

/* Puts the pivots to the test by the values at hand, or by earlier ones. */
static void test(warplu_solver *s, int transposed)
{
    if (s->checks.kept && !transposed) wlu_checks_add_rows(&s->ctx, s->analysis->a, &s->checks);
    s->trust.retry[transposed].tried = 1;
    s->current.accurate_solves[transposed] = s->checks.kept
                                                 ? count_accurate_solves(s, s->current.plan->pivots, NULL, transposed)
                                                 : count_by_columns(s, transposed);
}

void wlu_solver_prove(warplu_solver *s, int transposed)
{
    if (!is_untried(s, transposed) || s->trust.verdict != WLU_HEALTHY || !wlu_solver_is_bounded(s, transposed)) return;
    if (s->checks.kept || s->checks.earlier) test(s, transposed);
}

void wlu_solver_prove_unbounded(warplu_solver *s)
{
    if (is_untried(s, 0) && s->checks.kept) test(s, 0);
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
    if (*accurate_solves >= WLU_TRIAL_SOLVES || is_untried(s, transposed) ||
        wlu_all_zero(b, wlu_vector_doubles(s->analysis->a)))
        return;
    if (*accurate_solves == WLU_DISPROVEN)
        test_later(s, transposed);
    else
        ++*accurate_solves;
}

int wlu_solver_refines(const warplu_solver *s, const int accurate_solves[2])
{
    const warplu_options *o = &s->options;
    int unproven =
        accurate_solves[0] < WLU_TRIAL_SOLVES || (s->trust.wanted[1] && accurate_solves[1] < WLU_TRIAL_SOLVES);
    int checks = o->check == WARPLU_CHECK_ALWAYS || (o->check == WARPLU_CHECK_SUSPECT && unproven);
    return checks && o->on_weak != WARPLU_ON_WEAK_REPORT && !wlu_target_equal(&s->refines, &s->target);
}

const wlu_target *wlu_solver_target(const warplu_solver *s, const int accurate_solves[2])
{
    return wlu_solver_refines(s, accurate_solves) ? &s->refines : &s->target;
}
