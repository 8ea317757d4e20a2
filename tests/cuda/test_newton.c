/* Newton steps as a graph: values copied from pinned memory, J and f computed of them on the device, a refactorization
 * and a solve, by two calls or one, and a transposed solve in place, the record of the health noted, the step taken.
 * Captured once, replayed many times without a wait in between: each replay's values follow from the last one's
 * solution. Now and then J is spoiled: x is NaN where the record says weak, and later replays are good again. The host
 * follows with the reference executor, bit by bit.
 *
 * Skipped where there is no device; needs nothing of the build folder but itself. Built with FAKE_CUDA_PATH it runs on
 * the fake driver, whose graphs are lists of launches and copies. */
#include <warplu/device.h>

#include "check.h"

#include "device/kernels.h"
#include "exec/device/resident.h"
#include "follow.h"
#include "newton.h"
#include "support/options.h"

#include <math.h>
#include <string.h>

extern const unsigned char wlu_fatbin_newton[];

#ifdef FAKE_CUDA_PATH
#include "by_emulator.h"

enum { PER_BURST = 10, BURSTS = 4, SMALLER = 3 };
#else
enum { PER_BURST = 100, BURSTS = 10, SMALLER = 1 };
#endif

enum { STEPS = PER_BURST * BURSTS };

/* On the host: `here` follows the device, `back` is what came back from there; both laid out as the device's block. */
typedef struct newton {
    warplu_solver *s;
    follower reference;
    const test_matrix *m;
    double *bases, *pinned; /* values of A: of each burst; on their way */
    wlu_cu_handle stream, module, stamp, note, graph;
    wlu_cu_address block;
    newton_system on_device, here, back;
    char *memory; /* of here and of back */
    int32_t found[WLU_WEAK + 1];
    int other_bits, other_health, not_withheld;
} newton;

static uint64_t seed = 2027;

/* ------------------------------------------------------------------- cases */

typedef struct newton_case {
    const char *name;
    test_recipe recipe;
    warplu_strategy strategy;
    int mixed;  /* the program has tiles too, however small it is */
    int in_one; /* refactorization and solve are one call */
    warplu_precision precision;
    int checked; /* every solve is */
} newton_case;

static const newton_case cases[] = {
    {"a grid", {.shape = TEST_GRID, .n = 900}, WARPLU_STRATEGY_FLOW, 0, 0, WARPLU_PRECISION_DOUBLE, 0},
    {"a grid, with tiles", {.shape = TEST_GRID, .n = 900}, WARPLU_STRATEGY_FLOW, 1, 0, WARPLU_PRECISION_DOUBLE, 0},
    {"a grid, with tiles, in one call",
     {.shape = TEST_GRID, .n = 900},
     WARPLU_STRATEGY_FLOW,
     1,
     1,
     WARPLU_PRECISION_DOUBLE,
     0},
    {"blocks", {.shape = TEST_BLOCKS, .n = 500}, WARPLU_STRATEGY_FLOW, 1, 0, WARPLU_PRECISION_DOUBLE, 0},
    {"a dense matrix", {.shape = TEST_DENSE, .n = 160}, WARPLU_STRATEGY_FLOW, 1, 0, WARPLU_PRECISION_DOUBLE, 0},
    {"duplicates",
     {.shape = TEST_GRID, .n = 400, .duplicates = 1},
     WARPLU_STRATEGY_FLOW,
     1,
     0,
     WARPLU_PRECISION_DOUBLE,
     0},
    {"duplicates in one call",
     {.shape = TEST_GRID, .n = 400, .duplicates = 1},
     WARPLU_STRATEGY_FLOW,
     1,
     1,
     WARPLU_PRECISION_DOUBLE,
     0},
    {"duplicates by levels",
     {.shape = TEST_GRID, .n = 400, .duplicates = 1},
     WLU_STRATEGY_LAUNCHES,
     0,
     0,
     WARPLU_PRECISION_DOUBLE,
     0},
    {"a grid by graphs of levels, in one call",
     {.shape = TEST_GRID, .n = 400},
     WARPLU_STRATEGY_LEVELS,
     0,
     1,
     WARPLU_PRECISION_DOUBLE,
     0},
    {"a grid, with tiles, in FP32",
     {.shape = TEST_GRID, .n = 900},
     WARPLU_STRATEGY_FLOW,
     1,
     1,
     WARPLU_PRECISION_SINGLE,
     0},
    {"a grid by levels, in FP32",
     {.shape = TEST_GRID, .n = 400},
     WLU_STRATEGY_LAUNCHES,
     0,
     0,
     WARPLU_PRECISION_SINGLE,
     0},
    {"a grid, with tiles, in mixed precision",
     {.shape = TEST_GRID, .n = 900},
     WARPLU_STRATEGY_FLOW,
     1,
     0,
     WARPLU_PRECISION_MIXED,
     0},
    {"duplicates in mixed precision, in one call",
     {.shape = TEST_GRID, .n = 400, .duplicates = 1},
     WARPLU_STRATEGY_FLOW,
     1,
     1,
     WARPLU_PRECISION_MIXED,
     0},
    {"blocks, checked, in one call",
     {.shape = TEST_BLOCKS, .n = 500},
     WARPLU_STRATEGY_FLOW,
     1,
     1,
     WARPLU_PRECISION_DOUBLE,
     1},
};

