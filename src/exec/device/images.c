/* Images on a CUDA device. See images.h. The factorization and the solve have one block of the device's memory, with
 * the rows for residuals, and the transposed solve has another. Copies are enqueued one behind the other and waited for
 * once; the host's blocks are gone then. */
#include "exec/device/images.h"

#include "exec/device/copies.h"

/* ------------------------------------------------------------------ blocks */

/* The host's part of a stream, with rows for its residuals where solves refine. */
static warplu_status pack(wlu_context *ctx, wlu_resident_image *im, wlu_stream_kind kind)
{
    warplu_status status = im->residence->pack(ctx, im->base.program, kind, &im->stream[kind]);
    if (status < 0 || kind == WLU_STREAM_FACTOR || !wlu_precision_refines(im->base.target.precision)) return status;
    return wlu_rows_image_pack(ctx, im->base.program, kind, &im->rows[kind]);
}

/* Packed streams first .. last to a block of the device, which is *block; where it fails that is 0. */
static warplu_status upload(wlu_context *ctx, wlu_resident_image *im, wlu_stream_kind first, wlu_stream_kind last,
                            wlu_cu_address *block)
{
    wlu_upload list[2 * WLU_STREAM_KINDS] = {0};
    int count = 0;
    for (wlu_stream_kind kind = first; kind <= last; kind++) {
        list[count++] = (wlu_upload){im->stream[kind].block, &im->stream[kind].program};
        list[count++] = (wlu_upload){im->rows[kind].block, &im->rows[kind].rows};
    }
    warplu_status status = wlu_cuda_upload(ctx, list, count, block);
    if (status < 0) return status;
    for (int k = 0; k < count; k++) im->base.bytes[first != WLU_STREAM_FACTOR || k > 1] += list[k].block.bytes;
    return first == WLU_STREAM_FACTOR ? im->residence->shape(ctx, im) : status;
}

static warplu_status load_streams(wlu_context *ctx, wlu_resident_image *im, wlu_stream_kind first, wlu_stream_kind last,
                                  wlu_cu_address *block)
{
    warplu_status status = WARPLU_SUCCESS;
    if (*block != 0) return status; /* only leaving the context had failed */
    for (wlu_stream_kind kind = first; kind <= last && status == WARPLU_SUCCESS; kind++) status = pack(ctx, im, kind);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_enter(ctx, &im->device->on);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, upload(ctx, im, first, last, block));
    for (wlu_stream_kind kind = first; kind <= last; kind++) {
        wlu_block_free(ctx, &im->stream[kind].block);
        wlu_block_free(ctx, &im->rows[kind].block);
        if (*block == 0) wlu_device_image_free(ctx, &im->stream[kind]);
    }
    return status;
}

/* ------------------------------------------------------------------ images */

/* What slots are. */
static int numbers_of(const wlu_target *target, const wlu_program *program)
{
    if (program->doubles > 1) return WLU_CUDA_COMPLEX;
    return wlu_precision_is_single(target->precision) ? WLU_CUDA_SINGLE : WLU_CUDA_DOUBLE;
}

/* The modules of its device that an image launches. */
static unsigned modules_of(const wlu_residence *residence, const wlu_target *target, const wlu_program *program)
{
    unsigned modules = residence->modules;
    if (wlu_precision_refines(target->precision)) modules |= 1u << WLU_CUDA_REFINE;
    modules <<= numbers_of(target, program) * WLU_CUDA_OF_NUMBERS;
    if (program->gather != NULL) modules |= 1u << WLU_CUDA_GATHER;
    return modules;
}

/* With the factorization and the solve. */
static warplu_status make(wlu_context *ctx, const wlu_residence *residence, const wlu_target *target,
                          const wlu_program *program, wlu_image **image)
{
    wlu_resident_image *im = wlu_calloc(ctx, 1, residence->image_bytes);
    if (im == NULL) return wlu_fail_memory(ctx, "image for the device");
    im->base = (wlu_image){.target = *target, .program = program};
    im->residence = residence;
    im->slot_bytes = wlu_precision_is_single(target->precision) ? 4 : wlu_slot_bytes(program);
    warplu_status status = wlu_cuda_device_find(ctx, target->device, &im->device);
    if (status == WARPLU_SUCCESS)
        status = wlu_cuda_device_need(ctx, im->device, modules_of(residence, target, program));
    if (status < 0) {
        wlu_free(ctx, im);
        return status;
    }
    im->kernels = &im->device->of[numbers_of(target, program)];
    *image = &im->base;
    status = load_streams(ctx, im, WLU_STREAM_FACTOR, WLU_STREAM_SOLVE, &im->block);
    if (status < 0) wlu_resident_unload(ctx, image);
    return status;
}

warplu_status wlu_resident_load(wlu_context *ctx, const wlu_residence *residence, const wlu_target *target,
                                const wlu_program *program, wlu_image **image)
{
    warplu_status status = *image == NULL ? make(ctx, residence, target, program, image) : WARPLU_SUCCESS;
    if (status < 0 || !program->has_transposed || (*image)->transposed) return status;
    wlu_resident_image *im = (wlu_resident_image *)*image;
    status = load_streams(ctx, im, WLU_STREAM_SOLVE_TRANSPOSED, WLU_STREAM_SOLVE_TRANSPOSED, &im->transposed_block);
    (*image)->transposed = status == WARPLU_SUCCESS;
    return status;
}

void wlu_resident_unload(wlu_context *ctx, wlu_image **image)
{
    wlu_resident_image *im = (wlu_resident_image *)*image;
    if (wlu_cuda_enter(NULL, &im->device->on) == WARPLU_SUCCESS) {
        if (im->block != 0) wlu_cuda.free(im->block);
        if (im->transposed_block != 0) wlu_cuda.free(im->transposed_block);
        wlu_cuda_leave(NULL, WARPLU_SUCCESS);
    }
    for (int kind = 0; kind < WLU_STREAM_KINDS; kind++) wlu_device_image_free(ctx, &im->stream[kind]);
    wlu_free(ctx, im);
    *image = NULL;
}
