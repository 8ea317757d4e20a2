/* Whether solves by the factors at hand need no check, by a bound on the errors of all of them (numerics/bound.h): with
 * what the replay itself has seen, O(1); or where that leaves it open, with the magnitudes that equations have now,
 * O(nnz), once a replay and direction, when the first solve asks. That takes as long as a residual: where it is in vain
 * time and again replays are left out, and where it is not, limits of the factors (limited.h), which take less, are to
 * take its place. */
#include "solver/bounded.h"

#include "solver/limited.h"

/* How many times the deviations are those of a program's sums, by what answers now. Answers by columns sum in order,
 * where a program's long sums have eight accumulators: root of eight times the deviation, at most. */
static double longer_sums(const warplu_solver *s)
{
    return s->current.state == NULL ? wlu_thresholds_of(0).in_order : 1.0;
}

/* The bound of the pivots in use, for what answers now. */
static wlu_bound bound_of(const warplu_solver *s, int transposed)
{
    wlu_bound b = wlu_plan_bound(&s->ctx, s->current.plan, transposed);
    b.of_factors *= longer_sums(s);
    return b;
}

int wlu_solver_is_bounded_at_once(const warplu_solver *s, int transposed)
{
    wlu_bound b = bound_of(s, transposed);
    return wlu_is_bounded(wlu_solver_health(s), &b, transposed);
}

/* Whether magnitudes of now may tell what those of then did not: the largest of a row is known to a factor of 2, and
 * where unknowns are not scaled it has hardly grown by more than the drift. */
static int may_help(const warplu_solver *s, const wlu_bound *b, int transposed)
{
    const wlu_health *h = wlu_solver_health(s);
    if (!wlu_bound_suffices(h, 0.0, b->of_loads)) return 0;
    return transposed || s->current.plan->pivots->quality.col_scale_spread > 1.0 ||
           wlu_bound_suffices(h, b->of_factors * h->largest_u / (2.0 * h->drift), b->of_loads);
}

/* By all numbers: the factors' part of the bound for the magnitudes of now, in place of those when pivoting. */
static int is_bounded_now(const warplu_solver *s, int transposed)
{
    const wlu_pivots *p = s->current.plan->pivots;
    const wlu_health *h = wlu_solver_health(s);
    wlu_bound b = bound_of(s, transposed);
    if (!may_help(s, &b, transposed)) return 0;
    double now = wlu_pivots_bound_now(s->analysis->a, p, transposed, s->checks.entries, s->checks.work);
    return wlu_bound_suffices(h, now * longer_sums(s) * h->largest_u, b.of_loads);
}

/* The same, unless it has been in vain for the last replays that came here. */
static int try_bound_now(warplu_solver *s, int transposed)
{
    if (!wlu_pause_is_over(&s->trust.pause[transposed])) return 0;
    int bounded = is_bounded_now(s, transposed);
    wlu_pause_note(&s->trust.pause[transposed], !bounded);
    if (bounded && !transposed && wlu_solver_limits_are_due(s)) wlu_solver_seek_limits(s, NULL);
    return bounded;
}

int wlu_solver_is_bounded(warplu_solver *s, int transposed)
{
    wlu_bounded *known = &s->trust.bounded[transposed];
    if (*known == WLU_BOUND_OPEN && wlu_solver_is_bounded_at_once(s, transposed)) *known = WLU_BOUNDED;
    if (*known == WLU_BOUND_OPEN && s->checks.kept)
        *known = try_bound_now(s, transposed) ? WLU_BOUNDED : WLU_NOT_BOUNDED;
    return *known == WLU_BOUNDED;
}