static const newton_case *of; /* the case that runs */

/* --------------------------------------------------------------- the block */

static size_t bytes_of(const test_matrix *m)
{
    size_t n = (size_t)m->n, nnz = (size_t)m->nnz;
    return 8 * (2 * nnz + 5 * n + 2 * n * STEPS) + STEPS * (sizeof(wlu_device_health) + sizeof(warplu_device_verdict)) +
           8 * ((n + nnz + 3) / 2);
}

static newton_system lay_out(char *block, const test_matrix *m)
{
    size_t n = (size_t)m->n, nnz = (size_t)m->nnz;
    double *a = (double *)(void *)block, *load = a + nnz, *x = load + n, *values = x + n, *f = values + nnz,
           *dx = f + n, *y = dx + n;
    double *noted = y + n;
    wlu_device_health *records = (wlu_device_health *)(void *)(noted + 2 * n * STEPS);
    warplu_device_verdict *verdicts = (warplu_device_verdict *)(void *)(records + STEPS);
    int32_t *step = (int32_t *)(void *)(verdicts + STEPS), *ptr = step + 1, *idx = ptr + n + 1;
    return (newton_system){ptr, idx, a, load, x, values, f, dx, y, noted, NULL, NULL, records, verdicts, step, m->n};
}

static wlu_cu_address address(const void *on_device)
{
    return (wlu_cu_address)(uintptr_t)on_device;
}

/* Bursts' values, and the device's block as it is before the first step. */
static void fill(newton *t)
{
    const test_matrix *m = t->m;
    double *load = (double *)(uintptr_t)t->here.load;
    for (int64_t k = 0; k < BURSTS * (int64_t)m->nnz; k++)
        t->bases[k] = m->x[k % m->nnz] * (0.95 + 0.1 * check_uniform(&seed));
    for (int32_t i = 0; i < m->n; i++) load[i] = check_uniform(&seed) - 0.5;
    memcpy((int32_t *)(uintptr_t)t->here.ptr, m->ptr, ((size_t)m->n + 1) * sizeof *m->ptr);
    memcpy((int32_t *)(uintptr_t)t->here.idx, m->idx, (size_t)m->nnz * sizeof *m->idx);
}

static int place(newton *t)
{
    size_t bytes = bytes_of(t->m), values = (size_t)t->m->nnz * sizeof(double);
    void *pinned = NULL;
    t->memory = calloc(2, bytes);
    t->bases = malloc(BURSTS * values);
    t->here = lay_out(t->memory, t->m);
    t->back = lay_out(t->memory + bytes, t->m);
    fill(t);
    int placed = wlu_cuda.alloc(&t->block, bytes) == 0 && wlu_cuda.host_alloc(&pinned, values, WLU_CU_HOST_MAPPED) == 0;
    t->pinned = pinned;
    t->on_device = lay_out((char *)(uintptr_t)t->block, t->m);
    t->on_device.record = wlu_resident_of(t->s->current.state)->health;
    return placed && warplu_get_device_verdict(t->s, &t->on_device.verdict) == WARPLU_SUCCESS &&
           wlu_cuda.stream_create(&t->stream, WLU_CU_STREAM_NON_BLOCKING) == 0 &&
           wlu_cuda.to_device(t->block, t->memory, bytes, t->stream) == 0 && wlu_cuda.stream_wait(t->stream) == 0 &&
           wlu_cuda_load(&t->s->ctx, wlu_fatbin_newton, &t->module) == WARPLU_SUCCESS &&
           wlu_cuda.module_function(&t->stamp, t->module, "newton_stamp") == 0 &&
           wlu_cuda.module_function(&t->note, t->module, "newton_note") == 0;
}

