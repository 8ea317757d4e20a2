/* The CUDA executor on a device: the reference executor's bits and the committed hashes, for programs of every kind; a thousand
 * replays of changing values; growth, by whichever bound; two programs on two streams. Skipped where there is no device, or no
 * CUDA in this build.
 *
 *     test_gpu [HASHES.csv]
 *
 * Needs nothing of the build folder but itself: it can be taken to a machine with a GPU, tests/emulate/hashes.csv with it. Built
 * with FAKE_CUDA_PATH it runs on the fake driver, whose kernels are emulated: so the test itself is tested. */
#include "equivalence/compare.h"

#include "emulate/hashed.h"

#if WLU_TEST_CUDA
#include "exec/cuda/device.h"
#endif

#ifdef FAKE_CUDA_PATH
#include "by_emulator.h"

#include <dlfcn.h>

enum { TRIES = 6, REPLAYS = 20, ROUNDS = 30 };

static by_emulator kernel;

static int open_fake(void)
{
    fake_cuda_state_fn *state;
    void *library = dlopen(FAKE_CUDA_PATH, RTLD_NOW), *symbol = library != NULL ? dlsym(library, "fake_cuda_state") : NULL;
    memcpy(&state, &symbol, sizeof state);
    if (symbol == NULL) return 0;
    state()->launch = by_emulator_launch;
    state()->user = &kernel;
    return setenv("WARPLU_LIBCUDA", FAKE_CUDA_PATH, 1) == 0;
}
#else
enum { TRIES = 60, REPLAYS = 1000, ROUNDS = 100 };
#endif

enum { PROGRAMS = 2 };

static const char *hashes = WLU_HASHES_CSV;
static uint64_t seed;

static int is_missing(void)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    return wlu_executor_cuda.available(&ctx) != WARPLU_SUCCESS;
}

#define NEED_DEVICE() \
    do { \
        if (is_missing()) SKIP("no CUDA device, or a build without CUDA"); \
    } while (0)

static void compare_program(test_build *b, const test_matrix *m, const char *what)
{
    test_replay reference, device;
    double *values = malloc((size_t)m->nnz * sizeof *values), *rhs = malloc((size_t)m->n * sizeof *rhs);
    if (test_replay_open(&reference, b, NULL) && test_replay_open(&device, b, "cuda")) {
        for (int32_t i = 0; i < m->n; i++) rhs[i] = check_uniform(&seed) - 0.5;
        for (int k = 0; k < 4; k++) {
            for (int32_t q = 0; q < m->nnz; q++) values[q] = m->x[q] * (0.5 + check_uniform(&seed));
            if (k == 3) values[check_below(&seed, m->nnz)] = INFINITY;
            test_replay_run(&reference, values, rhs);
            test_replay_run(&device, values, rhs);
            test_replay_compare(b, &reference, &device, what);
        }
        test_compare_many(b, &reference, &device, WLU_STREAM_SOLVE, WLU_MANY - 1, 0, 0, rhs, what);
        test_replay_close(&reference, b);
        test_replay_close(&device, b);
    }
    free(values);
    free(rhs);
}

static void the_references_bits(void)
{
    NEED_DEVICE();
    seed = 6006;
    printf("# seed %llu\n", (unsigned long long)seed);
    for (int t = 0; t < TRIES; t++) {
        test_recipe r = test_recipe_random(&seed, 120);
        warplu_options o;
        test_matrix m;
        test_build b;
        warplu_options_init(&o);
        test_matrix_random(&m, &seed, &r);
        CHECK(test_build_pivots(&b, &o, &m) == WARPLU_SUCCESS);
        for (int region = 0; region <= TEST_REGIONS; region++) {
            wlu_cost cost = region < TEST_REGIONS ? test_region_cost((test_region)region) : wlu_cost_cuda;
            char what[64];
            snprintf(what, sizeof what, "try %d, %s, n = %d, region %d", t, test_shape_name(r.shape), r.n, region);
            CHECK(test_build_program(&b, &cost) == WARPLU_SUCCESS);
            compare_program(&b, &m, what);
        }
        test_build_free(&b);
        test_matrix_free(&m);
    }
}

