/* Residuals and refinement on a CUDA device. See refine.h.
 *
 * A state has for each right-hand side two buffers of unknowns, a residual and a control on the device; what solves
 * have come to is written behind the record of the replay's health, and of each right-hand side beside it. */
#include "exec/flow/refine.h"

#include "exec/device/copies.h"
#include "exec/rows_image.h"

enum { BLOCKS_A_MULTIPROCESSOR = 4, LANES = WLU_REFINE_SUMS };

/* ------------------------------------------------------------------ images */

static warplu_status upload(wlu_context *ctx, wlu_flow_rows *to, const wlu_rows_image *packed)
{
    warplu_status status = wlu_cuda_upload(ctx, &packed->block, &to->block);
    if (status < 0) return status;
    to->bytes = packed->block.bytes;
    to->placed = packed->rows;
    wlu_block_place(&packed->block, wlu_cuda_pointer(to->block), &to->placed);
    return status;
}

warplu_status wlu_flow_load_rows(wlu_context *ctx, wlu_flow_image *im, wlu_stream_kind kind)
{
    wlu_flow_rows *to = &im->rows[kind == WLU_STREAM_SOLVE_TRANSPOSED];
    wlu_rows_image packed;
    if (to->block != 0) return WARPLU_SUCCESS; /* only what came behind it had failed */
    warplu_status status = wlu_rows_image_pack(ctx, im->of.base.program, kind, &packed);
    if (status < 0) return status;
    status = wlu_cuda_enter(ctx, im->of.device);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, upload(ctx, to, &packed));
    wlu_rows_image_free(ctx, &packed);
    return status;
}

void wlu_flow_free_rows(wlu_flow_image *im)
{
    for (int k = 0; k < 2; k++)
        if (im->rows[k].block != 0) wlu_cuda.free(im->rows[k].block);
}

/* ------------------------------------------------------------------ states */

static void place(wlu_flow_state *state, int64_t numbers, int64_t controls)
{
    wlu_flow_refine *to = &state->refine;
    wlu_device_state *s = &state->of.state;
    wlu_device_refine *f = &to->of;
    f->x[0] = wlu_cuda_pointer(to->block);
    f->x[1] = wlu_cuda_pointer(to->block + (wlu_cu_address)numbers);
    f->r = wlu_cuda_pointer(to->block + 2 * (wlu_cu_address)numbers);
    f->control = wlu_cuda_pointer(to->block + 3 * (wlu_cu_address)numbers);
    f->total = wlu_cuda_pointer(to->block + 3 * (wlu_cu_address)numbers + (wlu_cu_address)controls);
    f->departures = (uint32_t *)(f->total + 1);
    f->single = wlu_precision_is_single(state->of.base.image->target.precision);
    f->entries = s->source;
    f->factors = s->control;
    s->refined[0] = f->total;
    s->refined[1] = f->told;
}

/* Controls, total and departures: no replay has been solved with. */
static warplu_status begin(wlu_context *ctx, const wlu_flow_state *state, int64_t controls)
{
    const wlu_device_refine *f = &state->refine.of;
    const wlu_refined none = wlu_refined_none();
    wlu_cu_handle stream = state->of.stream;
    warplu_status status =
        WLU_CUDA(ctx, clear, wlu_cuda_address(f->control), 0, (size_t)controls + WLU_CUDA_ALIGN, stream);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, to_device, wlu_cuda_address(f->total), &none, sizeof none, stream);
    return status == WARPLU_SUCCESS ? WLU_CUDA(ctx, stream_wait, stream) : status;
}

warplu_status wlu_flow_attach_refine(wlu_context *ctx, wlu_flow_state *state)
{
    wlu_flow_refine *to = &state->refine;
    int64_t sides = state->of.solves.sides, numbers = wlu_cuda_aligned(8 * sides * state->of.base.image->program->n);
    int64_t controls = wlu_cuda_aligned(sides * (int64_t)sizeof(wlu_refine_control));
    int64_t bytes = 3 * numbers + controls + WLU_CUDA_ALIGN;
    wlu_cu_address told, each;
    void *pinned = NULL;
    if (!wlu_precision_refines(state->of.base.image->target.precision)) return WARPLU_SUCCESS;
    warplu_status status = WLU_CUDA(ctx, alloc, &to->block, (size_t)bytes);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, host_alloc, &pinned, (size_t)sides * sizeof *to->each,
                          WLU_CU_HOST_PORTABLE | WLU_CU_HOST_MAPPED);
    if (status < 0) return status;
    state->of.solves.each = to->each = pinned;
    status = WLU_CUDA(ctx, host_address, &told, state->of.refined, 0);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, host_address, &each, to->each, 0);
    if (status < 0) return status;
    to->of.told = wlu_cuda_pointer(told);
    to->of.each = wlu_cuda_pointer(each);
    state->of.base.bytes += bytes;
    place(state, numbers, controls);
    return begin(ctx, state, controls);
}

void wlu_flow_detach_refine(wlu_flow_state *state)
{
    if (state->refine.block != 0) wlu_cuda.free(state->refine.block);
    if (state->refine.each != NULL) wlu_cuda.host_free(state->refine.each);
}

/* --------------------------------------------------------------- launches */

wlu_device_refine wlu_flow_refine_of(const wlu_flow_state *state, const wlu_async_solve *a)
{
    wlu_device_refine f = state->refine.of;
    f.b = a->b;
    f.ldb = a->ldb;
    f.out = a->x;
    f.ldx = a->ldx;
    f.withheld = a->withhold ? WLU_WEAK : WLU_DEVICE_VOID;
    f.worst = a->withhold ? wlu_thresholds_of(0).accurate : DBL_MAX;
    return f;
}

static unsigned blocks_of(const wlu_flow_image *im, int64_t threads)
{
    int64_t wanted = (threads + WLU_REFINE_THREADS - 1) / WLU_REFINE_THREADS;
    int64_t most = BLOCKS_A_MULTIPROCESSOR * (int64_t)im->of.device->multiprocessors;
    return (unsigned)(wanted < most ? wanted : most);
}

warplu_status wlu_flow_look(wlu_context *ctx, const wlu_flow_image *im, const wlu_device_refine *f,
                            const wlu_async_solve *a, int begins, wlu_cu_handle stream)
{
    wlu_refine_rows rows = im->rows[a->kind == WLU_STREAM_SOLVE_TRANSPOSED].placed;
    wlu_device_refine of = *f;
    void *parameters[] = {&rows, &of, &begins};
    return WLU_CUDA(ctx, launch, im->of.device->look, blocks_of(im, LANES * (int64_t)rows.n), (unsigned)a->nrhs, 1,
                    WLU_REFINE_THREADS, 1, 1, 0, stream, parameters, NULL);
}

warplu_status wlu_flow_deliver(wlu_context *ctx, const wlu_flow_image *im, const wlu_device_refine *f,
                               const wlu_async_solve *a, wlu_cu_handle stream)
{
    wlu_device_refine of = *f;
    int n = im->of.base.program->n;
    void *parameters[] = {&of, &n};
    return WLU_CUDA(ctx, launch, im->of.device->deliver, blocks_of(im, n), (unsigned)a->nrhs, 1, WLU_REFINE_THREADS, 1,
                    1, 0, stream, parameters, NULL);
}
