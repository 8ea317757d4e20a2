/* The independent judge. See judge.h. */
#include "judge.h"

#include "support/wide.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT(a, i, j) (a)[(size_t)(j) * (size_t)n + (size_t)(i)]

int judge_all_finite(const double *x, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (!isfinite(x[k])) return 0;
    return 1;
}

void judge_sum(const test_matrix *m, test_matrix *out)
{
    int32_t n = m->n, *place = malloc((size_t)n * sizeof *place);
    *out = (test_matrix){.n = n};
    out->ptr = calloc((size_t)n + 1, sizeof *out->ptr);
    out->idx = malloc(((size_t)m->nnz + 1) * sizeof *out->idx);
    const int32_t doubles = test_matrix_doubles(m);
    out->doubles = doubles;
    out->x = malloc(((size_t)(doubles * m->nnz) + 1) * sizeof *out->x);
    for (int32_t i = 0; i < n; i++) place[i] = -1;
    for (int32_t j = 0; j < n; j++) {
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) {
            int32_t i = m->idx[q];
            const double *from = m->x + (int64_t)doubles * q;
            int is_new = place[i] < out->ptr[j];
            if (is_new) {
                place[i] = out->nnz;
                out->idx[out->nnz++] = i;
            }
            for (int32_t part = 0; part < doubles; part++) {
                double *to = &out->x[(int64_t)doubles * place[i] + part];
                *to = is_new ? from[part] : *to + from[part];
            }
        }
        out->ptr[j + 1] = out->nnz;
    }
    free(place);
}

/* ---------------------------------------------------------- backward error */

typedef struct number {
    wide re, im;
} number;

static number number_at(const double *x, int64_t k, int32_t doubles)
{
    return (number){x[doubles * k], doubles > 1 ? x[doubles * k + 1] : 0};
}

/* A root in double, and one step of Newton's. */
static wide modulus(number a)
{
    wide re = wide_abs(a.re), im = wide_abs(a.im), most = re > im ? re : im, ratio = re > im ? im : re;
    if (ratio == 0) return most;
    ratio /= most;
    wide square = 1 + ratio * ratio, root = sqrt((double)square);
    return most * (root + square / root) / 2;
}

typedef struct row_sums {
    number residual;
    wide weight, largest;
} row_sums;

static row_sums *sum_rows(const test_matrix *a, int op, const double *b, const double *x)
{
    const int32_t doubles = test_matrix_doubles(a);
    row_sums *row = calloc((size_t)a->n, sizeof *row);
    for (int32_t i = 0; i < a->n; i++) row[i].residual = number_at(b, i, doubles);
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t q = a->ptr[j]; q < a->ptr[j + 1]; q++) {
            row_sums *r = &row[op != JUDGE_PLAIN ? j : a->idx[q]];
            number v = number_at(a->x, q, doubles), y = number_at(x, op != JUDGE_PLAIN ? a->idx[q] : j, doubles);
            wide size = modulus(v);
            if (op == JUDGE_CONJUGATE) v.im = -v.im;
            r->residual.re -= v.re * y.re - v.im * y.im;
            r->residual.im -= v.re * y.im + v.im * y.re;
            r->weight += size * modulus(y);
            if (size > r->largest) r->largest = size;
        }
    return row;
}

/* The largest |r|_i over the denominators; by_row: of the equations as wholes. */
static double largest_error(const test_matrix *a, int op, const double *b, const double *x, int by_row)
{
    const int32_t n = a->n, doubles = test_matrix_doubles(a);
    const int64_t vector = (int64_t)doubles * n;
    if (!judge_all_finite(a->x, test_matrix_values(a)) || !judge_all_finite(b, vector) || !judge_all_finite(x, vector))
        return INFINITY;
    row_sums *row = sum_rows(a, op, b, x);
    wide xmax = 0, worst = 0;
    for (int32_t i = 0; i < n; i++) {
        wide size = modulus(number_at(x, i, doubles));
        if (size > xmax) xmax = size;
    }
    for (int32_t i = 0; i < n; i++) {
        wide r = modulus(row[i].residual), size = modulus(number_at(b, i, doubles)), norm = row[i].largest * xmax;
        wide denominator = by_row ? norm + size : row[i].weight + size;
        if (r == 0) continue;
        if (denominator <= (wide)1000 * n * (wide)DBL_EPSILON * (norm + size)) denominator = row[i].weight + norm;
        if (r > worst * denominator) worst = r / denominator;
    }
    free(row);
    return worst > (wide)DBL_MAX ? INFINITY : (double)worst;
}

