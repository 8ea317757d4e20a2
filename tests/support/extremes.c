/* Systems at the ends of the range. See extremes.h. */
#include "extremes.h"

#include "check.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Exponents from .. to. */
typedef struct band {
    int from, to;
} band;

/* All; overflows; denormal and a little above; usual; sums below and above 1e-270; square roots of the ends. */
static const band bands[] = {{-1074, 1023}, {1010, 1023}, {-1074, -1010}, {-4, 4},
                             {-905, -885},  {505, 515},   {-545, -505}};
enum { BANDS = sizeof bands / sizeof *bands, MORE = 5 }; /* MORE: entries of a column beside the permutation's */

static int exponent_within(uint64_t *seed, const band *of)
{
    return of->from + check_below(seed, of->to - of->from + 1);
}

static double number(uint64_t *seed, int exponent)
{
    if (exponent > 1023) exponent = 1023;
    if (exponent < -1074) exponent = -1074;
    double magnitude =
        check_below(seed, 8) == 0 && exponent == 1023 ? DBL_MAX : ldexp(1.0 + check_uniform(seed), exponent);
    return check_below(seed, 2) ? magnitude : -magnitude;
}

/* ------------------------------------------------------------------ drawing */

/* A permutation's entries and some more; of every fourth matrix a row of op(A) is full. */
static void draw_pattern(test_extremes *t, wlu_context *ctx, uint64_t *seed, int32_t n)
{
    int32_t *ptr = malloc(((size_t)n + 1) * sizeof *ptr), *idx = malloc((size_t)n * (MORE + 2) * sizeof *idx), at = 0;
    int32_t shift = check_below(seed, n), more = check_below(seed, MORE + 1),
            hub = check_below(seed, 4) == 0 ? check_below(seed, n) : -1;
    for (int32_t j = 0; j < n; j++) {
        ptr[j] = at;
        idx[at++] = (j + shift) % n;
        for (int32_t k = 0; k < more; k++) idx[at++] = check_below(seed, n);
        for (int32_t i = 0; i < n && j == hub && t->transposed; i++) idx[at++] = i;
        if (hub >= 0 && !t->transposed) idx[at++] = hub;
    }
    ptr[n] = at;
    t->a = NULL;
    if (wlu_pattern_create(ctx, WARPLU_STORAGE_CSC, n, ptr, idx, &t->a) != WARPLU_SUCCESS) abort();
    free(ptr);
    free(idx);
}

/* Magnitudes by entry, by row or by column; about 1 in 8 matrices has zeros, and some of these whole rows of them. */
static void draw_entries(test_extremes *t, uint64_t *seed, int *column)
{
    const wlu_pattern *a = t->a;
    int by = check_below(seed, 3), *row = malloc((size_t)a->n * sizeof *row);
    const band *one = &bands[check_below(seed, BANDS)];
    int mixed = check_below(seed, 2), zeros = check_below(seed, 8) == 0;
    int32_t zero_row = zeros && check_below(seed, 2) ? check_below(seed, a->n) : -1;
    for (int32_t i = 0; i < a->n; i++) {
        row[i] = exponent_within(seed, mixed ? &bands[check_below(seed, BANDS)] : one);
        column[i] = exponent_within(seed, mixed ? &bands[check_below(seed, BANDS)] : one);
    }
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            int spread = check_below(seed, 9) - 4,
                any = exponent_within(seed, mixed ? &bands[check_below(seed, BANDS)] : one);
            int exponent = by == 0 ? any : by == 1 ? row[a->i[e]] + spread : column[j] + spread;
            int none = (zeros && check_below(seed, 4) == 0) || (t->transposed ? j : a->i[e]) == zero_row;
            t->entries[e] = none ? 0.0 : number(seed, exponent);
        }
    t->entries[a->nnz] = 0.0;
    free(row);
}

/* Of one band, of all, or what makes products with the columns near 1. */
static void draw_vector(uint64_t *seed, int32_t n, const int *column, double *x)
{
    int kind = check_below(seed, 3), zeros = check_below(seed, 4) == 0, sparse = check_below(seed, 16) == 0;
    const band *one = &bands[check_below(seed, BANDS)];
    for (int32_t i = 0; i < n; i++) {
        int exponent = kind == 0 ? check_below(seed, 5) - 2 - column[i]
                                 : exponent_within(seed, kind == 1 ? one : &bands[check_below(seed, BANDS)]);
        int none = (zeros && check_below(seed, 3) == 0) || (sparse && i > 0);
        x[i] = none ? 0.0 : number(seed, exponent);
    }
}

static double rounded(wide a)
{
    return a > (wide)DBL_MAX ? DBL_MAX : a < -(wide)DBL_MAX ? -DBL_MAX : (double)a;
}

static void multiply(const test_extremes *t, const double *x, double *b)
{
    int32_t n = t->a->n;
    wide *sum = calloc((size_t)n, sizeof *sum);
    for (int32_t j = 0; j < n; j++)
        for (int32_t e = t->a->p[j]; e < t->a->p[j + 1]; e++)
            sum[t->transposed ? j : t->a->i[e]] += (wide)t->entries[e] * (wide)x[t->transposed ? t->a->i[e] : j];
    for (int32_t i = 0; i < n; i++) b[i] = rounded(sum[i]);
    free(sum);
}

