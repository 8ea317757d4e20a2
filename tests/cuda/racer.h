/* A racer of the stress test: a solver's program on a stream of its own, values and right-hand side on the device, and
 * beside them what an undisturbed replay made of each set of values, once the reference executor has confirmed it. */
#ifndef WLU_TEST_RACER_H
#define WLU_TEST_RACER_H

#include <warplu/device.h>

#include "equivalence/compare.h"

#include "exec/flow/image.h"
#include "follow.h"
#include "stress.h"
#include "support/options.h"

enum { SETS = 4, ROUND = 20 };

/* The block holds b, both solutions, of each set the values and the expected numbers, and a round's counts of
 * differences. */
typedef struct racer {
    const char *name;
    const test_matrix *m;
    warplu_solver *s;
    follower reference;
    wlu_flow_image *im;
    wlu_cu_handle stream;
    wlu_cu_address block;
    double *sets, *b; /* on the host: values of all sets, right-hand side */
    wlu_cu_address values[SETS], b_at, x_at, differs_at;
    stress_replay replay[SETS];
    uint32_t differs[ROUND];
} racer;

static inline void *racer_pointer(wlu_cu_address address)
{
    return (void *)(uintptr_t)address;
}

static inline wlu_cu_address racer_address(const void *on_device)
{
    return (wlu_cu_address)(uintptr_t)on_device;
}

static inline int is_up(wlu_cu_result result)
{
    CHECK_SAY(result == 0, "the driver answers %d", result);
    return result == 0;
}

/* Places of the block; returns its bytes. */
static inline size_t racer_lay_out(racer *r)
{
    const wlu_resident *d = (const wlu_resident *)r->s->current.state;
    int64_t n = r->m->n, slots = d->state.slots * (r->im->of.slot_bytes / 4),
            umax = 2 * WLU_TILE_WIDTH * r->im->of.tiles;
    wlu_cu_address at = r->block;
    r->b_at = at;
    r->x_at = at += (uint64_t)(8 * n);
    at += (uint64_t)(16 * n);
    for (int k = 0; k < SETS; k++) {
        r->values[k] = at;
        at += 8 * (uint64_t)r->m->nnz;
        r->replay[k] = (stress_replay){.slots = {(const void *)d->state.v[0], (const void *)d->state.v[1]},
                                       .umax = (const void *)d->state.umax,
                                       .x = racer_pointer(r->x_at),
                                       .expected = racer_pointer(at),
                                       .slot_count = slots,
                                       .umax_count = umax,
                                       .x_count = 4 * n,
                                       .control = d->state.control,
                                       .health = d->state.health};
        at += 4 * (uint64_t)(stress_count(&r->replay[k]) + (slots & 1));
        r->replay[k].expected_health = racer_pointer(at);
        at += sizeof(wlu_device_health);
    }
    r->differs_at = at;
    return (size_t)(at - r->block) + sizeof r->differs;
}

/* in_one: refactorization and solve are one call. */
static inline void racer_enqueue(racer *r, int set, int in_one)
{
    int32_t n = r->m->n;
    const double *b = racer_pointer(r->b_at);
    double *x = racer_pointer(r->x_at);
    const double *values = racer_pointer(r->values[set]);
    if (in_one) {
        CHECK(warplu_refactor_solve_device(r->s, values, 0, 1, b, n, x, n, r->stream) == WARPLU_ENQUEUED);
    } else {
        CHECK(warplu_refactor_device(r->s, values, r->stream) == WARPLU_ENQUEUED);
        CHECK(warplu_solve_device(r->s, 0, 1, b, n, x, n, r->stream) == WARPLU_ENQUEUED);
    }
    CHECK(warplu_solve_device(r->s, 1, 1, b, n, x + n, n, r->stream) == WARPLU_ENQUEUED);
}

/* x, as the reference has it; NaN where its factors are weak. */
static inline void racer_follow(racer *r, const double *values, double *x)
{
    int64_t n = r->m->n;
    int weak = follower_refactor(&r->reference, values) == WLU_WEAK;
    CHECK(follower_solve(&r->reference, 0, r->b, x) && follower_solve(&r->reference, 1, r->b, x + n));
    for (int64_t i = 0; i < 2 * n && weak; i++) x[i] = (double)NAN;
}

