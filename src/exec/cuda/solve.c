/* Solves on a CUDA device: one launch for up to WLU_MANY right-hand sides, side by side. See solve.h.
 *
 * A state has two buffers of solve slots for each of them, and a right-hand side and a solution on the device and
 * pinned for calls with host pointers. Both kinds of solve take turns on the same buffers. */
#include "exec/cuda/solve.h"

#include "exec/cuda/levels.h"
#include "exec/cuda/refine.h"

#include <string.h>

#include "exec/device/pack.h"
#include "exec/device/pack_rows.h"

/* A state of many unknowns takes right-hand sides one at a time: so many bytes of buffers for all of them are enough.
 */
enum { SIDE_BY_SIDE_BYTES = 1 << 28 };

/* ---------------------------------------------------------------- images */

static warplu_status upload(wlu_context *ctx, wlu_cuda_solve_image *to, const wlu_solve_image *packed)
{
    warplu_status status = wlu_cuda_upload(ctx, &packed->block, &to->block);
    if (status < 0) return status;
    to->bytes = packed->block.bytes;
    to->placed = wlu_device_place_solve(packed, wlu_cuda_pointer(to->block));
    return status;
}

warplu_status wlu_cuda_load_solve(wlu_context *ctx, wlu_cuda_image *im, wlu_stream_kind kind)
{
    wlu_solve_image packed;
    if (im->strategy != WARPLU_STRATEGY_FLOW) return wlu_cuda_levels_load_solve(ctx, im, kind);
    if (wlu_precision_refines(im->precision)) {
        warplu_status rows = wlu_cuda_load_rows(ctx, im, kind);
        if (rows < 0) return rows;
    }
    if (im->solve[kind == WLU_STREAM_SOLVE_TRANSPOSED].block != 0)
        return WARPLU_SUCCESS; /* only leaving the context had failed */
    warplu_status status = wlu_device_pack_solve(ctx, im->program, kind, &packed);
    if (status < 0) return status;
    status = wlu_cuda_enter(ctx, im->device);
    if (status == WARPLU_SUCCESS)
        status = wlu_cuda_leave(ctx, upload(ctx, &im->solve[kind == WLU_STREAM_SOLVE_TRANSPOSED], &packed));
    wlu_solve_image_free(ctx, &packed);
    return status;
}

void wlu_cuda_free_solves(wlu_cuda_image *im)
{
    wlu_cuda_free_rows(im);
    for (int k = 0; k < 2; k++)
        if (im->solve[k].block != 0) wlu_cuda.free(im->solve[k].block);
}

/* ----------------------------------------------------------------- states */

/* Slots of the larger kind: y, x, constants, the regions' unknowns twice and as many partial results at most. `levels`
 * has them among the factorization's. */
static int64_t slots_of(const wlu_cuda_image *im)
{
    const wlu_program *p = im->program;
    if (im->strategy != WARPLU_STRATEGY_FLOW) return 0;
    return wlu_cuda_aligned(8 * (p->nslots - p->y + 4 * (int64_t)p->tiles.m)) / 8;
}

static void place(wlu_on_device_solves *d, const wlu_cuda_image *im, const wlu_on_device *of)
{
    int64_t n = im->program->n, slots = slots_of(im);
    wlu_device_state *s = &d->state;
    s->slots = slots;
    s->v[0] = wlu_cuda_pointer(d->block);
    s->v[1] = wlu_cuda_pointer(wlu_cuda_slot(im, s->v[0], slots * d->sides));
    d->b = wlu_cuda_pointer(wlu_cuda_slot(im, s->v[1], slots * d->sides));
    d->x = d->b + n * d->sides;
    s->control = (wlu_device_control *)(d->x + n * d->sides);
    s->patience = of->state.patience;
    s->scale = 1.0;
}

/* Poison everywhere but in constants. */
static warplu_status begin(wlu_context *ctx, wlu_on_device_solves *d, const wlu_cuda_image *im, wlu_cu_handle stream)
{
    const wlu_device_state *s = &d->state;
    int64_t buffers = s->slots > 0 ? 2 * (int64_t)d->sides : 0;
    warplu_status status = WARPLU_SUCCESS;
    if (buffers > 0) status = wlu_cuda_poison(ctx, im, s->v[0], s->slots, buffers, im->program->y, stream);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, clear, wlu_cuda_address(s->control), 0, (size_t)d->sides * sizeof *s->control, stream);
    return status == WARPLU_SUCCESS ? WLU_CUDA(ctx, stream_wait, stream) : status;
}

