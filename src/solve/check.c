/* Residual and componentwise backward error. See check.h.
 *
 * The first form alone is an upper bound and needs no row norms: one pass over A, r and |A||x| side by side. A closer look
 * is taken at the rows where that bound is not good enough, or sums may have left the range of numbers; for them alone
 * the definition is computed. */
#include "solve/check.h"

#include "base/finite.h"
#include "base/power.h"

#include <float.h>
#include <math.h>

/* Below this, terms that underflow may be all there is of a row. */
static const double TINY = 1e-270;

/* r = b - op(A) x and w = |op(A)||x|, place by place. */
typedef struct sums {
    const double *r, *w;
    int64_t count, stride; /* place k: r[stride k], w[stride k] */
    const int32_t *row;    /* NULL: place k is row k */
} sums;

/* rw: pairs of r and w. */
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

/* The largest ratio by the first form; infinite where a row's denominator is unusual. */
static double first_form(int32_t n, const double *b, const double *rw)
{
    double omega = 0.0;
    int close = 0;
    for (int64_t i = 0; i < n; i++) {
        double denominator = rw[2 * i + 1] + fabs(b[i]), magnitude = fabs(rw[2 * i]);
        close |= !(denominator >= TINY && denominator <= DBL_MAX);
        if (!(magnitude <= omega * denominator)) omega = magnitude / denominator;
    }
    return close ? INFINITY : omega;
}

/* Largest |a_ij| of each row of op(A); NaN if one is. */
static void row_norms(const wlu_pattern *a, const double *entries, int transposed, double *norm)
{
    for (int32_t i = 0; i < a->n; i++) norm[i] = 0.0;
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            double *largest = &norm[transposed ? j : a->i[e]];
            *largest = wlu_larger_bits(*largest, fabs(entries[e]));
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

/* Whether products of a row's sums may have left the range of numbers. */
static int left_range(double denominator, double norm, double xmax)
{
    double most = norm * xmax;
    return !isfinite(denominator) || (denominator < TINY && most < TINY && norm != 0.0 && xmax != 0.0);
}

static int exponent_of(double magnitude)
{
    return magnitude > 0.0 && magnitude <= DBL_MAX ? ilogb(magnitude) : 0;
}

/* The error of all rows, in rows and x scaled by powers of two to magnitudes of about 1, where nothing that matters leaves
 * the range. r is returned in the original scale. */
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

/* The definition, row by row, where the first form is not good enough. r takes the residual; weight (n) may be where the
 * sums are. */
static double full_error(const wlu_checked *m, int transposed, const sums *s, const double *b, const double *x,
                         double enough, double *r, double *weight, double *norm)
{
    int32_t n = m->a->n;
    double xmax = wlu_largest(x, n), omega = 0.0;
    if (!wlu_all_finite(b, n) || !(xmax < INFINITY)) return NAN;
    if (s->row == NULL) row_norms(m->a, m->entries, transposed, norm);
    for (int64_t k = 0; k < s->count; k++) {
        int32_t i = s->row != NULL ? s->row[k] : (int32_t)k;
        double w = s->w[s->stride * k], size = fabs(b[i]), magnitude = fabs(s->r[s->stride * k]);
        double denominator = w + size;
        r[i] = s->r[s->stride * k];
        if (denominator >= TINY && denominator <= DBL_MAX && magnitude <= enough * denominator) {
            if (magnitude > omega * denominator) omega = magnitude / denominator;
            continue;
        }
        double largest = s->row != NULL ? wlu_rows_norm(m->rows, m->entries, k) : norm[i];
        if (left_range(denominator, largest, xmax)) {
            if (s->row != NULL) row_norms(m->a, m->entries, transposed, norm);
            return scaled_error(m->a, m->entries, transposed, b, x, xmax, r, weight, norm);
        }
        double ratio = magnitude != 0.0 ? row_error(magnitude, w, size, largest, xmax, n) : 0.0;
        omega = wlu_larger_bits(omega, ratio);
    }
    return omega;
}

double wlu_backward_error(const wlu_checked *m, int transposed, const double *b, const double *x, double enough,
                          double *work)
{
    int32_t n = m->a->n;
    double *r = work, *norm = work + n, *rw = norm + n, omega;
    sums s = {rw, rw + 1, n, 2, NULL};
    if (m->rows != NULL && !transposed) {
        s = (sums){rw, rw + m->rows->places, m->rows->places, 1, m->rows->row};
        omega = m->rows->residual(m->rows, m->entries, b, x, TINY, rw, rw + m->rows->places);
    } else {
        residual(m->a, m->entries, transposed, b, x, rw);
        omega = first_form(n, b, rw);
    }
    return omega <= enough ? omega : full_error(m, transposed, &s, b, x, enough, r, rw, norm);
}
