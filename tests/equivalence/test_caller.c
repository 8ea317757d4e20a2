/* The whole API gives the same bits, pivots and words whatever floating-point environment the caller has set, and gives
 * it back as it was: rounding, flush-to-zero, denormals-are-zero, traps, exception flags. */
#if defined(__linux__)
#define _GNU_SOURCE /* feenableexcept */
#endif

#include "check.h"

#include "support/matrices.h"
#include "support/options.h"

#include <fenv.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <warplu/inspect.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

enum { N = 60, NRHS = 2, RECORD_BYTES = 1 << 16 };

/* What a session computes, byte by byte. */
typedef struct record {
    unsigned char bytes[RECORD_BYTES];
    size_t count;
} record;

static void keep(record *r, const void *what, size_t bytes)
{
    if (r->count + bytes > sizeof r->bytes) {
        CHECK(!"the record is full");
        return;
    }
    memcpy(r->bytes + r->count, what, bytes);
    r->count += bytes;
}

/* Everything a session is given, made in the default environment: nothing is computed under the others. */
typedef struct given {
    warplu_options options, wrong;
    test_matrix m;
    double *values[5]; /* good, others, weak for the pivots of the first, singular, not finite */
    double b[N * NRHS];
} given;

static void (*set_environment)(void);
static const char *environment_name;
static fenv_t usual;

typedef struct state {
    int rounding, flags;
    unsigned csr;
} state;

static state look(void)
{
    state s = {.rounding = fegetround(), .flags = fetestexcept(FE_ALL_EXCEPT)};
#if defined(__SSE2__)
    s.csr = _mm_getcsr();
#endif
    return s;
}

/* Runs a call under the environment that is set, compares what it leaves with what it found, and goes back. */
#define CALL(result, call) \
    do { \
        set_environment(); \
        state before_ = look(); \
        (result) = (call); \
        state after_ = look(); \
        fesetenv(&usual); \
        CHECK_SAY(before_.rounding == after_.rounding && before_.flags == after_.flags && before_.csr == after_.csr, \
                  "%s: rounding %d %d, flags %x %x, control word %x %x", environment_name, before_.rounding, \
                  after_.rounding, (unsigned)before_.flags, (unsigned)after_.flags, before_.csr, after_.csr); \
    } while (0)

static void keep_statistics(record *r, const warplu_statistics *t)
{
    const double reals[] = {t->ordering_loss,  t->predicted_refactor_ns, t->pivot_growth, t->largest_l,
                            t->smallest_pivot, t->backward_error,        t->row_drift};
    const int64_t integers[] = {
        t->ordering,         t->candidates,   t->blocks,         t->lu_nnz,        t->terms,    t->height,
        t->levels,           t->slots,        t->tile_pivots,    t->program_bytes, t->repivots, t->refined_solves,
        t->refinement_steps, t->weak_replays, t->proven_replays, t->checked_solves};
    keep(r, reals, sizeof reals);
    keep(r, integers, sizeof integers);
}

static void solve_and_keep(warplu_solver *s, const given *g, const double *values, record *r)
{
    int32_t weak;
    double x[N * NRHS] = {0}, omega = -1.0;
    warplu_statistics t = {.size = sizeof t};
    int status;
    for (int transposed = 0; transposed <= 1; transposed++) {
        if (transposed)
            CALL(status, warplu_solve_transposed(s, NRHS, g->b, N, x, N));
        else
            CALL(status, warplu_solve(s, NRHS, g->b, N, x, N));
        keep(r, &status, sizeof status);
        keep(r, x, sizeof x);
        if (status < 0) continue;
        CALL(status, warplu_compute_backward_error(s, transposed, values, NRHS, g->b, N, x, N, &omega));
        CALL(status, warplu_list_pivots(s, values, NAN, 0, NULL, &weak));
        CHECK(status == WARPLU_INVALID_ARGUMENT);
        keep(r, &omega, sizeof omega);
    }
    CALL(status, warplu_get_statistics(s, &t));
    keep_statistics(r, &t);
    keep(r, warplu_get_message(s), strlen(warplu_get_message(s)));
}

static void session(const given *g, record *r)
{
    warplu_solver *s = NULL, *other = NULL;
    int status;
    r->count = 0;
    CALL(status, warplu_create(&s, &g->wrong));
    CHECK(status == WARPLU_INVALID_ARGUMENT);
    CALL(status, warplu_create(&s, &g->options));
    CHECK(status == WARPLU_SUCCESS);
    CALL(status, warplu_analyze(s, N, g->m.ptr, g->m.idx, g->values[0]));
    keep(r, &status, sizeof status);
    CALL(status, warplu_factor(s, g->values[0]));
    keep(r, &status, sizeof status);
    solve_and_keep(s, g, g->values[0], r);
    CALL(status, warplu_clone(&other, s));
    CHECK(status == WARPLU_SUCCESS);
    const int order[] = {1, 2, 0, 3, 1, 4, 2, 2, 0};
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        CALL(status, warplu_refactor(s, g->values[order[k]]));
        keep(r, &status, sizeof status);
        keep(r, warplu_get_message(s), strlen(warplu_get_message(s)));
        solve_and_keep(s, g, g->values[order[k]], r);
    }
    CALL(status, warplu_refactor(other, g->values[1]));
    keep(r, &status, sizeof status);
    solve_and_keep(other, g, g->values[1], r);
    warplu_destroy(&other);
    warplu_destroy(&s);
}