/* What a wrong solver might answer. */
static void spoil(test_extremes *t, uint64_t *seed, const int *column)
{
    static const double factors[] = {-2.9, 0.0, 1.0 + 0x1p-20, 1.0 + 0x1p-44, 0.5, -1.0, 1e-12, 1e5};
    int32_t n = t->a->n, at = check_below(seed, n);
    double factor = factors[check_below(seed, 8)];
    switch (check_below(seed, 4)) {
    case 0: break;
    case 1: t->x[at] = rounded((wide)t->x[at] * (wide)factor); break;
    case 2:
        for (int32_t j = 0; j < n; j++) t->x[j] = rounded((wide)t->x[j] * (wide)factor);
        break;
    default: draw_vector(seed, n, column, t->x);
    }
}

void test_extremes_draw(test_extremes *t, wlu_context *ctx, uint64_t *seed, int32_t nmax)
{
    int32_t n = 1 + check_below(seed, check_below(seed, 2) ? nmax : nmax < 4 ? nmax : 4);
    int *column = malloc((size_t)n * sizeof *column);
    t->transposed = check_below(seed, 2);
    draw_pattern(t, ctx, seed, n);
    t->entries = malloc(((size_t)t->a->nnz + 1) * sizeof *t->entries);
    t->b = malloc((size_t)n * sizeof *t->b);
    t->x = malloc((size_t)n * sizeof *t->x);
    draw_entries(t, seed, column);
    draw_vector(seed, n, column, t->x);
    if (check_below(seed, 4) == 0) {
        draw_vector(seed, n, column, t->b);
    } else {
        multiply(t, t->x, t->b);
        spoil(t, seed, column);
    }
    free(column);
}

void test_extremes_free(test_extremes *t, wlu_context *ctx)
{
    wlu_pattern_destroy(ctx, &t->a);
    free(t->entries);
    free(t->b);
    free(t->x);
}

/* ------------------------------------------------------------------ judging */

typedef struct row_sums {
    wide r, weight, largest;
    int count;
} row_sums;

static row_sums *sum_rows(const test_extremes *t)
{
    row_sums *rows = calloc((size_t)t->a->n, sizeof *rows);
    for (int32_t i = 0; i < t->a->n; i++) rows[i].r = t->b[i];
    for (int32_t j = 0; j < t->a->n; j++)
        for (int32_t e = t->a->p[j]; e < t->a->p[j + 1]; e++) {
            row_sums *row = &rows[t->transposed ? j : t->a->i[e]];
            wide a = t->entries[e], term = a * (wide)t->x[t->transposed ? t->a->i[e] : j];
            row->r -= term;
            row->weight += wide_abs(term);
            if (wide_abs(a) > row->largest) row->largest = wide_abs(a);
            row->count++;
        }
    return rows;
}

/* |r| over a denominator; sums: |A||x| + |b|, which the rounding of r is relative to. */
static void include(test_between *t, wide r, wide sums, wide denominator, int count, int both)
{
    wide unit = (wide)(count + 6) * (wide)0x1p-53, error = r / denominator;
    wide around = unit * (sums / denominator + error) * (wide)(1 + 0x1p-20) + (wide)1e-30; /* for what underflows */
    double most = rounded(error + around), least = rounded(error - around);
    if (most > t->most) t->most = most;
    if (both && least > t->least) t->least = least;
}

static void include_row(test_verdicts *v, const row_sums *row, wide b, wide most, int32_t n)
{
    wide r = wide_abs(row->r), sums = row->weight + b, bound = (wide)1000 * n * (wide)DBL_EPSILON * (most + b);
    wide open = (wide)(row->count + 12) * (wide)0x1p-53 * sums;
    if (sums + most == 0) return;
    if (most + b > 0) include(&v->whole, r, sums, most + b, row->count, 1);
    if (sums > bound - open && sums > 0) include(&v->componentwise, r, sums, sums, row->count, sums > bound + open);
    if (sums <= bound + open) include(&v->componentwise, r, sums, row->weight + most, row->count, 1);
}

test_verdicts test_extremes_judge(const test_extremes *t, wide *r, wide *scale)
{
    int32_t n = t->a->n;
    test_verdicts v = {{0.0, 0.0}, {0.0, 0.0}, 0, 0};
    row_sums *rows = sum_rows(t);
    wide xmax = 0;
    for (int32_t i = 0; i < n; i++)
        if (wide_abs(t->x[i]) > xmax) xmax = wide_abs(t->x[i]);
    for (int32_t i = 0; i < n; i++) {
        wide b = wide_abs(t->b[i]), most = rows[i].largest * xmax, all = rows[i].weight + b + most;
        include_row(&v, &rows[i], b, most, n);
        if (all > v.most) v.most = all;
        if (i == 0 || rows[i].weight + b < v.least) v.least = rows[i].weight + b;
        r[i] = rows[i].r;
        scale[i] = (rows[i].weight + b) * (rows[i].count + 6) * (wide)0x1p-53 + all * rows[i].count * (wide)0x1p-1000;
    }
    free(rows);
    return v;
}
