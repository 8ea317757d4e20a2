/* Images on a CUDA device. See images.h. A stream has one block of the device's memory, and the rows for its residuals
 * one of their own; the host's blocks are gone once they are there. */
#include "exec/device/images.h"

/* ------------------------------------------------------------------ blocks */

/* A packed block to the device, where the structure's pointers then point. Where it fails *block is 0. */
static warplu_status upload(wlu_context *ctx, const wlu_block *packed, void *structure, wlu_cu_address *block)
{
    warplu_status status = *block == 0 ? WLU_CUDA(ctx, alloc, block, (size_t)packed->bytes) : WARPLU_SUCCESS;
    if (status < 0) return status;
    status = WLU_CUDA(ctx, to_device, *block, packed->memory, (size_t)packed->bytes, NULL);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, stream_wait, NULL);
    if (status < 0) {
        wlu_cuda.free(*block);
        *block = 0;
        return status;
    }
    wlu_block_place(packed, wlu_cuda_pointer(*block), structure);
    return status;
}

/* What a stream has, packed, to the device; rows, where there are any, may be there if only the rest had failed. */
static warplu_status upload_stream(wlu_context *ctx, wlu_resident_image *im, wlu_stream_kind kind)
{
    wlu_device_image *stream = &im->stream[kind];
    wlu_rows_image *rows = &im->rows[kind];
    warplu_status status = WARPLU_SUCCESS;
    if (rows->block.memory != NULL) status = upload(ctx, &rows->block, &rows->rows, &im->rows_block[kind]);
    if (status == WARPLU_SUCCESS) status = upload(ctx, &stream->block, &stream->program, &im->block[kind]);
    if (status < 0) return status;
    im->base.bytes[kind != WLU_STREAM_FACTOR] += stream->block.bytes + rows->block.bytes;
    return kind == WLU_STREAM_FACTOR ? im->residence->shape(ctx, im) : status;
}

static warplu_status load_stream(wlu_context *ctx, wlu_resident_image *im, wlu_stream_kind kind)
{
    wlu_device_image *stream = &im->stream[kind];
    if (im->block[kind] != 0) return WARPLU_SUCCESS; /* only leaving the context had failed */
    warplu_status status = im->residence->pack(ctx, im->base.program, kind, stream);
    if (status == WARPLU_SUCCESS && kind != WLU_STREAM_FACTOR && wlu_precision_refines(im->base.target.precision))
        status = wlu_rows_image_pack(ctx, im->base.program, kind, &im->rows[kind]);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_enter(ctx, im->device);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, upload_stream(ctx, im, kind));
    wlu_block_free(ctx, &stream->block);
    wlu_block_free(ctx, &im->rows[kind].block);
    if (im->block[kind] == 0) wlu_device_image_free(ctx, stream);
    return status;
}

/* ------------------------------------------------------------------ images */

/* With the factorization and the solve. */
static warplu_status make(wlu_context *ctx, const wlu_residence *residence, const wlu_target *target,
                          const wlu_program *program, wlu_image **image)
{
    int single = wlu_precision_is_single(target->precision);
    wlu_resident_image *im = wlu_calloc(ctx, 1, residence->image_bytes);
    if (im == NULL) return wlu_fail_memory(ctx, "image for the device");
    im->base = (wlu_image){.target = *target, .program = program};
    im->residence = residence;
    im->slot_bytes = single ? 4 : 8;
    warplu_status status = wlu_cuda_device_find(ctx, target->device, &im->device);
    if (status < 0) {
        wlu_free(ctx, im);
        return status;
    }
    im->kernels = &im->device->of[single];
    *image = &im->base;
    status = load_stream(ctx, im, WLU_STREAM_FACTOR);
    if (status == WARPLU_SUCCESS) status = load_stream(ctx, im, WLU_STREAM_SOLVE);
    if (status < 0) wlu_resident_unload(ctx, image);
    return status;
}

warplu_status wlu_resident_load(wlu_context *ctx, const wlu_residence *residence, const wlu_target *target,
                                const wlu_program *program, wlu_image **image)
{
    warplu_status status = *image == NULL ? make(ctx, residence, target, program, image) : WARPLU_SUCCESS;
    if (status < 0 || !program->has_transposed || (*image)->transposed) return status;
    status = load_stream(ctx, (wlu_resident_image *)*image, WLU_STREAM_SOLVE_TRANSPOSED);
    (*image)->transposed = status == WARPLU_SUCCESS;
    return status;
}

void wlu_resident_unload(wlu_context *ctx, wlu_image **image)
{
    wlu_resident_image *im = (wlu_resident_image *)*image;
    if (wlu_cuda_enter(NULL, im->device) == WARPLU_SUCCESS) {
        for (int kind = 0; kind < WLU_STREAM_KINDS; kind++) {
            if (im->block[kind] != 0) wlu_cuda.free(im->block[kind]);
            if (im->rows_block[kind] != 0) wlu_cuda.free(im->rows_block[kind]);
        }
        wlu_cuda_leave(NULL, WARPLU_SUCCESS);
    }
    for (int kind = 0; kind < WLU_STREAM_KINDS; kind++) wlu_device_image_free(ctx, &im->stream[kind]);
    wlu_free(ctx, im);
    *image = NULL;
}
