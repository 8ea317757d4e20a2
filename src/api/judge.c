/* The verdict on a replay: healthy, suspect (check the next solves) or weak (mend it). docs/numerics.md has the rules, their
 * sources and measurements.
 *
 * Growth is judged against the pivoting's own: fresh factorizations of circuits reach 1e-9. |l| means something in the
 * scales frozen then only while rows keep their size, so a row that has drifted makes solves suspect; one in which another
 * entry has become large shows in |u|. Comparisons are written so that a NaN fails them. */
#include "api/solver.h"

#include <float.h>

static const double L_WEAK = 1e6, L_SUSPECT = 1e3, GROWTH_WEAK = 1e-6, GROWTH_SUSPECT = 1e-3, WORSE = 1e3;
static const double GROWTH_CHECKED = 1e-5, U_SUSPECT = 1e3, PIVOT_SUSPECT = 1e-6, PIVOT_CHECKED = 1e-100;
static const double DRIFT_SUSPECT = 1024, L_DRIFT_SUSPECT = 2e4, SPREAD_CHECKED = 1e6, L_SPREAD_CHECKED = 2e4;

wlu_verdict wlu_judge(const wlu_health *h, const wlu_pivot_quality *q, double pivot_absolute)
{
    int worse = !(h->growth * WORSE >= q->growth);
    if (!h->finite || !(h->smallest_pivot > pivot_absolute) || !(h->smallest_pivot >= DBL_MIN)) return WLU_WEAK;
    if (!(h->largest_l <= L_WEAK) || (worse && !(h->growth >= GROWTH_WEAK))) return WLU_WEAK;
    int fits = h->largest_l <= L_SUSPECT && !(worse && !(h->growth >= GROWTH_SUSPECT)) && h->growth >= GROWTH_CHECKED;
    int like_then = h->largest_u <= U_SUSPECT * q->largest_u && h->smallest_pivot >= PIVOT_SUSPECT * q->smallest_pivot;
    int scaled = h->drift <= DRIFT_SUSPECT && h->largest_l * h->drift <= L_DRIFT_SUSPECT;
    return fits && like_then && scaled && h->smallest_pivot >= PIVOT_CHECKED ? WLU_HEALTHY : WLU_SUSPECT;
}

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
