/* The CUDA executor's host side against the reference executor: the same answers, statuses and statistics, by calls on
 * host and device pointers; and whatever call to the driver or to the allocator fails, the right status, no leak, and a
 * solver that goes on. The device is a fake one whose kernels are emulated (by_emulator.c). */
#include <warplu/device.h>
#include <warplu/inspect.h>

#include "host.h"

#include <math.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { K_MAX = 5000 };

static void same_answers_as_the_reference(void)
{
    warplu_status worst = WARPLU_SUCCESS;
    for (int round = 0; round < 150; round++) {
        pair p;
        test_recipe r = test_recipe_random(&seed, NMAX);
        if (round == 0) r = (test_recipe){.shape = TEST_DENSE, .n = NMAX}; /* its panels are large */
        if (round > 0 && !check_due()) continue;
        open_pair(&p, &r);
        CHECK(warplu_factor(p.cuda, p.m.x) == warplu_factor(p.reference, p.m.x));
        compare_statistics(&p);
        for (int step = 0; step < 6; step++) replay_alike(&p, step, &worst);
        close_pair(&p);
    }
    CHECK(kernel.apart > 0 && worst == WARPLU_REPIVOTED);
    printf("# %lld launches, %lld with panels apart; worst: %s\n", (long long)fake->launches, (long long)kernel.apart,
           warplu_status_name(worst));
}

/* The last column of U grows from row to row by 1 + below: with 1, growth is 2^-(n - 1). The first column is small,
 * which lowers the first bound. */
static void make_growing(test_matrix *m, int32_t n, double below)
{
    double *dense = calloc((size_t)n * (size_t)n, sizeof *dense);
    for (int32_t j = 0; j < n; j++)
        for (int32_t i = 0; i < n; i++)
            dense[j * n + i] = (i == j || j == n - 1 ? 1.0 : i > j ? -below : 0.0) * (j == 0 ? 0x1p-5 : 1.0);
    test_matrix_from_dense(m, n, dense);
    free(dense);
}

/* ------------------------------------------------------- device pointers */

