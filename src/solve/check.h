/* Componentwise backward error of a solution. */
#ifndef WLU_CHECK_ERROR_H
#define WLU_CHECK_ERROR_H

#include "base/rows.h"

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

/* The largest over i of |r_i| / (|A||x| + |b|)_i with r = b - A x (A' where transposed); where the denominator
 * is below 1000 n eps (max|A_i.| max|x| + |b_i|), the second form |r_i| / ((|A||x|)_i + max|A_i.| max|x|)
 * (Arioli, Demmel and Duff, SIAM J. Matrix Anal. Appl. 10, 1989). 0 where r_i = 0; NaN or infinity in, NaN out.
 * An upper bound of at most `enough` may be returned instead (0: none); else work begins with the residual. O(n + nnz). */
double wlu_backward_error(const wlu_checked *m, int transposed, const double *b, const double *x, double enough,
                          double *work);

double wlu_equation_error(const wlu_checked *m, int transposed, const double *b, const double *x, double *work);

#endif
