/* The verdict on a replay: healthy, suspect (check the next solves) or weak (mend it). docs/numerics.md has the rules, their
 * sources and measurements. For kernels too: plain comparisons and products, each rounded.
 *
 * Growth is judged against the pivoting's own: fresh factorizations of circuits reach 1e-9. |l| means something in the
 * scales frozen then only while rows keep their size, so a row that has drifted makes solves suspect; one in which another
 * entry has become large shows in |u|. Comparisons are written so that a NaN fails them. */
#ifndef WLU_JUDGE_H
#define WLU_JUDGE_H

#include <float.h>

#include "base/power.h"
#include "factor/health.h"

typedef enum wlu_verdict { WLU_HEALTHY, WLU_SUSPECT, WLU_WEAK } wlu_verdict;

WLU_PORTABLE wlu_verdict wlu_judge(const wlu_health *h, const wlu_pivot_quality *q, double pivot_absolute)
{
    const double L_WEAK = 1e6, L_SUSPECT = 1e3, GROWTH_WEAK = 1e-6, GROWTH_SUSPECT = 1e-3, WORSE = 1e3;
    const double GROWTH_CHECKED = 1e-5, U_SUSPECT = 1e3, PIVOT_SUSPECT = 1e-6, PIVOT_CHECKED = 1e-100;
    const double DRIFT_SUSPECT = 1024, L_DRIFT_SUSPECT = 2e4;
    int worse = !(h->growth * WORSE >= q->growth);
    if (!h->finite || !(h->smallest_pivot > pivot_absolute) || !(h->smallest_pivot >= DBL_MIN)) return WLU_WEAK;
    if (!(h->largest_l <= L_WEAK) || (worse && !(h->growth >= GROWTH_WEAK))) return WLU_WEAK;
    int fits = h->largest_l <= L_SUSPECT && !(worse && !(h->growth >= GROWTH_SUSPECT)) && h->growth >= GROWTH_CHECKED;
    int like_then = h->largest_u <= U_SUSPECT * q->largest_u && h->smallest_pivot >= PIVOT_SUSPECT * q->smallest_pivot;
    int scaled = h->drift <= DRIFT_SUSPECT && h->largest_l * h->drift <= L_DRIFT_SUSPECT;
    return fits && like_then && scaled && h->smallest_pivot >= PIVOT_CHECKED ? WLU_HEALTHY : WLU_SUSPECT;
}

#endif
