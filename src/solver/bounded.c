/* Whether solves by the factors at hand need no check: by what row_bounds.c knows, and where that leaves rows open,
 * with the magnitudes that all entries have now, O(nnz), once a replay and direction, when the first solve asks. That
 * takes as long as a residual: where it is in vain time and again replays are left out, and where it is not, limits of
 * the factors (limited.h), which take less, are to take its place. */
#include "solver/bounded.h"

#include "solver/limited.h"
#include "solver/row_bounds.h"

/* Unless that has been in vain for the last replays that came here. */
static int try_bound_now(warplu_solver *s, int transposed)
{
    if (!wlu_pause_is_over(&s->trust.pause[transposed])) return 0;
    int bounded = wlu_solver_is_bounded_by_all(s, transposed);
    wlu_pause_note(&s->trust.pause[transposed], !bounded);
    if (bounded && !transposed && wlu_solver_limits_are_due(s)) wlu_solver_seek_limits(s, NULL);
    return bounded;
}

int wlu_solver_is_bounded(warplu_solver *s, int transposed)
{
    wlu_bounded *known = &s->trust.bounded[transposed];
    if (*known == WLU_BOUND_OPEN && wlu_solver_is_bounded_at_once(s, transposed)) *known = WLU_BOUNDED;
    (void)wlu_solver_is_bounded_by_rows(s, transposed, NULL);
    if (*known == WLU_BOUND_OPEN && s->checks.kept)
        *known = try_bound_now(s, transposed) ? WLU_BOUNDED : WLU_NOT_BOUNDED;
    return *known == WLU_BOUNDED;
}
