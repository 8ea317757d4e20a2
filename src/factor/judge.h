/* The verdict on a replay: healthy, suspect (check the next solves) or weak (mend it). docs/numerics.md has the rules, their
 * sources and measurements. For kernels too: plain comparisons and products, each rounded.
 *
 * Growth is judged against the pivoting's own: fresh factorizations of circuits reach 1e-9. |l| means something in the
 * scales frozen then only while rows keep their size, so a row that has drifted makes solves suspect; one in which another
 * entry has become large shows in |u|. Comparisons are written so that a NaN fails them. Replays in FP32 have fewer digits to
 * lose: 1e-4 of a solution is to be right there, where 1e-10 is in FP64. */
#ifndef WLU_JUDGE_H
#define WLU_JUDGE_H

#include <float.h>

#include "base/power.h"
#include "factor/health.h"

typedef enum wlu_verdict { WLU_HEALTHY, WLU_SUSPECT, WLU_WEAK } wlu_verdict;

WLU_PORTABLE wlu_verdict wlu_judge(const wlu_health *h, const wlu_pivot_quality *q, double pivot_absolute)
{
    const double L_WEAK = h->single ? 1e4 : 1e6, L_SUSPECT = h->single ? 1e2 : 1e3;
    const double GROWTH_WEAK = h->single ? 1e-4 : 1e-6, GROWTH_SUSPECT = h->single ? 1e-2 : 1e-3, WORSE = 1e3;
    const double GROWTH_CHECKED = h->single ? 1e-3 : 1e-5, U_SUSPECT = 1e3, PIVOT_SUSPECT = 1e-6;
    const double PIVOT_LEAST = h->single ? FLT_MIN : DBL_MIN, PIVOT_CHECKED = h->single ? 1e-12 : 1e-100;
    const double DRIFT_SUSPECT = 1024, L_DRIFT_SUSPECT = h->single ? 2e3 : 2e4;
    int worse = !(h->growth * WORSE >= q->growth);
    if (!h->finite || !(h->smallest_pivot > pivot_absolute) || !(h->smallest_pivot >= PIVOT_LEAST)) return WLU_WEAK;
    if (!(h->largest_l <= L_WEAK) || (worse && !(h->growth >= GROWTH_WEAK))) return WLU_WEAK;
    int fits = h->largest_l <= L_SUSPECT && !(worse && !(h->growth >= GROWTH_SUSPECT)) && h->growth >= GROWTH_CHECKED;
    int like_then = h->largest_u <= U_SUSPECT * q->largest_u && h->smallest_pivot >= PIVOT_SUSPECT * q->smallest_pivot;
    int scaled = h->drift <= DRIFT_SUSPECT && h->largest_l * h->drift <= L_DRIFT_SUSPECT;
    return fits && like_then && scaled && h->smallest_pivot >= PIVOT_CHECKED ? WLU_HEALTHY : WLU_SUSPECT;
}

#endif