static void take_away(newton *t)
{
    CHECK(t->graph == NULL || wlu_cuda.graph_unmake(t->graph) == 0);
    CHECK(t->module == NULL || wlu_cuda.module_unload(t->module) == 0);
    CHECK(t->pinned == NULL || wlu_cuda.host_free(t->pinned) == 0);
    CHECK(t->block == 0 || wlu_cuda.free(t->block) == 0);
    CHECK(t->stream == NULL || wlu_cuda.stream_destroy(t->stream) == 0);
    free(t->memory);
    free(t->bases);
}

/* --------------------------------------------------------------- the graph */

static int launch(newton *t, wlu_cu_handle kernel, unsigned grid)
{
    void *parameters[] = {&t->on_device};
    return wlu_cuda.launch(kernel, grid, 1, 1, NEWTON_THREADS, 1, 1, 0, t->stream, parameters, NULL) == 0;
}

static void enqueue(newton *t)
{
    const newton_system *d = &t->on_device;
    size_t n = (size_t)d->n * sizeof(double);
    double *dx = (double *)(uintptr_t)d->dx, *y = (double *)(uintptr_t)d->y;
    CHECK(wlu_cuda.to_device(address(d->a), t->pinned, (size_t)t->m->nnz * sizeof(double), t->stream) == 0);
    CHECK(launch(t, t->stamp, (unsigned)(d->n + NEWTON_THREADS - 1) / NEWTON_THREADS));
    if (of->in_one) {
        CHECK(warplu_refactor_solve_device(t->s, d->values, 0, 1, d->f, d->n, dx, d->n, t->stream) == WARPLU_ENQUEUED);
    } else {
        CHECK(warplu_refactor_device(t->s, d->values, t->stream) == WARPLU_ENQUEUED);
        CHECK(warplu_solve_device(t->s, 0, 1, d->f, d->n, dx, d->n, t->stream) == WARPLU_ENQUEUED);
    }
    CHECK(wlu_cuda.on_device(address(y), address(d->f), n, t->stream) == 0);
    CHECK(warplu_solve_device(t->s, 1, 1, y, d->n, y, d->n, t->stream) == WARPLU_ENQUEUED);
    CHECK(launch(t, t->note, 1));
}

static int capture(newton *t)
{
    wlu_cu_handle captured = NULL;
    CHECK(wlu_cuda.capture_begin(t->stream, WLU_CU_CAPTURE_OF_THREAD) == 0);
    enqueue(t);
    CHECK(wlu_cuda.capture_end(t->stream, &captured) == 0);
    int made = captured != NULL && wlu_cuda.graph_make(&t->graph, captured, 0) == 0;
    CHECK(captured == NULL || wlu_cuda.graph_destroy(captured) == 0);
    return made;
}

/* A burst's replays follow each other without the host. */
static void replay(newton *t)
{
    size_t values = (size_t)t->m->nnz;
    for (size_t burst = 0; burst < BURSTS; burst++) {
        memcpy(t->pinned, t->bases + burst * values, values * sizeof(double));
        for (int k = 0; k < PER_BURST; k++) CHECK(wlu_cuda.graph_launch(t->graph, t->stream) == 0);
        CHECK(wlu_cuda.stream_wait(t->stream) == 0);
    }
    size_t bytes = bytes_of(t->m);
    CHECK(wlu_cuda.to_host(t->memory + bytes, t->block, bytes, t->stream) == 0 && wlu_cuda.stream_wait(t->stream) == 0);
}

/* ------------------------------------------------------------ the reference */

static int same(const double *a, const double *b, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (memcmp(a + k, b + k, sizeof *a) != 0 && !(isnan(a[k]) && isnan(b[k]))) return 0;
    return 1;
}

static int all_nan(const double *x, int64_t count)
{
    int64_t k = 0;
    while (k < count && isnan(x[k])) k++;
    return k == count;
}