static void enqueued_and_finished(void)
{
    pair p;
    double x[NMAX], y[NMAX];
    int stream;
    warplu_device_health h = {.size = sizeof h};
    const warplu_device_verdict *verdict = NULL;
    open_pair(&p, &grid);
    warplu_status status;
    int32_t n = p.m.n;
    double *values = by_emulator_on_device(p.m.x);
    CHECK(warplu_refactor_device(p.cuda, values, &stream) == WARPLU_WRONG_PHASE);
    CHECK(warplu_finish_device(p.cuda, NULL, &stream) == WARPLU_WRONG_PHASE);
    CHECK(warplu_get_device_health(p.cuda, &h) == WARPLU_WRONG_PHASE);
    CHECK(warplu_get_device_verdict(p.cuda, &verdict) == WARPLU_WRONG_PHASE && verdict == NULL);
    CHECK(warplu_factor(p.cuda, p.m.x) == WARPLU_SUCCESS && warplu_factor(p.reference, p.m.x) == WARPLU_SUCCESS);
    CHECK(warplu_refactor_device(p.cuda, NULL, &stream) == WARPLU_INVALID_ARGUMENT);
    p.reference->target.executor = &wlu_executor_reference;
    CHECK(warplu_refactor_device(p.reference, values, &stream) == WARPLU_NOT_COMPILED);
    CHECK(warplu_get_device_health(p.reference, &h) == WARPLU_NOT_COMPILED);
    CHECK(warplu_get_device_verdict(p.reference, &verdict) == WARPLU_NOT_COMPILED && verdict == NULL);
    p.reference->target.executor = &reference;
    CHECK(warplu_get_device_verdict(p.cuda, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_get_device_verdict(p.cuda, &verdict) == WARPLU_SUCCESS && verdict->generation == 1);
    for (uint32_t step = 2; step < 6; step++) {
        int64_t calls = fake->calls;
        test_matrix_vary(&p.m, &seed, 0.3);
        CHECK(warplu_refactor_device(p.cuda, values, &stream) == WARPLU_ENQUEUED);
        CHECK_SAY(fake->calls == calls + 3 + (computed_in == WARPLU_PRECISION_MIXED), "%lld calls",
                  (long long)(fake->calls - calls)); /* enter, launch, leave; a copy of the values */
        CHECK(warplu_solve(p.cuda, 1, p.b, n, x, n) == WARPLU_WRONG_PHASE);
        h = health_of(p.cuda);
        CHECK(h.generation == step && !h.failed && h.finite);
        CHECK(verdict->generation == step && !verdict->failed && verdict->verdict == h.verdict);
        CHECK(warplu_finish_device(p.cuda, step % 2 ? p.m.x : NULL, &stream) == WARPLU_SUCCESS);
        status = warplu_solve(p.cuda, 1, p.b, n, x, n); /* FP32 is not proven by warplu_factor */
        CHECK(status == WARPLU_SUCCESS ||
              (status == WARPLU_UNCHECKED && computed_in == WARPLU_PRECISION_SINGLE && step % 2 == 0));
        CHECK(warplu_refactor(p.reference, p.m.x) == WARPLU_SUCCESS &&
              warplu_solve(p.reference, 1, p.b, n, y, n) == WARPLU_SUCCESS);
        CHECK(memcmp(x, y, (size_t)n * sizeof *x) == 0);
    }
    CHECK(warplu_solve_device(p.cuda, 0, 1, values, n - 1, values, n, &stream) == WARPLU_INVALID_ARGUMENT);
    close_pair(&p);
}

/* The health's struct as an older header has it, and as a newer one. */
static void sizes_of_the_health(void)
{
    struct {
        warplu_device_health known;
        double more;
    } newer = {.known = {.size = sizeof newer}, .more = 7.0};
    warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
    warplu_solver *s = weak_solver(&o);
    warplu_device_health all = health_of(s), older = {.size = offsetof(warplu_device_health, finite), .finite = 77};
    CHECK(warplu_get_device_health(s, &older) == WARPLU_SUCCESS &&
          older.size == offsetof(warplu_device_health, finite));
    CHECK(older.drift == all.drift && older.smallest_pivot == all.smallest_pivot && older.finite == 77 &&
          all.finite == 1);
    CHECK(warplu_get_device_health(s, &newer.known) == WARPLU_SUCCESS && newer.more == 7.0);
    CHECK(newer.known.size == sizeof all && memcmp(&newer.known, &all, sizeof all) == 0);
    older.size = sizeof older.size - 1;
    CHECK(warplu_get_device_health(s, &older) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_get_device_health(s, NULL) == WARPLU_INVALID_ARGUMENT);
    warplu_destroy(&s);
    nothing_is_left("sizes");
}

/* A graph launches again without the library. */
static void graphs_are_followed(void)
{
    pair p;
    double x[NMAX], y[NMAX];
    int stream;
    open_pair(&p, &grid);
    int32_t n = p.m.n;
    CHECK(warplu_factor(p.cuda, p.m.x) == WARPLU_SUCCESS && warplu_factor(p.reference, p.m.x) == WARPLU_SUCCESS);
    CHECK(warplu_refactor_device(p.cuda, by_emulator_on_device(p.m.x), &stream) == WARPLU_ENQUEUED);
    for (int step = 0; step < 3; step++) {
        test_matrix_vary(&p.m, &seed, 0.3);
        by_emulator_again(&kernel);
        CHECK(warplu_finish_device(p.cuda, NULL, &stream) == WARPLU_SUCCESS);
        CHECK(warplu_refactor(p.reference, p.m.x) == WARPLU_SUCCESS);
        CHECK(warplu_solve(p.cuda, 1, p.b, n, x, n) == WARPLU_SUCCESS &&
              warplu_solve(p.reference, 1, p.b, n, y, n) == WARPLU_SUCCESS);
        CHECK(memcmp(x, y, (size_t)n * sizeof *x) == 0);
    }
    close_pair(&p);
}

static void weak_replays_on_the_device(void)
{
    warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
    warplu_solver *s = weak_solver(&o);
    const warplu_device_verdict *before, *after;
    const double *weak = by_emulator_on_device(poor);
    double x[2];
    CHECK(warplu_refactor_device(s, weak, NULL) == WARPLU_ENQUEUED);
    CHECK(warplu_finish_device(s, NULL, NULL) == WARPLU_WEAK);
    warplu_status unchecked = warplu_solve(s, 1, b, 2, x, 2);
    if (computed_in == WARPLU_PRECISION_MIXED) /* the device has checked it */
        CHECK(unchecked == WARPLU_INACCURATE ||
              (unchecked == WARPLU_SUCCESS && fabs(x[1] - 1.0) < 1e-12 && fabs(x[0] - 1.0) < 1e-12));
    else
        CHECK(unchecked == WARPLU_UNCHECKED);
    CHECK(warplu_refactor_device(s, weak, NULL) == WARPLU_ENQUEUED);
    CHECK(warplu_get_device_verdict(s, &before) == WARPLU_SUCCESS && before->generation == 3);
    CHECK(warplu_finish_device(s, poor, NULL) == WARPLU_REPIVOTED);
    CHECK(warplu_get_device_verdict(s, &after) == WARPLU_SUCCESS && after != before && after->generation == 1);
    CHECK(warplu_solve(s, 1, b, 2, x, 2) == WARPLU_SUCCESS && fabs(x[1] - 1.0) < 1e-12 && fabs(x[0] - 1.0) < 1e-12);
    CHECK(warplu_refactor_device(s, weak, NULL) == WARPLU_ENQUEUED);
    CHECK(warplu_finish_device(s, poor, NULL) == WARPLU_SUCCESS);
    warplu_destroy(&s);
    nothing_is_left("weak");
}

/* A weak step solved for without the host: NaN where its pivots would be mended, what comes out where the options keep
 * them. */
static void weak_solutions_are_withheld(void)
{
    static const struct {
        warplu_check check;
        warplu_on_weak on_weak;
        int withheld;
    } cases[] = {{WARPLU_CHECK_SUSPECT, WARPLU_ON_WEAK_REPIVOT, 1},
                 {WARPLU_CHECK_ALWAYS, WARPLU_ON_WEAK_REPIVOT, 1},
                 {WARPLU_CHECK_OFF, WARPLU_ON_WEAK_REPIVOT, 0},
                 {WARPLU_CHECK_SUSPECT, WARPLU_ON_WEAK_REFINE, 0},
                 {WARPLU_CHECK_SUSPECT, WARPLU_ON_WEAK_REPORT, 0}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
        o.check = cases[c].check;
        o.on_weak = cases[c].on_weak;
        warplu_solver *s = weak_solver(&o);
        const warplu_device_verdict *now;
        double x[2] = {7, 7}, *to = by_emulator_on_device(x);
        const double *from = by_emulator_on_device(b);
        CHECK(warplu_get_device_verdict(s, &now) == WARPLU_SUCCESS && now->verdict == WARPLU_VERDICT_HEALTHY);
        CHECK(warplu_refactor_device(s, by_emulator_on_device(poor), NULL) == WARPLU_ENQUEUED);
        CHECK(warplu_solve_device(s, 0, 1, from, 2, to, 2, NULL) == WARPLU_ENQUEUED);
        CHECK_SAY(now->verdict == WARPLU_VERDICT_WEAK && isnan(x[0]) == cases[c].withheld &&
                      isnan(x[1]) == cases[c].withheld,
                  "case %d: verdict %d, x = %g, %g", (int)c, now->verdict, x[0], x[1]);
        CHECK(warplu_refactor_device(s, by_emulator_on_device(good), NULL) == WARPLU_ENQUEUED);
        CHECK(warplu_solve_device(s, 0, 1, from, 2, to, 2, NULL) == WARPLU_ENQUEUED);
        CHECK(now->verdict == WARPLU_VERDICT_HEALTHY && x[0] == -1.0 && x[1] == 2.0);
        warplu_destroy(&s);
        nothing_is_left("withheld");
    }
}

/* Mixed precision, of a Hilbert matrix, and then of one that FP32 can solve: NaN or the best there is, counted in the
 * record, said at the end; and nothing of it in the next replay's. */
static void what_FP32_cannot_solve_on_the_device(void)
{
    enum { N = 12, SIDES = 2 };
    int32_t ptr_of[N + 1], idx_of[N * N];
    double hard[N * N], easy[N * N], rhs[SIDES * N], x[SIDES * N];
    for (int32_t j = 0; j <= N; j++) ptr_of[j] = N * j;
    for (int32_t q = 0; q < N * N; q++) {
        idx_of[q] = q % N;
        hard[q] = 1.0 / (q % N + q / N + 1);
        easy[q] = hard[q] + (q % N == q / N ? 4.0 : 0.0);
    }
    for (int32_t i = 0; i < SIDES * N; i++) rhs[i] = i < N ? i % 3 - 1.0 : 0.0; /* x = 0 for the second is right */
    for (int kept = 0; kept <= 1; kept++) {
        warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
        warplu_solver *s = NULL;
        const double *from = by_emulator_on_device(rhs);
        double *to = by_emulator_on_device(x);
        if (kept) o.check = WARPLU_CHECK_OFF;
        CHECK(create_cuda(&s, &o) == WARPLU_SUCCESS && warplu_analyze(s, N, ptr_of, idx_of, NULL) == WARPLU_SUCCESS);
        CHECK(warplu_factor(s, hard) == WARPLU_SUCCESS);
        for (int in_one = 0; in_one <= 1; in_one++) {
            const double *values = by_emulator_on_device(hard);
            if (in_one) {
                CHECK(warplu_refactor_solve_device(s, values, 0, SIDES, from, N, to, N, NULL) == WARPLU_ENQUEUED);
            } else {
                CHECK(warplu_refactor_device(s, values, NULL) == WARPLU_ENQUEUED &&
                      health_of(s).backward_error == -1.0);
                CHECK(warplu_solve_device(s, 0, SIDES, from, N, to, N, NULL) == WARPLU_ENQUEUED);
            }
            warplu_device_health h = health_of(s);
            CHECK_SAY(h.inaccurate == 1 && h.backward_error > 1e-10, "%u inaccurate, %g", (unsigned)h.inaccurate,
                      h.backward_error);
            int weak = h.verdict == WARPLU_VERDICT_WEAK;
            for (int32_t i = 0; i < N; i++)
                CHECK(isnan(x[i]) == !kept && (weak && !kept ? isnan(x[N + i]) : x[N + i] == 0.0));
            warplu_status status = warplu_finish_device(s, NULL, NULL);
            CHECK_SAY(status == (weak && !kept ? WARPLU_WEAK : WARPLU_INACCURATE), "%s", warplu_status_name(status));
        }
        CHECK(warplu_refactor_solve_device(s, by_emulator_on_device(easy), 0, SIDES, from, N, to, N, NULL) ==
              WARPLU_ENQUEUED);
        warplu_device_health h = health_of(s);
        CHECK_SAY(h.inaccurate == 0 && h.backward_error >= 0.0 && h.backward_error < 1e-14, "%u inaccurate, %g",
                  (unsigned)h.inaccurate, h.backward_error);
        CHECK(h.refinement_steps >= 1 && warplu_finish_device(s, NULL, NULL) == WARPLU_SUCCESS);
        warplu_destroy(&s);
        nothing_is_left("what FP32 cannot solve");
    }
}

/* |l| = 1e7, and yet the factors solve: what the host has proven the device withholds no more, until the next replay.
 */
static void proven_replays_are_not_withheld(void)
{
    static const double large[] = {1, 1e7, 0, 1}, rhs[] = {1, 3};
    warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
    warplu_solver *s = weak_solver(&o);
    const warplu_device_verdict *now;
    double x[2], *to = by_emulator_on_device(x);
    const double *from = by_emulator_on_device(rhs), *values = by_emulator_on_device(large);
    CHECK(warplu_get_device_verdict(s, &now) == WARPLU_SUCCESS);
    for (int step = 0; step < 2; step++) {
        CHECK(warplu_refactor_device(s, values, NULL) == WARPLU_ENQUEUED && now->verdict == WARPLU_VERDICT_WEAK);
        CHECK(warplu_solve_device(s, 0, 1, from, 2, to, 2, NULL) == WARPLU_ENQUEUED && isnan(x[0]) && isnan(x[1]));
        CHECK(warplu_finish_device(s, large, NULL) == WARPLU_UNCHECKED && now->verdict == WARPLU_VERDICT_SUSPECT);
        CHECK(warplu_solve_device(s, 0, 1, from, 2, to, 2, NULL) == WARPLU_ENQUEUED && x[0] == 1.0 &&
              x[1] == 3.0 - 1e7);
    }
    CHECK(warplu_refactor(s, large) == WARPLU_SUCCESS && now->verdict == WARPLU_VERDICT_SUSPECT);
    CHECK(warplu_solve_device(s, 0, 1, from, 2, to, 2, NULL) == WARPLU_ENQUEUED && x[0] == 1.0);
    warplu_destroy(&s);
    nothing_is_left("proven");
}

/* Values of the device, of entries that are named more than once. */
static void duplicates_on_the_device(void)
{
    pair p;
    double x[NMAX], y[NMAX];
    int stream;
    test_recipe r = {.shape = TEST_GRID, .n = 36, .duplicates = 1};
    int64_t gathers = kernel.gathers;
    open_pair(&p, &r);
    int32_t n = p.m.n;
    CHECK(warplu_factor(p.cuda, p.m.x) == WARPLU_SUCCESS && warplu_factor(p.reference, p.m.x) == WARPLU_SUCCESS);
    CHECK(p.cuda->current.plan->program->gather != NULL);
    for (int step = 0; step < 4; step++) {
        test_matrix_vary(&p.m, &seed, 0.1);
        CHECK(warplu_refactor_device(p.cuda, by_emulator_on_device(p.m.x), &stream) == WARPLU_ENQUEUED);
        CHECK(warplu_solve_device(p.cuda, 0, 1, by_emulator_on_device(p.b), n, by_emulator_on_device(x), n, &stream) ==
              WARPLU_ENQUEUED);
        CHECK(warplu_refactor(p.reference, p.m.x) == WARPLU_SUCCESS &&
              warplu_solve(p.reference, 1, p.b, n, y, n) == WARPLU_SUCCESS);
        CHECK(memcmp(x, y, (size_t)n * sizeof *x) == 0);
    }
    CHECK(kernel.gathers == gathers + 4);
    close_pair(&p);
}

static void given_up(void)
{
    pair p;
    double x[NMAX];
    open_pair(&p, &grid);
    CHECK(warplu_factor(p.cuda, p.m.x) == WARPLU_SUCCESS);
    kernel.give_up = 1;
    CHECK(warplu_refactor(p.cuda, p.m.x) == WARPLU_DEVICE_FAILED);
    CHECK(warplu_solve(p.cuda, 1, p.b, p.m.n, x, p.m.n) == WARPLU_WRONG_PHASE);
    CHECK(warplu_refactor(p.cuda, p.m.x) == WARPLU_SUCCESS &&
          warplu_solve(p.cuda, 1, p.b, p.m.n, x, p.m.n) == WARPLU_SUCCESS);
    kernel.give_up = 1;
    CHECK(warplu_refactor_device(p.cuda, by_emulator_on_device(p.m.x), NULL) == WARPLU_ENQUEUED);
    CHECK(health_of(p.cuda).failed && warplu_finish_device(p.cuda, p.m.x, NULL) == WARPLU_DEVICE_FAILED);
    CHECK(warplu_refactor(p.cuda, p.m.x) == WARPLU_SUCCESS);
    close_pair(&p);
}

static void growth_is_decided(void)
{
    warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
    pair p = {.cuda = NULL};
    test_matrix growing;
    make_growing(&p.m, 15, 0.01);
    make_growing(&growing, 15, 1.0);
    o.ordering = WARPLU_ORDERING_NATURAL;
    o.scaling = WARPLU_SCALING_NONE;
    o.btf = 0;
    CHECK(create_cuda(&p.cuda, &o) == WARPLU_SUCCESS && create_reference(&p.reference, o) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(p.cuda, p.m.n, p.m.ptr, p.m.idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_analyze(p.reference, p.m.n, p.m.ptr, p.m.idx, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_factor(p.cuda, p.m.x) == WARPLU_SUCCESS && warplu_factor(p.reference, p.m.x) == WARPLU_SUCCESS);
    CHECK(warplu_refactor(p.reference, growing.x) == WARPLU_SUCCESS &&
          warplu_refactor(p.cuda, growing.x) == WARPLU_SUCCESS);
    compare_statistics(&p);
    for (int given = 0; given <= 1; given++) {
        CHECK(warplu_refactor_device(p.cuda, by_emulator_on_device(growing.x), NULL) == WARPLU_ENQUEUED);
        CHECK(warplu_finish_device(p.cuda, given ? growing.x : NULL, NULL) == WARPLU_SUCCESS);
        warplu_statistics s = {.size = sizeof s}, t = {.size = sizeof t};
        CHECK(warplu_get_statistics(p.cuda, &s) == WARPLU_SUCCESS &&
              warplu_get_statistics(p.reference, &t) == WARPLU_SUCCESS);
        CHECK(s.pivot_growth == t.pivot_growth);
    }
    test_matrix_free(&growing);
    close_pair(&p);
}

/* ------------------------------------------------------ failing everything */

/* A life of which any call to the driver, or any allocation, fails: each step is taken again if it did not succeed, and
 * then must. */
typedef struct life {
    warplu_solver *solver, *clone;
    test_matrix m;
    test_allocator memory;
    warplu_strategy strategy;
    int of_memory, failures;
    const char *step;
} life;

/* While the driver is opened there is no device, whatever fails. */
static warplu_status status_of_failure(const life *l)
{
    if (l->of_memory) return WARPLU_OUT_OF_MEMORY;
    if (strcmp(fake->failed, "cuInit") == 0 || strcmp(fake->failed, "cuDeviceGetCount") == 0) return WARPLU_NO_DEVICE;
    return fake->failure == WLU_CU_OUT_OF_MEMORY ? WARPLU_OUT_OF_MEMORY
           : fake->failure == WLU_CU_NO_DEVICE   ? WARPLU_NO_DEVICE
                                                 : WARPLU_DEVICE_FAILED;
}

/* Whether the step has to be taken again; what fails is mended for that. Where memory lacks for stricter pivots, those
 * at hand stay, unproven: of solves with A' nobody can say more then. */
static int failed(life *l, const char *step, warplu_status status, warplu_status expected)
{
    l->step = step;
    if (status == expected || (l->of_memory && status == WARPLU_UNCHECKED)) return 0;
    CHECK_SAY(status == status_of_failure(l), "%s: %s", step, warplu_status_name(status));
    l->failures++;
    fake->fail_at = l->memory.fail_at = 0;
    CHECK_SAY(l->failures == 1, "%s fails once more", step);
    return l->failures == 1;
}

#define STEP(l, call, expected) \
    do { \
    } while (failed((l), #call, (call), (expected)))

static void take_steps(life *l, const double *values, const double *rhs, double *x)
{
    warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
    o.device_strategy = l->strategy;
    int32_t n = l->m.n;
    double condition;
    int stream;
    test_use_allocator(&o, &l->memory);
    l->memory.fail_at = l->of_memory;
    STEP(l, create_cuda(&l->solver, &o), WARPLU_SUCCESS);
    STEP(l, warplu_analyze(l->solver, n, l->m.ptr, l->m.idx, l->m.x), WARPLU_SUCCESS);
    STEP(l, warplu_factor(l->solver, l->m.x), WARPLU_SUCCESS);
    STEP(l, warplu_solve(l->solver, 4, rhs, n, x, n), WARPLU_SUCCESS);
    STEP(l, warplu_refactor(l->solver, values), WARPLU_SUCCESS);
    STEP(l, warplu_estimate_condition(l->solver, values, &condition), WARPLU_SUCCESS);
    STEP(l, warplu_solve_transposed(l->solver, 4, rhs, n, x, n), WARPLU_SUCCESS);
    STEP(l, warplu_clone(&l->clone, l->solver), WARPLU_SUCCESS);
    STEP(l, warplu_refactor(l->clone, values), WARPLU_SUCCESS);
    STEP(l, warplu_solve(l->clone, 1, rhs, n, x, n), WARPLU_SUCCESS);
    STEP(l, warplu_refactor_device(l->solver, by_emulator_on_device(values), &stream), WARPLU_ENQUEUED);
    STEP(l, warplu_finish_device(l->solver, values, &stream), WARPLU_SUCCESS);
    STEP(l, warplu_solve(l->solver, 1, rhs, n, x, n), WARPLU_SUCCESS);
}

typedef struct kind {
    test_recipe recipe;
    warplu_strategy strategy;
} kind;

enum { KINDS = 3 };
static const kind lives[KINDS] = {{{.shape = TEST_BLOCKS, .n = 12}, WARPLU_STRATEGY_FLOW},
                                  {{.shape = TEST_DENSE, .n = 30}, WARPLU_STRATEGY_FLOW},
                                  {{.shape = TEST_BLOCKS, .n = 12}, WLU_STRATEGY_LAUNCHES}};

/* Allocation of_memory fails, or where that is 0, call k to the driver and where lasting those after it. 0: there are
 * fewer. */
static int live(const kind *of, int64_t k, int lasting, int of_memory)
{
    life l = {.strategy = of->strategy, .of_memory = of_memory ? (int)k : 0};
    uint64_t same = 77;
    double rhs[4 * NMAX], x[4 * NMAX], y[NMAX];
    test_matrix_random(&l.m, &same, &of->recipe);
    double *values = malloc((size_t)l.m.nnz * sizeof *values);
    for (int32_t q = 0; q < l.m.nnz; q++) values[q] = l.m.x[q] * (1.0 + 0.1 * check_uniform(&same));
    for (int q = 0; q < 4 * NMAX; q++) rhs[q] = check_uniform(&same) - 0.5;
    fake->calls = 0;
    fake->lasting = fake->sure_contexts = lasting;
    fake->failure = k % 3 == 0 ? WLU_CU_OUT_OF_MEMORY : k % 3 == 1 ? INVALID : WLU_CU_NO_DEVICE;
    fake->fail_at = of_memory ? 0 : k;
    take_steps(&l, values, rhs, x);
    int64_t counted = of_memory ? l.memory.calls : fake->calls;
    fake->fail_at = l.memory.fail_at = 0;
    CHECK(warplu_refactor(l.solver, values) == WARPLU_SUCCESS &&
          warplu_solve(l.solver, 1, rhs, l.m.n, y, l.m.n) == WARPLU_SUCCESS);
    CHECK_SAY(memcmp(x, y, (size_t)l.m.n * sizeof *x) == 0, "failure %lld: other bits", (long long)k);
    warplu_destroy(&l.solver);
    warplu_destroy(&l.clone);
    CHECK_SAY(l.memory.alive == 0, "failure %lld: %lld blocks of memory", (long long)k, (long long)l.memory.alive);
    nothing_is_left("a life");
    test_matrix_free(&l.m);
    free(values);
    return counted >= k;
}

static void count_failures(int lasting, int of_memory)
{
    for (int c = 0; c < KINDS; c++) {
        if (computed_in == WARPLU_PRECISION_MIXED && lives[c].strategy != WARPLU_STRATEGY_FLOW) continue;
        int64_t k = 1;
        int before = check_failures;
        while (k < K_MAX && (!check_due() || live(&lives[c], k, lasting, of_memory)) && check_failures - before < 10)
            k++;
        printf("# %lld calls\n", (long long)(k - 1));
        CHECK(k > 50 && k < K_MAX);
    }
}

static void any_call_may_fail(void)
{
    count_failures(0, 0);
}

/* Kernels are loaded once in a process: each failure in one of its own, before this one loads them. */
static void loading_may_fail(void)
{
    enum { CALLS = 56 }; /* that open the driver and load */
    for (int64_t k = 1; k <= CALLS; k++)
        for (int lasting = 0; lasting <= 1; lasting++) {
            int ended = 0;
            if (!check_due()) continue;
            fflush(stdout);
            pid_t child = fork();
            if (child == 0) {
                live(&lives[0], k, lasting, 0);
                fflush(stdout);
                _exit(check_failures > 0);
            }
            CHECK(child > 0 && waitpid(child, &ended, 0) == child && WIFEXITED(ended));
            CHECK_SAY(WEXITSTATUS(ended) == 0, "call %lld", (long long)k);
        }
}

static void all_from_one_on_may_fail(void)
{
    count_failures(1, 0);
}

static void any_allocation_may_fail(void)
{
    count_failures(0, 1);
}

/* A destruction says nothing, and keeps nothing. */
static void destruction_may_fail(void)
{
    int64_t k = 0, calls;
    do {
        pair p;
        open_pair(&p, &lives[0].recipe);
        CHECK(warplu_factor(p.cuda, p.m.x) == WARPLU_SUCCESS);
        fake->calls = 0;
        fake->failure = INVALID;
        fake->lasting = 0;
        fake->sure_contexts = 1;
        fake->fail_at = ++k;
        warplu_destroy(&p.cuda);
        calls = fake->calls;
        fake->fail_at = 0;
        close_pair(&p);
    } while (k < calls && k < K_MAX);
    CHECK(k >= 8 && k < K_MAX);
}

int main(void)
{
    if (!open_fake()) return 1;
    RUN(loading_may_fail);
    RUN(any_call_may_fail);
    RUN(all_from_one_on_may_fail);
    RUN(any_allocation_may_fail);
    RUN(destruction_may_fail);
    RUN(same_answers_as_the_reference);
    RUN(enqueued_and_finished);
    RUN(sizes_of_the_health);
    RUN(graphs_are_followed);
    RUN(given_up);
    for (int k = WARPLU_STRATEGY_FLOW; k <= (int)WLU_STRATEGY_LAUNCHES; k++) {
        replayed_by = (warplu_strategy)k;
        RUN(weak_replays_on_the_device);
        RUN(weak_solutions_are_withheld);
        RUN(proven_replays_are_not_withheld);
        RUN(duplicates_on_the_device);
        RUN(growth_is_decided);
    }
    replayed_by = WARPLU_STRATEGY_FLOW;
    for (int k = WARPLU_PRECISION_SINGLE; k <= WARPLU_PRECISION_MIXED; k++) {
        computed_in = (warplu_precision)k;
        RUN(same_answers_as_the_reference);
        RUN(enqueued_and_finished);
        RUN(weak_replays_on_the_device);
        RUN(weak_solutions_are_withheld);
        RUN(duplicates_on_the_device);
    }
    RUN(what_FP32_cannot_solve_on_the_device);
    computed_in = WARPLU_PRECISION_DOUBLE;
    made_of = WARPLU_SCALAR_COMPLEX;
    RUN(same_answers_as_the_reference);
    made_of = WARPLU_SCALAR_REAL;
    computed_in = WARPLU_PRECISION_MIXED;
    RUN(any_call_may_fail);
    RUN(any_allocation_may_fail);
    RUN(destruction_may_fail);
    return check_done();
}
