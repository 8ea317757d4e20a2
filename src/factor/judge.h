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
    const double L_WEAK = 1e6, L_SUSPECT = 1e3, GROWTH_WEAK = 1e-6, GROWTH_SUSPECT = 1e-3, WORSE = 1e3;
    const double GROWTH_CHECKED = 1e-5, U_SUSPECT = 1e3, PIVOT_SUSPECT = 1e-6, PIVOT_CHECKED = 1e-100;
    const double DRIFT_SUSPECT = 1024, L_DRIFT_SUSPECT = 2e4;
    const double SINGLE_L_WEAK = 1e4, SINGLE_L_SUSPECT = 1e2, SINGLE_GROWTH_WEAK = 1e-4, SINGLE_GROWTH_SUSPECT = 1e-2;
    const double SINGLE_GROWTH_CHECKED = 1e-3, SINGLE_PIVOT_CHECKED = 1e-12, SINGLE_L_DRIFT_SUSPECT = 2e3;
    double l_weak = h->single ? SINGLE_L_WEAK : L_WEAK, l_suspect = h->single ? SINGLE_L_SUSPECT : L_SUSPECT;
    double growth_weak = h->single ? SINGLE_GROWTH_WEAK : GROWTH_WEAK, growth_suspect = h->single ? SINGLE_GROWTH_SUSPECT : GROWTH_SUSPECT;
    double growth_checked = h->single ? SINGLE_GROWTH_CHECKED : GROWTH_CHECKED, pivot_least = h->single ? FLT_MIN : DBL_MIN;
    double pivot_checked = h->single ? SINGLE_PIVOT_CHECKED : PIVOT_CHECKED;
    double l_drift_suspect = h->single ? SINGLE_L_DRIFT_SUSPECT : L_DRIFT_SUSPECT;
    int worse = !(h->growth * WORSE >= q->growth);
    if (!h->finite || !(h->smallest_pivot > pivot_absolute) || !(h->smallest_pivot >= pivot_least)) return WLU_WEAK;
    if (!(h->largest_l <= l_weak) || (worse && !(h->growth >= growth_weak))) return WLU_WEAK;
    int fits = h->largest_l <= l_suspect && !(worse && !(h->growth >= growth_suspect)) && h->growth >= growth_checked;
    int like_then = h->largest_u <= U_SUSPECT * q->largest_u && h->smallest_pivot >= PIVOT_SUSPECT * q->smallest_pivot;
    int scaled = h->drift <= DRIFT_SUSPECT && h->largest_l * h->drift <= l_drift_suspect;
    return fits && like_then && scaled && h->smallest_pivot >= pivot_checked ? WLU_HEALTHY : WLU_SUSPECT;
}

/* Whether equations are of like size in the scales of the pivots, and unknowns of like size in the caller's stay so in
 * these scales. Where they do not, |l| and |u| say nothing about the backward error of an equation, and every solve is
 * checked. */
int wlu_scales_even_out(const wlu_pivot_quality *quality, int transposed);

#endif
