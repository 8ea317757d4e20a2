/* Residual and backward errors. See backward_error.h.
 *
 * The first form alone is an upper bound and needs no row norms: one pass over A, r and |A||x| side by side. A closer
 * look is taken at the rows where that bound is not good enough, or sums may have left the range of numbers; for them
 * alone the definition is computed. The error of an equation as a whole is at most the first form for each of its
 * entries, because |A||x| is at most so many max|a_ij| max|x|: so hubs are looked at, as a rule, and of their entries
 * as many as it takes to find one that is large enough.
 *
 * Such an error has the roundings of its own sums added, by |A||x|. Rows in which these alone come to more than is
 * enough (hubs, where many terms cancel) are marked and summed once more in twice the digits (Ogita, Rump and Oishi,
 * SIAM J. Sci. Comput. 26, 2005, algorithm 5.3).
 *
 * Where the sums of such a row have left it, all rows are summed once more, each divided by the power of two of the
 * larger of max|a_ij| max|x| and |b_i|. Nothing overflows then, and what underflows is nothing: whichever form is
 * taken, the denominator is at least 1000 eps of that. This is slow, and rare.
 *
 * Compiled for either kind of numbers. Of complex ones, numerators are bounds of moduli from above and denominators are
 * made of bounds from below (base/number.h), of terms their sizes: errors come out up to 1.6 times too large. The
 * second form is taken wherever the moduli are below half of the usual part of the equation as a whole, and nowhere
 * above it. */
#include "numerics/backward_error.h"

#include "base/finite.h"
#include "base/number.h"
#include "numerics/marked_rows.h"
#include "numerics/thresholds.h"

#include <float.h>
#include <math.h>

/* Doubles of a number; the exponent of 0: below that of any product. */
enum { D = WLU_NUMBER_REALS, ZERO_EXPONENT = -4000 };

/* Rows are summed in more digits where roundings may be a larger part of the residual that is seen. */
static const double MARKED_SHARE = 0x1p-10;

/* An x for op(A) x = b, and what is asked of it. */
typedef struct question {
    const wlu_checked *m;
    const double *b, *x;
    int transposed;
    int whole; /* the error of equations as wholes; else componentwise */
    double enough;
} question;

/* r = b - op(A) x and w = |op(A)||x|, place by place. */
typedef struct sums {
    const double *r, *w;
    int64_t count, r_by, w_by; /* place k: r[r_by k], w[w_by k]; count 0: the sums are gone */
    const wlu_rows *rows;      /* whose places these are; NULL: place k is row k */
    double bound;              /* the largest ratio by the first form; infinity where a row's denominator is unusual */
    double most;               /* without rows: no row has more entries */
    int marked;                /* rows of the workspace are, that are to be summed in more digits */
} sums;

/* Below this part of the usual one the second form is taken. Of complex numbers |A||x| is no less than 0.707 times that
 * of the moduli, max|a_ij| max|x| no less than 0.853 times. */
static const double SHARE = D > 1 ? 0.65 : 1.0;

/* |r|, |A||x|, |b| and max|a_ij| max|x| of a row, in one scale. */
typedef struct equation {
    double r, weight, b, most;
} equation;
/* -r, whose parts come first, and w of a row. */
typedef struct row_sum {
    wlu_number r;
    double w;
} row_sum;

static inline void add_term(row_sum *sum, wlu_number a, wlu_number x)
{
    wlu_number term = wlu_product(a, x);
    sum->r = wlu_add(sum->r, term);
    sum->w += wlu_size(term);
}

/* rw: by row, -r and w, which take the same addition. */
static void residual(const wlu_pattern *a, const double *entries, int transposed, const double *b, const double *x,
                     double *rw)
{
    row_sum *sum = (row_sum *)rw;
    for (int32_t i = 0; i < a->n; i++) sum[i] = (row_sum){wlu_negated(wlu_number_at(b, i)), 0.0};
    for (int32_t j = 0; j < a->n; j++) {
        if (transposed) {
            row_sum own = sum[j];
            for (int32_t e = a->p[j]; e < a->p[j + 1]; e++)
                add_term(&own, wlu_number_at(entries, e), wlu_number_at(x, a->i[e]));
            sum[j] = own;
            continue;
        }
        wlu_number xj = wlu_number_at(x, j);
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) add_term(&sum[a->i[e]], wlu_number_at(entries, e), xj);
    }
}

