/* What tests of the CUDA executor's host side have in common: the fake driver, and a solver on its device beside one
 * that replays by the reference executor. */
#ifndef WLU_TEST_CUDA_HOST_H
#define WLU_TEST_CUDA_HOST_H

#include <warplu/device.h>
#include <warplu/inspect.h>

#include <string.h>

#include "by_emulator.h"
#include "create.h"
#include "check.h"
#include "support/build.h"
#include "support/options.h"

enum { NMAX = 40, INVALID = 719 };

static fake_cuda *fake;
static by_emulator kernel;
static uint64_t seed = 2026;
static warplu_strategy replayed_by; /* of options_for, both */
static warplu_precision computed_in;
static warplu_scalar made_of;

static inline int open_fake(void)
{
    fake = by_emulator_open(by_emulator_launch, &kernel);
    return fake != NULL;
}

static inline warplu_options options_for(warplu_executor executor)
{
    warplu_options o;
    check_init_options(&o);
    o.executor = executor;
    o.device_strategy = replayed_by;
    o.precision = computed_in;
    o.scalar = made_of;
    return o;
}

static inline warplu_status vouch_for_all(wlu_context *ctx, wlu_state *state)
{
    (void)ctx;
    (void)state;
    return WARPLU_SUCCESS;
}

static inline warplu_status enqueue_nothing(wlu_context *ctx, wlu_state *state, const double *values,
                                            const wlu_async_solve *solve, void *stream)
{
    (void)ctx;
    (void)state;
    (void)values;
    (void)solve;
    (void)stream;
    return WARPLU_NOT_COMPILED;
}

static const wlu_executor_device no_device = {.enqueue = enqueue_nothing, .release_withheld = vouch_for_all};
static wlu_executor reference, another;

/* Replays by the reference executor, of orders, pivots and programs as for the device: they are others than the CPU's.
 * It takes no device pointers all the same. For what solves are checked on a device, the host's are the same. */
static inline warplu_status create_reference(warplu_solver **s, warplu_options o)
{
    int levels = o.device_strategy == WARPLU_STRATEGY_LEVELS || o.device_strategy == WLU_STRATEGY_LAUNCHES;
    reference = another = wlu_executor_reference;
    reference.device = another.device = &no_device;
    o.executor = WARPLU_EXECUTOR_REFERENCE;
    o.device_strategy = WARPLU_STRATEGY_AUTO;
    warplu_status status = warplu_create(s, &o);
    if (status < 0) return status;
    (*s)->target.executor = (*s)->refines.executor = &reference;
    if (!levels && o.precision == WARPLU_PRECISION_DOUBLE) (*s)->refines.executor = &another;
    (*s)->cost = levels ? &wlu_cost_levels : &wlu_cost_cuda;
    return status;
}

/* Nothing is on the device any more, and nothing was asked of it that it does not take. */
static inline void nothing_is_left(const char *of)
{
    CHECK_SAY(kernel.wrong == 0 && fake->misuses == 0 && fake->depth == 0 && fake->alive == 0 && fake->retained <= 1,
              "%s: %lld wrong launches, %lld misuses, %lld contexts, %lld blocks, %lld retained", of,
              (long long)kernel.wrong, (long long)fake->misuses, (long long)fake->depth, (long long)fake->alive,
              (long long)fake->retained);
    kernel.wrong = fake->misuses = fake->depth = fake->alive = 0;
}

/* What the device has told of replays and solves so far. */
static inline warplu_device_health health_of(const warplu_solver *s)
{
    warplu_device_health h = {.size = sizeof h};
    CHECK(warplu_get_device_health(s, &h) == WARPLU_SUCCESS && h.size == sizeof h);
    return h;
}

static const test_recipe grid = {.shape = TEST_GRID, .n = 36};

typedef struct pair {
    warplu_solver *cuda, *reference;
    test_matrix m;
    double b[6 * NMAX];
} pair;

