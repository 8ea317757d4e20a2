/* A program with a stream and values on the device, for test_gpu: enqueued, finished, compared with the reference. In a
 * header because check.h counts failures per test file. */
#ifndef WLU_TEST_STREAMED_H
#define WLU_TEST_STREAMED_H

#include <warplu/device.h>

#include "equivalence/compare.h"

#if WLU_TEST_CUDA
#include "exec/device/device.h"
#include "support/options.h"
#endif

/* Whether matrices that are built are complex. */
static int streamed_complex;

static inline void streamed_build(test_build *b, test_matrix *m, const test_recipe *recipe, test_region region,
                                  uint64_t *seed)
{
    wlu_cost cost = test_region_cost(region);
    warplu_options o;
    check_init_options(&o);
    test_matrix_random(m, seed, recipe);
    if (streamed_complex) test_matrix_make_complex(m, seed);
    CHECK(test_build_pivots(b, &o, m) == WARPLU_SUCCESS && test_build_program(b, &cost) == WARPLU_SUCCESS);
}

#if WLU_TEST_CUDA

typedef struct streamed {
    test_build b;
    test_matrix m;
    test_replay reference, device;
    wlu_cu_handle stream;
    wlu_cu_address values;
    double *rhs, *first; /* first: values that pivots were chosen for */
    uint64_t *seed;
} streamed;

static inline double *streamed_pointer(wlu_cu_address address)
{
    return (double *)(uintptr_t)address;
}

static inline const wlu_executor_device *streamed_device(const streamed *s)
{
    return s->device.target.executor->device;
}

/* Doubles of a vector. */
static inline int64_t streamed_vector(const streamed *s)
{
    return test_vector(s->b.program);
}

static inline void streamed_open(streamed *s, const test_recipe *recipe, test_region region, uint64_t *seed)
{
    const wlu_cuda_device *device;
    streamed_build(&s->b, &s->m, recipe, region, seed);
    int64_t n = streamed_vector(s), values = test_matrix_values(&s->m);
    CHECK(test_replay_open(&s->reference, &s->b, NULL) && test_replay_open(&s->device, &s->b, "cuda"));
    s->seed = seed;
    s->rhs = malloc((size_t)n * sizeof *s->rhs);
    for (int64_t i = 0; i < n; i++) s->rhs[i] = check_uniform(seed);
    s->first = malloc((size_t)values * sizeof *s->first);
    memcpy(s->first, s->m.x, (size_t)values * sizeof *s->first);
    CHECK(wlu_cuda_device_find(&s->b.ctx, 0, &device) == WARPLU_SUCCESS &&
          wlu_cuda_enter(&s->b.ctx, &device->on) == WARPLU_SUCCESS);
    CHECK(wlu_cuda.stream_create(&s->stream, WLU_CU_STREAM_NON_BLOCKING) == 0);
    CHECK(wlu_cuda.alloc(&s->values, (size_t)values * sizeof(double)) == 0);
}

static inline void streamed_close(streamed *s)
{
    CHECK(wlu_cuda.stream_wait(s->stream) == 0 && wlu_cuda.free(s->values) == 0 &&
          wlu_cuda.stream_destroy(s->stream) == 0);
    CHECK(wlu_cuda_leave(&s->b.ctx, WARPLU_SUCCESS) == WARPLU_SUCCESS);
    test_replay_close(&s->reference, &s->b);
    test_replay_close(&s->device, &s->b);
    test_build_free(&s->b);
    test_matrix_free(&s->m);
    free(s->rhs);
    free(s->first);
}

/* Values near the first ones: replays of values that wander off become weak, in FP32 after some hundred. */
static inline void streamed_vary(streamed *s)
{
    memcpy(s->m.x, s->first, (size_t)test_matrix_values(&s->m) * sizeof *s->first);
    test_matrix_vary(&s->m, s->seed, 0.01);
}

static inline void streamed_send(const streamed *s, wlu_cu_address to, const double *from, int64_t count)
{
    CHECK(wlu_cuda.to_device(to, from, (size_t)count * sizeof *from, s->stream) == 0);
}

static inline void streamed_fetch(const streamed *s, double *to, wlu_cu_address from, int64_t count)
{
    CHECK(wlu_cuda.to_host(to, from, (size_t)count * sizeof *to, s->stream) == 0 &&
          wlu_cuda.stream_wait(s->stream) == 0);
}

static inline void streamed_enqueue(streamed *s)
{
    test_replay *r = &s->device;
    streamed_vary(s);
    streamed_send(s, s->values, s->m.x, test_matrix_values(&s->m));
    CHECK(streamed_device(s)->enqueue(&s->b.ctx, r->state, streamed_pointer(s->values), NULL, s->stream) ==
          WARPLU_SUCCESS);
}

