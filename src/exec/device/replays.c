/* Replays on a CUDA device. See replays.h. A replay allocates nothing. */
#include <warplu/device.h>

#include "exec/device/replays.h"

#include "device/kernels.h"
#include "exec/device/copies.h"

#include <math.h>
#include <string.h>

enum { GATHER_THREADS = 256 };

/* ------------------------------------------------------------------ enqueued */

/* The executor's refactorization. */
static warplu_status launch(wlu_context *ctx, wlu_resident *d, const double *source, wlu_cu_handle stream)
{
    d->elsewhere |= stream != d->stream;
    return wlu_resident_image_of(d)->residence->refactor(ctx, d, source, stream);
}

/* Values of a pattern with duplicates become entries first. */
static warplu_status gather(wlu_context *ctx, wlu_resident *d, const double *values, wlu_cu_handle stream)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    wlu_device_gather map = im->gather;
    const double *entries = d->state.source;
    void *parameters[] = {&map, &values, &entries};
    return wlu_cuda_launch(ctx, im->device->gather, map.doubles * (int64_t)map.entries, GATHER_THREADS, parameters,
                           stream);
}

warplu_status wlu_resident_enqueue_refactor(wlu_context *ctx, wlu_resident *d, const double *values,
                                            wlu_cu_handle stream)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    warplu_status status = WARPLU_SUCCESS;
    if (im->gather.entries > 0)
        status = gather(ctx, d, values, stream);
    else if (wlu_precision_refines(im->base.target.precision)) /* residuals read them when they may have changed */
        status = WLU_CUDA(ctx, on_device, wlu_cuda_address(d->state.source), wlu_cuda_address(values),
                          8 * (size_t)wlu_entries_of(im->base.program), stream);
    else
        return launch(ctx, d, values, stream);
    return status < 0 ? status : launch(ctx, d, d->state.source, stream);
}

warplu_status wlu_resident_put_aside(wlu_context *ctx, const wlu_resident *d, wlu_async_solve *share,
                                     wlu_cu_handle stream)
{
    int64_t n = wlu_resident_vector(d);
    warplu_status status = WARPLU_SUCCESS;
    if (share->b != share->x) return status;
    for (int32_t k = 0; k < share->nrhs && status == WARPLU_SUCCESS; k++)
        status = WLU_CUDA(ctx, on_device, wlu_cuda_address(d->solves.b + k * n),
                          wlu_cuda_address(share->b + k * share->ldb), (size_t)n * sizeof *share->b, stream);
    share->b = d->solves.b;
    share->ldb = n;
    return status;
}

/* The executor's solve. */
static warplu_status launch_solve(wlu_context *ctx, wlu_resident *d, const double *values, const wlu_async_solve *share,
                                  int refines, wlu_cu_handle stream)
{
    d->elsewhere |= stream != d->stream;
    return wlu_resident_image_of(d)->residence->solve(ctx, d, values, share, refines, stream);
}

/* What one launch does of a solve: right-hand sides from number k on. */
static wlu_async_solve share_of(const wlu_async_solve *all, int32_t k, int room)
{
    wlu_async_solve share = *all;
    if (share.nrhs > room) share.nrhs = room;
    if (share.nrhs > all->nrhs - k) share.nrhs = all->nrhs - k;
    share.b += k * all->ldb;
    share.x += k * all->ldx;
    return share;
}

static warplu_status enqueue_within(wlu_context *ctx, wlu_resident *d, const double *values, const wlu_async_solve *all,
                                    wlu_cu_handle stream)
{
    int room = d->solves.sides, refines = wlu_precision_refines(d->base.image->target.precision);
    warplu_status status = WARPLU_SUCCESS;
    if ((all == NULL || all->nrhs == 0) && values != NULL) return wlu_resident_enqueue_refactor(ctx, d, values, stream);
    for (int32_t k = 0; all != NULL && k < all->nrhs && status == WARPLU_SUCCESS; k += room) {
        wlu_async_solve share = share_of(all, k, room);
        status = launch_solve(ctx, d, k == 0 ? values : NULL, &share, refines, stream);
    }
    return status;
}

static warplu_status enqueue(wlu_context *ctx, wlu_state *state, const double *values, const wlu_async_solve *solve,
                             void *stream)
{
    wlu_resident *d = wlu_resident_of(state);
    warplu_status status = wlu_cuda_enter(ctx, &wlu_resident_image_of(d)->device->on);
    return status < 0 ? status : wlu_cuda_leave(ctx, enqueue_within(ctx, d, values, solve, stream));
}