static void the_committed_hashes(void)
{
    NEED_DEVICE();
    hashed_line *lines;
    int count = hashed_read(hashes, &lines);
    CHECK_SAY(count > 0, "%s cannot be read", hashes);
    for (int k = 0; k < hashed_count() && count > 0; k++) {
        hashed_line found;
        CHECK(hashed_compute(k, &wlu_executor_cuda, &found) == WARPLU_SUCCESS);
        const hashed_line *line = hashed_find(lines, count, &found);
        CHECK_SAY(line != NULL && memcmp(&line->hashes, &found.hashes, sizeof line->hashes) == 0, "%s, n = %d, %s, %s", found.name,
                  found.n, found.order, found.program);
    }
    free(lines);
}

static void build_shape(test_build *b, test_matrix *m, test_shape shape, int32_t n, test_region region)
{
    const test_recipe r = {.shape = shape, .n = n};
    wlu_cost cost = test_region_cost(region);
    warplu_options o;
    warplu_options_init(&o);
    test_matrix_random(m, &seed, &r);
    CHECK(test_build_pivots(b, &o, m) == WARPLU_SUCCESS && test_build_program(b, &cost) == WARPLU_SUCCESS);
}

static void a_thousand_replays_of_changing_values(void)
{
    NEED_DEVICE();
    test_matrix m;
    test_build b;
    test_replay reference, device;
    double rhs[400];
    seed = 1000;
    build_shape(&b, &m, TEST_GRID, 400, TEST_DEVICE);
    CHECK(test_replay_open(&reference, &b, NULL) && test_replay_open(&device, &b, "cuda"));
    for (int k = 0; k < REPLAYS; k++) {
        test_matrix_vary(&m, &seed, 0.01);
        for (int32_t i = 0; i < m.n; i++) rhs[i] = check_uniform(&seed);
        test_replay_run(&reference, m.x, rhs);
        test_replay_run(&device, m.x, rhs);
        test_hashes expected = test_hash_state(&b, reference.state, reference.x), found = test_hash_state(&b, device.state, device.x);
        CHECK_SAY(memcmp(&expected, &found, sizeof expected) == 0, "replay %d", k);
    }
    test_replay_close(&reference, &b);
    test_replay_close(&device, &b);
    test_build_free(&b);
    test_matrix_free(&m);
}

/* ------------------------------------------------------------------ growth */

/* The first bound of growth fails, and the second does not: a column has become small. */
static void shrink_column(const wlu_guards *g, int32_t n, double *values)
{
    int32_t j = (int32_t)check_below(&seed, (uint64_t)n);
    for (int64_t q = g->all_ptr[j]; q < g->all_ptr[j + 1]; q++) values[g->all_source[q]] *= 0x1p-40;
}

/* The second fails as well: entries have become small that were the largest of their columns. */
static void shrink_entries(const wlu_guards *g, int32_t n, double *values)
{
    for (int32_t k = 0; k < n; k++)
        if (check_below(&seed, 8) == 0) values[g->a_source[k]] *= 0x1p-14;
}

/* Replays whose first bound decides (-), whose second does (2), and which need the exact growth (x): blocks stay after each
 * that the first does not decide, for some replays. */