warplu_status wlu_cuda_attach_solves(wlu_context *ctx, const wlu_cuda_image *im, wlu_on_device *of)
{
    wlu_on_device_solves *d = &of->solves;
    int64_t n = im->program->n, side = 2 * im->slot_bytes * slots_of(im) + 16 * n + (int64_t)sizeof(wlu_device_control);
    wlu_cu_address health;
    void *pinned = NULL;
    d->sides = side * WLU_MANY <= SIDE_BY_SIDE_BYTES ? WLU_MANY : 1;
    d->bytes = side * d->sides;
    warplu_status status = WLU_CUDA(ctx, alloc, &d->block, (size_t)d->bytes);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, host_alloc, &pinned, (size_t)d->sides * ((size_t)n * sizeof(double) + sizeof *d->health),
                          WLU_CU_HOST_PORTABLE | WLU_CU_HOST_MAPPED);
    if (status < 0) return status;
    d->staging = pinned;
    d->health = (wlu_device_health *)(d->staging + n * d->sides);
    status = WLU_CUDA(ctx, host_address, &health, d->health, 0);
    if (status < 0) return status;
    place(d, im, of);
    d->state.health = wlu_cuda_pointer(health);
    return begin(ctx, d, im, of->stream);
}

void wlu_cuda_detach_solves(wlu_on_device *of)
{
    if (of->solves.block != 0) wlu_cuda.free(of->solves.block);
    if (of->solves.staging != NULL) wlu_cuda.host_free(of->solves.staging);
}

/* --------------------------------------------------------------- launches */

/* early: directly behind the factorization, and before its end. With anything else between them it could begin before
 * what comes before that. */
static warplu_status launch_kernel(wlu_context *ctx, const wlu_cuda_image *im, int early, unsigned sides,
                                   void **parameters, wlu_cu_handle stream)
{
    wlu_cu_launch_attribute behind = {.id = WLU_CU_LAUNCH_BEHIND, .of.value = 1};
    const wlu_cuda_kernels *k = im->kernels;
    unsigned blocks = (unsigned)(im->device->multiprocessors * (early ? k->early_blocks : k->solve_blocks)),
             room = (unsigned)k->solve_bytes;
    wlu_cu_launch how = {blocks, sides, 1, WLU_TILE_THREADS, 1, 1, room, stream, &behind, 1};
    if (early) return WLU_CUDA(ctx, launch_with, &how, k->early, parameters, NULL);
    return WLU_CUDA(ctx, launch, k->solve, blocks, sides, 1, WLU_TILE_THREADS, 1, 1, room, stream, parameters, NULL);
}

/* Of right-hand sides that there is room for side by side. f: their refinement, of which this is a trial; or NULL.
 * residual: it is a solve for f's, not for a's right-hand sides. */