/* ---------------------------------------------------------------- judged */

/* The record of the last replay becomes the state's health. */
static warplu_status read_health(wlu_context *ctx, wlu_resident *d)
{
    const wlu_device_health *h = d->health;
    d->of_last = wlu_device_health_read(h, wlu_precision_is_single(d->base.image->target.precision));
    d->base.refined = *d->refined;
    if (h->failed == 0) return WARPLU_SUCCESS;
    return wlu_fail(ctx, WARPLU_DEVICE_FAILED, "the replay was given up: a slot that others wait for was not written");
}

static warplu_status finish(wlu_context *ctx, wlu_state *state, void *stream)
{
    wlu_resident *d = wlu_resident_of(state);
    warplu_status status = wlu_cuda_enter(ctx, &wlu_resident_image_of(d)->device->on);
    if (status < 0) return status;
    status = WLU_CUDA(ctx, stream_wait, stream);
    if (status == WARPLU_SUCCESS) status = read_health(ctx, d);
    return wlu_cuda_leave(ctx, status);
}

static warplu_status mark_suspect(wlu_context *ctx, wlu_resident *d)
{
    warplu_status status = wlu_cuda_settle(ctx, d->elsewhere);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, fill, wlu_cuda_address(&d->state.control->verdict), WLU_SUSPECT, 1, d->stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, stream_wait, d->stream);
    if (status == WARPLU_SUCCESS) d->health->verdict = WLU_SUSPECT;
    return status;
}

static warplu_status release_withheld(wlu_context *ctx, wlu_state *state)
{
    wlu_resident *d = wlu_resident_of(state);
    if (d->health->verdict != WLU_WEAK) return WARPLU_SUCCESS;
    warplu_status status = wlu_cuda_enter(ctx, &wlu_resident_image_of(d)->device->on);
    return status < 0 ? status : wlu_cuda_leave(ctx, mark_suspect(ctx, d));
}

static warplu_device_health health(const wlu_state *state)
{
    const wlu_resident *d = (const wlu_resident *)state;
    const wlu_device_health *h = d->health;
    return (warplu_device_health){.size = sizeof(warplu_device_health),
                                  .largest_l = h->largest_l,
                                  .largest_u = h->largest_u,
                                  .growth = h->growth,
                                  .smallest_pivot = h->smallest_pivot,
                                  .drift = h->drift,
                                  .finite = h->finite,
                                  .verdict = h->verdict,
                                  .generation = h->generation,
                                  .failed = h->failed,
                                  .backward_error = d->refined->backward_error,
                                  .refinement_steps = d->refined->steps,
                                  .inaccurate = d->refined->inaccurate};
}

/* The caller's kernels read the record's end. */
_Static_assert(offsetof(wlu_device_health, failed) - offsetof(wlu_device_health, generation) ==
                       offsetof(warplu_device_verdict, failed) &&
                   offsetof(wlu_device_health, verdict) - offsetof(wlu_device_health, generation) ==
                       offsetof(warplu_device_verdict, verdict) &&
                   sizeof(wlu_device_health) - offsetof(wlu_device_health, generation) == sizeof(warplu_device_verdict),
               "a device's record ends with the public verdict");

static const warplu_device_verdict *verdict(const wlu_state *state)
{
    return (const warplu_device_verdict *)&((const wlu_resident *)state)->health->generation;
}

const wlu_executor_device wlu_resident_device = {
    .enqueue = enqueue, .finish = finish, .release_withheld = release_withheld, .health = health, .verdict = verdict};

/* -------------------------------------------------------------- of the host */

static warplu_status replay(wlu_context *ctx, wlu_resident *d, const double *values)
{
    const wlu_program *p = d->base.image->program;
    size_t bytes = 8 * (size_t)wlu_entries_of(p);
    warplu_status status = wlu_cuda_settle(ctx, d->elsewhere);
    const double *source = wlu_gather_values(p, values, d->staging);
    if (source != d->staging) memcpy(d->staging, source, bytes);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, to_device, wlu_cuda_address(d->state.source), d->staging, bytes, d->stream);
    if (status == WARPLU_SUCCESS) status = launch(ctx, d, d->state.source, d->stream);
    return status == WARPLU_SUCCESS ? WLU_CUDA(ctx, stream_wait, d->stream) : status;
}

