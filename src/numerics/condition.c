/* Condition numbers and error bounds. See condition.h. */
#include "numerics/condition.h"

#include <float.h>
#include <math.h>

/* What stands beside the inverse in a product. */
typedef struct product {
    const wlu_inverse *inverse;
    int transposed;       /* op is the transpose */
    double scale;         /* of A^-1 */
    const double *weight; /* of the columns of op(A)^-1 */
} product;

static void solve(const product *v, int transposed, double *x)
{
    v->inverse->solve(v->inverse->user, transposed, x);
}

/* x = scale A^-1 x. */
static void apply_scaled(void *user, int transposed, double *x)
{
    const product *v = user;
    for (int32_t i = 0; i < v->inverse->a->n; i++) x[i] *= v->scale;
    solve(v, transposed, x);
}

/* B = diag(w) op(A)^-T: its 1-norm is the infinity norm of op(A)^-1 diag(w). */
static void apply_weighted(void *user, int transposed, double *x)
{
    const product *v = user;
    int32_t n = v->inverse->a->n;
    if (transposed)
        for (int32_t i = 0; i < n; i++) x[i] *= v->weight[i];
    solve(v, transposed ? v->transposed : !v->transposed, x);
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

double wlu_condition(const wlu_inverse *inverse, double *work)
{
    /* the norm of A goes in before the solve: tiny matrices have huge inverses */
    product v = {.inverse = inverse, .scale = norm1(inverse->a, inverse->entries)};
    return v.scale < INFINITY ? wlu_estimate_norm(inverse->a->n, apply_scaled, &v, work) : INFINITY;
}

double wlu_skeel_condition(const wlu_inverse *inverse, const double *x, double *work)
{
    const wlu_pattern *a = inverse->a;
    int32_t n = a->n;
    double *weight = work + 2 * (int64_t)n, norm = x != NULL ? largest_magnitude(n, x) : 1.0;
    if (norm == 0.0) return 0.0;
    for (int32_t i = 0; i < n; i++) weight[i] = 0.0;
    for (int32_t j = 0; j < n; j++) { /* relative to the largest |x|: small ones shall not underflow with A */
        double xj = x != NULL ? fabs(x[j]) / norm : 1.0;
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) weight[a->i[e]] += fabs(inverse->entries[e]) * xj;
    }
    product v = {.inverse = inverse, .weight = weight};
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

double wlu_forward_error(const wlu_inverse *inverse, int transposed, const double *b, const double *x, double *work)
{
    int32_t n = inverse->a->n;
    double *weight = work + 2 * (int64_t)n, norm = largest_magnitude(n, x);
    if (norm == 0.0) {
        double rhs = largest_magnitude(n, b);
        return rhs == 0.0 ? 0.0 : isfinite(rhs) ? INFINITY : NAN;
    }
    if (!residual_weights(inverse->a, inverse->entries, transposed, b, x, weight, work, work + n)) return NAN;
    product v = {.inverse = inverse, .transposed = transposed, .weight = weight};
    return wlu_estimate_norm(n, apply_weighted, &v, work) / norm;
}