static inline void streamed_finish(streamed *s)
{
    double largest;
    test_replay *r = &s->device;
    test_replay_run(&s->reference, s->m.x, s->rhs);
    CHECK(streamed_device(s)->finish(&s->b.ctx, r->state, s->stream) == WARPLU_SUCCESS);
    for (int k = 0; k < 2; k++)
        CHECK(test_replay_solve(r, k ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE, s->rhs,
                                r->x + k * streamed_vector(s), &largest) == WARPLU_SUCCESS);
    CHECK(wlu_state_fetch(&s->b.ctx, r->state, 0, &r->slots) == WARPLU_SUCCESS);
    test_replay_compare(&s->b, &s->reference, r, "on a stream");
}

/* What the reference makes of the factors that it has, and of columns of b. Where the solve withholds, it is the first
 * since the replay, and x is NaN where the health says inaccurate, which only refinement can come to. */
static inline void streamed_expect(streamed *s, const wlu_async_solve *solve, const double *b, const double *x,
                                   const char *what)
{
    test_replay *r = &s->reference;
    int64_t n = streamed_vector(s);
    int32_t withheld = 0;
    double *alone = malloc((size_t)n * sizeof *alone), largest;
    for (int32_t k = 0; k < solve->nrhs; k++) {
        if (isnan(x[k * solve->ldx])) {
            withheld++;
            continue;
        }
        CHECK(test_replay_solve(r, solve->kind, b + k * solve->ldb, alone, &largest) == WARPLU_SUCCESS);
        test_compare_array(alone, x + k * solve->ldx, n, what, "unknown");
    }
    int32_t told = solve->withhold ? (int32_t)streamed_device(s)->health(s->device.state).inaccurate : 0;
    CHECK_SAY(withheld == told, "%s: %d solutions withheld, %d inaccurate", what, withheld, told);
    free(alone);
}

/* A solution in its right-hand side's place, on the device, for two right-hand sides. */
static inline void streamed_solve_in_place(streamed *s)
{
    int64_t n = streamed_vector(s);
    double *b = malloc(2 * (size_t)n * sizeof *b), *x = malloc(2 * (size_t)n * sizeof *x);
    wlu_cu_address both = 0;
    for (int64_t k = 0; k < 2 * n; k++) b[k] = check_uniform(s->seed) - 0.5;
    CHECK(wlu_cuda.alloc(&both, 2 * (size_t)n * sizeof *b) == 0);
    wlu_async_solve solve = {WLU_STREAM_SOLVE, 0, 2, streamed_pointer(both), n, streamed_pointer(both), n, 0};
    streamed_send(s, both, b, 2 * n);
    CHECK(streamed_device(s)->enqueue(&s->b.ctx, s->device.state, NULL, &solve, s->stream) == WARPLU_SUCCESS);
    streamed_fetch(s, x, both, 2 * n);
    streamed_expect(s, &solve, b, x, "in place");
    CHECK(wlu_cuda.free(both) == 0);
    free(b);
    free(x);
}

/* ------------------------------------------------------- both in one call */

/* Columns of b and x, on the host and on the device. */
typedef struct streamed_sides {
    wlu_async_solve solve;
    int64_t numbers;
    wlu_cu_address b, x;
    double *in, *out[2];
} streamed_sides;

static inline void streamed_sides_open(streamed *s, streamed_sides *k, wlu_stream_kind kind, int32_t nrhs, int in_place)
{
    int32_t ld = (int32_t)streamed_vector(s) + WLU_TEST_PADDING;
    *k = (streamed_sides){.numbers = (int64_t)nrhs * ld};
    size_t bytes = (size_t)k->numbers * sizeof(double);
    k->in = malloc(bytes);
    for (int q = 0; q < 2; q++) k->out[q] = malloc(bytes);
    for (int64_t q = 0; q < k->numbers; q++) k->in[q] = check_uniform(s->seed) - 0.5;
    CHECK(wlu_cuda.alloc(&k->b, bytes) == 0 && wlu_cuda.alloc(&k->x, bytes) == 0);
    k->solve =
        (wlu_async_solve){kind, 1, nrhs, streamed_pointer(k->b), ld, streamed_pointer(in_place ? k->b : k->x), ld, 0};
}

static inline void streamed_sides_close(streamed_sides *k)
{
    CHECK(wlu_cuda.free(k->b) == 0 && wlu_cuda.free(k->x) == 0);
    free(k->in);
    for (int q = 0; q < 2; q++) free(k->out[q]);
}

