/* Residuals by rows against a scalar sum in extended precision, and backward errors against those column by column; the
 * same bits from every instruction set. Long rows, empty rows, partly filled groups, windows of rows that end within
 * one. */
#include "check.h"

#include "matrix/rows.h"
#include "exec/cpu/image.h"
#include "numerics/backward_error.h"
#include "support/simd.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 60, KERNELS = 5, MOST = 5000 };

static uint64_t seed;
static const char *const names[KERNELS] = {"avx512", "avx512-loads", "avx2", "neon", "portable"};

/* A random matrix: a few entries a column, some rows that many columns share. */
static wlu_pattern *random_pattern(wlu_context *ctx, int32_t n)
{
    int32_t most = 8 * n, *ptr = malloc(((size_t)n + 1) * sizeof *ptr), *idx = malloc((size_t)most * sizeof *idx);
    static const int32_t shared[] = {0, 1, 2, 60}; /* of 60 rows lengths come near WLU_ROWS_LONG */
    int32_t long_rows = shared[check_below(&seed, 4)], at = 0;
    wlu_pattern *a = NULL;
    for (int32_t j = 0; j < n; j++) {
        ptr[j] = at;
        for (int32_t k = check_below(&seed, 7); k > 0; k--) idx[at++] = check_below(&seed, n);
        if (long_rows > 0 && check_below(&seed, 2)) idx[at++] = check_below(&seed, long_rows) % n;
    }
    ptr[n] = at;
    CHECK(wlu_pattern_create(ctx, WARPLU_STORAGE_CSC, n, ptr, idx, &a) == WARPLU_SUCCESS);
    free(ptr);
    free(idx);
    return a;
}

static double *random_vector(int64_t count)
{
    double *x = malloc(((size_t)count + 1) * sizeof *x);
    for (int64_t k = 0; k < count; k++) x[k] = 2.0 * check_uniform(&seed) - 1.0;
    x[count] = 0.0;
    return x;
}

static void check_sums(const wlu_rows *rows, const wlu_pattern *a, const double *entries, const double *b,
                       const double *x, const double *r, const double *w)
{
    long double *rest = calloc((size_t)a->n, sizeof *rest), *weight = calloc((size_t)a->n, sizeof *weight);
    int32_t *seen = calloc((size_t)a->n, sizeof *seen);
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            rest[a->i[e]] -= (long double)entries[e] * x[j];
            weight[a->i[e]] += fabsl((long double)entries[e] * x[j]);
        }
    for (int64_t k = 0; k < rows->places; k++) {
        int32_t i = rows->row[k];
        double eps = (double)a->n * DBL_EPSILON * ((double)weight[i] + fabs(b[i]));
        seen[i] = 1;
        CHECK_SAY(fabsl(b[i] + rest[i] - r[k]) <= eps && fabsl(weight[i] - w[k]) <= eps, "row %d of %d", i, a->n);
    }
    for (int32_t i = 0; i < a->n; i++) CHECK_SAY(seen[i], "row %d of %d has no place", i, a->n);
    CHECK(rows->places <= a->n + 7);
    free(rest);
    free(weight);
    free(seen);
}

/* Every kernel's sums and error in turn; the first one's are what the others must be. */
static void try_kernels(wlu_context *ctx, const wlu_pattern *a, const double *entries, const double *b, const double *x)
{
    int64_t size = wlu_check_work(a);
    double *first = calloc((size_t)size, sizeof *first), *work = calloc((size_t)size, sizeof *work), error = 0.0;
    int tried = 0;
    wlu_checked columns = {a, NULL, entries, NULL};
    const wlu_errors enough = {0.0, INFINITY};
    double expected = wlu_backward_errors(&columns, 0, b, x, enough, work).componentwise;
    for (int k = 0; k < KERNELS; k++) {
        wlu_rows *rows = NULL;
        if (!test_simd_is_here(names[k])) continue;
        setenv("WARPLU_SIMD", names[k], 1);
        CHECK(wlu_rows_create(ctx, a, wlu_residual_kernel(1), &rows) == WARPLU_SUCCESS);
        memset(work, 0, (size_t)size * sizeof *work);
        double found = rows->residual(rows, entries, b, x, 1e-270, work, work + rows->places);
        check_sums(rows, a, entries, b, x, work, work + rows->places);
        if (tried++ == 0) {
            memcpy(first, work, (size_t)size * sizeof *first);
            error = found;
        }
        CHECK(memcmp(first, work, (size_t)size * sizeof *first) == 0 && error == found);
        wlu_checked checked = {a, rows, entries, NULL};
        double omega = wlu_backward_errors(&checked, 0, b, x, enough, work).componentwise;
        CHECK_SAY(fabs(omega - expected) <= 1e-14 + 1e-9 * expected, "%g, by columns %g", omega, expected);
        for (int64_t p = 0; p < rows->places; p++) CHECK(work[rows->row[p]] == first[p]);
        wlu_rows_destroy(ctx, &rows);
    }
    unsetenv("WARPLU_SIMD");
    free(first);
    free(work);
}

