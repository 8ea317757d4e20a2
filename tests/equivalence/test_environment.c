/* A replay does not depend on the caller's floating-point environment and gives it back as it was: rounding mode,
 * flush-to-zero, traps, and exception flags. */
#include "check.h"

#include "compare.h"
#include "support/options.h"

#include <fenv.h>
#include <math.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { N = 40 };

static uint64_t seed;
static test_matrix matrix;
static test_build built;
static double rhs[N];

static void set_up(test_region region)
{
    const test_recipe r = {.shape = TEST_GRID, .n = N};
    wlu_cost cost = test_region_cost(region);
    warplu_options o;
    check_init_options(&o);
    seed = 577215;
    test_matrix_random(&matrix, &seed, &r);
    for (int32_t q = 0; q < matrix.nnz; q += 5) matrix.x[q] *= 1e-310; /* denormals in, denormals out */
    for (int32_t i = 0; i < N; i++) rhs[i] = check_uniform(&seed) * (i % 3 == 0 ? 1e-309 : 1.0);
    CHECK(test_build_pivots(&built, &o, &matrix) == WARPLU_SUCCESS);
    CHECK(test_build_program(&built, &cost) == WARPLU_SUCCESS);
}

static void tear_down(void)
{
    test_build_free(&built);
    test_matrix_free(&matrix);
}

/* Runs with the environment that set() makes and compares with a run in the default one. */
static void check_under(void (*set)(void), const char *what)
{
    for (int k = -1; k < WLU_TEST_SIMD; k++) {
        test_replay plain, under;
        const char *simd = k < 0 ? NULL : test_simd_names[k];
        if (!test_replay_open(&plain, &built, simd)) continue;
        if (!test_replay_open(&under, &built, simd)) return;
        test_replay_run(&plain, matrix.x, rhs);
        fenv_t saved;
        fegetenv(&saved);
        set();
        int rounding = fegetround(), flags = fetestexcept(FE_ALL_EXCEPT);
#if defined(__SSE2__)
        unsigned csr = _mm_getcsr();
#endif
        test_replay_run(&under, matrix.x, rhs);
        int rounding_after = fegetround(), flags_after = fetestexcept(FE_ALL_EXCEPT);
#if defined(__SSE2__)
        unsigned csr_after = _mm_getcsr();
        CHECK_SAY(csr == csr_after, "%s: control word %x, was %x", what, csr_after, csr);
#endif
        fesetenv(&saved);
        CHECK_SAY(rounding == rounding_after && flags == flags_after, "%s: flags %x, were %x", what,
                  (unsigned)flags_after, (unsigned)flags);
        test_replay_compare(&built, &plain, &under, what);
        test_replay_close(&plain, &built);
        test_replay_close(&under, &built);
    }
}

static void nothing(void)
{
    feclearexcept(FE_ALL_EXCEPT);
}

static void upward(void)
{
    fesetround(FE_UPWARD);
}

static void toward_zero(void)
{
    fesetround(FE_TOWARDZERO);
}

static void raised(void)
{
    feraiseexcept(FE_DIVBYZERO | FE_INVALID);
}

#if defined(__SSE2__)
static void flushing(void)
{
    _mm_setcsr(_mm_getcsr() | 0x8040u);
}

static void trapping(void)
{
    feclearexcept(FE_ALL_EXCEPT);
    _mm_setcsr(_mm_getcsr() & ~0x1e80u); /* every exception but the denormal operand traps; see kernels' 1 / 0 */
}
#endif

static void check_region(test_region region)
{
    set_up(region);
    check_under(nothing, "clear flags");
    check_under(upward, "upward rounding");
    check_under(toward_zero, "rounding toward zero");
    check_under(raised, "raised flags");
#if defined(__SSE2__)
    check_under(flushing, "flush to zero");
    check_under(trapping, "traps");
#endif
    tear_down();
}

static void dot_streams_keep_the_environment(void)
{
    check_region(TEST_ALL_DOT);
}

static void columns_keep_the_environment(void)
{
    check_region(TEST_ALL_TILE);
}

/* The denormals above matter: flushing them would change the factors. */
static void denormals_are_seen(void)
{
    set_up(TEST_ALL_DOT);
    test_replay r;
    int denormal = 0;
    if (test_replay_open(&r, &built, NULL)) {
        test_replay_run(&r, matrix.x, rhs);
        for (int64_t k = 0; k < built.program->trash; k++) denormal += fpclassify(r.slots.v[k]) == FP_SUBNORMAL;
        test_replay_close(&r, &built);
    }
    CHECK_SAY(denormal > 0, "%d denormal slots", denormal);
    tear_down();
}

int main(void)
{
    RUN(dot_streams_keep_the_environment);
    RUN(columns_keep_the_environment);
    RUN(denormals_are_seen);
    return check_done();
}
