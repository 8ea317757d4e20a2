/* Residual and componentwise backward error. See check.h. */
#include "solve/check.h"

#include <float.h>
#include <math.h>

/* r = b - op(A) x, weight = |op(A)||x|, norm = largest |a_ij| of each row of op(A). */
static void residual(const wlu_pattern *a, const double *entries, int transposed, const double *b, const double *x,
                     double *r, double *weight, double *norm)
{
    for (int32_t i = 0; i < a->n; i++) {
        r[i] = b[i];
        weight[i] = norm[i] = 0.0;
    }
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            int32_t row = transposed ? j : a->i[e], col = transposed ? a->i[e] : j;
            double term = entries[e] * x[col];
            r[row] -= term;
            weight[row] += fabs(term);
            if (fabs(entries[e]) > norm[row]) norm[row] = fabs(entries[e]);
        }
}

/* One row's part, by the first or second form; infinite where the sums overflow. Products with xmax, which overflow
 * first, are avoided by dividing by it. */
static double row_error(double r, double weight, double b, double norm, double xmax, int32_t n)
{
    double denominator = weight + b;
    if (!isfinite(denominator)) return INFINITY;
    if (xmax == 0.0) return r / denominator;
    if (denominator / xmax > 1000.0 * n * DBL_EPSILON * (norm + b / xmax)) return r / denominator;
    double ratio = (r / xmax) / (weight / xmax + norm);
    return isnan(ratio) ? INFINITY : ratio;
}

double wlu_backward_error(const wlu_pattern *a, const double *entries, int transposed, const double *b,
                          const double *x, double *r, double *work)
{
    double *weight = work, *norm = work + a->n, xmax = 0.0, omega = 0.0;
    residual(a, entries, transposed, b, x, r, weight, norm);
    for (int32_t i = 0; i < a->n; i++) {
        if (!isfinite(x[i]) || !isfinite(r[i])) return NAN;
        if (fabs(x[i]) > xmax) xmax = fabs(x[i]);
    }
    for (int32_t i = 0; i < a->n; i++) {
        if (r[i] == 0.0) continue;
        double ratio = row_error(fabs(r[i]), weight[i], fabs(b[i]), norm[i], xmax, a->n);
        if (!(ratio <= omega)) omega = ratio;
    }
    return omega;
}
