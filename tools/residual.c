/* Relative residual in the infinity norm. See residual.h. */
#include "residual.h"

#include <math.h>

/* |v|; NaN if v holds one. */
static double norm(const double *v, int32_t n)
{
    double largest = 0.0;
    for (int32_t i = 0; i < n; i++) {
        if (isnan(v[i])) return NAN;
        if (fabs(v[i]) > largest) largest = fabs(v[i]);
    }
    return largest;
}

/* r = b - op(A) x; returns |op(A)|. sums: n, work. */
static double residual(const warplu_mm_matrix *a, int transposed, const double *b, const double *x, double *r,
                       double *sums)
{
    for (int32_t i = 0; i < a->nrow; i++) {
        r[i] = b[i];
        sums[i] = 0.0;
    }
    for (int32_t j = 0; j < a->ncol; j++)
        for (int32_t q = a->ptr[j]; q < a->ptr[j + 1]; q++) {
            int32_t row = transposed ? j : a->idx[q], col = transposed ? a->idx[q] : j;
            r[row] -= a->values[q] * x[col];
            sums[row] += fabs(a->values[q]);
        }
    return norm(sums, a->nrow);
}

double relative_residual(wlu_context *ctx, const warplu_mm_matrix *a, int transposed, int32_t nrhs, const double *b,
                         const double *x)
{
    int32_t n = a->nrow;
    double *r = WLU_ALLOC(ctx, 2 * (int64_t)n, double), worst = 0.0;
    if (r == NULL) return NAN;
    for (int32_t k = 0; k < nrhs; k++) {
        const double *bk = b + (int64_t)k * n, *xk = x + (int64_t)k * n;
        double norm_a = residual(a, transposed, bk, xk, r, r + n), norm_r = norm(r, n);
        double relative = norm_r == 0.0 ? 0.0 : norm_r / (norm_a * norm(xk, n) + norm(bk, n));
        if (isnan(relative) || relative > worst) worst = relative;
        if (isnan(worst)) break;
    }
    wlu_free(ctx, r);
    return worst;
}