static void kernels_agree(void)
{
    seed = 20261122;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int k = 0; k < TRIES; k++) {
        wlu_context ctx;
        wlu_context_init(&ctx, NULL);
        int32_t n = k < TRIES / 2 ? 1 + check_below(&seed, 40) : 1 + check_below(&seed, MOST);
        wlu_pattern *a = random_pattern(&ctx, n);
        double *entries = random_vector(a->nnz), *b = random_vector(n), *x = random_vector(n);
        try_kernels(&ctx, a, entries, b, x);
        free(entries);
        free(b);
        free(x);
        wlu_pattern_destroy(&ctx, &a);
    }
}

/* What the first form cannot judge comes out as infinite, whichever lane it is in. */
static void unusual_rows_are_told(void)
{
    static const double odd[] = {0.0, 1e-300, INFINITY, NAN};
    for (int32_t n = 1; n <= 20; n++)
        for (int32_t at = 0; at < n; at++)
            for (int k = 0; k < 4; k++) {
                wlu_context ctx;
                wlu_context_init(&ctx, NULL);
                int32_t ptr[21], idx[20];
                double one[21], x[20], work[128];
                for (int32_t j = 0; j < n; j++) {
                    ptr[j] = idx[j] = j;
                    one[j] = x[j] = 1.0;
                }
                ptr[n] = n;
                one[n] = 0.0;
                x[at] = odd[k];
                wlu_pattern *a = NULL;
                wlu_rows *rows = NULL;
                CHECK(wlu_pattern_create(&ctx, WARPLU_STORAGE_CSC, n, ptr, idx, &a) == WARPLU_SUCCESS);
                CHECK(wlu_rows_create(&ctx, a, wlu_residual_kernel(1), &rows) == WARPLU_SUCCESS);
                double error = rows->residual(rows, one, x, x, 1e-270, work, work + rows->places);
                CHECK_SAY(error == INFINITY, "%g for %g in row %d of %d", error, odd[k], at, n);
                wlu_rows_destroy(&ctx, &rows);
                wlu_pattern_destroy(&ctx, &a);
            }
}

/* The norm of a row is that of its entries, and NaN where one of them is, the first or the last, in short rows and long
 * ones. */
static void norms_keep_a_nan(void)
{
    enum { N = 50 };
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    int32_t ptr[N + 1], idx[2 * N];
    double entries[2 * N];
    for (int32_t j = 0; j < N; j++) { /* row 0 full, and the diagonal but for its first */
        ptr[j] = j == 0 ? 0 : 2 * j - 1;
        idx[ptr[j]] = 0;
        idx[ptr[j] + 1] = j;
    }
    ptr[N] = 2 * N - 1;
    wlu_pattern *a = NULL;
    wlu_rows *rows = NULL;
    CHECK(wlu_pattern_create(&ctx, WARPLU_STORAGE_CSC, N, ptr, idx, &a) == WARPLU_SUCCESS && a->nnz == 2 * N - 1);
    CHECK(wlu_rows_create(&ctx, a, wlu_residual_kernel(1), &rows) == WARPLU_SUCCESS && rows->longs == 1);
    for (int32_t at = -1; at < a->nnz; at++) {
        for (int32_t e = 0; e <= a->nnz; e++) entries[e] = e == a->nnz ? 0.0 : -1.0 - e % 7;
        if (at >= 0) entries[at] = NAN;
        for (int64_t k = 0; k < rows->places; k++) {
            double expected = 0.0, found = wlu_rows_norm(rows, entries, 1, k, INFINITY);
            int none = 0;
            for (int32_t e = 0; e < a->nnz; e++) {
                if (a->i[e] != rows->row[k]) continue;
                none |= isnan(entries[e]);
                expected = fmax(expected, fabs(entries[e]));
            }
            CHECK_SAY(none ? isnan(found) : found == expected, "row %d is %g, entry %d is none", rows->row[k], found,
                      at);
        }
    }
    wlu_rows_destroy(&ctx, &rows);
    wlu_pattern_destroy(&ctx, &a);
}

int main(void)
{
    RUN(kernels_agree);
    RUN(unusual_rows_are_told);
    RUN(norms_keep_a_nan);
    return check_done();
}
