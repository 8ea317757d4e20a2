/* Health: what a factorization with frozen pivots shows of how well they fit the values. */
#ifndef WLU_NUMERICS_HEALTH_H
#define WLU_NUMERICS_HEALTH_H

#include <float.h>
#include <math.h>

#include "base/power.h"

/* In scaled values. */
typedef struct wlu_health {
    double largest_l;      /* largest |l| */
    double largest_u;      /* largest |u| within the blocks */
    double growth;         /* reciprocal pivot growth, at most 1, or a bound from below (wlu_growth_of) */
    double smallest_pivot; /* smallest |u_kk| */
    double drift;          /* largest factor, up or down, by which a row's largest entry has changed; a power of two */
    int finite;            /* every computed value is */
    int single;            /* computed in FP32 */
} wlu_health;

/* Reciprocal pivot growth, the smallest over columns of max|a| / max|u| inside the diagonal block, from the largest |u|
 * relative to what it grew from; 0 where that is no number. A replay has two bounds of it from below, which take for
 * max|a| the one entry of the column that was largest when pivots were chosen, and for its inverse a power of two:
 *   first   the largest |u| of all times the largest of these inverses
 *   second  the largest over columns of the two, taken where the first says little (WLU_GROWTH_BOUND)
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

/* Standard deviations of an equation's error in a solve, in unit roundoffs: numerics/bound.h. */
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
    double growth;                             /* reciprocal pivot growth, by the second bound (wlu_growth_of) */
    double largest_l;                          /* largest |l_ij| */
    double largest_u;                          /* largest |u_ij| within the blocks */
    double smallest_pivot;                     /* smallest |u_kk| */
    double row_spread;                         /* largest over smallest of the rows' largest magnitudes, scaled */
    double col_spread;                         /* the same of the columns */
    double row_scale_spread, col_scale_spread; /* largest over smallest scale */
} wlu_pivot_quality;

#endif
