/* Contexts of devices. See context.h. The driver counts who has retained one. */
#include "device/context.h"

warplu_status wlu_cuda_context_open(wlu_context *ctx, int number, wlu_cuda_context *c)
{
    int32_t found;
    *c = (wlu_cuda_context){0};
    warplu_status status = wlu_cuda_number(ctx, number, &found);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, device_get, &c->device, found);
    return status == WARPLU_SUCCESS ? WLU_CUDA(ctx, context_retain, &c->handle, c->device) : status;
}

void wlu_cuda_context_close(wlu_cuda_context *c)
{
    wlu_cuda.context_release(c->device);
    c->handle = NULL;
}

warplu_status wlu_cuda_enter(wlu_context *ctx, const wlu_cuda_context *c)
{
    return WLU_CUDA(ctx, context_push, c->handle);
}

/* A wait or a pop, behind what has come to this status. */
static warplu_status after(wlu_context *ctx, warplu_status status, wlu_cu_result result, const char *what)
{
    return status < 0 ? status : wlu_cuda_check(ctx, result, what);
}

warplu_status wlu_cuda_leave(wlu_context *ctx, warplu_status status)
{
    wlu_cu_handle left;
    return after(ctx, status, wlu_cuda.context_pop(&left), "context_pop");
}

warplu_status wlu_cuda_wait(wlu_context *ctx, wlu_cu_handle stream, warplu_status status)
{
    return after(ctx, status, wlu_cuda.stream_wait(stream), "stream_wait");
}