/* What NaN and infinity do to the magnitudes is not stated. */
static int same_health(const wlu_health *h, const wlu_device_health *r)
{
    if (!h->finite || !r->finite) return h->finite == r->finite;
    return h->largest_l == r->largest_l && h->largest_u == r->largest_u && h->growth == r->growth &&
           h->smallest_pivot == r->smallest_pivot && h->drift == r->drift;
}

/* Solutions of checked solves whose factors are suspect are refined on the device, which the reference does not do:
 * they are compared in size, and taken from there, so that later steps follow from them. 0: they differ. */
static int take_refined(const newton *t, int64_t at, double *here)
{
    const double *there = t->back.noted + at;
    double most = 0.0, off = 0.0;
    for (int32_t i = 0; i < t->here.n; i++) {
        most = fmax(most, fabs(there[i]));
        off = fmax(off, fabs(there[i] - here[i]));
    }
    memcpy(here, there, (size_t)t->here.n * sizeof *here);
    return off <= 1e-9 * most;
}

static void follow_step(newton *t, int32_t step)
{
    newton_system *s = &t->here;
    int64_t n = s->n, at = 2 * n * step;
    double *dx = (double *)(uintptr_t)s->dx, *y = (double *)(uintptr_t)s->y;
    const wlu_device_health *record = &t->back.records[step], *first = t->back.records;
    const warplu_device_verdict *told = &t->back.verdicts[step];
    s->a = t->bases + (int64_t)t->m->nnz * (step / PER_BURST);
    for (int32_t i = 0; i < n; i++) newton_stamp_row(s, step, i);
    wlu_verdict verdict = follower_refactor(&t->reference, s->values);
    CHECK(follower_solve(&t->reference, 0, s->f, dx) && follower_solve(&t->reference, 1, s->f, y));
    for (int32_t i = 0; i < n && verdict == WLU_WEAK; i++) dx[i] = y[i] = NAN;
    if (of->checked && verdict == WLU_SUSPECT) t->other_bits += !take_refined(t, at, dx) || !take_refined(t, at + n, y);
    for (int32_t i = 0; i < n; i++) newton_note_entry(s, step, i);
    t->found[verdict]++;
    t->other_health += record->verdict != (int32_t)verdict || record->failed != 0 ||
                       record->generation != first->generation + (uint32_t)step ||
                       !same_health(wlu_state_health(t->reference.state, 0), record);
    t->other_health += told->verdict != (int32_t)verdict || told->failed != 0 || told->generation != record->generation;
    if (verdict == WLU_WEAK)
        t->not_withheld += !all_nan(t->back.noted + at, 2 * n);
    else
        t->other_bits += !same(s->noted + at, t->back.noted + at, 2 * n);
}

static void follow(newton *t)
{
    int32_t step = 0;
    for (; step < STEPS && t->other_bits + t->other_health + t->not_withheld == 0; step++) follow_step(t, step);
    CHECK_SAY(step == STEPS, "step %d: other bits %d, other health %d, not withheld %d", step - 1, t->other_bits,
              t->other_health, t->not_withheld);
    CHECK(*t->back.step == STEPS);
    printf("# n = %d, of %d replays %d suspect, %d weak\n", t->m->n, STEPS, t->found[WLU_SUSPECT], t->found[WLU_WEAK]);
    CHECK(step < STEPS || (t->found[WLU_WEAK] >= STEPS / NEWTON_HARM_EVERY / 2 &&
                           t->found[WLU_HEALTHY] + t->found[WLU_SUSPECT] > STEPS / 4));
}

/* ------------------------------------------------------------------ course */

static int has_device(const wlu_cuda_device **device)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    return wlu_cuda_device_find(&ctx, 0, device) == WARPLU_SUCCESS;
}

static int prepare(newton *t)
{
    static wlu_cost cost;
    warplu_options o;
    check_init_options(&o);
    o.executor = WARPLU_EXECUTOR_CUDA;
    o.device_strategy = of->strategy;
    o.precision = of->precision;
    if (of->checked) o.check = WARPLU_CHECK_ALWAYS;
    o.storage = WARPLU_STORAGE_CSR;
    cost = test_region_cost(TEST_DEVICE);
    return follower_prepare(&t->s, &o, of->mixed ? &cost : NULL, t->m) &&
           follower_open(&t->reference, t->s) == WARPLU_SUCCESS &&
           (!of->mixed || wlu_lu_of(wlu_solver_program(t->s))->tiles.count > 0);
}

