/* These calls tell what a solver knows of A, its factors and its solutions. Conventions are those of warplu/warplu.h:
 * statuses in tables, and after an error the solver is as before the call. A call that fails writes nothing. */
#ifndef WARPLU_INSPECT_H
#define WARPLU_INSPECT_H

#include <warplu/warplu.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- pattern */

/* warplu_analyze for indices of 64 bits, which are converted once.
 *
 *   as warplu_analyze; and
 *   WARPLU_OVERFLOW                n or the number of entries is not less than 2^31 - 1 */
WARPLU_API warplu_status warplu_analyze64(warplu_solver *solver, int64_t n, const int64_t *ptr, const int64_t *idx,
                                          const double *values);

/* The place in the value array of entry (row, col) of A: where a device of a circuit adds its part. Of duplicates, the
 * first. Time: O(log of the column's entries).
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT        row or col is out of range
 *   WARPLU_WRONG_PHASE             before warplu_analyze
 *   WARPLU_PATTERN_MISMATCH        the pattern has no such entry */
WARPLU_API warplu_status warplu_get_position(const warplu_solver *solver, int32_t row, int32_t col, int32_t *position);

/* The order of the analysis, before pivots are chosen: the row and the column of A at each position, n numbers each, in
 * P and Q, with a zero-free diagonal; the boundaries of the diagonal blocks, *blocks + 1 numbers, n + 1 at most, in
 * block; how many these are in blocks. What is NULL is left out. Pivoting may take other rows, and a solver that makes
 * its analysis again, other orders: warplu_extract_factors has those of the factors. Time: O(n).
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT        all four are NULL
 *   WARPLU_WRONG_PHASE             before warplu_analyze */
WARPLU_API warplu_status warplu_extract_order(const warplu_solver *solver, int32_t *P, int32_t *Q, int32_t *block,
                                              int32_t *blocks);

/* ----------------------------------------------------------- singular matrices */

/* Why a matrix is singular. Rows and columns are those of the caller's A, from 0, whatever the storage; -1 stands for
 * none. Two rows (columns) are dependent if one is a multiple of the other up to rounding. A singular matrix need not
 * show any of this: then only the place where pivoting stopped is known. */
typedef struct warplu_singularity {
    size_t size;          /* sizeof(warplu_singularity), set by the caller */
    warplu_status status; /* WARPLU_SINGULAR; or WARPLU_STRUCTURALLY_SINGULAR: then the pattern alone was examined */
    int32_t column, row;  /* where pivoting stopped: a column without a pivot, and a row that was left for it */
    int32_t position;     /* pivots found before; the structural rank, if structurally singular */
    int32_t zero_row;     /* the first row without a value other than zero */
    int32_t zero_column;
    int32_t dependent_rows[2]; /* a row and a later one: the first pair */
    int32_t dependent_columns[2];
    /* These six count rows and columns; all are -1 where there was no memory to count. */
    int32_t empty_row_count, empty_column_count;         /* without any entry */
    int32_t zero_row_count, zero_column_count;           /* without a value other than zero, empty ones among them */
    int32_t dependent_row_count, dependent_column_count; /* that depend on an earlier one */
} warplu_singularity;

/* Fills *singularity as far as both sides know it, and sets its size to that.
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT        no size
 *   WARPLU_WRONG_PHASE             nothing has found A singular since the last analyze, factor or refactor began */
WARPLU_API warplu_status warplu_get_singularity(const warplu_solver *solver, warplu_singularity *singularity);

/* ------------------------------------------------------------------ errors */

/* The componentwise backward error of X as a solution of A X = B, or of A' X = B if transposed is not 0; the largest
 * over the right-hand sides: max_i |b - A x|_i / (|A||x| + |b|)_i. Rows with a tiny denominator take the second form of
 * Arioli, Demmel and Duff (SIAM J. Matrix Anal. Appl. 10, 1989). values: as for warplu_refactor. Shapes of B and X: as
 * for warplu_solve. It needs no factors.
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT        a size or leading dimension is out of range
 *   WARPLU_WRONG_PHASE             before warplu_analyze
 *   WARPLU_OUT_OF_MEMORY */