double judge_backward_error(const test_matrix *a, int op, const double *b, const double *x)
{
    return largest_error(a, op, b, x, 0);
}

double judge_row_error(const test_matrix *a, int op, const double *b, const double *x)
{
    return largest_error(a, op, b, x, 1);
}

/* ------------------------------------------------------------- equilibrate */

enum { NO_ENTRY = INT32_MAX };

/* Exponents of the powers of two below the entries, or NO_ENTRY. */
static int32_t *exponents_of(const test_matrix *a)
{
    int32_t n = a->n, *e = malloc((size_t)n * (size_t)n * sizeof *e);
    for (size_t k = 0; k < (size_t)n * (size_t)n; k++) e[k] = NO_ENTRY;
    for (int32_t j = 0; j < n; j++)
        for (int32_t q = a->ptr[j]; q < a->ptr[j + 1]; q++)
            if (a->x[q] != 0.0) frexp(a->x[q], &AT(e, a->idx[q], j));
    return e;
}

/* Scales that take the rows' largest exponents to 0 or, where middle, the middle of largest and smallest. 0 where a
 * row has no entry. Rows of e are columns where by_column. */
static int scale_lines(const int32_t *e, int32_t n, int by_column, const int32_t *other, int32_t *scale, int middle)
{
    for (int32_t i = 0; i < n; i++) {
        int32_t most = INT32_MIN, least = INT32_MAX;
        for (int32_t j = 0; j < n; j++) {
            int32_t here = by_column ? AT(e, j, i) : AT(e, i, j);
            if (here == NO_ENTRY) continue;
            if (here + other[j] > most) most = here + other[j];
            if (here + other[j] < least) least = here + other[j];
        }
        if (most == INT32_MIN) return 0;
        scale[i] = middle ? -(most + least) / 2 : -most;
    }
    return 1;
}