warplu_status wlu_resident_refactor(wlu_context *ctx, wlu_state *state, const double *values)
{
    wlu_resident *d = wlu_resident_of(state);
    d->of_last = wlu_health_at_first();
    warplu_status status = wlu_cuda_enter(ctx, &wlu_resident_image_of(d)->device->on);
    if (status < 0) return status;
    status = replay(ctx, d, values);
    if (status == WARPLU_SUCCESS) status = read_health(ctx, d);
    return wlu_cuda_leave(ctx, status);
}

/* By bits. */
static double largest_of(const double *x, int64_t count)
{
    double largest = 0.0;
    for (int64_t i = 0; i < count; i++) largest = wlu_larger_bits(largest, fabs(x[i]));
    return largest;
}

/* What solves of the host have come to. */
static void add_refined(const wlu_resident *d, int sides, wlu_refined *to)
{
    for (int k = 0; k < sides; k++) {
        const wlu_refined *one = &d->solves.each[k];
        to->backward_error =
            wlu_larger_bits(to->backward_error == -1.0 ? 0.0 : to->backward_error, one->backward_error);
        if (one->steps > to->steps) to->steps = one->steps;
        to->inaccurate += one->inaccurate;
    }
}

/* Right-hand sides and solutions of the host. */
typedef struct host_columns {
    int count;
    const double *b;
    int64_t ldb;
    double *x;
    int64_t ldx;
    double *largest;
} host_columns;

/* To the host, from where the device has left them. */
static warplu_status deliver(wlu_context *ctx, const wlu_resident *d, const host_columns *c, int refines)
{
    const wlu_resident_solves *s = &d->solves;
    size_t n = (size_t)wlu_resident_vector(d);
    for (int k = 0; k < c->count; k++) {
        double *x = c->x + k * c->ldx;
        memcpy(x, s->staging + (size_t)k * n, n * sizeof *x);
        c->largest[k] = refines ? largest_of(x, (int64_t)n) : s->health[k].largest_u;
        if (s->health[k].failed != 0)
            return wlu_fail(ctx, WARPLU_DEVICE_FAILED,
                            "the solve was given up: a slot that others wait for was not written");
    }
    return WARPLU_SUCCESS;
}

/* As many right-hand sides as there is room for, from the host and back. */
static warplu_status solve_some(wlu_context *ctx, wlu_resident *d, wlu_stream_kind kind, const host_columns *c,
                                int refines)
{
    wlu_resident_solves *s = &d->solves;
    size_t n = (size_t)wlu_resident_vector(d), bytes = n * (size_t)c->count * sizeof(double);
    wlu_async_solve staged = {
        .kind = kind, .nrhs = c->count, .b = s->b, .ldb = (int64_t)n, .x = s->x, .ldx = (int64_t)n};
    warplu_status status = wlu_cuda_settle(ctx, d->elsewhere);
    for (int k = 0; k < c->count; k++) {
        memcpy(s->staging + (size_t)k * n, c->b + k * c->ldb, n * sizeof *c->b);
        s->health[k].failed = 0; /* one that has nothing to solve for says nothing */
    }
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, to_device, wlu_cuda_address(s->b), s->staging, bytes, d->stream);
    if (status == WARPLU_SUCCESS) status = launch_solve(ctx, d, NULL, &staged, refines, d->stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, to_host, s->staging, wlu_cuda_address(s->x), bytes, d->stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, stream_wait, d->stream);
    if (status == WARPLU_SUCCESS) status = deliver(ctx, d, c, refines);
    if (status == WARPLU_SUCCESS && refines) add_refined(d, c->count, &d->base.refined);
    return status;
}

/* In FP64 the host checks them itself. */
warplu_status wlu_resident_solve(wlu_context *ctx, wlu_state *state, wlu_stream_kind kind, int nrhs, const double *b,
                                 int64_t ldb, double *x, int64_t ldx, double *largest)
{
    wlu_resident *d = wlu_resident_of(state);
    int room = d->solves.sides, refines = state->image->target.precision == WARPLU_PRECISION_MIXED;
    warplu_status status = wlu_cuda_enter(ctx, &wlu_resident_image_of(d)->device->on);
    if (status < 0) return status;
    state->refined = wlu_refined_none();
    for (int k = 0; k < nrhs && status == WARPLU_SUCCESS; k += room) {
        host_columns c = {nrhs - k < room ? nrhs - k : room, b + k * ldb, ldb, x + k * ldx, ldx, largest + k};
        status = solve_some(ctx, d, kind, &c, refines);
    }
    return wlu_cuda_leave(ctx, status);
}