/* Both analyze a random matrix; b is random. */
static inline void open_pair_of(pair *p, const test_recipe *recipe, warplu_options o)
{
    memset(p, 0, sizeof *p);
    test_matrix_random(&p->m, &seed, recipe);
    if (o.scalar == WARPLU_SCALAR_COMPLEX) test_matrix_make_complex(&p->m, &seed);
    for (int k = 0; k < 6 * NMAX; k++) p->b[k] = check_uniform(&seed) - 0.5;
    CHECK(create_cuda(&p->cuda, &o) == WARPLU_SUCCESS && create_reference(&p->reference, o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(p->cuda, p->m.n, p->m.ptr, p->m.idx, p->m.x) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(p->reference, p->m.n, p->m.ptr, p->m.idx, p->m.x) == WARPLU_SUCCESS);
}

static inline void open_pair(pair *p, const test_recipe *recipe)
{
    open_pair_of(p, recipe, options_for(WARPLU_EXECUTOR_CUDA));
}

static inline void close_pair(pair *p)
{
    warplu_destroy(&p->cuda);
    warplu_destroy(&p->reference);
    test_matrix_free(&p->m);
    nothing_is_left("the pair");
}

static inline void compare_statistics(const pair *p)
{
    warplu_statistics a = {.size = sizeof a}, b = {.size = sizeof b};
    CHECK(warplu_get_statistics(p->cuda, &a) == WARPLU_SUCCESS &&
          warplu_get_statistics(p->reference, &b) == WARPLU_SUCCESS);
    CHECK(a.pivot_growth == b.pivot_growth && a.largest_l == b.largest_l && a.largest_u == b.largest_u &&
          a.smallest_pivot == b.smallest_pivot && a.row_drift == b.row_drift);
    CHECK(a.repivots == b.repivots && a.weak_replays == b.weak_replays && a.proven_replays == b.proven_replays &&
          a.cache_hits == b.cache_hits && a.compiled == b.compiled && a.checked_solves == b.checked_solves);
}

static inline void compare_solves(const pair *p)
{
    double x[6 * NMAX], y[6 * NMAX], g = 0.0, h = 0.0;
    int32_t n = p->m.n;
    size_t doubles = 3 * (size_t)test_matrix_doubles(&p->m) * (size_t)n;
    for (int transposed = 0; transposed <= 1; transposed++) {
        warplu_status one =
            transposed ? warplu_solve_transposed(p->cuda, 3, p->b, n, x, n) : warplu_solve(p->cuda, 3, p->b, n, x, n);
        warplu_status two = transposed ? warplu_solve_transposed(p->reference, 3, p->b, n, y, n)
                                       : warplu_solve(p->reference, 3, p->b, n, y, n);
        CHECK_SAY(one == two, "%s, expected %s", warplu_status_name(one), warplu_status_name(two));
        CHECK(one < 0 || memcmp(x, y, doubles * sizeof *x) == 0);
    }
    CHECK(warplu_compute_pivot_growth(p->cuda, p->m.x, &g) == warplu_compute_pivot_growth(p->reference, p->m.x, &h) &&
          g == h);
}

/* Both replay varied values, which step 3 makes poor. *worst: raised to the status. */
static inline void replay_alike(pair *p, int step, warplu_status *worst)
{
    test_matrix_vary(&p->m, &seed, 0.3);
    for (int64_t q = 0; q < test_matrix_values(&p->m) && step == 3; q++)
        p->m.x[q] *= check_below(&seed, 4) == 0 ? 1e-13 : 1.0;
    warplu_status one = warplu_refactor(p->cuda, p->m.x), two = warplu_refactor(p->reference, p->m.x);
    CHECK_SAY(one == two, "%s, expected %s", warplu_status_name(one), warplu_status_name(two));
    if (one > *worst) *worst = one;
    compare_statistics(p);
    if (one >= 0) compare_solves(p);
}

/* Two unknowns, whose first pivot is weak for poor values. */
static const int32_t ptr[] = {0, 2, 4}, idx[] = {0, 1, 0, 1};
static const double good[] = {1, 1, 1, 2}, poor[] = {1e-16, 1, 1, 2}, b[] = {1, 3};

static inline warplu_solver *weak_solver(warplu_options *o)
{
    static warplu_solver *s;
    s = NULL;
    o->ordering = WARPLU_ORDERING_NATURAL;
    o->btf = 0;
    CHECK(create_cuda(&s, o) == WARPLU_SUCCESS && warplu_analyze(s, 2, ptr, idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(s, good) == WARPLU_SUCCESS);
    return s;
}

#endif
