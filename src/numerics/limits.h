/* Limits of the entries of factors under which all solves by them are what a success promises.
 *
 * The bound of numerics/bound.h knows of factors the largest l and u. This one knows each magnitude: equation i is
 * wrong by at most
 *
 *     u sum_k |l_ik| sum_j d_ikj |u_kj| |x_j|        d_ikj = min(o_i, c_j) + f_i + s_k + 4
 *
 * to first order, by the same counts of roundings (numerics/rounds.h) and whatever these depend on, where k is over the
 * entries of row i of L and the diagonal.
 *
 * What is left of the promise is the equation's slack. It is shared out: an entry's limit is a multiple of its
 * magnitude, or where that is small a part of its line's sum. Factors within all limits keep the promise whatever they
 * are. So what was proven once needs no proof from then on, but a look at magnitudes.
 *
 * Cost: four passes over L, three over U. */
#ifndef WLU_NUMERICS_LIMITS_H
#define WLU_NUMERICS_LIMITS_H

#include "numerics/bound.h"

/* Magnitudes by the places of the patterns, pivots by position. */
typedef struct wlu_magnitudes {
    double *l, *u, *pivot;
} wlu_magnitudes;

/* Doubles of workspace for n unknowns. */
static inline int64_t wlu_limits_work(int64_t n)
{
    return 7 * n;
}

/* Makes limits of these magnitudes, for solves with A by factors that were computed in FP64. shrunk: equations have at
 * least the magnitude 1 / (row_unit shrunk). factors_share: the part of the promise that factors may take. reach: of
 * each unknown, what its solutions may come to of their largest number; NULL: all of it. 0, with magnitudes void, where
 * there is no slack for limits. */
int wlu_limits_find(const wlu_bounded_factors *factors, const wlu_rounds *rounds, double shrunk, double factors_share,
                    const double *reach, const wlu_magnitudes *m, double *work);

/* By how much the largest entry of an equation in the gathered values is below 1 / row_unit; infinite where one is no
 * usual number. work: 3 n. O(nnz). */
double wlu_equations_shrunk(const wlu_bounded_factors *factors, const double *x, double *work);

#endif
