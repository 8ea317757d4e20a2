/* Condition numbers and error bounds. See condition.h. */
#include "numerics/condition.h"

#include "numerics/norm.h"

#include <float.h>
#include <math.h>

/* The factors, and the matrix beside the inverse. */
typedef struct inverse {
    const wlu_pivots *pivots;
    wlu_factors *factors;
    int transposed;       /* op is the transpose */
    double scale;         /* of A^-1 */
    const double *weight; /* of the columns of op(A)^-1 */
} inverse;

/* x = scale A^-1 x. */
static void apply_scaled(void *user, int transposed, double *x)
{
    const inverse *v = user;
    for (int32_t i = 0; i < v->pivots->n; i++) x[i] *= v->scale;
    wlu_factors_solve(v->factors, v->pivots, transposed, x, x);
}

/* B = diag(w) op(A)^-T: its 1-norm is the infinity norm of op(A)^-1 diag(w). */
static void apply_weighted(void *user, int transposed, double *x)
{
    const inverse *v = user;
    int32_t n = v->pivots->n;
    if (transposed)
        for (int32_t i = 0; i < n; i++) x[i] *= v->weight[i];
    wlu_factors_solve(v->factors, v->pivots, transposed ? v->transposed : !v->transposed, x, x);
    if (!transposed)
        for (int32_t i = 0; i < n; i++) x[i] *= v->weight[i];
}

static double norm1(const wlu_pattern *a, const double *entries)
{
    double norm = 0.0;
    for (int32_t j = 0; j < a->n; j++) {
        double sum = 0.0;
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) sum += fabs(entries[e]);
        if (sum > norm) norm = sum;
    }
    return norm;
}

/* NaN where one is none. */
static double largest_magnitude(int32_t n, const double *x)
{
    double largest = 0.0;
    for (int32_t i = 0; i < n; i++) {
        if (isnan(x[i])) return NAN;
        if (fabs(x[i]) > largest) largest = fabs(x[i]);
    }
    return largest;
}

double wlu_condition(const wlu_pattern *a, const double *entries, const wlu_pivots *p, wlu_factors *f, double *work)
{
    /* the norm of A goes in before the solve: tiny matrices have huge inverses */
    inverse v = {.pivots = p, .factors = f, .scale = norm1(a, entries)};
    return v.scale < INFINITY ? wlu_estimate_norm(a->n, apply_scaled, &v, work) : INFINITY;
}

double wlu_skeel_condition(const wlu_pattern *a, const double *entries, const wlu_pivots *p, wlu_factors *f,
                           const double *x, double *work)
{
    int32_t n = a->n;
    double *weight = work + 2 * (int64_t)n, norm = x != NULL ? largest_magnitude(n, x) : 1.0;
    if (norm == 0.0) return 0.0;
    for (int32_t i = 0; i < n; i++) weight[i] = 0.0;
    for (int32_t j = 0; j < n; j++) { /* relative to the largest |x|: small ones shall not underflow with A */
        double xj = x != NULL ? fabs(x[j]) / norm : 1.0;
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) weight[a->i[e]] += fabs(entries[e]) * xj;
    }
    inverse v = {.pivots = p, .factors = f, .weight = weight};
    return wlu_estimate_norm(n, apply_weighted, &v, work);
}

/* weight = |r| + rounding; 0 if r or its bound is not finite. size, count: n each. */
static int residual_weights(const wlu_pattern *a, const double *entries, int transposed, const double *b,
                            const double *x, double *weight, double *size, double *count)
{
    int32_t n = a->n;
    double check = 0.0;
    for (int32_t i = 0; i < n; i++) {
        weight[i] = b[i];
        size[i] = fabs(b[i]);
        count[i] = 0.0;
    }
    for (int32_t j = 0; j < n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            int32_t row = transposed ? j : a->i[e], col = transposed ? a->i[e] : j;
            double term = entries[e] * x[col];
            weight[row] -= term;
            size[row] += fabs(term);
            count[row]++;
        }
    for (int32_t i = 0; i < n; i++) {
        check += weight[i] * 0.0;
        weight[i] = fabs(weight[i]) + (count[i] + 1.0) * (DBL_EPSILON / 2.0) * size[i] + count[i] * DBL_TRUE_MIN;
    }
    return check == 0.0;
}

double wlu_forward_error(const wlu_pattern *a, const double *entries, const wlu_pivots *p, wlu_factors *f,
                         int transposed, const double *b, const double *x, double *work)
{
    int32_t n = a->n;
    double *weight = work + 2 * (int64_t)n, norm = largest_magnitude(n, x);
    if (norm == 0.0) {
        double rhs = largest_magnitude(n, b);
        return rhs == 0.0 ? 0.0 : isfinite(rhs) ? INFINITY : NAN;
    }
    if (!residual_weights(a, entries, transposed, b, x, weight, work, work + n)) return NAN;
    inverse v = {.pivots = p, .factors = f, .transposed = transposed, .weight = weight};
    return wlu_estimate_norm(n, apply_weighted, &v, work) / norm;
}
