/* Residuals and refinement on a CUDA device. See refine.h.
 *
 * A state has for each right-hand side two buffers of unknowns, a residual and a control on the device; what solves
 * have come to is written behind the record of the replay's health, and of each right-hand side beside it. */
#include "exec/cuda/refine.h"

#include <math.h>

#include "exec/device/pack_rows.h"

enum { BLOCKS_A_MULTIPROCESSOR = 4, LANES = WLU_REFINE_SUMS };

/* ------------------------------------------------------------------ images */

static warplu_status upload(wlu_context *ctx, wlu_cuda_rows *to, const wlu_rows_image *packed)
{
    warplu_status status = wlu_cuda_upload(ctx, &packed->block, &to->block);
    if (status < 0) return status;
    to->bytes = packed->block.bytes;
    to->placed = packed->rows;
    wlu_block_place(&packed->block, wlu_cuda_pointer(to->block), &to->placed);
    return status;
}

warplu_status wlu_cuda_load_rows(wlu_context *ctx, wlu_cuda_image *im, wlu_stream_kind kind)
{
    wlu_cuda_rows *to = &im->rows[kind == WLU_STREAM_SOLVE_TRANSPOSED];
    wlu_rows_image packed;
    if (to->block != 0) return WARPLU_SUCCESS; /* only what came behind it had failed */
    warplu_status status = wlu_device_pack_rows(ctx, im->program, kind, &packed);
    if (status < 0) return status;
    status = wlu_cuda_enter(ctx, im->device);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, upload(ctx, to, &packed));
    wlu_rows_image_free(ctx, &packed);
    return status;
}

void wlu_cuda_free_rows(wlu_cuda_image *im)
{
    for (int k = 0; k < 2; k++)
        if (im->rows[k].block != 0) wlu_cuda.free(im->rows[k].block);
}

/* ------------------------------------------------------------------ states */

static void place(wlu_on_device *d, const wlu_cuda_image *im, int64_t numbers, int64_t controls)
{
    wlu_on_device_refine *to = &d->refine;
    wlu_device_refine *f = &to->of;
    f->x[0] = wlu_cuda_pointer(to->block);
    f->x[1] = wlu_cuda_pointer(to->block + (wlu_cu_address)numbers);
    f->r = wlu_cuda_pointer(to->block + 2 * (wlu_cu_address)numbers);
    f->control = wlu_cuda_pointer(to->block + 3 * (wlu_cu_address)numbers);
    f->total = wlu_cuda_pointer(to->block + 3 * (wlu_cu_address)numbers + (wlu_cu_address)controls);
    f->departures = (uint32_t *)(f->total + 1);
    f->single = im->slot_bytes == 4;
    f->entries = d->state.source;
    f->factors = d->state.control;
    d->state.refined[0] = f->total;
    d->state.refined[1] = f->told;
}

/* Controls, total and departures: no replay has been solved with. */
static warplu_status begin(wlu_context *ctx, wlu_on_device *d, int64_t controls)
{
    const wlu_device_refine *f = &d->refine.of;
    const wlu_refined none = wlu_refined_none();
    warplu_status status =
        WLU_CUDA(ctx, clear, wlu_cuda_address(f->control), 0, (size_t)controls + WLU_CUDA_ALIGN, d->stream);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, to_device, wlu_cuda_address(f->total), &none, sizeof none, d->stream);
    return status == WARPLU_SUCCESS ? WLU_CUDA(ctx, stream_wait, d->stream) : status;
}

warplu_status wlu_cuda_attach_refine(wlu_context *ctx, const wlu_cuda_image *im, wlu_on_device *d)
{
    wlu_on_device_refine *to = &d->refine;
    int64_t sides = d->solves.sides, numbers = wlu_cuda_aligned(8 * sides * im->program->n);
    int64_t controls = wlu_cuda_aligned(sides * (int64_t)sizeof(wlu_refine_control));
    wlu_cu_address told, each;
    void *pinned = NULL;
    if (!wlu_precision_refines(im->precision)) return WARPLU_SUCCESS;
    to->bytes = 3 * numbers + controls + WLU_CUDA_ALIGN;
    warplu_status status = WLU_CUDA(ctx, alloc, &to->block, (size_t)to->bytes);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, host_alloc, &pinned, (size_t)sides * sizeof *to->each,
                          WLU_CU_HOST_PORTABLE | WLU_CU_HOST_MAPPED);
    if (status < 0) return status;
    to->each = pinned;
    status = WLU_CUDA(ctx, host_address, &told, d->refined, 0);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, host_address, &each, to->each, 0);
    if (status < 0) return status;
    to->of.told = wlu_cuda_pointer(told);
    to->of.each = wlu_cuda_pointer(each);
    place(d, im, numbers, controls);
    return begin(ctx, d, controls);
}

void wlu_cuda_detach_refine(wlu_on_device *d)
{
    if (d->refine.block != 0) wlu_cuda.free(d->refine.block);
    if (d->refine.each != NULL) wlu_cuda.host_free(d->refine.each);
}

/* --------------------------------------------------------------- launches */

wlu_device_refine wlu_cuda_refine_of(const wlu_on_device *d, const wlu_async_solve *a)
{
    wlu_device_refine f = d->refine.of;
    f.b = a->b;
    f.ldb = a->ldb;
    f.out = a->x;
    f.ldx = a->ldx;
    f.withheld = a->withhold ? WLU_WEAK : WLU_DEVICE_VOID;
    f.worst = a->withhold ? WLU_REFINE_ACCURATE : DBL_MAX;
    return f;
}

static unsigned blocks_of(const wlu_cuda_image *im, int64_t threads)
{
    int64_t wanted = (threads + WLU_REFINE_THREADS - 1) / WLU_REFINE_THREADS;
    int64_t most = BLOCKS_A_MULTIPROCESSOR * (int64_t)im->device->multiprocessors;
    return (unsigned)(wanted < most ? wanted : most);
}

warplu_status wlu_cuda_look(wlu_context *ctx, const wlu_cuda_image *im, const wlu_device_refine *f,
                            const wlu_async_solve *a, int begins, wlu_cu_handle stream)
{
    wlu_device_rows rows = im->rows[a->kind == WLU_STREAM_SOLVE_TRANSPOSED].placed;
    wlu_device_refine of = *f;
    void *parameters[] = {&rows, &of, &begins};
    return WLU_CUDA(ctx, launch, im->device->look, blocks_of(im, LANES * (int64_t)rows.n), (unsigned)a->nrhs, 1,
                    WLU_REFINE_THREADS, 1, 1, 0, stream, parameters, NULL);
}

warplu_status wlu_cuda_deliver(wlu_context *ctx, const wlu_cuda_image *im, const wlu_device_refine *f,
                               const wlu_async_solve *a, wlu_cu_handle stream)
{
    wlu_device_refine of = *f;
    int n = im->program->n;
    void *parameters[] = {&of, &n};
    return WLU_CUDA(ctx, launch, im->device->deliver, blocks_of(im, n), (unsigned)a->nrhs, 1, WLU_REFINE_THREADS, 1, 1,
                    0, stream, parameters, NULL);
}