/* An undisturbed replay, compared with the reference's on the host; its numbers are what is expected from here on. */
static inline void racer_expect(racer *r, int set)
{
    const stress_replay *of = &r->replay[set];
    wlu_context *ctx = &r->s->ctx;
    int64_t n = r->m->n;
    const double *values = r->sets + set * (int64_t)r->m->nnz;
    test_replay mine = {.target = r->s->target, .state = r->s->current.state}, other = {.target = {0}};
    double *x = malloc(4 * (size_t)n * sizeof *x);
    racer_enqueue(r, set, 0);
    is_up(wlu_cuda.to_host(x, r->x_at, 2 * (size_t)n * sizeof *x, r->stream));
    is_up(wlu_cuda.stream_wait(r->stream));
    CHECK(wlu_state_fetch(ctx, mine.state, 0, &mine.slots) == WARPLU_SUCCESS);
    racer_follow(r, values, x + 2 * n);
    CHECK(wlu_state_fetch(ctx, r->reference.state, 0, &other.slots) == WARPLU_SUCCESS);
    test_compare_all_slots(wlu_solver_program(r->s), &other, &mine, r->name);
    test_compare_array(x + 2 * n, x, 2 * n, r->name, "unknown");
    const wlu_device_health *h = ((const wlu_resident *)mine.state)->health;
    CHECK(h->failed == 0 && h->generation > 0);
    wlu_cu_address to = racer_address(of->expected);
    const void *from[] = {of->slots[(h->generation - 1) & 1], of->umax, of->x};
    int64_t count[] = {of->slot_count, of->umax_count, of->x_count};
    for (int k = 0; k < 3; to += 4 * (uint64_t)count[k++])
        if (count[k] > 0) is_up(wlu_cuda.on_device(to, racer_address(from[k]), 4 * (size_t)count[k], r->stream));
    is_up(wlu_cuda.to_device(racer_address(of->expected_health), h, sizeof *h, r->stream));
    is_up(wlu_cuda.stream_wait(r->stream));
    free(x);
}

static inline int racer_prepare(racer *r, warplu_precision precision, const wlu_cost *cost, uint64_t *seed)
{
    int64_t n = r->m->n, nnz = r->m->nnz;
    warplu_options o;
    check_init_options(&o);
    o.executor = WARPLU_EXECUTOR_CUDA;
    o.precision = precision;
    if (!follower_prepare(&r->s, &o, cost, r->m) || follower_open(&r->reference, r->s) < 0) {
        CHECK_SAY(0, "%s: %s", r->name, r->s != NULL ? warplu_get_message(r->s) : "no solver");
        return 0;
    }
    r->im = (wlu_flow_image *)r->s->current.plan->images->image;
    r->sets = malloc(SETS * (size_t)nnz * sizeof *r->sets);
    r->b = malloc((size_t)n * sizeof *r->b);
    for (int64_t k = 0; k < SETS * nnz; k++) r->sets[k] = r->m->x[k % nnz] * (0.999 + 0.002 * check_uniform(seed));
    for (int64_t i = 0; i < n; i++) r->b[i] = check_uniform(seed) - 0.5;
    return is_up(wlu_cuda.stream_create(&r->stream, WLU_CU_STREAM_NON_BLOCKING)) &&
           is_up(wlu_cuda.alloc(&r->block, racer_lay_out(r)));
}

/* cost: as for follower_prepare. */
static inline void racer_open(racer *r, const char *name, const test_matrix *m, warplu_precision precision,
                              const wlu_cost *cost, uint64_t *seed)
{
    *r = (racer){.name = name, .m = m};
    if (!racer_prepare(r, precision, cost, seed)) return;
    racer_lay_out(r);
    is_up(wlu_cuda.to_device(r->b_at, r->b, (size_t)m->n * sizeof *r->b, r->stream));
    for (int k = 0; k < SETS; k++) {
        size_t nnz = (size_t)m->nnz;
        is_up(wlu_cuda.to_device(r->values[k], r->sets + (size_t)k * nnz, nnz * sizeof *r->sets, r->stream));
        racer_expect(r, k);
    }
}

static inline void racer_close(racer *r)
{
    CHECK(r->block == 0 || wlu_cuda.free(r->block) == 0);
    CHECK(r->stream == NULL || wlu_cuda.stream_destroy(r->stream) == 0);
    if (r->reference.of != NULL) follower_close(&r->reference);
    warplu_destroy(&r->s);
    free(r->sets);
    free(r->b);
}

#endif
