/* The verdict on a replay: healthy, suspect (its solves are checked) or weak (mend it). docs/numerics.md derives the
 * rules and has measurements. For kernels too: plain comparisons, products and quotients, each rounded.
 *
 * Weak: factors that are not finite or too large to be worth a check. Growth is judged against the pivoting's own:
 * fresh factorizations of circuits reach 1e-9. Healthy: a bound on the backward error of every solve
 * (numerics/bound.h), from the largest l and u, and how much equations have changed, is what a success promises.
 * Everything else is suspect. Comparisons are written so that a NaN fails them. Replays in FP32 have fewer digits to
 * lose. The numbers are in numerics/thresholds.def. */
#ifndef WLU_NUMERICS_VERDICT_H
#define WLU_NUMERICS_VERDICT_H

#include "numerics/health.h"
#include "numerics/thresholds.h"

typedef enum wlu_verdict { WLU_HEALTHY, WLU_SUSPECT, WLU_WEAK } wlu_verdict;

/* The part of the promise that roundings of factors may take beside such loads. Where these take more than what may be
 * left to them, rows are looked at one by one, and they take their usual part. */
WLU_PORTABLE double wlu_factors_share(int single, double of_loads)
{
    const wlu_thresholds t = wlu_thresholds_of(single);
    double loads = of_loads * (t.rounding / t.accurate);
    return loads > t.loads_share && loads <= t.loads_most ? t.factors_share + t.loads_share - loads : t.factors_share;
}

/* Whether these errors, in unit roundoffs, keep the promise: of_factors by the largest l, and all that
 * goes with it. */
WLU_PORTABLE int wlu_bound_suffices(const wlu_health *h, double of_factors, double of_loads)
{
    const wlu_thresholds t = wlu_thresholds_of(h->single);
    double unit = t.rounding / t.accurate, l = h->largest_l <= 1.0 ? 1.0 : h->largest_l;
    return of_loads * unit <= t.loads_most && of_factors * l * unit <= wlu_factors_share(h->single, of_loads);
}

/* Whether solves with A (A' where transposed), whose bound this is, keep it by the largest magnitudes alone. */
WLU_PORTABLE int wlu_is_bounded(const wlu_health *h, const wlu_bound *b, int transposed)
{
    double factors = transposed ? b->of_factors / h->growth : b->of_factors * h->largest_u * h->drift;
    return wlu_bound_suffices(h, factors, b->of_loads);
}

/* Solutions whose largest magnitude is below this may have lost digits. What underflows in the scaled system is off by
 * the smallest denormal number, 5e-324, for each of an equation's terms and times l u; 1e-10 of the equation is to be
 * above that. */
WLU_PORTABLE double wlu_least_solution(const wlu_health *h, const wlu_bound *b, int transposed)
{
    double least = wlu_thresholds_of(h->single).solution_least;
    double pivot = h->smallest_pivot <= 1.0 ? h->smallest_pivot : 1.0, l = h->largest_l <= 1.0 ? 1.0 : h->largest_l;
    double u = h->largest_u <= 1.0 ? 1.0 : h->largest_u;
    return least * l * u * b->scale * (transposed ? 1.0 / (h->growth * pivot) : h->drift);
}

/* Whether magnitudes are far from where numbers underflow or overflow. A suspect replay that is in range is suspect
 * because its bound is open, which a closer look at the values may settle. */
WLU_PORTABLE int wlu_is_in_range(const wlu_health *h)
{
    const wlu_thresholds t = wlu_thresholds_of(h->single);
    return h->smallest_pivot >= t.pivot_checked && h->largest_u <= t.u_checked && h->drift <= t.drift_checked;
}

/* The verdict, for solves with A, of factors whose growth this was at pivoting. */
WLU_PORTABLE wlu_verdict wlu_judge_by(const wlu_health *h, double growth, const wlu_bound *bound, double pivot_absolute)
{
    const wlu_thresholds t = wlu_thresholds_of(h->single);
    int worse = !(h->growth * t.growth_worse >= growth);
    if (!h->finite || !(h->smallest_pivot > pivot_absolute) || !(h->smallest_pivot >= t.pivot_least)) return WLU_WEAK;
    if (!(h->largest_l <= t.l_weak) || (worse && !(h->growth >= t.growth_weak))) return WLU_WEAK;
    return wlu_is_in_range(h) && wlu_is_bounded(h, bound, 0) ? WLU_HEALTHY : WLU_SUSPECT;
}

WLU_PORTABLE wlu_verdict wlu_judge(const wlu_health *h, const wlu_criteria *c)
{
    return wlu_judge_by(h, c->quality.growth, &c->bound, c->pivot_absolute);
}

/* Whether factors that are weak may serve all the same, if they solve a known system: not where a number is not finite,
 * or a pivot as good as zero. */
WLU_PORTABLE int wlu_may_be_proven(const wlu_health *h, double pivot_absolute)
{
    return h->finite && h->smallest_pivot >= wlu_thresholds_of(0).pivot_least && h->smallest_pivot > pivot_absolute;
}

/* The end of a replay: what its maxima show, and the verdict on it. single: it was computed in FP32. */
WLU_PORTABLE wlu_health wlu_health_conclude(const wlu_maxima *m, const wlu_criteria *c, int single)
{
    wlu_health h;
    uint64_t worst = 0;
    for (int k = WLU_AREA_U; k < WLU_SLOT_AREAS; k++)
        if (m->of[k] > worst) worst = m->of[k];
    h.largest_l = wlu_maximum(m, WLU_AREA_L);
    h.largest_u = wlu_maximum(m, WLU_AREA_U);
    h.growth = wlu_growth_is_open(m, c) ? wlu_growth_of(wlu_maximum(m, WLU_AREA_RELATIVE)) : wlu_first_growth(m);
    h.smallest_pivot = 1.0 / wlu_maximum(m, WLU_AREA_RECIPROCAL);
    h.drift = wlu_maximum(m, WLU_AREA_DRIFT);
    h.finite = worst < UINT64_C(0x7ff0000000000000);
    h.single = single;
    h.verdict = wlu_judge(&h, c);
    return h;
}

/* What replays by a program are judged by. Where the growth at pivoting is infinite, which is to say not known, the
 * second bound is always taken, and none but growth_weak counts. */
wlu_criteria wlu_criteria_of(const wlu_pivot_quality *quality, wlu_bound bound, double pivot_absolute);

/* Whether equations are of like size in the scales of the pivots, and unknowns of like size in the caller's stay so in
 * these scales. Where they do not, small unknowns may be inaccurate although equations are accurate as wholes, and
 * every solve is checked. */
int wlu_scales_are_even(const wlu_pivot_quality *quality, int transposed);

#endif
