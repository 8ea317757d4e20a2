/* Condition numbers and error bounds, estimated by solves.
 *
 * All norms are of the caller's matrix, scales and orders aside. Infinity where a solve overflows. Each takes up to 12
 * solves, and O(n + nnz). */
#ifndef WLU_NUMERICS_CONDITION_H
#define WLU_NUMERICS_CONDITION_H

#include "matrix/sparse.h"
#include "numerics/norm.h"

/* A matrix and how to solve with it. */
typedef struct wlu_inverse {
    const wlu_pattern *a;
    const double *entries; /* the pattern's gathered values */
    wlu_apply solve;       /* x = A^-1 x, or A^-T x where transposed */
    void *user;
} wlu_inverse;

/* Doubles of workspace. */
static inline int64_t wlu_condition_work(const wlu_pattern *a)
{
    return 2 * wlu_vector_doubles(a) + 2 * (int64_t)a->n;
}

/* ||A||_1 ||A^-1||_1, the second norm estimated (numerics/norm.h). */
double wlu_condition(const wlu_inverse *inverse, double *work);

/* || |A^-1| |A| |x| ||_inf / ||x||_inf (Skeel, J. ACM 26, 1979); x NULL: x = (1, ..., 1), which makes it
 * || |A^-1| |A| ||_inf. 0 where x = 0. The norm of A^-1 diag(w), w = |A| |x|, is that of a matrix whose
 * products are known (Arioli, Demmel and Duff, SIAM J. Matrix Anal. Appl. 10, 1989). */
double wlu_skeel_condition(const wlu_inverse *inverse, const double *x, double *work);

/* A bound of ||x - x*||_inf / ||x||_inf for op(A) x* = b, where |A^-1| stands for itself and not for its
 * estimate:
 *     || |op(A)^-1| (|r| + rounding) ||_inf / ||x||_inf, r = b - op(A) x,
 * rounding = what the computed residual may be wrong by, (m_i + 1) u (|op(A)| |x| + |b|)_i with m_i entries
 * in row i and u = 2^-53, and what underflows. As LAPACK's xGERFS; Arioli, Demmel and Duff 1989. 0
 * where x = b = 0, infinity where x alone is 0, NaN where x or r is not finite. */
double wlu_forward_error(const wlu_inverse *inverse, int transposed, const double *b, const double *x, double *work);

#endif
