/* Entries of warplu bench on device pointers: values and right-hand side lie on the device before the clock starts,
 * each timed call enqueues and waits once, and the solution is fetched after. So do the peers on a device
 * (benchmarks/peers/cuda_call.h).
 *
 * A refactor ends with warplu_finish_device, which judges it; a solve with a wait for its stream; both of them, one
 * call, with one warplu_finish_device. The host's values are not given unless a replay was weak: who works on a device
 * has none there. */
#include <warplu/device.h>

#include "base/clock.h"
#include "bench.h"
#include "exec/device/memory.h"

#include <stdlib.h>

struct bench_device {
    wlu_context *ctx;
    const void *device;
    void *values, *b, *x;
};

static const wlu_device_memory *const memory = &wlu_device_memory_cuda;

warplu_status bench_device_ready(wlu_context *ctx)
{
    const void *device;
    return memory->open(ctx, 0, &device);
}

/* ------------------------------------------------------------------- calls */

typedef struct device_call {
    bench_entry *e;
    const bench_case *c;
} device_call;

static warplu_status enqueue_refactor(const device_call *k)
{
    return warplu_refactor_device(k->e->solver, k->e->device->values, NULL);
}

static warplu_status enqueue_solve(const device_call *k)
{
    int32_t n = k->c->a.nrow;
    return warplu_solve_device(k->e->solver, 0, 1, k->e->device->b, n, k->e->device->x, n, NULL);
}

/* Pivoting again is the host's. */
static warplu_status finish(const device_call *k)
{
    warplu_status status = warplu_finish_device(k->e->solver, NULL, NULL);
    return status == WARPLU_WEAK ? warplu_finish_device(k->e->solver, bench_case_values(k->c), NULL) : status;
}

static warplu_status call_refactor(void *context)
{
    warplu_status status = enqueue_refactor(context);
    return status < 0 ? status : finish(context);
}

static warplu_status call_solve(void *context)
{
    const bench_device *d = ((const device_call *)context)->e->device;
    warplu_status status = enqueue_solve(context);
    return status < 0 ? status : memory->wait(d->ctx, d->device, NULL);
}

/* Where the replay turned out weak, the solution is of factors that are no more. */
static warplu_status call_both(void *context)
{
    const device_call *k = context;
    const bench_device *d = k->e->device;
    int32_t n = k->c->a.nrow;
    warplu_status status = warplu_refactor_solve_device(k->e->solver, d->values, 0, 1, d->b, n, d->x, n, NULL);
    if (status >= 0) status = finish(k);
    return status == WARPLU_REPIVOTED ? call_solve(context) : status;
}

/* ---------------------------------------------------------- open and close */

/* Of so many values. */
static int64_t bytes_of(const bench_case *c, int64_t values)
{
    return c->pattern->doubles * values * (int64_t)sizeof(double);
}

static warplu_status allocate(bench_device *d, const bench_case *c)
{
    const int64_t vector = bytes_of(c, c->a.nrow);
    warplu_status status = memory->alloc(d->ctx, d->device, bytes_of(c, c->a.nnz), &d->values);
    if (status >= 0) status = memory->alloc(d->ctx, d->device, vector, &d->b);
    return status < 0 ? status : memory->alloc(d->ctx, d->device, vector, &d->x);
}

/* Values and right-hand side to the device. */
static warplu_status stage(const bench_device *d, const bench_case *c)
{
    const double *values = bench_case_values(c);
    warplu_status status = memory->to_device(d->ctx, d->device, d->values, values, bytes_of(c, c->a.nnz));
    return status < 0 ? status : memory->to_device(d->ctx, d->device, d->b, c->b, bytes_of(c, c->a.nrow));
}

warplu_status bench_device_open(bench_entry *e, const bench_case *c)
{
    bench_device *d = calloc(1, sizeof *d);
    e->device = d;
    if (d == NULL) return wlu_fail_memory(&e->solver->ctx, "entry on the device");
    d->ctx = &e->solver->ctx;
    warplu_status status = memory->open(d->ctx, 0, &d->device);
    if (status >= 0) status = allocate(d, c);
    return status;
}

void bench_device_close(bench_entry *e)
{
    bench_device *d = e->device;
    e->device = NULL;
    if (d == NULL) return;
    if (d->device != NULL) {
        memory->free(d->device, d->values);
        memory->free(d->device, d->b);
        memory->free(d->device, d->x);
    }
    free(d);
}

/* ------------------------------------------------------------------- turns */

warplu_status bench_device_turn(bench_entry *e, const bench_case *c, bench_loop loop, const turn *t, int64_t *ns,
                                int32_t *count)
{
    static const turn_call calls[BENCH_LOOPS] = {
        [BENCH_REFACTOR] = call_refactor, [BENCH_SOLVE] = call_solve, [BENCH_BOTH] = call_both};
    device_call k = {e, c};
    bench_device *d = e->device;
    int64_t start = wlu_now_ns();
    *count = 0;
    warplu_status status = stage(d, c);
    e->stage_ms = (double)(wlu_now_ns() - start) / 1e6;
    if (status >= 0) status = turn_run(t, calls[loop], &k, ns, count);
    if (status < 0 || loop == BENCH_REFACTOR) return status;
    warplu_status fetched = memory->to_host(d->ctx, d->device, c->x, d->x, bytes_of(c, c->a.nrow));
    return fetched < 0 ? fetched : status;
}
