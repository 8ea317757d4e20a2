/* Condition numbers and error bounds. See condition.h. */
#include "numerics/condition.h"

#include <float.h>
#include <math.h>
#include <string.h>

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
    for (int64_t i = 0; i < wlu_vector_doubles(v->inverse->a); i++) x[i] *= v->scale;
    solve(v, transposed, x);
}

static void weigh(const product *v, double *x)
{
    const int doubles = v->inverse->a->doubles;
    for (int64_t i = 0; i < wlu_vector_doubles(v->inverse->a); i++) x[i] *= v->weight[i / doubles];
}

/* B = diag(w) op(A)^-T: its 1-norm is the infinity norm of op(A)^-1 diag(w). */
static void apply_weighted(void *user, int transposed, double *x)
{
    const product *v = user;
    if (transposed) weigh(v, x);
    solve(v, transposed ? v->transposed : !v->transposed, x);
    if (!transposed) weigh(v, x);
}

static double norm1(const wlu_pattern *a, const double *entries)
{
    double norm = 0.0;
    for (int32_t j = 0; j < a->n; j++) {
        double sum = 0.0;
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) sum += wlu_modulus(entries, e, a->doubles);
        if (sum > norm) norm = sum;
    }
    return norm;
}

/* NaN where one is none. */
static double largest_magnitude(const wlu_pattern *a, const double *x)
{
    double largest = 0.0;
    for (int32_t i = 0; i < a->n; i++) {
        double modulus = wlu_modulus(x, i, a->doubles);
        if (isnan(modulus)) return NAN;
        if (modulus > largest) largest = modulus;
    }
    return largest;
}

static double estimate(product *v, wlu_apply apply, double *work)
{
    return wlu_estimate_norm(v->inverse->a->n, v->inverse->a->doubles, apply, v, work);
}

double wlu_condition(const wlu_inverse *inverse, double *work)
{
    /* the norm of A goes in before the solve: tiny matrices have huge inverses */
    product v = {.inverse = inverse, .scale = norm1(inverse->a, inverse->entries)};
    return v.scale < INFINITY ? estimate(&v, apply_scaled, work) : INFINITY;
}

double wlu_skeel_condition(const wlu_inverse *inverse, const double *x, double *work)
{
    const wlu_pattern *a = inverse->a;
    int32_t n = a->n;
    double *weight = work + 2 * wlu_vector_doubles(a), norm = x != NULL ? largest_magnitude(a, x) : 1.0;
    if (norm == 0.0) return 0.0;
    for (int32_t i = 0; i < n; i++) weight[i] = 0.0;
    for (int32_t j = 0; j < n; j++) { /* relative to the largest |x|: small ones shall not underflow with A */
        double xj = x != NULL ? wlu_modulus(x, j, a->doubles) / norm : 1.0;
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++)
            weight[a->i[e]] += wlu_modulus(inverse->entries, e, a->doubles) * xj;
    }
    product v = {.inverse = inverse, .weight = weight};
    return estimate(&v, apply_weighted, work);
}

/* weight = |r| + rounding; 0 if r or its bound is not finite. r: a vector; size, count: n each. A complex term has
 * twice the roundings. */
static int residual_weights(const wlu_pattern *a, const double *entries, int transposed, const double *b,
                            const double *x, double *weight, double *r, double *size, double *count)
{
    const int64_t n = a->n, doubles = a->doubles;
    double check = 0.0;
    memcpy(r, b, (size_t)(n * doubles) * sizeof *r);
    for (int64_t i = 0; i < n; i++) {
        size[i] = wlu_modulus(b, i, a->doubles);
        count[i] = 0.0;
    }
    for (int32_t j = 0; j < n; j++)
        for (int64_t e = a->p[j]; e < a->p[j + 1]; e++) {
            const int64_t row = transposed ? j : a->i[e], col = transposed ? a->i[e] : j;
            const double *term = entries + doubles * e, *xc = x + doubles * col;
            r[doubles * row] -= term[0] * xc[0];
            if (doubles > 1) {
                r[2 * row] += term[1] * xc[1];
                r[2 * row + 1] -= term[0] * xc[1];
                r[2 * row + 1] -= term[1] * xc[0];
            }
            size[row] += doubles > 1 ? hypot(term[0], term[1]) * hypot(xc[0], xc[1]) : fabs(term[0] * xc[0]);
            count[row]++;
        }
    for (int64_t i = 0; i < n; i++) {
        double modulus = wlu_modulus(r, i, a->doubles);
        check += modulus * 0.0;
        weight[i] = modulus + doubles * (count[i] + doubles) * (DBL_EPSILON / 2.0) * size[i] +
                    doubles * count[i] * DBL_TRUE_MIN;
    }
    return check == 0.0;
}

double wlu_forward_error(const wlu_inverse *inverse, int transposed, const double *b, const double *x, double *work)
{
    const wlu_pattern *a = inverse->a;
    int64_t n = a->n, vector = wlu_vector_doubles(a);
    double *weight = work + 2 * vector, norm = largest_magnitude(a, x);
    if (norm == 0.0) {
        double rhs = largest_magnitude(a, b);
        return rhs == 0.0 ? 0.0 : isfinite(rhs) ? INFINITY : NAN;
    }
    if (!residual_weights(a, inverse->entries, transposed, b, x, weight, work, work + vector, weight + n)) return NAN;
    product v = {.inverse = inverse, .transposed = transposed, .weight = weight};
    return estimate(&v, apply_weighted, work) / norm;
}