WARPLU_API warplu_status warplu_compute_backward_error(const warplu_solver *solver, int transposed,
                                                       const double *values, int32_t nrhs, const double *b, int32_t ldb,
                                                       const double *x, int32_t ldx, double *omega);

/* A bound of the error of X, relative to the largest |x|; the largest over the right-hand sides:
 * || |A^-1| (|r| + rounding) || / ||x|| with the residual r as computed and the norm estimated as by
 * warplu_estimate_condition. LAPACK calls it ferr (xGERFS; Arioli, Demmel and Duff, SIAM J. Matrix Anal. Appl. 10,
 * 1989). 0 where x = b = 0, infinity where x alone is 0, NaN where x or r is not finite. values, transposed, B and X:
 * as for warplu_compute_backward_error.
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT        a size or leading dimension is out of range
 *   WARPLU_WRONG_PHASE             there are no factors
 *   WARPLU_NOT_FINITE              a value is infinite or not a number
 *   WARPLU_OUT_OF_MEMORY */
WARPLU_API warplu_status warplu_bound_forward_error(warplu_solver *solver, int transposed, const double *values,
                                                    int32_t nrhs, const double *b, int32_t ldb, const double *x,
                                                    int32_t ldx, double *bound);

/* ------------------------------------------------------------- the factors */

/* All calls below need factors at hand: a factor, refactor or solve after which nothing has failed. They leave the
 * solver, its factors and its statistics as they are; their memory is freed again. values: those of the factors at
 * hand. */

/* The condition number of A in the 1-norm, ||A|| ||A^-1||, of the caller's matrix without scales. It is estimated from
 * below, seldom less than a third of the truth, by at most 12 solves (Hager, SIAM J. Sci. Stat. Comput. 5, 1984;
 * Higham, ACM TOMS 14, 1988, Algorithm 674). Infinity where a solve overflows.
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT
 *   WARPLU_WRONG_PHASE             there are no factors
 *   WARPLU_NOT_FINITE              a value is infinite or not a number
 *   WARPLU_OUT_OF_MEMORY */
WARPLU_API warplu_status warplu_estimate_condition(warplu_solver *solver, const double *values, double *condition);

/* Skeel's condition number (J. ACM 26, 1979): cond(A, x) = || |A^-1| |A| |x| || / ||x|| in the largest norm, for x of n
 * numbers; with x NULL, cond(A) = || |A^-1| |A| ||. It does not depend on scales of rows. A solution with backward
 * error omega, in the first form, has a relative error of at most about 2 omega cond(A, x). Estimated as above (Higham,
 * Accuracy and Stability of Numerical Algorithms, 2002, sections 7.2 and 15.1). 0 where x = 0.
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT
 *   WARPLU_WRONG_PHASE             there are no factors
 *   WARPLU_NOT_FINITE              a value, or a number of x, is infinite or not a number
 *   WARPLU_OUT_OF_MEMORY */
WARPLU_API warplu_status warplu_estimate_skeel_condition(warplu_solver *solver, const double *values, const double *x,
                                                         double *condition);

/* Reciprocal pivot growth: the smallest over the columns of max|a_ij| / max|u_ij|, at most 1, in scaled values within
 * the diagonal blocks. It is exact, where the statistic of that name may be a lower bound. KLU calls it rgrowth (Davis
 * and Palamadai Natarajan, ACM TOMS 37, 2010). 0 where a factor is not finite.
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT
 *   WARPLU_WRONG_PHASE             there are no factors
 *   WARPLU_NOT_FINITE              a value is infinite or not a number
 *   WARPLU_OUT_OF_MEMORY */
WARPLU_API warplu_status warplu_compute_pivot_growth(warplu_solver *solver, const double *values, double *growth);

/* The determinant of the caller's A: mantissa 2^exponent with 1/2 <= |mantissa| < 1, or 0 and 0 where a pivot is 0. It
 * cannot overflow. ldexp(mantissa, exponent) is the number, where that fits. A complex mantissa is two doubles, the
 * larger of which is in that range.
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT
 *   WARPLU_WRONG_PHASE             there are no factors
 *   WARPLU_NOT_FINITE              a pivot is infinite or not a number
 *   WARPLU_OUT_OF_MEMORY */
