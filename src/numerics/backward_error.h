/* Backward errors of a solution: componentwise, and of equations as wholes. */
#ifndef WLU_NUMERICS_BACKWARD_ERROR_H
#define WLU_NUMERICS_BACKWARD_ERROR_H

#include "matrix/rows.h"

/* The matrix that answers are held against. */
typedef struct wlu_checked {
    const wlu_pattern *a;
    const wlu_rows *rows;  /* of a, for SIMD: then entries[nnz] is 0. NULL: column by column, as A' always is */
    const double *entries; /* the pattern's gathered values */
} wlu_checked;

/* Doubles of workspace that a matrix of n columns takes. */
static inline int64_t wlu_check_work(int32_t n)
{
    return 4 * (int64_t)n + 2 * WLU_ROWS_LANES;
}

/* Both: O(n + nnz), of finite numbers of any magnitude: products and sums of them may be far out of range. Sums are of
 * doubles: of a row of k entries r is off by (k + 6) 2^-53 (|A||x| + |b|) at most and denominators by (k + 6) 2^-53 of
 * themselves, and so is the error, and by 1e-30 where terms underflow; within as much of where the second form begins
 * either may be taken. 0 where r is. NaN where b, an entry, or x of a column that has entries is not finite. work
 * begins with the residual afterwards, which may overflow: of wlu_backward_error where the error is above `enough`. */

/* The largest over i of |r_i| / (|A||x| + |b|)_i with r = b - A x (A' where transposed); where the denominator
 * is below 1000 n eps (max|A_i.| max|x| + |b_i|), the second form |r_i| / ((|A||x|)_i + max|A_i.| max|x|)
 * (Arioli, Demmel and Duff, SIAM J. Matrix Anal. Appl. 10, 1989). An upper bound of at most `enough` may be returned
 * instead (0: none). */
double wlu_backward_error(const wlu_checked *m, int transposed, const double *b, const double *x, double enough,
                          double *work);

/* The largest over i of |r_i| / (max|A_i.| max|x| + |b_i|): small where every equation is accurate as a whole, whatever
 * its small unknowns are. At most k + 1, and off by k times as much as the other, for |A||x| may be k max|A_i.| max|x|.
 */
double wlu_row_error(const wlu_checked *m, int transposed, const double *b, const double *x, double *work);

#endif
