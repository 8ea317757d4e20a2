/* Residual and backward errors. See backward_error.h.
 *
 * The first form alone is an upper bound and needs no row norms: one pass over A, r and |A||x| side by side. A closer
 * look is taken at the rows where that bound is not good enough, or sums may have left the range of numbers; for them
 * alone the definition is computed.
 *
 * Where the sums of such a row have left it, all rows are summed once more, each divided by the power of two of the
 * larger of max|a_ij| max|x| and |b_i|. Nothing overflows then, and what underflows is nothing: whichever form is
 * taken, the denominator is at least 1000 eps of that. This is slow, for each product is scaled; matrices without
 * numbers near the ends of the range do not come here. */
#include "numerics/backward_error.h"

#include "base/finite.h"
#include "numerics/thresholds.h"

#include <float.h>
#include <math.h>

/* The exponent of 0: below that of any product. */
enum { ZERO_EXPONENT = -4000 };

/* An x for op(A) x = b, and what is asked of it. */
typedef struct question {
    const wlu_checked *m;
    const double *b, *x;
    double enough;
    int transposed, whole; /* whole: the error of equations as wholes */
} question;

/* r = b - op(A) x and w = |op(A)||x|, place by place. */
typedef struct sums {
    const double *r, *w;
    int64_t count, stride; /* place k: r[stride k], w[stride k] */
    const int32_t *row;    /* NULL: place k is row k */
} sums;

/* |r|, |A||x|, |b| and max|a_ij| max|x| of a row, in one scale. */
typedef struct equation {
    double r, weight, b, most;
} equation;

/* rw: pairs of -r and w, which take the same addition. */
static void residual(const wlu_pattern *a, const double *entries, int transposed, const double *b, const double *x,
                     double *rw)
{
    for (int32_t i = 0; i < a->n; i++) {
        rw[2 * (int64_t)i] = -b[i];
        rw[2 * (int64_t)i + 1] = 0.0;
    }
    for (int32_t j = 0; j < a->n; j++) {
        if (transposed) {
            double r = -b[j], w = 0.0;
            for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
                double term = entries[e] * x[a->i[e]];
                r += term;
                w += fabs(term);
            }
            rw[2 * (int64_t)j] = r;
            rw[2 * (int64_t)j + 1] = w;
            continue;
        }
        double xj = x[j];
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            double *row = rw + 2 * (int64_t)a->i[e], term = entries[e] * xj;
            row[0] += term;
            row[1] += fabs(term);
        }
    }
}

/* The largest ratio by the first form; infinite where a row's denominator is unusual. rw: r comes as -r. */
static double first_form(int32_t n, const double *b, double *rw)
{
    double omega = 0.0, least = wlu_thresholds_of(0).row_least;
    int close = 0;
    for (int64_t i = 0; i < n; i++) {
        double denominator = rw[2 * i + 1] + fabs(b[i]), magnitude = fabs(rw[2 * i]);
        rw[2 * i] = -rw[2 * i];
        close |= !(denominator >= least && denominator <= DBL_MAX);
        if (!(magnitude <= omega * denominator)) omega = magnitude / denominator;
    }
    return close ? INFINITY : omega;
}

/* A row's part of what is asked for. */
static double error_of(const equation *e, int whole, int32_t n)
{
    if (e->r == 0.0) return 0.0;
    if (whole) return e->r / (e->most + e->b);
    double first = e->weight + e->b;
    return e->r / (first > wlu_thresholds_of(0).second_form * n * DBL_EPSILON * (e->most + e->b) ? first
                                                                                                 : e->weight + e->most);
}

/* Whether nothing has overflowed, nor anything underflowed that matters. */
static int in_range(const equation *e)
{
    double all = e->weight + e->b + e->most;
    return e->r <= DBL_MAX && all <= DBL_MAX && all >= wlu_thresholds_of(0).row_least;
}

/* Largest |a_ij| of each row of op(A). */
static void row_norms(const question *q, double *norm)
{
    const wlu_pattern *a = q->m->a;
    const double *entries = q->m->entries;
    for (int32_t i = 0; i < a->n; i++) norm[i] = 0.0;
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            double *largest = &norm[q->transposed ? j : a->i[e]];
            if (fabs(entries[e]) > *largest) *largest = fabs(entries[e]);
        }
}

static int exponent_of(double x)
{
    return x != 0.0 ? ilogb(x) : ZERO_EXPONENT;
}

