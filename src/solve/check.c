/* Residual and componentwise backward error. See check.h.
 *
 * The first form alone is an upper bound and needs no row norms: one pass over A, r and |A||x| side by side. Only where the
 * bound is not good enough, or sums leave the range of numbers, does the full definition come. */
#include "solve/check.h"

#include "base/finite.h"

#include <float.h>
#include <math.h>

/* rw: pairs of r = b - op(A) x and |op(A)||x|. */
static void residual(const wlu_pattern *a, const double *entries, int transposed, const double *b, const double *x,
                     double *rw)
{
    for (int32_t i = 0; i < a->n; i++) {
        rw[2 * (int64_t)i] = b[i];
        rw[2 * (int64_t)i + 1] = 0.0;
    }
    for (int32_t j = 0; j < a->n; j++) {
        if (transposed) {
            double r = b[j], w = 0.0;
            for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
                double term = entries[e] * x[a->i[e]];
                r -= term;
                w += fabs(term);
            }
            rw[2 * (int64_t)j] = r;
            rw[2 * (int64_t)j + 1] = w;
            continue;
        }
        double xj = x[j];
        if (xj == 0.0) continue;
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            double *row = rw + 2 * (int64_t)a->i[e], term = entries[e] * xj;
            row[0] -= term;
            row[1] += fabs(term);
        }
    }
}

/* Largest |a_ij| of each row of op(A). */
static void row_norms(const wlu_pattern *a, const double *entries, int transposed, double *norm)
{
    for (int32_t i = 0; i < a->n; i++) norm[i] = 0.0;
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            double *largest = &norm[transposed ? j : a->i[e]];
            if (!(fabs(entries[e]) <= *largest)) *largest = fabs(entries[e]);
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

/* Below this, terms that underflow may be all there is of a row. */
static const double TINY = 1e-270;

/* Whether products of the sums above may have left the range of numbers. */
static int left_range(int32_t n, const double *b, const double *weight, const double *norm, double xmax)
{
    for (int32_t i = 0; i < n; i++) {
        double denominator = weight[i] + fabs(b[i]), most = norm[i] * xmax;
        if (!isfinite(denominator) || (denominator < TINY && most < TINY && norm[i] != 0.0 && xmax != 0.0)) return 1;
    }
    return 0;
}

static int exponent_of(double magnitude)
{
    return magnitude > 0.0 && magnitude <= DBL_MAX ? ilogb(magnitude) : 0;
}

/* The same with rows and x scaled by powers of two to magnitudes of about 1, where nothing that matters leaves the range.
 * r is returned in the original scale. */
static double scaled_error(const wlu_pattern *a, const double *entries, int transposed, const double *b, const double *x,
                           double xmax, double *r, double *weight, const double *norm)
{
    int ex = exponent_of(xmax);
    double omega = 0.0;
    for (int32_t i = 0; i < a->n; i++) {
        r[i] = ldexp(b[i], -exponent_of(norm[i]) - ex);
        weight[i] = 0.0;
    }
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            int32_t row = transposed ? j : a->i[e], col = transposed ? a->i[e] : j;
            double term = ldexp(entries[e], -exponent_of(norm[row])) * ldexp(x[col], -ex);
            r[row] -= term;
            weight[row] += fabs(term);
        }
    for (int32_t i = 0; i < a->n; i++) {
        int er = exponent_of(norm[i]);
        double bi = fabs(ldexp(b[i], -er - ex)), ratio = 0.0;
        if (r[i] != 0.0) ratio = row_error(fabs(r[i]), weight[i], bi, ldexp(norm[i], -er), ldexp(xmax, -ex), a->n);
        if (isnan(ratio)) return NAN;
        if (ratio > omega) omega = ratio;
        r[i] = ldexp(r[i], er + ex);
    }
    return omega;
}

/* The largest ratio by the first form; infinite where a row needs a closer look. r takes the residual. */
static double first_form(int32_t n, const double *b, const double *rw, double *r)
{
    double omega = 0.0;
    int close = 0;
    for (int64_t i = 0; i < n; i++) {
        double denominator = rw[2 * i + 1] + fabs(b[i]), magnitude = fabs(rw[2 * i]);
        r[i] = rw[2 * i];
        close |= !(denominator >= TINY && denominator <= DBL_MAX);
        if (!(magnitude <= omega * denominator)) omega = magnitude / denominator;
    }
    return close ? INFINITY : omega;
}

/* The definition, row by row. rw: as residual left it. */
static double full_error(const wlu_pattern *a, const double *entries, int transposed, const double *b, const double *x,
                         double *r, double *rw)
{
    double *weight = rw, *norm = rw + a->n, xmax = 0.0, omega = 0.0;
    if (!wlu_all_finite(b, a->n) || !wlu_all_finite(x, a->n)) return NAN;
    for (int64_t i = 0; i < a->n; i++) weight[i] = rw[2 * i + 1];
    row_norms(a, entries, transposed, norm);
    for (int32_t i = 0; i < a->n; i++)
        if (fabs(x[i]) > xmax) xmax = fabs(x[i]);
    if (left_range(a->n, b, weight, norm, xmax))
        return scaled_error(a, entries, transposed, b, x, xmax, r, weight, norm);
    for (int32_t i = 0; i < a->n; i++) {
        if (r[i] == 0.0) continue;
        double ratio = row_error(fabs(r[i]), weight[i], fabs(b[i]), norm[i], xmax, a->n);
        if (!(ratio <= omega)) omega = ratio;
    }
    return omega;
}

double wlu_backward_error(const wlu_pattern *a, const double *entries, int transposed, const double *b,
                          const double *x, double enough, double *r, double *work)
{
    residual(a, entries, transposed, b, x, work);
    double omega = first_form(a->n, b, work, r);
    return omega <= enough ? omega : full_error(a, entries, transposed, b, x, r, work);
}
