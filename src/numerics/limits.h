/* Limits of the entries of factors under which all solves by them are what a success promises.
 *
 * The bound of numerics/bound.h knows of factors the largest l and u, and assumes that roundings are independent. This
 * one knows each magnitude and assumes nothing: equation i is wrong by at most
 *
 *     u sum_k |l_ik| sum_j d_ikj |u_kj| |x_j|        d_ikj = min(t_i, c_j) + t_i + f_i + r_k + 10
 *
 * to first order (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., lemma 8.4, theorems 9.3 and 9.4),
 * where k is over the entries of row i of L and the diagonal. t_i, f_i, r_k and c_j are the entries of row i of L and
 * F, of row k and of column j of U. A sum of so many terms rounds each at most once more than that, in whatever order
 * it is. The first of d's terms is of the factorization, the next two are of forward and the fourth of back
 * substitution; divisions, reciprocals and products come to less than ten.
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
    return 9 * n;
}

/* Makes limits of these magnitudes, for solves with A by factors that were computed in FP64. shrunk: equations have at
 * least the magnitude 1 / (row_unit shrunk). reach: of each unknown, what its solutions may come to of their largest
 * number; NULL: all of it. 0, with magnitudes void, where there is no slack for limits. */
int wlu_limits_find(const wlu_bounded_factors *factors, double shrunk, const double *reach, const wlu_magnitudes *m,
                    double *work);

/* By how much the largest entry of an equation in the gathered values is below 1 / row_unit; infinite where one is no
 * usual number. work: 2 n. O(nnz). */
double wlu_equations_shrunk(const wlu_bounded_factors *factors, const double *x, double *work);

#endif
