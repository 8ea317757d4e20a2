/* Backward errors against wider arithmetic, of numbers from anywhere in the range: by columns, by rows through SIMD, of
 * A and A', with and without an error that is good enough; the residual that comes with them. --cases N runs more of
 * them: a million take half a minute. A case's number and the seed are all it is drawn from. */
#include "check.h"

#include "matrix/rows.h"
#include "exec/cpu/image.h"
#include "numerics/backward_error.h"
#include "support/extremes.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { NMAX = 48, WORK = 4 * NMAX + 2 * WLU_ROWS_LANES };

static const uint64_t SEED = 20260914;
static int64_t cases = 30000, bounded;

static uint64_t seed_of(int64_t k)
{
    return (SEED + (uint64_t)k) * UINT64_C(0x9e3779b97f4a7c15) | 1;
}

static int within(double error, const test_between *t)
{
    return error >= t->least && error <= t->most;
}

static void check_residual(int64_t k, const test_extremes *t, const double *found, const wide *r, const wide *scale)
{
    for (int32_t i = 0; i < t->a->n; i++) {
        int fits = wide_abs(r[i]) + scale[i] <= (wide)DBL_MAX;
        CHECK_SAY(!fits || wide_abs(r[i] - (wide)found[i]) <= scale[i] + (wide)0x1p-1074 * (t->a->n + 1),
                  "case %lld: residual %d is %g, not %g", (long long)k, i, found[i], (double)r[i]);
    }
}

static wlu_errors errors_of(const wlu_checked *m, const test_extremes *t, double componentwise, double whole,
                            double *work)
{
    return wlu_backward_errors(m, t->transposed, t->b, t->x, (wlu_errors){componentwise, whole}, work);
}

static double unseen(double entries)
{
    return wlu_row_roundings(entries, 1) * 0x1.01p-53 * (entries + 1.0);
}

/* By one of the ways there are; told is the error in full. */
static void check_way(int64_t k, const test_extremes *t, const wlu_rows *rows, const test_verdicts *v, const wide *r,
                      const wide *scale)
{
    static const double enough[] = {0x1p-52, 1e-12, 1e-3};
    double longest[2] = {0.0, 0.0};
    wlu_checked m = {t->a, rows, t->entries, longest};
    double work[WORK], full = errors_of(&m, t, 0.0, INFINITY, work).componentwise;
    const char *way = rows != NULL ? "by rows" : "by columns";
    CHECK_SAY(within(full, &v->componentwise), "case %lld, n = %d, A%s, %s: %.17g, true is %.17g to %.17g",
              (long long)k, t->a->n, t->transposed ? "'" : "", way, full, v->componentwise.least,
              v->componentwise.most);
    if (full > 0.0) check_residual(k, t, work, r, scale);
    for (int e = 0; e < 3; e++) {
        double bound = errors_of(&m, t, enough[e], INFINITY, work).componentwise;
        CHECK_SAY(bound >= v->componentwise.least && (bound <= enough[e] || bound <= v->componentwise.most),
                  "case %lld, %s: %.17g where %g is enough, true is %.17g to %.17g", (long long)k, way, bound,
                  enough[e], v->componentwise.least, v->componentwise.most);
        CHECK((bound <= enough[e]) == (full <= enough[e]) || fabs(full - enough[e]) <= NMAX * 0x1p-50);
    }
    /* Roundings of sums are added, by rows those of the longest short ones. */
    double whole = errors_of(&m, t, INFINITY, 0.0, work).whole,
           most = v->whole.most + unseen(fmax(t->a->n, WLU_ROWS_LONG));
    CHECK_SAY(whole >= v->whole.least && whole <= most,
              "case %lld, n = %d, A%s, %s: whole equations %.17g, true is %.17g to %.17g", (long long)k, t->a->n,
              t->transposed ? "'" : "", way, whole, v->whole.least, most);
    for (int e = 0; e < 9; e++) {
        double first = e % 3 == 2 ? INFINITY : enough[e % 3], second = enough[e / 3];
        wlu_errors both = errors_of(&m, t, first, second, work);
        bounded += both.whole <= second;
        CHECK_SAY(both.whole == INFINITY ||
                      (both.whole >= v->whole.least && (both.whole <= second || both.whole <= most)),
                  "case %lld, %s: whole equations %.17g where %g is enough, true is %.17g to %.17g", (long long)k, way,
                  both.whole, second, v->whole.least, most);
        if (first == INFINITY)
            CHECK((both.whole <= second) == (whole <= second) || fabs(whole - second) <= unseen(NMAX));
    }
}