static void judge_in_turn(test_build *b, const test_matrix *m, test_replay *reference, test_replay *device)
{
    static const char turns[] = "x2-x-22-xx------------------2x--x";
    const wlu_program *p = b->program;
    double *values = malloc((size_t)m->nnz * sizeof *values), *rhs = malloc((size_t)m->n * sizeof *rhs);
    for (int32_t i = 0; i < m->n; i++) rhs[i] = check_uniform(&seed) - 0.5;
    for (int k = 0; turns[k] != 0; k++) {
        char what[64];
        snprintf(what, sizeof what, "n = %d, replay %d", m->n, k);
        for (int32_t q = 0; q < m->nnz; q++) values[q] = m->x[q] * (0.9 + 0.2 * check_uniform(&seed));
        if (turns[k] == '2') shrink_column(&p->guard, m->n, values);
        if (turns[k] == 'x') shrink_entries(&p->guard, m->n, values);
        test_replay_run(reference, values, rhs);
        test_replay_run(device, values, rhs);
        test_replay_compare(b, reference, device, what);
        const wlu_health *h = &reference->state->health;
        int first = wlu_first_growth(p, h->largest_u, values) >= p->guard.bound;
        int exact = !first && h->growth == wlu_exact_growth(p, reference->state, values);
        CHECK_SAY(h->finite && turns[k] == (first ? '-' : exact ? 'x' : '2'), "%s: growth is decided otherwise", what);
    }
    free(values);
    free(rhs);
}

static void growth_however_it_is_decided(void)
{
    NEED_DEVICE();
    seed = 3131;
    for (int region = 0; region < TEST_REGIONS; region++)
        for (int32_t n = 40; n <= 400; n *= 10) {
            test_matrix m;
            test_build b;
            test_replay reference, device;
            build_shape(&b, &m, TEST_GRID, n, (test_region)region);
            if (test_replay_open(&reference, &b, NULL) && test_replay_open(&device, &b, "cuda")) {
                judge_in_turn(&b, &m, &reference, &device);
                test_replay_close(&reference, &b);
                test_replay_close(&device, &b);
            }
            test_build_free(&b);
            test_matrix_free(&m);
        }
}

/* ----------------------------------------------------------------- streams */

#if WLU_TEST_CUDA

/* A program with a stream and values on the device. */
typedef struct streamed {
    test_build b;
    test_matrix m;
    test_replay reference, device;
    wlu_cu_handle stream;
    wlu_cu_address values;
    double *rhs;
} streamed;

static void open_streamed(streamed *s, test_shape shape, int32_t n, test_region region)
{
    const wlu_cuda_device *device;
    build_shape(&s->b, &s->m, shape, n, region);
    CHECK(test_replay_open(&s->reference, &s->b, NULL) && test_replay_open(&s->device, &s->b, "cuda"));
    s->rhs = malloc((size_t)n * sizeof *s->rhs);
    for (int32_t i = 0; i < n; i++) s->rhs[i] = check_uniform(&seed);
    CHECK(wlu_cuda_device_find(&s->b.ctx, &device) == WARPLU_SUCCESS && wlu_cuda_enter(&s->b.ctx, device) == WARPLU_SUCCESS);
    CHECK(wlu_cuda.stream_create(&s->stream, WLU_CU_STREAM_NON_BLOCKING) == 0);
    CHECK(wlu_cuda.alloc(&s->values, (size_t)s->m.nnz * sizeof(double)) == 0);
}

static void enqueue(streamed *s)
{
    test_matrix_vary(&s->m, &seed, 0.01);
    CHECK(wlu_cuda.to_device(s->values, s->m.x, (size_t)s->m.nnz * sizeof(double), s->stream) == 0);
    CHECK(s->device.executor->refactor_async(&s->b.ctx, s->device.image, s->device.state, (const double *)(uintptr_t)s->values,
                                             s->stream) == WARPLU_SUCCESS);
}

static void finish(streamed *s)
{
    double largest;
    test_replay *r = &s->device;
    test_replay_run(&s->reference, s->m.x, s->rhs);
    CHECK(r->executor->finish(&s->b.ctx, r->image, r->state, s->stream) == WARPLU_SUCCESS);
    for (int k = 0; k < 2; k++)
        CHECK(r->executor->solve(&s->b.ctx, r->image, r->state, k ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE, s->rhs,
                                 r->x + k * s->m.n, &largest) == WARPLU_SUCCESS);
    CHECK(wlu_state_fetch(&s->b.ctx, r->image, r->state) == WARPLU_SUCCESS);
    test_replay_compare(&s->b, &s->reference, r, "on a stream");
}