static void newton_steps(void)
{
    const wlu_cuda_device *device;
    newton t = {.s = NULL};
    test_recipe recipe = of->recipe;
    test_matrix m;
    if (!has_device(&device)) SKIP("no CUDA device");
    recipe.n /= SMALLER;
    test_matrix_random(&m, &seed, &recipe);
    t.m = &m;
    int ready = prepare(&t);
    CHECK(ready && wlu_cuda_enter(NULL, &device->on) == WARPLU_SUCCESS);
    if (!ready) return;
    if (place(&t) && capture(&t)) {
        replay(&t);
        follow(&t);
    } else {
        CHECK_SAY(0, "no graph");
    }
    warplu_device_health last = {.size = sizeof last};
    CHECK(warplu_get_device_health(t.s, &last) == WARPLU_SUCCESS);
    CHECK(last.generation == t.back.records[STEPS - 1].generation && last.verdict == t.back.records[STEPS - 1].verdict);
    int unchecked =
        last.verdict == WARPLU_VERDICT_SUSPECT && !wlu_precision_refines(t.s->current.plan->target.precision);
    warplu_status expected = last.verdict == WARPLU_VERDICT_WEAK ? WARPLU_WEAK
                             : last.inaccurate > 0               ? WARPLU_INACCURATE
                             : unchecked                         ? WARPLU_UNCHECKED
                                                                 : WARPLU_SUCCESS;
    CHECK(warplu_finish_device(t.s, NULL, t.stream) == expected);
    CHECK(warplu_refactor(t.s, m.x) == WARPLU_SUCCESS);
    take_away(&t);
    CHECK(wlu_cuda_leave(NULL, WARPLU_SUCCESS) == WARPLU_SUCCESS);
    follower_close(&t.reference);
    warplu_destroy(&t.s);
    test_matrix_free(&m);
}

/* ------------------------------------------------------------- the emulator */

#ifdef FAKE_CUDA_PATH

static by_emulator kernel;

static newton_system system_here(newton_system s)
{
    by_emulator_bring(&s.ptr, offsetof(newton_system, step) / sizeof s.ptr + 1);
    return s;
}

/* The test's own kernels, thread after thread; the library's are emulated. */
static void run_kernel(const fake_cuda_launch *l, void *user)
{
    int stamps = strcmp(l->kernel, "newton_stamp") == 0;
    if (!stamps && strcmp(l->kernel, "newton_note") != 0) {
        by_emulator_launch(l, user);
        return;
    }
    newton_system s = system_here(*(newton_system *)l->parameters[0]);
    kernel.wrong += l->grid_y != 1 || (stamps ? l->grid * NEWTON_THREADS < (unsigned)s.n : l->grid != 1);
    for (int32_t i = 0; i < s.n; i++) (stamps ? newton_stamp_row : newton_note_entry)(&s, *s.step, i);
    if (stamps) return;
    s.records[*s.step] = *s.record;
    s.verdicts[*s.step] = *s.verdict;
    ++*s.step;
}

static fake_cuda *fake;

static void nothing_is_left_and_nothing_was_wrong(void)
{
    int64_t early = 0;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        early += cases[k].in_one && cases[k].strategy == WARPLU_STRATEGY_FLOW;
    CHECK_SAY(kernel.wrong == 0 && fake->misuses == 0 && fake->depth == 0 && fake->alive == 0, "%lld, %lld, %lld, %lld",
              (long long)kernel.wrong, (long long)fake->misuses, (long long)fake->depth, (long long)fake->alive);
    CHECK(kernel.gathers > 0 && fake->graphs >= STEPS && fake->behind == early * STEPS);
}
#endif

int main(void)
{
#ifdef FAKE_CUDA_PATH
    fake = by_emulator_open(run_kernel, &kernel);
    if (fake == NULL) return 1;
#endif
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char name[96];
        of = &cases[k];
        snprintf(name, sizeof name, "%s, n = %d, %d replays of one graph", of->name, of->recipe.n / SMALLER, STEPS);
        check_run(name, newton_steps);
    }
#ifdef FAKE_CUDA_PATH
    RUN(nothing_is_left_and_nothing_was_wrong);
#endif
    return check_done();
}
