/* Residuals and refinement on a CUDA device. See refine.h.
 *
 * A state has for each right-hand side two buffers of unknowns, a residual and a control on the device; what solves
 * have come to is written behind the record of the replay's health, and of each right-hand side beside it. */
#include "exec/flow/refine.h"

#include "exec/device/copies.h"
#include "exec/residual/refine.h"

#include <float.h>

enum { BLOCKS_A_MULTIPROCESSOR = 4 };

/* ------------------------------------------------------------------ states */

/* Parts of the block at this address; returns its bytes. */
static int64_t place(wlu_flow_state *state, wlu_cu_address block)
{
    wlu_device_refine *f = &state->refine.of;
    int64_t sides = state->of.solves.sides, numbers = 8 * sides * wlu_resident_vector(&state->of);
    wlu_cu_address at = block;
    for (int k = 0; k < 2; k++) f->x[k] = wlu_cuda_take(&at, numbers);
    f->r = wlu_cuda_take(&at, numbers);
    f->control = wlu_cuda_take(&at, sides * (int64_t)sizeof *f->control);
    f->total = wlu_cuda_take(&at, sizeof *f->total + sizeof *f->departures);
    f->departures = (uint32_t *)(f->total + 1);
    return (int64_t)(at - block);
}

/* Controls, total and departures: no replay has been solved with. */
static warplu_status begin(wlu_context *ctx, const wlu_flow_state *state)
{
    const wlu_device_refine *f = &state->refine.of;
    const wlu_refined none = wlu_refined_none();
    wlu_cu_handle stream = state->of.stream;
    size_t bytes = (size_t)((const char *)(f->departures + 1) - (const char *)f->control);
    warplu_status status = WLU_CUDA(ctx, clear, wlu_cuda_address(f->control), 0, bytes, stream);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, to_device, wlu_cuda_address(f->total), &none, sizeof none, stream);
    return status == WARPLU_SUCCESS ? WLU_CUDA(ctx, stream_wait, stream) : status;
}

warplu_status wlu_flow_attach_refine(wlu_context *ctx, wlu_flow_state *state)
{
    wlu_flow_refine *to = &state->refine;
    wlu_device_state *s = &state->of.state;
    int64_t bytes = place(state, 0);
    void *pinned = NULL, *on_device;
    if (!wlu_precision_refines(state->of.base.image->target.precision)) return WARPLU_SUCCESS;
    warplu_status status = WLU_CUDA(ctx, alloc, &to->block, (size_t)bytes);
    if (status < 0) return status;
    place(state, to->block);
    status = wlu_cuda_pin(ctx, (size_t)state->of.solves.sides * sizeof *to->each, &pinned, &on_device);
    state->of.solves.each = to->each = pinned;
    if (status < 0) return status;
    to->of.told = s->refined[1] = (wlu_refined *)(s->health + 1); /* as the host has it behind the record */
    to->of.each = on_device;
    to->of.single = wlu_precision_is_single(state->of.base.image->target.precision);
    to->of.entries = s->source;
    to->of.factors = s->control;
    s->refined[0] = to->of.total;
    state->of.base.bytes += bytes;
    return begin(ctx, state);
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
    f.enough = wlu_refine_enough(f.single || a->to_rounding,
                                 wlu_flow_image_of(&state->of)->of.rows[WLU_STREAM_SOLVE].rows.longest);
    f.rounds = 1 + wlu_refine_steps(state->of.base.image->program, f.single);
    f.worst = a->withhold ? wlu_thresholds_of(0).accurate : DBL_MAX;
    return f;
}

warplu_status wlu_flow_begin_refine(wlu_context *ctx, const wlu_flow_image *im, const wlu_device_refine *f,
                                    const wlu_async_solve *a, wlu_cu_handle stream)
{
    wlu_refine_rows rows = im->of.rows[a->kind].rows;
    wlu_device_refine of = *f;
    void *parameters[] = {&rows, &of};
    int64_t wanted = ((int64_t)rows.n + WLU_REFINE_THREADS - 1) / WLU_REFINE_THREADS;
    int64_t most = BLOCKS_A_MULTIPROCESSOR * (int64_t)im->of.device->multiprocessors;
    return WLU_CUDA(ctx, launch, im->of.kernels->refine_begin, (unsigned)(wanted < most ? wanted : most),
                    (unsigned)a->nrhs, 1, WLU_REFINE_THREADS, 1, 1, 0, stream, parameters, NULL);
}
