/* Health: what a factorization with frozen pivots shows of how well they fit the values.
 *
 * Whoever replays keeps the largest magnitudes of each area on the way (wlu_maxima): kernels of the CPU and of devices,
 * the reference, the emulator. When the replay ends, one function that all of them compile makes health and verdict of
 * these (wlu_health_conclude in numerics/verdict.h). */
#ifndef WLU_NUMERICS_HEALTH_H
#define WLU_NUMERICS_HEALTH_H

#include <float.h>
#include <math.h>

#include "base/power.h"

/* What largest magnitudes are of, in scaled values. */
typedef enum wlu_area {
    WLU_AREA_NONE, /* nothing that is judged */
    WLU_AREA_U,    /* within the diagonal blocks, pivots included */
    WLU_AREA_L,
    WLU_AREA_F,
    WLU_AREA_RECIPROCAL, /* of pivots */
    WLU_AREA_INVERSE, /* wlu_positive_inverse_power of each column's entry that was largest when pivots were chosen */
    WLU_AREA_DRIFT,   /* wlu_power_drift of each row's */
    WLU_AREA_RELATIVE /* computed |u| times its column's inverse; in replays whose first bound of growth says little */
} wlu_area;

/* Slots are of areas below the first number; those below the second are looked at in every replay. */
enum { WLU_SLOT_AREAS = WLU_AREA_INVERSE, WLU_SEEN_AREAS = WLU_AREA_RELATIVE, WLU_AREAS = WLU_AREA_RELATIVE + 1 };

/* By area, as bits: NaN beats infinity beats every number. */
typedef struct wlu_maxima {
    uint64_t of[WLU_AREAS];
} wlu_maxima;

WLU_PORTABLE double wlu_maximum(const wlu_maxima *m, wlu_area area)
{
    return wlu_double_of_bits(m->of[area]);
}

/* x: a magnitude. */
WLU_PORTABLE void wlu_maxima_add(wlu_maxima *m, wlu_area area, double x)
{
    uint64_t bits = wlu_bits_of_double(x);
    if (bits > m->of[area]) m->of[area] = bits;
}

/* What somebody else has seen. */
WLU_PORTABLE void wlu_maxima_join(wlu_maxima *m, const wlu_maxima *others)
{
    for (int k = WLU_AREA_U; k < WLU_AREAS; k++)
        if (others->of[k] > m->of[k]) m->of[k] = others->of[k];
}

/* In scaled values. */
typedef struct wlu_health {
    double largest_l;      /* largest |l| */
    double largest_u;      /* largest |u| within the blocks */
    double growth;         /* reciprocal pivot growth, at most 1, or a bound from below (wlu_growth_of) */
    double smallest_pivot; /* smallest |u_kk| */
    double drift;          /* largest factor, up or down, by which a row's largest entry has changed; a power of two */
    int finite;            /* every computed value is */
    int single;            /* computed in FP32 */
    int verdict;           /* wlu_verdict of the replay, for solves with A */
} wlu_health;

/* Reciprocal pivot growth, the smallest over columns of max|a| / max|u| inside the diagonal block, from the largest |u|
 * relative to what it grew from; 0 where that is no number. A replay has two bounds of it from below, which take for
 * max|a| the one entry of the column that was largest when pivots were chosen, and for its inverse a power of two:
 *   first   the largest |u| of all times the largest of these inverses
 *   second  the largest over columns of the two, taken where the first says little (wlu_criteria)
 * What the second is compared with is the second of the pivoting (wlu_pivot_quality). */
WLU_PORTABLE double wlu_growth_of(double worst)
{
    return worst >= 1.0 ? 1.0 / worst : worst < 1.0 ? 1.0 : 0.0;
}

/* Whether what is not finite in the factors shows in every solution. An infinite pivot alone does not: its reciprocal
 * is 0. */
static inline int wlu_health_shows(const wlu_health *h)
{
    return h->finite || h->largest_u <= DBL_MAX || h->smallest_pivot == 0.0;
}

/* Bounds of an equation's error in a solve, in unit roundoffs: numerics/bound.h. */
typedef struct wlu_bound {
    double of_factors; /* for l u drift = 1 (A), or l / growth = 1 (A') */
    double of_loads;
    double scale; /* the largest of the unknowns' scales, at least 1 */
} wlu_bound;

/* Before it has been found: it proves nothing. */
WLU_PORTABLE wlu_bound wlu_bound_unknown(void)
{
    wlu_bound unknown = {INFINITY, INFINITY, 1.0};
    return unknown;
}

/* What the pivoting saw, in scaled values: the yardstick for the health of later replays. */
typedef struct wlu_pivot_quality {
    double growth;                             /* reciprocal pivot growth, by the second bound (wlu_growth_of);
                                                  infinity: not known yet */
    double largest_l;                          /* largest |l_ij| */
    double largest_u;                          /* largest |u_ij| within the blocks */
    double smallest_pivot;                     /* smallest |u_kk| */
    double row_spread;                         /* largest over smallest of the rows' largest magnitudes, scaled */
    double col_spread;                         /* the same of the columns */
    double row_scale_spread, col_scale_spread; /* largest over smallest scale */
} wlu_pivot_quality;

/* What a replay's health is judged by: what the pivoting saw, the bound for A, and the options. */
typedef struct wlu_criteria {
    wlu_pivot_quality quality;
    wlu_bound bound;
    double growth; /* a first bound of growth of this needs no second */
    double pivot_absolute;
} wlu_criteria;

/* The first bound of growth. */
WLU_PORTABLE double wlu_first_growth(const wlu_maxima *m)
{
    return wlu_growth_of(wlu_maximum(m, WLU_AREA_U) * wlu_maximum(m, WLU_AREA_INVERSE));
}

/* Whether the second bound is wanted, WLU_AREA_RELATIVE of the maxima. */
WLU_PORTABLE int wlu_growth_is_open(const wlu_maxima *m, const wlu_criteria *c)
{
    return !(wlu_first_growth(m) >= c->growth);
}

#endif
