/* Relative residual in the infinity norm. See residual.h. */
#include "residual.h"

#include <math.h>
#include <string.h>

#include "numerics/norm.h"

/* |v|, of numbers of so many doubles; NaN if v holds one. */
static double norm(const double *v, int32_t n, int doubles)
{
    double largest = 0.0;
    for (int64_t i = 0; i < n; i++) {
        double modulus = wlu_modulus(v, i, doubles);
        if (isnan(modulus)) return NAN;
        if (modulus > largest) largest = modulus;
    }
    return largest;
}

/* r = b - op(A) x; returns |op(A)|. sums: n, work. */
static double residual(const warplu_mm_matrix *a, int transposed, int doubles, const double *b, const double *x,
                       double *r, double *sums)
{
    memcpy(r, b, (size_t)a->nrow * (size_t)doubles * sizeof *r);
    for (int32_t i = 0; i < a->nrow; i++) sums[i] = 0.0;
    for (int32_t j = 0; j < a->ncol; j++)
        for (int64_t q = a->ptr[j]; q < a->ptr[j + 1]; q++) {
            int64_t row = transposed ? j : a->idx[q], col = transposed ? a->idx[q] : j;
            const double *v = a->values + doubles * q, *xc = x + doubles * col;
            double *to = r + doubles * row;
            to[0] -= v[0] * xc[0];
            if (doubles > 1) {
                to[0] += v[1] * xc[1];
                to[1] -= v[0] * xc[1] + v[1] * xc[0];
            }
            sums[row] += wlu_modulus(v, 0, doubles);
        }
    return norm(sums, a->nrow, 1);
}

double relative_residual(wlu_context *ctx, const warplu_mm_matrix *a, int transposed, int32_t nrhs, const double *b,
                         const double *x)
{
    int32_t n = a->nrow, doubles = a->typecode.field == WARPLU_MM_FIELD_COMPLEX ? 2 : 1;
    int64_t vector = (int64_t)n * doubles;
    double *r = WLU_ALLOC(ctx, vector + n, double), worst = 0.0;
    if (r == NULL) return NAN;
    for (int32_t k = 0; k < nrhs; k++) {
        const double *bk = b + k * vector, *xk = x + k * vector;
        double norm_a = residual(a, transposed, doubles, bk, xk, r, r + vector), norm_r = norm(r, n, doubles);
        double relative = norm_r == 0.0 ? 0.0 : norm_r / (norm_a * norm(xk, n, doubles) + norm(bk, n, doubles));
        if (isnan(relative) || relative > worst) worst = relative;
        if (isnan(worst)) break;
    }
    wlu_free(ctx, r);
    return worst;
}
