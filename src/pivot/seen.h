/* What a refactorization by columns sees of its numbers on the way, and the health that comes of it. Sizes stand for
 * moduli (base/number.h). */
#ifndef WLU_PIVOT_SEEN_H
#define WLU_PIVOT_SEEN_H

#include <math.h>

#include "pivot/factors.h"

typedef struct wlu_seen {
    double largest_l, largest_u, smallest_pivot, growth;
    double sum; /* of all values: finite if all are, but for sums that overflow */
} wlu_seen;

static inline double wlu_larger(double largest, double size)
{
    return size > largest ? size : largest;
}

static inline wlu_seen wlu_nothing_seen(void)
{
    return (wlu_seen){.growth = 1.0, .smallest_pivot = INFINITY};
}

/* A column of U has been computed, with a pivot of this size. umax: of its other entries; amax: of its column of A. */
static inline void wlu_see_pivot(wlu_seen *now, double size, double umax, double amax)
{
    umax = wlu_larger(umax, size);
    now->largest_u = wlu_larger(now->largest_u, umax);
    if (!(size >= now->smallest_pivot)) now->smallest_pivot = size;
    if (!(amax >= now->growth * umax)) now->growth = amax / umax;
}

/* By how much the entry that was largest in each row has changed: the drift of the largest and of the least such
 * magnitude, for others are nearer to 1. */
static inline double wlu_row_drift(const wlu_pivots *p, const double *entries, int doubles)
{
    double largest = 1.0, least = 1.0;
    for (int32_t k = 0; k < p->n; k++) {
        double now = p->row_unit[k] * wlu_size_at(entries, p->row_largest[k], doubles);
        largest = wlu_larger(largest, now);
        least = now < least ? now : least;
    }
    return wlu_larger_bits(wlu_power_drift(largest), wlu_power_drift(least));
}

/* All columns are there. */
static inline void wlu_seen_conclude(const wlu_seen *now, wlu_factors *f, const wlu_pivots *p, const double *entries,
                                     int doubles)
{
    f->health = (wlu_health){.largest_l = now->largest_l,
                             .largest_u = now->largest_u,
                             .growth = now->growth,
                             .smallest_pivot = now->smallest_pivot,
                             .drift = wlu_row_drift(p, entries, doubles),
                             .finite = isfinite(now->sum) || wlu_factors_finite(f, p)};
}

#endif
