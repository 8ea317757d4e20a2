/* What a verdict is made by: its criteria, and whether the scales of pivots leave room for it to mean what it says. See
 * verdict.h. */
#include "numerics/verdict.h"

wlu_criteria wlu_criteria_of(const wlu_pivot_quality *q, wlu_bound bound, double pivot_absolute)
{
    const wlu_thresholds t = wlu_thresholds_of(0);
    double growth = q->growth <= 1.0 ? fmin(t.growth_closed, t.growth_share * q->growth) : INFINITY;
    return (wlu_criteria){.quality = *q, .bound = bound, .growth = growth, .pivot_absolute = pivot_absolute};
}

/* Rounding errors in scaled values grow with |l|, and with what the scales leave uneven. For A the scales of the
 * unknowns come from a matching, under which no entry is larger than 1: there the product says little. */
int wlu_scales_are_even(const wlu_pivot_quality *q, int transposed)
{
    const wlu_thresholds t = wlu_thresholds_of(0); /* scales do not depend on the precision */
    double equations = transposed ? q->col_spread : q->row_spread;
    double unknowns = transposed ? q->row_scale_spread : q->col_scale_spread;
    double l = q->largest_l > 1.0 ? q->largest_l : 1.0, spread = transposed ? unknowns * l : 0.0;
    if (!(equations * l <= t.l_spread_checked) || !(spread <= t.l_spread_checked)) return 0;
    return unknowns <= t.spread_checked;
}
