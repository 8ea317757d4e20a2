/* What rounding can do to a solve by frozen pivots, from the patterns and scales of their factors and a few magnitudes.
 *
 * The computed x of A x = b solves (A + E) x = b with |E| <= c |L||U| (Higham, Accuracy and Stability of Numerical
 * Algorithms, 2nd ed., theorems 9.3 and 9.4), c counting roundings, so that equation i is wrong by at most (c
 * |L||U||x|)_i. Roundings are independent of each other (Higham and Mary, SIAM J. Sci. Comput. 41, 2019 and 42, 2020):
 * where every entry has the largest magnitudes l and u, the standard deviation of that error, over max|a_i.| max|x|, is
 * at most
 *
 *     unit roundoff  (line_i l u / max|a_i.|  +  of_loads)
 *
 * where for row i of A, k over the row's entries of L and the diagonal, j over row k of U, R and C the scales of
 * equations and unknowns,
 *
 *     line_i^2   = sum_k (terms of row i + entries of row k + 4) sum_j (R_i C_j)^-2
 *     of_loads^2 = max_i  (entries of F in row i)(terms of row i + 4) + entries of row i
 *
 * For A' rows are columns, L and U change places, and so do R and C. Of the equations' magnitudes max|a_i.| a replay
 * knows the drift: how much the entry that was largest in row i when pivots were chosen has changed at most. Of columns
 * it knows growth. So A needs of_factors l u drift and A' of_factors l / growth; these decide where they are small
 * enough. Where they are not, the magnitudes are looked up. The verdict (numerics/verdict.h) asks for several standard
 * deviations; docs/numerics.md derives all this. */
#ifndef WLU_NUMERICS_BOUND_H
#define WLU_NUMERICS_BOUND_H

#include "base/context.h"
#include "matrix/sparse.h"
#include "numerics/health.h"

/* What a bound is of: the patterns and scales of pivots, all by position but the scales (pivot/pivots.h). */
typedef struct wlu_bounded_factors {
    const wlu_pattern *a;
    int32_t nblocks;
    const int32_t *block;                   /* nblocks + 1 */
    const int32_t *row, *col;               /* n: of A at each position */
    const int32_t *row_pos, *col_pos;       /* n: positions of A's */
    const int16_t *exponent, *col_exponent; /* n: of A's scales; columns': NULL where they are not scaled */
    const double *row_unit;                 /* n: brings the largest entry of each row into [1, 2) */
    const int64_t *lp, *up, *fp;            /* n + 1 */
    const int32_t *li, *ui, *fi;
} wlu_bounded_factors;

/* The bound of A, or of A' where transposed, and its lines, n. O(|L| + |U| + |F| + nnz); 8 n doubles while it runs.
 * WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_bound_find(wlu_context *ctx, const wlu_bounded_factors *factors, int transposed, wlu_bound *bound,
                             double *line);

/* of_factors with the magnitudes that equations have now, in the gathered values x, so that l u times it decides. line:
 * as found; work: n. O(nnz). */
double wlu_bound_now(const wlu_bounded_factors *factors, int transposed, const double *line, const double *x,
                     double *work);

#endif
