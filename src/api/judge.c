/* Whether the scales of pivots leave room for the verdict on a replay (factor/judge.h) to mean what it says. */
#include "api/solver.h"

wlu_bounds wlu_solver_bounds(const warplu_solver *s)
{
    return s->executor->precision == WARPLU_SINGLE ? (wlu_bounds){1e-4, 1e-5} : (wlu_bounds){1e-10, 1e-12};
}

static const double SPREAD_CHECKED = 1e6, L_SPREAD_CHECKED = 2e4;

/* Rounding errors in scaled values grow with |l|, and with what the scales leave uneven. For A the scales of the unknowns come
 * from a matching, under which no entry is larger than 1: there the product says little. */
int wlu_scales_even_out(const wlu_pivot_quality *q, int transposed)
{
    double equations = transposed ? q->col_spread : q->row_spread;
    double unknowns = transposed ? q->row_scale_spread : q->col_scale_spread;
    double l = q->largest_l > 1.0 ? q->largest_l : 1.0, spread = transposed ? unknowns * l : 0.0;
    if (!(equations * l <= L_SPREAD_CHECKED) || !(spread <= L_SPREAD_CHECKED)) return 0;
    return unknowns <= SPREAD_CHECKED;
}