static inline void streamed_call(streamed *s, streamed_sides *k, int in_one, double *out)
{
    test_replay *r = &s->device;
    const double *values = streamed_pointer(s->values);
    streamed_send(s, k->b, k->in, k->numbers);
    streamed_send(s, k->x, k->in, k->numbers);
    if (in_one) {
        CHECK(streamed_device(s)->enqueue(&s->b.ctx, r->state, values, &k->solve, s->stream) == WARPLU_SUCCESS);
    } else {
        CHECK(streamed_device(s)->enqueue(&s->b.ctx, r->state, values, NULL, s->stream) == WARPLU_SUCCESS);
        CHECK(streamed_device(s)->enqueue(&s->b.ctx, r->state, NULL, &k->solve, s->stream) == WARPLU_SUCCESS);
    }
    CHECK(streamed_device(s)->finish(&s->b.ctx, r->state, s->stream) == WARPLU_SUCCESS);
    streamed_fetch(s, out, k->solve.b == k->solve.x ? k->b : k->x, k->numbers);
}

static inline void streamed_change_values(streamed *s, int weak)
{
    streamed_vary(s);
    double *value = &s->m.x[check_below(s->seed, (uint64_t)test_matrix_values(&s->m))], kept = *value;
    if (weak) *value = NAN;
    streamed_send(s, s->values, s->m.x, test_matrix_values(&s->m));
    CHECK(wlu_cuda.stream_wait(s->stream) == 0);
    *value = kept;
}

/* Replays the values at hand by the reference. Some of a thousand make weak factors, more of them in FP32: the device
 * is to say so. */
static inline int streamed_reference_is_weak(streamed *s)
{
    test_replay_run(&s->reference, s->m.x, s->rhs);
    return wlu_state_health(s->reference.state, 0)->verdict == WLU_WEAK;
}

/* One call has the bits of two, in x and in the health, and in x those of the reference; NaN where the replay is weak.
 */
static inline void streamed_compare_calls(streamed *s, wlu_stream_kind kind, int32_t nrhs, int in_place, int spoiled)
{
    streamed_sides k;
    char what[64];
    snprintf(what, sizeof what, "kind %d, %d right-hand sides, in place %d, spoiled %d", (int)kind, nrhs, in_place,
             spoiled);
    streamed_sides_open(s, &k, kind, nrhs, in_place);
    streamed_change_values(s, spoiled);
    int weak = streamed_reference_is_weak(s) || spoiled;
    streamed_call(s, &k, 0, k.out[0]);
    warplu_device_health before = streamed_device(s)->health(s->device.state);
    streamed_call(s, &k, 1, k.out[1]);
    warplu_device_health after = streamed_device(s)->health(s->device.state);
    before.generation++;
    CHECK_SAY(spoiled || memcmp(&before, &after, sizeof before) == 0, "%s: other health", what);
    CHECK_SAY(before.verdict == after.verdict && (after.verdict == WARPLU_VERDICT_WEAK) == weak, "%s: verdict %d", what,
              after.verdict);
    test_compare_array(k.out[0], k.out[1], k.numbers, what, "number");
    for (int64_t q = 0; q < k.numbers && weak; q++)
        if (q % k.solve.ldx < streamed_vector(s) && !isnan(k.out[1][q]))
            CHECK_SAY(0, "%s: x[%d] = %g", what, (int)q, k.out[1][q]);
    if (!weak) streamed_expect(s, &k.solve, k.in, k.out[1], what);
    streamed_sides_close(&k);
}

/* Captured once, launched so many times, the values others each time. */
static inline void streamed_compare_graph(streamed *s, wlu_stream_kind kind, int32_t nrhs, int launches)
{
    streamed_sides k;
    test_replay *r = &s->device;
    wlu_cu_handle graph = NULL, made = NULL;
    streamed_sides_open(s, &k, kind, nrhs, 0);
    CHECK(wlu_cuda.capture_begin(s->stream, WLU_CU_CAPTURE_OF_THREAD) == 0);
    CHECK(streamed_device(s)->enqueue(&s->b.ctx, r->state, streamed_pointer(s->values), &k.solve, s->stream) ==
          WARPLU_SUCCESS);
    CHECK(wlu_cuda.capture_end(s->stream, &graph) == 0 && wlu_cuda.graph_make(&made, graph, 0) == 0);
    streamed_send(s, k.b, k.in, k.numbers);
    for (int q = 0; q < launches; q++) {
        streamed_change_values(s, 0);
        int weak = streamed_reference_is_weak(s);
        CHECK(wlu_cuda.graph_launch(made, s->stream) == 0);
        streamed_fetch(s, k.out[0], k.x, k.numbers);
        CHECK(weak == (streamed_device(s)->verdict(r->state)->verdict == WARPLU_VERDICT_WEAK));
        if (!weak) streamed_expect(s, &k.solve, k.in, k.out[0], "in a graph");
    }
    CHECK(wlu_cuda.graph_unmake(made) == 0 && wlu_cuda.graph_destroy(graph) == 0);
    streamed_sides_close(&k);
}

#endif
#endif