/* The largest ratio by the first form; infinite where a row's denominator is unusual. rw: r comes as -r. */
static double first_form(int32_t n, const double *b, double *rw)
{
    row_sum *sum = (row_sum *)rw;
    double omega = 0.0, least = wlu_thresholds_of(0).row_least;
    int close = 0;
    for (int64_t i = 0; i < n; i++) {
        double denominator = sum[i].w + wlu_size(wlu_number_at(b, i)), magnitude = wlu_modulus_bound(sum[i].r);
        sum[i].r = wlu_negated(sum[i].r);
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
    double low = SHARE * wlu_thresholds_of(0).second_form * n * DBL_EPSILON;
    return e->r / (first > low * (e->most + e->b) ? first : e->weight + e->most);
}

/* Whether nothing has overflowed, nor anything underflowed that matters. */
static int in_range(const equation *e)
{
    double all = e->weight + e->b + e->most;
    return e->r <= DBL_MAX && all <= DBL_MAX && all >= wlu_thresholds_of(0).row_least;
}

/* A modulus from below, and no more than the largest number unless a part is. */
static inline double inner(wlu_number a)
{
    double modulus = wlu_inner_modulus(a);
    return !(modulus <= DBL_MAX) && wlu_size(a) <= DBL_MAX ? DBL_MAX : modulus;
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
            double modulus = inner(wlu_number_at(entries, e));
            if (modulus > *largest) *largest = modulus;
        }
}

static int exponent_of(double x)
{
    return x != 0.0 ? ilogb(x) : ZERO_EXPONENT;
}

/* a 2^exponent, which may be far out of range on either side. */
static wlu_number times_power(wlu_number a, int exponent)
{
#ifdef WLU_COMPLEX
    return wlu_number_of(ldexp(a.re, exponent), ldexp(a.im, exponent));
#else
    return ldexp(a, exponent);
#endif
}

/* Scales of the rows, exponents of powers of two; r becomes b and weight 0 in them. */
static void begin_scaled(int32_t n, const double *b, const double *norm, int x_exponent, double *r, double *weight,
                         double *scale)
{
    for (int32_t i = 0; i < n; i++) {
        wlu_number bi = wlu_number_at(b, i);
        int product = exponent_of(norm[i]) + x_exponent, alone = exponent_of(wlu_size(bi));
        scale[i] = product > alone ? product : alone;
        wlu_number_put(r, i, times_power(bi, -(int)scale[i]));
        weight[i] = 0.0;
    }
}

/* The error of all rows, scaled; b, x and xmax, the largest |x|, are finite. */
static double scaled_error(const question *q, double xmax, double *work)
{
    const wlu_pattern *a = q->m->a;
    double *r = work, *norm = r + D * (int64_t)a->n, *weight = norm + a->n, *scale = weight + a->n, worst = 0.0;
    int ex = exponent_of(xmax);
    if (!wlu_all_finite(q->m->entries, D * (int64_t)a->nnz)) return NAN;
    const double unseen = q->whole ? wlu_row_unseen(D, wlu_longest_row(q->m, q->transposed, norm)) : 0.0;
    row_norms(q, norm);
    begin_scaled(a->n, q->b, norm, ex, r, weight, scale);
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            int32_t row = q->transposed ? j : a->i[e], col = q->transposed ? a->i[e] : j;
            wlu_number term = wlu_product(times_power(wlu_number_at(q->m->entries, e), ex - (int)scale[row]),
                                          times_power(wlu_number_at(q->x, col), -ex));
            wlu_number_put(r, row, wlu_sub(wlu_number_at(r, row), term));
            weight[row] += wlu_size(term);
        }
    for (int32_t i = 0; i < a->n; i++) {
        int s = (int)scale[i];
        wlu_number rest = wlu_number_at(r, i);
        equation e = {wlu_modulus_bound(rest), weight[i], ldexp(wlu_size(wlu_number_at(q->b, i)), -s),
                      ldexp(norm[i], ex - s) * ldexp(xmax, -ex)};
        if (e.weight > 0.0) e.r += unseen * (e.weight + e.b);
        worst = fmax(worst, error_of(&e, q->whole, a->n));
        wlu_number_put(r, i, times_power(rest, s));
    }
    return worst;
}

/* What a closer look at rows needs, from the first one on. */
typedef struct closer {
    double xmax;  /* the largest |x|; below 0: not begun */
    double *norm; /* n, of rows of A by columns; NULL: not wanted yet */
} closer;

