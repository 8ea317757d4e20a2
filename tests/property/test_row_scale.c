/* Row scales: in range for denormals, huge values, exact powers of two and more rows than are summed at a
 * time. */
#include "check.h"

#include "order/row_scale.h"

#include <float.h>
#include <math.h>

enum { NMAX = 64, TRIES = 400, MANY = 10007 };

static wlu_context ctx;
static uint64_t seed;

/* A cyclic band: entries (j + k s) mod n, k < width. Each row and column holds width entries. */
static wlu_pattern *band(int32_t n, int32_t width, int32_t s)
{
    int32_t *ptr = malloc(((size_t)n + 1) * sizeof *ptr), *idx = malloc((size_t)n * (size_t)width * sizeof *idx);
    wlu_pattern *a = NULL;
    for (int32_t j = 0; j <= n; j++) ptr[j] = j * width;
    for (int32_t j = 0; j < n; j++)
        for (int32_t k = 0; k < width; k++) idx[j * width + k] = (j + k * s) % n;
    CHECK(wlu_pattern_create(&ctx, WARPLU_STORAGE_CSC, n, ptr, idx, &a) == WARPLU_SUCCESS);
    free(ptr);
    free(idx);
    return a;
}

static double random_value(void)
{
    double m = 0.5 + 0.5 * check_uniform(&seed);
    int kind = check_below(&seed, 8);
    if (kind == 0) return 0.0;
    if (kind == 1) return ldexp(1.0, check_below(&seed, 2098) - 1074); /* exact powers, denormals too */
    int e = kind == 2 ? check_below(&seed, 2090) - 1070 : check_below(&seed, 60) - 30;
    return check_below(&seed, 2) ? ldexp(m, e) : -ldexp(m, e);
}

static void check_scales(const wlu_pattern *a, const double *x, const int16_t *exponent, int sum)
{
    for (int32_t i = 0; i < a->n; i++) {
        double size = 0.0; /* of the row over 2^64: no sum overflows, and denormals are checked unscaled */
        double plain = 0.0;
        for (int32_t e = 0; e < a->nnz; e++) {
            if (a->i[e] != i) continue;
            double m = fabs(x[e]);
            size = sum ? size + ldexp(m, -64) : fmax(size, ldexp(m, -64));
            plain = sum ? plain + m : fmax(plain, m);
        }
        CHECK(exponent[i] >= -1021 && exponent[i] <= 1021);
        if (plain == 0.0) {
            CHECK(exponent[i] == 0);
        } else if (isinf(plain)) {
            CHECK(exponent[i] == -1021 && size > ldexp(1.0, 1024 - 65));
        } else {
            double scaled = ldexp(plain, exponent[i]);
            CHECK_SAY(scaled <= 1.0 || exponent[i] == -1021, "%a by 2^%d", plain, exponent[i]);
            CHECK_SAY(scaled > 0.5 || exponent[i] == 1021, "%a by 2^%d", plain, exponent[i]);
        }
    }
}

static void scales_are_in_range(void)
{
    static double x[NMAX * 4], work[NMAX];
    int16_t exponent[NMAX];
    seed = 1618;
    printf("# seed %llu\n", (unsigned long long)seed);
    wlu_context_init(&ctx, NULL);
    for (int t = 0; t < TRIES; t++) {
        int32_t n = 1 + check_below(&seed, NMAX);
        wlu_pattern *a = band(n, 1 + check_below(&seed, 4), 1 + check_below(&seed, n));
        for (int32_t e = 0; e < a->nnz; e++) x[e] = t == 0 ? DBL_MAX : t == 1 ? 0x1p-1074 : random_value();
        wlu_row_scale(a, x, WARPLU_SCALING_MAX, exponent, work);
        check_scales(a, x, exponent, 0);
        wlu_row_scale(a, x, WARPLU_SCALING_SUM, exponent, work);
        check_scales(a, x, exponent, 1);
        wlu_row_scale(a, x, WARPLU_SCALING_NONE, exponent, work);
        for (int32_t i = 0; i < n; i++) CHECK(exponent[i] == 0);
        wlu_pattern_destroy(&ctx, &a);
    }
}

static void sums_of_many_rows(void)
{
    static double x[3 * MANY], work[MANY];
    static int16_t exponent[MANY];
    wlu_context_init(&ctx, NULL);
    wlu_pattern *a = band(MANY, 3, 1);
    for (int32_t e = 0; e < a->nnz; e++) x[e] = a->i[e] + 1.0;
    wlu_row_scale(a, x, WARPLU_SCALING_SUM, exponent, work);
    int32_t wrong = 0;
    for (int32_t i = 0; i < MANY; i++) {
        double scaled = ldexp((i + 1.0) * 3.0, exponent[i]);
        wrong += !(scaled > 0.5 && scaled <= 1.0);
    }
    CHECK_SAY(wrong == 0, "%d rows", wrong);
    wlu_pattern_destroy(&ctx, &a);
}

int main(void)
{
    RUN(scales_are_in_range);
    RUN(sums_of_many_rows);
    return check_done();
}