/* Scales of the rows, exponents of powers of two; r becomes b and weight 0 in them. */
static void begin_scaled(int32_t n, const double *b, const double *norm, int x_exponent, double *r, double *weight,
                         double *scale)
{
    for (int32_t i = 0; i < n; i++) {
        int product = exponent_of(norm[i]) + x_exponent, alone = exponent_of(b[i]);
        scale[i] = product > alone ? product : alone;
        r[i] = ldexp(b[i], -(int)scale[i]);
        weight[i] = 0.0;
    }
}

/* The error of all rows, scaled; b, x and xmax, the largest |x|, are finite. */
static double scaled_error(const question *q, double xmax, double *work)
{
    const wlu_pattern *a = q->m->a;
    double *r = work, *norm = r + a->n, *weight = norm + a->n, *scale = weight + a->n, worst = 0.0;
    int ex = exponent_of(xmax);
    if (!wlu_all_finite(q->m->entries, a->nnz)) return NAN;
    row_norms(q, norm);
    begin_scaled(a->n, q->b, norm, ex, r, weight, scale);
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            int32_t row = q->transposed ? j : a->i[e], col = q->transposed ? a->i[e] : j;
            double term = ldexp(q->m->entries[e], ex - (int)scale[row]) * ldexp(q->x[col], -ex);
            r[row] -= term;
            weight[row] += fabs(term);
        }
    for (int32_t i = 0; i < a->n; i++) {
        int s = (int)scale[i];
        equation e = {fabs(r[i]), weight[i], fabs(ldexp(q->b[i], -s)), ldexp(norm[i], ex - s) * ldexp(xmax, -ex)};
        worst = fmax(worst, error_of(&e, q->whole, a->n));
        r[i] = ldexp(r[i], s);
    }
    return worst;
}

/* The definition, row by row, where the first form is not good enough. */
static double full_error(const question *q, sums s, double *work)
{
    const wlu_checked *m = q->m;
    int32_t n = m->a->n;
    double xmax = wlu_largest(q->x, n), worst = 0.0, *r = work, *norm = work + n,
           least = wlu_thresholds_of(0).row_least;
    if (!wlu_all_finite(q->b, n) || !(xmax < INFINITY)) return NAN;
    const double *b = q->b, enough = q->enough;
    if (s.row == NULL) row_norms(q, norm);
    for (int64_t k = 0; k < s.count; k++) {
        int32_t i = s.row != NULL ? s.row[k] : (int32_t)k;
        double weight = s.w[s.stride * k], size = fabs(b[i]), magnitude = fabs(s.r[s.stride * k]),
               first = weight + size;
        r[i] = s.r[s.stride * k];
        if (first >= least && first <= DBL_MAX && magnitude <= enough * first) {
            if (magnitude > worst * first) worst = magnitude / first;
            continue;
        }
        double largest = s.row != NULL ? wlu_rows_norm(m->rows, m->entries, k) : norm[i];
        equation e = {magnitude, weight, size, largest * xmax};
        int exact = largest == 0.0 || xmax == 0.0;
        if (!exact && !in_range(&e)) return scaled_error(q, xmax, work);
        double error = error_of(&e, q->whole, n);
        if (isnan(error)) return NAN;
        if (error > worst) worst = error;
    }
    return worst;
}

/* Sums of all rows. Returns the largest ratio by the first form, as first_form does. */
static double sum_rows(const question *q, double *rw, sums *s)
{
    const wlu_checked *m = q->m;
    int32_t n = m->a->n;
    if (m->rows != NULL && !q->transposed) {
        *s = (sums){rw, rw + m->rows->places, m->rows->places, 1, m->rows->row};
        double least = wlu_thresholds_of(0).row_least;
        return m->rows->residual(m->rows, m->entries, q->b, q->x, least, rw, rw + m->rows->places);
    }
    *s = (sums){rw, rw + 1, n, 2, NULL};
    residual(m->a, m->entries, q->transposed, q->b, q->x, rw);
    return first_form(n, q->b, rw);
}

double wlu_backward_error(const wlu_checked *m, int transposed, const double *b, const double *x, double enough,
                          double *work)
{
    const question q = {m, b, x, enough, transposed, 0};
    sums s;
    double bound = sum_rows(&q, work + 2 * (int64_t)m->a->n, &s);
    return bound <= enough ? bound : full_error(&q, s, work);
}

double wlu_row_error(const wlu_checked *m, int transposed, const double *b, const double *x, double *work)
{
    const question q = {m, b, x, 0.0, transposed, 1};
    sums s;
    sum_rows(&q, work + 2 * (int64_t)m->a->n, &s);
    return full_error(&q, s, work);
}