/* The largest magnitude of row i of op(A), or one of at least `wanted`. */
static double norm_of(const question *q, const sums *s, int64_t place, double wanted, closer *c, double *room)
{
    const wlu_pattern *a = q->m->a;
    double largest = 0.0;
    if (s->rows != NULL) return wlu_rows_norm(s->rows, q->m->entries, D, place, wanted);
    if (!q->transposed) {
        if (c->norm == NULL) row_norms(q, c->norm = room);
        return c->norm[place];
    }
    for (int32_t e = a->p[place]; e < a->p[place + 1] && !(largest >= wanted); e++)
        largest = wlu_larger_bits(largest, inner(wlu_number_at(q->m->entries, e)));
    return largest;
}

/* Infinity or NaN where one is none. */
static double largest_modulus(int32_t n, const double *x)
{
    double largest = wlu_largest(x, D * (int64_t)n);
    for (int32_t k = 0; D > 1 && k < n; k++) largest = wlu_larger_bits(largest, inner(wlu_number_at(x, k)));
    return largest;
}

/* Begins where there was no look yet; NaN where b or x has no number. */
static double largest_unknown(const question *q, closer *c)
{
    const int64_t n = D * (int64_t)q->m->a->n;
    if (c->xmax < 0.0) c->xmax = wlu_all_finite(q->b, n) ? largest_modulus(q->m->a->n, q->x) : NAN;
    return c->xmax;
}

/* Whether in a row of zeros no product has underflowed that matters, by its first entry: the error is 0 then. As common
 * as unknowns at rest. */
static inline int is_at_rest(const question *q, const sums *s, int64_t place, closer *c)
{
    if (s->rows == NULL) return 0;
    double xmax = c->xmax < 0.0 ? largest_unknown(q, c) : c->xmax;
    wlu_number first = wlu_number_at(q->m->entries, wlu_rows_first(s->rows, place));
    return wlu_size(first) * xmax >= wlu_thresholds_of(0).row_least;
}

static inline wlu_number rest_at(const sums *s, int64_t place)
{
    return wlu_number_at(s->r + s->r_by * place, 0);
}

/* The error of a place's row by the definition, or a bound of it that is enough, by its entries as far as they are
 * looked at; below 0 where it has to be scaled. unseen: to be added to |r|. */
static double error_at(const question *q, const sums *s, int64_t place, int32_t i, double unseen, closer *c,
                       double *room)
{
    double xmax = largest_unknown(q, c), error = -1.0;
    if (!(xmax < INFINITY)) return NAN;
    equation e = {wlu_modulus_bound(rest_at(s, place)), s->w[s->w_by * place], wlu_size(wlu_number_at(q->b, i)), 0.0};
    if (e.weight > 0.0) e.r += unseen; /* else r is b */
    double wanted[] = {q->whole ? (e.r / q->enough - e.b) / xmax : INFINITY, INFINITY};
    for (int k = wanted[0] < INFINITY ? 0 : 1; k < 2; k++) {
        double largest = norm_of(q, s, place, wanted[k], c, room);
        e.most = largest * xmax;
        int exact = xmax == 0.0 || (largest == 0.0 && wanted[k] == INFINITY);
        error = exact || in_range(&e) ? error_of(&e, q->whole, q->m->a->n) : -1.0;
        if (error >= 0.0 && error <= q->enough) break;
    }
    return error;
}

/* The place's row has no more. */
static inline double entries_at(const sums *s, int64_t place)
{
    return s->rows != NULL ? (double)wlu_rows_entries(s->rows, place) : s->most;
}

/* What roundings of the place's sums come to, over |A||x| + |b|. */
static inline double unseen_at(const sums *s, int64_t place)
{
    double entries = entries_at(s, place);
    if (s->rows != NULL && place >= WLU_ROWS_LANES * s->rows->groups) entries /= WLU_ROWS_LANES;
    return wlu_row_unseen(D, entries);
}