static void nothing(void)
{
}

static void upward(void)
{
    fesetround(FE_UPWARD);
}

static void downward(void)
{
    fesetround(FE_DOWNWARD);
}

static void toward_zero(void)
{
    fesetround(FE_TOWARDZERO);
}

static void raised(void)
{
    feraiseexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
}

#if defined(__SSE2__)
static void flushing(void)
{
    _mm_setcsr(_mm_getcsr() | 0x8000u);
}

static void without_denormals(void)
{
    _mm_setcsr(_mm_getcsr() | 0x0040u);
}

static void everything(void)
{
    fesetround(FE_DOWNWARD);
    _mm_setcsr(_mm_getcsr() | 0x8040u);
}

static void trapping(void)
{
    feclearexcept(FE_ALL_EXCEPT);
    _mm_setcsr(_mm_getcsr() & ~0x1f80u);
}
#endif

#if defined(__GLIBC__)
static void enabled(void)
{
    feclearexcept(FE_ALL_EXCEPT);
    feenableexcept(FE_ALL_EXCEPT);
}
#endif

static void under(const given *g, const record *expected, const char *name, void (*set)(void))
{
    static record found;
    set_environment = set;
    environment_name = name;
    session(g, &found);
    size_t at = 0;
    while (at < found.count && at < expected->count && found.bytes[at] == expected->bytes[at]) at++;
    CHECK_SAY(at == expected->count && found.count == expected->count, "%s: differs at byte %zu of %zu, ordering %d",
              name, at, expected->count, (int)g->options.ordering);
}

static void prepare(given *g, uint64_t *seed, const test_recipe *recipe)
{
    memset(g, 0, sizeof *g);
    test_matrix_random(&g->m, seed, recipe);
    int32_t nnz = g->m.nnz;
    for (int k = 0; k < 5; k++) g->values[k] = malloc((size_t)nnz * sizeof(double));
    for (int32_t q = 0; q < nnz; q++) {
        int32_t i = g->m.idx[q];
        double x = g->m.x[q] * (i % 7 == 3 ? 1e-306 : 1.0); /* rows whose smaller entries and products are denormal */
        g->values[0][q] = check_below(seed, 6) == 0 ? x * 1e-3 : x;
        g->values[1][q] = x * (0.5 + check_uniform(seed));
        g->values[2][q] = x * pow(10.0, 16.0 * check_uniform(seed) - 8.0);
        g->values[3][q] = i == N / 2 ? 0.0 : x;
        g->values[4][q] = q == nnz / 2 ? NAN : x;
    }
    for (int k = 0; k < N * NRHS; k++) g->b[k] = check_uniform(seed) * (k % 7 == 3 ? 1e-309 : 1.0);
    check_init_options(&g->options);
    g->wrong = g->options;
    g->wrong.pivot_tolerance = NAN;
}

static void end(given *g)
{
    for (int k = 0; k < 5; k++) free(g->values[k]);
    test_matrix_free(&g->m);
}

static void run_all(const given *g)
{
    static record expected;
    set_environment = nothing;
    environment_name = "default";
    session(g, &expected);
    under(g, &expected, "default", nothing);
    under(g, &expected, "upward rounding", upward);
    under(g, &expected, "downward rounding", downward);
    under(g, &expected, "rounding toward zero", toward_zero);
    under(g, &expected, "raised flags", raised);
#if defined(__SSE2__)
    under(g, &expected, "flush to zero", flushing);
    under(g, &expected, "denormals are zero", without_denormals);
    under(g, &expected, "downward, flush to zero, denormals are zero", everything);
    under(g, &expected, "traps", trapping);
#endif
#if defined(__GLIBC__)
    under(g, &expected, "feenableexcept", enabled);
#endif
}

static void check_sessions(warplu_check check, warplu_scaling scaling, double expected_refactors)
{
    uint64_t seed = 6626070;
    printf("# seed %llu\n", (unsigned long long)seed);
    fegetenv(&usual);
    for (int t = 0; t < 3 * TEST_SHAPES; t++) {
        test_recipe recipe = {.shape = (test_shape)(t % TEST_SHAPES),
                              .n = N,
                              .duplicates = t % 2,
                              .shuffled = t % 3 == 0,
                              .weak_diagonal = t % 4 == 0};
        given g;
        prepare(&g, &seed, &recipe);
        g.options.check = check;
        g.options.scaling = scaling;
        g.options.expected_refactors = expected_refactors;
        if (check_due()) run_all(&g);
        end(&g);
    }
}

static void suspect_solves_and_new_pivots(void)
{
    check_sessions(WARPLU_CHECK_SUSPECT, WARPLU_SCALING_MAX, 1000.0);
}

static void refined_solves_and_sums(void)
{
    check_sessions(WARPLU_CHECK_ALWAYS, WARPLU_SCALING_SUM, 1000.0);
}

static void factors_that_are_not_compiled(void)
{
    check_sessions(WARPLU_CHECK_SUSPECT, WARPLU_SCALING_NONE, 1.0);
}

int main(void)
{
    RUN(suspect_solves_and_new_pivots);
    RUN(refined_solves_and_sums);
    RUN(factors_that_are_not_compiled);
    return check_done();
}