/* A solution in its right-hand side's place, on the device, for two right-hand sides. */
static void solve_in_place(streamed *s)
{
    int32_t n = s->m.n;
    size_t bytes = 2 * (size_t)n * sizeof(double);
    double *x = malloc(bytes), *alone = malloc(bytes), largest;
    wlu_cu_address both = 0;
    for (int32_t k = 0; k < 2 * n; k++) x[k] = check_uniform(&seed) - 0.5;
    for (int k = 0; k < 2; k++)
        CHECK(s->reference.executor->solve(&s->b.ctx, s->reference.image, s->reference.state, WLU_STREAM_SOLVE, x + k * n,
                                           alone + k * n, &largest) == WARPLU_SUCCESS);
    CHECK(wlu_cuda.alloc(&both, bytes) == 0 && wlu_cuda.to_device(both, x, bytes, s->stream) == 0);
    CHECK(s->device.executor->solve_async(&s->b.ctx, s->device.image, s->device.state, WLU_STREAM_SOLVE, 0, 2,
                                          (const double *)(uintptr_t)both, n, (double *)(uintptr_t)both, n,
                                          s->stream) == WARPLU_SUCCESS);
    CHECK(wlu_cuda.to_host(x, both, bytes, s->stream) == 0 && wlu_cuda.stream_wait(s->stream) == 0 && wlu_cuda.free(both) == 0);
    test_compare_array(alone, x, 2 * (int64_t)n, "in place", "unknown");
    free(x);
    free(alone);
}

static void close_streamed(streamed *s)
{
    CHECK(wlu_cuda.stream_wait(s->stream) == 0 && wlu_cuda.free(s->values) == 0 && wlu_cuda.stream_destroy(s->stream) == 0);
    CHECK(wlu_cuda_leave(&s->b.ctx, WARPLU_SUCCESS) == WARPLU_SUCCESS);
    test_replay_close(&s->reference, &s->b);
    test_replay_close(&s->device, &s->b);
    test_build_free(&s->b);
    test_matrix_free(&s->m);
    free(s->rhs);
}

#endif

static void two_programs_on_two_streams(void)
{
    NEED_DEVICE();
#if WLU_TEST_CUDA
    streamed s[PROGRAMS];
    seed = 22;
    for (int k = 0; k < PROGRAMS; k++) open_streamed(&s[k], k ? TEST_BLOCKS : TEST_GRID, 400 - 100 * k, k ? TEST_MIXED : TEST_DEVICE);
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < PROGRAMS; k++) enqueue(&s[k]);
        for (int k = 0; k < PROGRAMS; k++) finish(&s[k]);
        for (int k = 0; k < PROGRAMS; k++) solve_in_place(&s[k]);
    }
    for (int k = PROGRAMS - 1; k >= 0; k--) close_streamed(&s[k]);
#endif
}

#ifdef FAKE_CUDA_PATH
static void kernels_were_launched_as_they_are_to_be(void)
{
    CHECK(kernel.wrong == 0 && kernel.solves > 0);
}
#endif

int main(int argc, char **argv)
{
    if (argc > 1) hashes = argv[1];
#ifdef FAKE_CUDA_PATH
    if (!open_fake() || is_missing()) return 1;
#endif
    RUN(the_references_bits);
    RUN(the_committed_hashes);
    RUN(a_thousand_replays_of_changing_values);
    RUN(growth_however_it_is_decided);
    RUN(two_programs_on_two_streams);
#ifdef FAKE_CUDA_PATH
    RUN(kernels_were_launched_as_they_are_to_be);
#endif
    return check_done();
}