WARPLU_API warplu_status warplu_compute_determinant(warplu_solver *solver, double *mantissa, int64_t *exponent);

typedef struct warplu_pivot {
    int32_t row, col; /* of the caller's A, with CSR too */
    int32_t position; /* among the pivots */
    int32_t block;    /* of the block triangular form */
    double value;     /* u_kk, in scaled values; its real part */
    double ratio;     /* |u_kk| over the largest magnitude of its column of A within the block, in scaled values */
    double imaginary; /* part of u_kk; 0 where values are real */
} warplu_pivot;

/* Lists weak pivots: those whose ratio is at most threshold (>= 0), or is not a number. *count is how many there are.
 * The weakest are written to list, capacity at most: those that are no number first, then by ratio, then by position.
 * list may be NULL where capacity is 0. A threshold of infinity lists all pivots.
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT        threshold or capacity is below 0; a capacity without a list
 *   WARPLU_WRONG_PHASE             there are no factors
 *   WARPLU_NOT_FINITE              a value is infinite or not a number
 *   WARPLU_OUT_OF_MEMORY */
WARPLU_API warplu_status warplu_list_pivots(warplu_solver *solver, const double *values, double threshold,
                                            int32_t capacity, warplu_pivot *list, int32_t *count);

/* The pivots: the diagonal of U in scaled values, by position, n numbers, in diagonal; and the extremes of |u_kk| in
 * smallest and largest. What is NULL is left out. smallest / largest is KLU's rcond (Davis and Palamadai Natarajan, ACM
 * TOMS 37, 2010), a cheap estimate of the reciprocal condition number of the scaled matrix that is often far from it.
 * Both are NaN where a pivot is not a number. Time: O(n); factors on a device are copied first, all of them.
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT        all three are NULL
 *   WARPLU_WRONG_PHASE             there are no factors
 *   WARPLU_OUT_OF_MEMORY
 *   WARPLU_DEVICE_FAILED */
WARPLU_API warplu_status warplu_extract_diagonal(warplu_solver *solver, double *diagonal, double *smallest,
                                                 double *largest);

/* A number that tells the pivots of the factors from all others in the process: as long as it stays, factors have the
 * same rows and columns, scales and patterns, however often they are replayed. Time: O(1).
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT
 *   WARPLU_WRONG_PHASE             there are no factors */
WARPLU_API warplu_status warplu_get_pivots_number(const warplu_solver *solver, int64_t *number);

/* The factors by columns (CSC, rows ascending), in pivot positions:
 *
 *     R[P[k]] A(P[k], Q[l]) C[Q[l]] = (L U + F)(k, l).
 *
 * L and U are block diagonal, with blocks from block[b] to block[b + 1] - 1, block[0] = 0 and block[blocks] = n; F is
 * strictly above these blocks. The diagonal of L, all ones, is the first entry of each column; that of U is the last. R
 * and C are the scales of rows and columns of A, powers of two. The caller owns all arrays. Arrays that are NULL are
 * left out: a call with none tells the sizes. The numbers are a copy. */
typedef struct warplu_factors_view {
    size_t size;                 /* sizeof(warplu_factors_view), set by the caller */
    int32_t n, blocks;           /* filled by the call */
    int64_t l_nnz, u_nnz, f_nnz; /* filled by the call */
    int64_t *Lp, *Up, *Fp;       /* n + 1 */
    int32_t *Li, *Ui, *Fi;       /* l_nnz, u_nnz, f_nnz */
    double *Lx, *Ux, *Fx;        /* the same */
    int32_t *P, *Q;              /* n: row and column of A at each position */
    double *R, *C;               /* n */
    int32_t *block;              /* blocks + 1 */
} warplu_factors_view;

/* Fills *view as far as both sides know it, and sets its size to that. Time: O(n + entries that are asked for).
 *
 *   WARPLU_SUCCESS
 *   WARPLU_INVALID_ARGUMENT        no size
 *   WARPLU_WRONG_PHASE             there are no factors */
WARPLU_API warplu_status warplu_extract_factors(warplu_solver *solver, warplu_factors_view *view);

#ifdef __cplusplus
}
#endif
#endif
