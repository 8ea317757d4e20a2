/* Copies to a CUDA device. See copies.h. */
#include "exec/device/copies.h"

warplu_status wlu_cuda_pin(wlu_context *ctx, size_t bytes, void **host, void **on_device)
{
    wlu_cu_address address = 0;
    warplu_status status = WLU_CUDA(ctx, host_alloc, host, bytes, WLU_CU_HOST_PORTABLE | WLU_CU_HOST_MAPPED);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, host_address, &address, *host, 0);
    *on_device = wlu_cuda_pointer(address);
    return status;
}

/* -1 in FP32 and the upper half of the double; the lower half is 0. */
#define MINUS_ONE(slot_bytes) ((slot_bytes) == 4 ? UINT32_C(0xbf800000) : UINT32_C(0xbff00000))

/* Of a buffer. */
static warplu_status place_constants(wlu_context *ctx, const wlu_resident_image *im, const void *v, int64_t first,
                                     wlu_cu_handle stream)
{
    const wlu_program *p = im->base.program;
    size_t bytes = (size_t)im->slot_bytes;
    wlu_cu_address minus_one = wlu_cuda_slot(im, v, p->minus_one - first);
    warplu_status status = WLU_CUDA(ctx, clear, wlu_cuda_slot(im, v, p->zero - first), 0, bytes, stream);
    if (status < 0 || p->minus_one < 0) return status;
    status = WLU_CUDA(ctx, clear, minus_one, 0, bytes, stream);
    return status < 0 ? status : WLU_CUDA(ctx, fill, minus_one + bytes - 4, MINUS_ONE(bytes), 1, stream);
}

warplu_status wlu_cuda_poison(wlu_context *ctx, const wlu_resident_image *im, const void *v, int64_t slots,
                              int64_t buffers, int64_t first, wlu_cu_handle stream)
{
    size_t words = (size_t)(slots * buffers) * (size_t)im->slot_bytes / 4;
    warplu_status status = WLU_CUDA(ctx, fill, wlu_cuda_address(v), WLU_POISON_HALF, words, stream);
    for (int64_t k = 0; k < buffers && status == WARPLU_SUCCESS; k++)
        status = place_constants(ctx, im, wlu_cuda_pointer(wlu_cuda_slot(im, v, k * slots)), first, stream);
    return status;
}

warplu_status wlu_cuda_settle(wlu_context *ctx, const wlu_resident *d)
{
    return d->elsewhere ? wlu_cuda_check(ctx, wlu_cuda.context_wait(), "context_wait") : WARPLU_SUCCESS;
}