/* Row by row: the first form, and the definition where that is not good enough. */
static double full_error(const question *q, sums *s, int64_t from, closer *c, double *work)
{
    const sums at = *s;
    const int32_t *row = at.rows != NULL ? at.rows->row : NULL;
    const double *b = q->b, least = wlu_thresholds_of(0).row_least, enough = q->enough;
    double *r = work, worst = 0.0;
    int whole = q->whole;
    for (int32_t i = 0; i < q->m->a->n && whole; i++) r[i] = 0.0;
    for (int64_t k = from; k < at.count; k++) {
        int32_t i = row != NULL ? row[k] : (int32_t)k;
        wlu_number rest = rest_at(&at, k);
        double first = at.w[at.w_by * k] + wlu_size(wlu_number_at(b, i));
        if (!whole) wlu_number_put(r, i, rest);
        double part = wlu_modulus_bound(rest), unseen = whole ? unseen_at(&at, k) : 0.0;
        if (whole) part = (part + unseen * first) * entries_at(&at, k);
        if (first >= least && first <= DBL_MAX && part <= enough * first) {
            if (part > worst * first) worst = part / first;
            continue;
        }
        if (first == 0.0 && is_at_rest(q, &at, k, c)) continue;
        double error = error_at(q, &at, k, i, unseen * first, c, work + D * (int64_t)q->m->a->n);
        if (isnan(error)) return NAN;
        if (whole && error > enough && unseen * first > MARKED_SHARE * wlu_modulus_bound(rest)) {
            r[i] = 1.0;
            s->marked = 1;
            continue;
        }
        if (error < 0.0) {
            s->count = 0;
            return scaled_error(q, c->xmax, work);
        }
        if (error > worst) worst = error;
    }
    if (!s->marked) return worst;
    const wlu_checked *m = q->m;
    double marked = WLU_NUMBER_NAME(wlu_marked_error)(m->a, m->entries, q->transposed, q->b, q->x, work);
    return wlu_larger_bits(worst, marked);
}

static sums sum_rows(const question *q, double *rw)
{
    const wlu_checked *m = q->m;
    const wlu_rows *rows = q->transposed ? NULL : m->rows;
    int32_t n = m->a->n;
    if (rows != NULL) {
        double least = wlu_thresholds_of(0).row_least, *w = rw + D * rows->places;
        double bound = rows->residual(rows, m->entries, q->b, q->x, least, rw, w);
        return (sums){rw, w, rows->places, D, 1, rows, bound, 0.0, 0};
    }
    residual(m->a, m->entries, q->transposed, q->b, q->x, rw);
    return (sums){rw, rw + D, n, D + 1, D + 1, NULL, first_form(n, q->b, rw), n, 0};
}

/* Whether it is easily seen that all equations of A, by columns, are as accurate as is enough: most are, by far. */
static int all_are_small(const question *q, const sums *s, closer *c, double *room)
{
    const double xmax = largest_unknown(q, c), least = wlu_thresholds_of(0).row_least,
                 unseen = wlu_row_unseen(D, s->most);
    int small = 1;
    if (!(xmax < INFINITY)) return 0;
    if (c->norm == NULL) row_norms(q, c->norm = room);
    for (int64_t i = 0; i < s->count; i++) {
        double size = wlu_size(wlu_number_at(q->b, i)), most = c->norm[i] * xmax, first = s->w[s->w_by * i] + size;
        double part = wlu_modulus_bound(rest_at(s, i)) + unseen * first;
        small &= part <= q->enough * (most + size) && most + first <= DBL_MAX && (first > 0.0 ? first : most) >= least;
    }
    return small;
}

/* What the error of an equation of so many entries is as a whole, at most. */
static double most_of_whole(double omega, double entries)
{
    return (omega + wlu_row_unseen(D, entries)) * entries;
}

/* omega: the componentwise error, or a bound of it. By rows, those that are long are left over as a rule. */
static double whole_error(const question *q, sums *s, double omega, closer *c, double *work)
{
    double most = most_of_whole(omega, q->m->a->n), of_short = most_of_whole(omega, WLU_ROWS_LONG);
    int64_t from = 0;
    if (most <= q->enough) return most;
    if (s->rows == NULL) {
        if (!q->transposed && all_are_small(q, s, c, work + D * (int64_t)q->m->a->n)) return q->enough;
        s->most = wlu_longest_row(q->m, q->transposed, work);
        most = most_of_whole(omega, s->most);
        if (most <= q->enough) return most;
    } else if (of_short <= q->enough) {
        from = s->rows->groups * WLU_ROWS_LANES;
    }
    double error = full_error(q, s, from, c, work);
    return from > 0 ? wlu_larger_bits(of_short, error) : error;
}

wlu_errors WLU_NUMBER_NAME(wlu_errors_of)(const wlu_checked *m, int transposed, const double *b, const double *x,
                                          wlu_errors enough, double *work)
{
    question q = {m, b, x, transposed, 0, enough.componentwise};
    sums s = sum_rows(&q, work + (D + 1) * (int64_t)m->a->n);
    wlu_errors e = {s.bound, INFINITY};
    closer c = {-1.0, NULL};
    if (!(s.bound <= enough.componentwise)) e.componentwise = full_error(&q, &s, 0, &c, work);
    if (!(e.componentwise <= enough.componentwise) || s.count == 0 || enough.whole == INFINITY) return e;
    q.whole = 1;
    q.enough = enough.whole;
    e.whole = whole_error(&q, &s, e.componentwise, &c, work);
    return e;
}
