/* Whether the scales of pivots leave room for the verdict on a replay to mean what it says. See judge.h. */
#include "numerics/verdict.h"

static const double SPREAD_CHECKED = 1e6, L_SPREAD_CHECKED = 2e4;

/* Rounding errors in scaled values grow with |l|, and with what the scales leave uneven. For A the scales of the
 * unknowns come from a matching, under which no entry is larger than 1: there the product says little. */
int wlu_scales_are_even(const wlu_pivot_quality *q, int transposed)
{
    double equations = transposed ? q->col_spread : q->row_spread;
    double unknowns = transposed ? q->row_scale_spread : q->col_scale_spread;
    double l = q->largest_l > 1.0 ? q->largest_l : 1.0, spread = transposed ? unknowns * l : 0.0;
    if (!(equations * l <= L_SPREAD_CHECKED) || !(spread <= L_SPREAD_CHECKED)) return 0;
    return unknowns <= SPREAD_CHECKED;
}