static warplu_status launch(wlu_context *ctx, const wlu_cuda_image *im, wlu_on_device *d, const wlu_async_solve *a,
                            const wlu_device_refine *f, int residual, int early, wlu_cu_handle stream)
{
    wlu_device_solve solve = im->solve[a->kind == WLU_STREAM_SOLVE_TRANSPOSED].placed;
    wlu_device_state state = d->solves.state;
    wlu_solve_of of = {.v = {d->state.v[0], d->state.v[1]},
                       .control = d->state.control,
                       .x = a->x,
                       .ldb = a->ldb,
                       .ldx = a->ldx,
                       .withheld = a->withhold ? WLU_WEAK : WLU_DEVICE_VOID};
    void *parameters[] = {&solve, &state, &of};
    state.source = a->b;
    if (residual) {
        state.source = f->r;
        of.ldb = im->program->n;
    }
    if (f != NULL) {
        of.refine = f->control;
        for (int k = 0; k < 2; k++) of.trial[k] = f->x[k];
    }
    d->elsewhere |= stream != d->stream;
    if (im->strategy != WARPLU_STRATEGY_FLOW)
        return wlu_cuda_levels_solve(ctx, im, d, a->kind, a->nrhs, a->b, &of, stream);
    return launch_kernel(ctx, im, early && im->kernels->early_blocks > 0, (unsigned)a->nrhs, parameters, stream);
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

/* The same with refinement, launch after launch; those of a right-hand side that needs no more leave at once. values:
 * of a factorization before the first solution; or NULL. */
static warplu_status refine(wlu_context *ctx, const wlu_cuda_image *im, wlu_on_device *d, const double *values,
                            const wlu_async_solve *a, wlu_cu_handle stream)
{
    const wlu_device_refine f = wlu_cuda_refine_of(d, a);
    int fresh = d->refine.fresh, begins = f.single || fresh < a->nrhs;
    warplu_status status = begins ? wlu_cuda_look(ctx, im, &f, a, 1, stream) : WARPLU_SUCCESS;
    d->refine.fresh = 0;
    if (status == WARPLU_SUCCESS && values != NULL) status = wlu_cuda_enqueue_refactor(ctx, im, d, values, stream);
    for (int step = 0; step <= wlu_refine_steps(im->program, im->slot_bytes == 4) && status == WARPLU_SUCCESS; step++) {
        status = launch(ctx, im, d, a, &f, begins || step > 0, values != NULL && step == 0, stream);
        if (status == WARPLU_SUCCESS) status = wlu_cuda_look(ctx, im, &f, a, 0, stream);
    }
    if (status == WARPLU_SUCCESS) status = wlu_cuda_deliver(ctx, im, &f, a, stream);
    if (status == WARPLU_SUCCESS) d->refine.fresh = fresh > a->nrhs ? fresh : a->nrhs;
    return status;
}

/* Unknowns are stored as they come, when others have not read their right-hand side yet: where both have one place,
 * that is put aside first. */
static warplu_status put_aside(wlu_context *ctx, const wlu_cuda_image *im, const wlu_on_device *d,
                               wlu_async_solve *share, wlu_cu_handle stream)
{
    int64_t n = im->program->n;
    warplu_status status = WARPLU_SUCCESS;
    if (share->b != share->x) return status;
    for (int32_t k = 0; k < share->nrhs && status == WARPLU_SUCCESS; k++)
        status = WLU_CUDA(ctx, on_device, wlu_cuda_address(d->solves.b + k * n),
                          wlu_cuda_address(share->b + k * share->ldb), (size_t)n * sizeof *share->b, stream);
    share->b = d->solves.b;
    share->ldb = n;
    return status;
}

/* values: of a factorization before the first launch, which is then early; or NULL. */
static warplu_status enqueue(wlu_context *ctx, const wlu_cuda_image *im, wlu_on_device *d, const double *values,
                             const wlu_async_solve *all, wlu_cu_handle stream)
{
    int room = d->solves.sides;
    warplu_status status = WARPLU_SUCCESS;
    if (all->nrhs == 0 && values != NULL) return wlu_cuda_enqueue_refactor(ctx, im, d, values, stream);
    for (int32_t k = 0; k < all->nrhs && status == WARPLU_SUCCESS; k += room) {
        wlu_async_solve share = share_of(all, k, room);
        int behind = k == 0 && values != NULL;
        if (wlu_precision_refines(im->precision)) {
            status = refine(ctx, im, d, behind ? values : NULL, &share, stream);
            continue;
        }
        status = put_aside(ctx, im, d, &share, stream);
        if (status == WARPLU_SUCCESS && behind) status = wlu_cuda_enqueue_refactor(ctx, im, d, values, stream);
        if (status == WARPLU_SUCCESS) status = launch(ctx, im, d, &share, NULL, 0, behind, stream);
    }
    return status;
}

warplu_status wlu_cuda_solve_async(wlu_context *ctx, const void *image, wlu_state *state, const wlu_async_solve *solve,
                                   void *stream)
{
    return wlu_cuda_refactor_solve_async(ctx, image, state, NULL, solve, stream);
}

warplu_status wlu_cuda_refactor_solve_async(wlu_context *ctx, const void *image, wlu_state *state, const double *values,
                                            const wlu_async_solve *solve, void *stream)
{
    const wlu_cuda_image *im = image;
    warplu_status status = wlu_cuda_enter(ctx, im->device);
    return status < 0 ? status : wlu_cuda_leave(ctx, enqueue(ctx, im, state->device, values, solve, stream));
}

/* By bits. */
static double largest_of(const double *x, int64_t count)
{
    double largest = 0.0;
    for (int64_t i = 0; i < count; i++) largest = wlu_larger_bits(largest, wlu_magnitude(x[i]));
    return largest;
}

/* What solves of the host have come to. */
static void add_refined(const wlu_on_device *d, int sides, wlu_refined *to)
{
    for (int k = 0; k < sides; k++) {
        const wlu_refined *one = &d->refine.each[k];
        to->backward_error =
            wlu_larger_bits(to->backward_error == -1.0 ? 0.0 : to->backward_error, one->backward_error);
        if (one->steps > to->steps) to->steps = one->steps;
        to->inaccurate += one->inaccurate;
    }
}

/* As many right-hand sides as there is room for, from the host and back. In FP64 the host checks them itself. */
static warplu_status solve_some(wlu_context *ctx, const wlu_cuda_image *im, wlu_on_device *d, wlu_stream_kind kind,
                                int sides, const double *b, int64_t ldb, double *x, int64_t ldx, double *largest)
{
    wlu_on_device_solves *s = &d->solves;
    size_t n = (size_t)im->program->n, bytes = n * (size_t)sides * sizeof(double);
    wlu_async_solve staged = {.kind = kind, .nrhs = sides, .b = s->b, .ldb = (int64_t)n, .x = s->x, .ldx = (int64_t)n};
    warplu_status status = wlu_cuda_settle(ctx, d);
    for (int k = 0; k < sides; k++) {
        memcpy(s->staging + (size_t)k * n, b + k * ldb, n * sizeof *b);
        s->health[k].failed = 0; /* one that has nothing to solve for says nothing */
    }
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, to_device, wlu_cuda_address(s->b), s->staging, bytes, d->stream);
    if (status == WARPLU_SUCCESS)
        status = im->precision == WARPLU_PRECISION_MIXED ? refine(ctx, im, d, NULL, &staged, d->stream)
                                                         : launch(ctx, im, d, &staged, NULL, 0, 0, d->stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, to_host, s->staging, wlu_cuda_address(s->x), bytes, d->stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, stream_wait, d->stream);
    for (int k = 0; k < sides && status == WARPLU_SUCCESS; k++) {
        memcpy(x + k * ldx, s->staging + (size_t)k * n, n * sizeof *x);
        largest[k] =
            im->precision == WARPLU_PRECISION_MIXED ? largest_of(x + k * ldx, (int64_t)n) : s->health[k].largest_u;
        if (s->health[k].failed != 0)
            status = wlu_fail(ctx, WARPLU_DEVICE_FAILED,
                              "the solve was given up: a slot that others wait for was not written");
    }
    return status;
}