static void errors_are_the_true_ones(void)
{
#ifdef TEST_EXTREMES_MISSING
    SKIP("no arithmetic wider than double");
#endif
    int64_t wrong = 0, fast = 0;
    printf("# seed %llu, %lld cases\n", (unsigned long long)SEED, (long long)cases);
    for (int64_t k = 0; k < cases && check_failures < 20; k++) {
        if (!check_due()) continue;
        uint64_t seed = seed_of(k);
        wlu_context ctx;
        test_extremes t;
        wide r[NMAX], scale[NMAX];
        wlu_rows *rows = NULL;
        wlu_context_init(&ctx, NULL);
        test_extremes_draw(&t, &ctx, &seed, NMAX);
        test_verdicts v = test_extremes_judge(&t, r, scale);
        wrong += v.componentwise.least > 1e-10;
        fast += v.componentwise.most <= 1e-13;
        check_way(k, &t, NULL, &v, r, scale);
        CHECK(wlu_rows_create(&ctx, t.a, wlu_residual_kernel(1), &rows) == WARPLU_SUCCESS);
        if (!t.transposed) check_way(k, &t, rows, &v, r, scale);
        wlu_rows_destroy(&ctx, &rows);
        test_extremes_free(&t, &ctx);
    }
    printf("# %lld with an error above 1e-10, %lld below 1e-13\n", (long long)wrong, (long long)fast);
    CHECK(wrong > 0 && fast > 0 && bounded > 0);
}

/* One equation's terms are each rounded up to a unit of b, which is the largest number but three: r overflows, nothing
 * else does. */
static void a_residual_alone_may_overflow(void)
{
    enum { N = 4 };
    int32_t ptr[N + 1], idx[2 * N];
    double entries[2 * N], b[N] = {DBL_MAX - 3 * 0x1p971}, x[N], work[WORK];
    for (int32_t j = 0; j < N; j++) {
        ptr[j] = j == 0 ? 0 : 2 * j - 1;
        idx[ptr[j]] = 0;
        entries[ptr[j]] = -0x1.08p970;
        if (j > 0) idx[ptr[j] + 1] = j;
        if (j > 0) entries[ptr[j] + 1] = 0.0;
        x[j] = 1.0;
    }
    ptr[N] = 2 * N - 1;
    entries[ptr[N]] = 0.0;
    wlu_context ctx;
    wlu_pattern *a = NULL;
    wlu_rows *rows = NULL;
    wlu_context_init(&ctx, NULL);
    CHECK(wlu_pattern_create(&ctx, WARPLU_STORAGE_CSC, N, ptr, idx, &a) == WARPLU_SUCCESS);
    CHECK(wlu_rows_create(&ctx, a, wlu_residual_kernel(1), &rows) == WARPLU_SUCCESS);
    for (int by_rows = 0; by_rows <= 1; by_rows++) {
        wlu_checked m = {a, by_rows ? rows : NULL, entries, NULL};
        double omega = wlu_backward_errors(&m, 0, b, x, (wlu_errors){0.0, INFINITY}, work).componentwise;
        double whole = wlu_backward_errors(&m, 0, b, x, (wlu_errors){INFINITY, 0.0}, work).whole;
        CHECK_SAY(fabs(omega - 1.0) <= 1e-15 && fabs(whole - 1.0) <= 1e-14, "%g and %g", omega, whole);
    }
    wlu_rows_destroy(&ctx, &rows);
    wlu_pattern_destroy(&ctx, &a);
}

/* One number of entries, b or x is none; neighbours are anything, zeros too. */
static void what_is_no_number_is_told(void)
{
    static const double none[] = {NAN, INFINITY, -INFINITY};
    for (int64_t k = 0; k < 3000; k++) {
        uint64_t seed = seed_of(k);
        wlu_context ctx;
        test_extremes t;
        wlu_rows *rows = NULL;
        double work[WORK];
        wlu_context_init(&ctx, NULL);
        test_extremes_draw(&t, &ctx, &seed, NMAX);
        CHECK(wlu_rows_create(&ctx, t.a, wlu_residual_kernel(1), &rows) == WARPLU_SUCCESS);
        double *array = k % 3 == 0 ? t.entries : k % 3 == 1 ? t.b : t.x;
        int32_t at = check_below(&seed, k % 3 == 0 ? t.a->nnz : t.a->n);
        array[at] = none[check_below(&seed, 3)];
        for (int by_rows = 0; by_rows <= 1; by_rows++) {
            wlu_checked m = {t.a, by_rows ? rows : NULL, t.entries, NULL};
            double omega = errors_of(&m, &t, k % 2 ? 1e-12 : 0.0, 1e-10, work).componentwise;
            double whole = errors_of(&m, &t, INFINITY, k % 2 ? 1e-10 : 0.0, work).whole;
            CHECK_SAY(isnan(omega) && isnan(whole), "case %lld: %g and %g", (long long)k, omega, whole);
        }
        wlu_rows_destroy(&ctx, &rows);
        test_extremes_free(&t, &ctx);
    }
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "--cases") == 0) cases = atoll(argv[2]);
    RUN(errors_are_the_true_ones);
    RUN(a_residual_alone_may_overflow);
    RUN(what_is_no_number_is_told);
    return check_done();
}