/* Row and column scales: rounds by the middle of each line's exponents, then rounds by the largest. */
static int equilibrate(const int32_t *e, int32_t n, int middle_rounds, int32_t *row, int32_t *col)
{
    memset(row, 0, (size_t)n * sizeof *row);
    memset(col, 0, (size_t)n * sizeof *col);
    for (int round = 0; round < middle_rounds + 4; round++) {
        int middle = round < middle_rounds;
        if (!scale_lines(e, n, 0, col, row, middle) || !scale_lines(e, n, 1, row, col, middle)) return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------ dense LU */

struct judge_factors {
    int32_t n;
    int32_t *scale[2], *order[2]; /* of rows, of columns; order[k] stands at pivot position k */
    wide *a, *lu;                 /* scaled, as it stands and factored */
    int of_pairs;                 /* n is twice the order of a complex matrix */
    double condition;
};

static void exchange(judge_factors *f, int32_t k, int32_t i, int32_t j)
{
    int32_t n = f->n, t;
    for (int32_t l = 0; l < n && i != k; l++) {
        wide w = AT(f->lu, k, l);
        AT(f->lu, k, l) = AT(f->lu, i, l);
        AT(f->lu, i, l) = w;
    }
    for (int32_t l = 0; l < n && j != k; l++) {
        wide w = AT(f->lu, l, k);
        AT(f->lu, l, k) = AT(f->lu, l, j);
        AT(f->lu, l, j) = w;
    }
    t = f->order[0][k], f->order[0][k] = f->order[0][i], f->order[0][i] = t;
    t = f->order[1][k], f->order[1][k] = f->order[1][j], f->order[1][j] = t;
}

static int eliminate(judge_factors *f)
{
    int32_t n = f->n;
    for (int32_t k = 0; k < n; k++) {
        int32_t pi = k, pj = k;
        for (int32_t j = k; j < n; j++)
            for (int32_t i = k; i < n; i++)
                if (wide_abs(AT(f->lu, i, j)) > wide_abs(AT(f->lu, pi, pj))) pi = i, pj = j;
        if (AT(f->lu, pi, pj) == 0) return 0;
        exchange(f, k, pi, pj);
        for (int32_t i = k + 1; i < n; i++) AT(f->lu, i, k) /= AT(f->lu, k, k);
        for (int32_t j = k + 1; j < n; j++) {
            wide u = AT(f->lu, k, j);
            for (int32_t i = k + 1; i < n && u != 0; i++) AT(f->lu, i, j) -= AT(f->lu, i, k) * u;
        }
    }
    return 1;
}

/* y becomes op(a)^-1 y, a scaled; work: n. */
static void solve_scaled(const judge_factors *f, int transposed, wide *y, wide *work)
{
    int32_t n = f->n;
    for (int32_t k = 0; k < n; k++) work[k] = y[f->order[transposed][k]];
    for (int32_t k = 0; k < n; k++) { /* L, or U' */
        for (int32_t i = 0; i < k; i++) work[k] -= (transposed ? AT(f->lu, i, k) : AT(f->lu, k, i)) * work[i];
        if (transposed) work[k] /= AT(f->lu, k, k);
    }
    for (int32_t k = n - 1; k >= 0; k--) { /* U, or L' */
        for (int32_t i = k + 1; i < n; i++) work[k] -= (transposed ? AT(f->lu, i, k) : AT(f->lu, k, i)) * work[i];
        if (!transposed) work[k] /= AT(f->lu, k, k);
    }
    for (int32_t k = 0; k < n; k++) y[f->order[!transposed][k]] = work[k];
}

static wide column_sum(const wide *column, int32_t n)
{
    wide sum = 0;
    for (int32_t i = 0; i < n; i++) sum += wide_abs(column[i]);
    return sum;
}

static double condition_of(const judge_factors *f)
{
    int32_t n = f->n;
    wide norm = 0, inverse = 0, *y = calloc(2 * (size_t)n, sizeof *y);
    for (int32_t j = 0; j < n; j++) {
        wide sum = column_sum(f->a + (size_t)j * (size_t)n, n);
        if (sum > norm) norm = sum;
        memset(y, 0, (size_t)n * sizeof *y);
        y[j] = 1;
        solve_scaled(f, 0, y, y + n);
        sum = column_sum(y, n);
        if (!(sum <= inverse)) inverse = sum;
    }
    free(y);
    wide condition = norm * inverse;
    return condition <= (wide)DBL_MAX ? (double)condition : INFINITY;
}

static judge_factors *factor_scaled(const test_matrix *a, const int32_t *exponent, int middle_rounds)
{
    int32_t n = a->n;
    size_t nn = (size_t)n * (size_t)n;
    judge_factors *f = calloc(1, sizeof *f);
    f->n = n;
    for (int k = 0; k < 2; k++) {
        f->scale[k] = calloc((size_t)n, sizeof *f->scale[k]);
        f->order[k] = calloc((size_t)n, sizeof *f->order[k]);
        for (int32_t i = 0; i < n; i++) f->order[k][i] = i;
    }
    f->a = calloc(nn, sizeof *f->a);
    f->lu = calloc(nn, sizeof *f->lu);
    int regular = equilibrate(exponent, n, middle_rounds, f->scale[0], f->scale[1]);
    for (int32_t j = 0; j < n && regular; j++)
        for (int32_t q = a->ptr[j]; q < a->ptr[j + 1]; q++)
            AT(f->a, a->idx[q], j) = wide_scale(a->x[q], f->scale[0][a->idx[q]] + f->scale[1][j]);
    memcpy(f->lu, f->a, nn * sizeof *f->lu);
    if (regular) regular = eliminate(f);
    f->condition = regular ? condition_of(f) : INFINITY;
    return f;
}

static judge_factors *factor_real(const test_matrix *a)
{
    if (!judge_all_finite(a->x, a->nnz)) return NULL;
    int32_t *exponent = exponents_of(a);
    judge_factors *best = factor_scaled(a, exponent, 0), *other = factor_scaled(a, exponent, 6);
    if (other->condition < best->condition) {
        judge_factors *t = best;
        best = other;
        other = t;
    }
    judge_free(other);
    free(exponent);
    if (isfinite(best->condition)) return best;
    judge_free(best);
    return NULL;
}

/* Pairs of parts: each number x + i y becomes the block of columns (x, y), (-y, x). */
static void make_pairs(const test_matrix *z, test_matrix *out)
{
    size_t n = 2 * (size_t)z->n, nnz = 4 * (size_t)z->nnz;
    *out = (test_matrix){.n = (int32_t)n};
    out->ptr = calloc(n + 1, sizeof *out->ptr);
    out->idx = malloc((nnz + 1) * sizeof *out->idx);
    out->x = malloc((nnz + 1) * sizeof *out->x);
    for (int32_t j = 0; j < out->n; j++) {
        int imaginary = j % 2;
        for (int32_t q = z->ptr[j / 2]; q < z->ptr[j / 2 + 1]; q++) {
            double re = z->x[2 * (int64_t)q], im = z->x[2 * (int64_t)q + 1];
            for (int32_t part = 0; part < 2; part++, out->nnz++) {
                out->idx[out->nnz] = 2 * z->idx[q] + part;
                out->x[out->nnz] = part == imaginary ? re : imaginary ? -im : im;
            }
        }
        out->ptr[j + 1] = out->nnz;
    }
}

judge_factors *judge_factor(const test_matrix *a)
{
    test_matrix pairs;
    if (test_matrix_doubles(a) == 1) return factor_real(a);
    make_pairs(a, &pairs);
    judge_factors *f = factor_real(&pairs);
    if (f != NULL) f->of_pairs = 1;
    test_matrix_free(&pairs);
    return f;
}

void judge_free(judge_factors *f)
{
    if (f == NULL) return;
    for (int k = 0; k < 2; k++) {
        free(f->scale[k]);
        free(f->order[k]);
    }
    free(f->a);
    free(f->lu);
    free(f);
}

double judge_condition(const judge_factors *f)
{
    return f != NULL ? f->condition : INFINITY;
}

static void solve_real(const judge_factors *f, int transposed, const double *b, double *x)
{
    int32_t n = f->n;
    const int32_t *in = f->scale[transposed], *out = f->scale[!transposed];
    wide *y = calloc(3 * (size_t)n, sizeof *y), *r = y + n;
    for (int step = 0; step < 3; step++) {
        for (int32_t i = 0; i < n; i++) r[i] = wide_scale(b[i], in[i]);
        for (int32_t j = 0; j < n; j++)
            for (int32_t i = 0; i < n; i++) r[i] -= (transposed ? AT(f->a, j, i) : AT(f->a, i, j)) * y[j];
        solve_scaled(f, transposed, r, y + 2 * n);
        for (int32_t i = 0; i < n; i++) y[i] += r[i];
    }
    for (int32_t j = 0; j < n; j++) {
        wide v = wide_scale(y[j], out[j]);
        x[j] = wide_abs(v) > (wide)DBL_MAX || v != v ? INFINITY : (double)v;
    }
    free(y);
}

static void conjugate(const double *from, int32_t n, double *to)
{
    for (int32_t k = 0; k < n; k++) to[k] = k % 2 ? -from[k] : from[k];
}

/* The transpose of what multiplies pairs belongs to the conjugate transpose. */
void judge_solve(const judge_factors *f, int op, const double *b, double *x)
{
    if (!f->of_pairs || op != JUDGE_TRANSPOSED) {
        solve_real(f, op != JUDGE_PLAIN, b, x);
        return;
    }
    double *c = malloc((size_t)f->n * sizeof *c);
    conjugate(b, f->n, c);
    solve_real(f, 1, c, x);
    conjugate(x, f->n, x);
    free(c);
}
