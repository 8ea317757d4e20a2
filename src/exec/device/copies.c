/* Copies to a CUDA device. See copies.h. */
#include "exec/device/copies.h"

int64_t wlu_upload_bytes(const wlu_upload *list, int count)
{
    int64_t all = 0;
    for (int k = 0; k < count; k++) all += wlu_cuda_aligned(list[k].block.bytes);
    return all;
}

warplu_status wlu_cuda_upload(wlu_context *ctx, const wlu_upload *list, int count, wlu_cu_address *out)
{
    warplu_status status = WLU_CUDA(ctx, alloc, out, (size_t)wlu_upload_bytes(list, count));
    if (status < 0) return status;
    wlu_cu_address at = *out;
    for (int k = 0; k < count && status == WARPLU_SUCCESS; k++) {
        const wlu_block *b = &list[k].block;
        void *part = wlu_cuda_take(&at, b->bytes);
        if (b->bytes == 0) continue;
        wlu_block_place(b, part, list[k].structure);
        status = WLU_CUDA(ctx, to_device, wlu_cuda_address(part), b->memory, (size_t)b->bytes, NULL);
    }
    status = wlu_cuda_wait(ctx, NULL, status);
    if (status < 0) {
        wlu_cuda.free(*out);
        *out = 0;
    }
    return status;
}

/* -1 in FP32 and the upper half of the double; the lower half is 0, and so is an imaginary part behind it. */
#define MINUS_ONE(slot_bytes) ((slot_bytes) == 4 ? UINT32_C(0xbf800000) : UINT32_C(0xbff00000))

warplu_status wlu_cuda_poison(wlu_context *ctx, const wlu_resident_image *im, const void *v, int64_t pitch,
                              int64_t buffers, int64_t first, wlu_cu_handle stream)
{
    const wlu_program *p = im->base.program;
    size_t bytes = (size_t)pitch, count = (size_t)buffers, words = (size_t)im->slot_bytes / 4;
    wlu_cu_address zero = wlu_cuda_slot(im, v, p->zero - first), minus_one = wlu_cuda_slot(im, v, p->minus_one - first);
    warplu_status status = WLU_CUDA(ctx, fill, wlu_cuda_address(v), WLU_POISON_HALF, bytes * count / 4, stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, fill_rows, zero, bytes, 0, words, count, stream);
    if (status < 0 || p->minus_one < 0) return status;
    status = WLU_CUDA(ctx, fill_rows, minus_one, bytes, 0, words, count, stream);
    if (status < 0) return status;
    if (im->slot_bytes > 4) minus_one += 4;
    return WLU_CUDA(ctx, fill_rows, minus_one, bytes, MINUS_ONE(im->slot_bytes), 1, count, stream);
}

warplu_status wlu_cuda_settle(wlu_context *ctx, int elsewhere)
{
    return elsewhere ? wlu_cuda_check(ctx, wlu_cuda.context_wait(), "context_wait") : WARPLU_SUCCESS;
}