warplu_status wlu_cuda_solve_many(wlu_context *ctx, const void *image, wlu_state *state, wlu_stream_kind kind,
                                  int count, const double *b, int64_t ldb, double *x, int64_t ldx, double *largest)
{
    const wlu_cuda_image *im = image;
    int room = state->device->solves.sides;
    warplu_status status = wlu_cuda_enter(ctx, im->device);
    if (status < 0) return status;
    state->refined = wlu_refined_none();
    for (int k = 0; k < count && status == WARPLU_SUCCESS; k += room) {
        int sides = count - k < room ? count - k : room;
        status = solve_some(ctx, im, state->device, kind, sides, b + k * ldb, ldb, x + k * ldx, ldx, largest + k);
        if (status == WARPLU_SUCCESS && im->precision == WARPLU_PRECISION_MIXED)
            add_refined(state->device, sides, &state->refined);
    }
    return wlu_cuda_leave(ctx, status);
}

warplu_status wlu_cuda_solve(wlu_context *ctx, const void *image, wlu_state *state, wlu_stream_kind kind,
                             const double *b, double *x, double *largest)
{
    int64_t n = state->device->solves.state.slots; /* of one column no leading dimension is used */
    return wlu_cuda_solve_many(ctx, image, state, kind, 1, b, n, x, n, largest);
}
