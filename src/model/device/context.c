/* Retains the device's primary context, which CUDA shares between libraries, and releases it at the end. Entering
 * pushes it and leaving pops it, so that the caller's own context stays current between calls. The first failure
 * counts. */
#include "model/device/context.h"

warplu_status wlm_device_context_open(wlm_device_context *d, wlu_context *ctx, int number)
{
    int found;
    *d = (wlm_device_context){.ctx = ctx};
    warplu_status status = wlu_cuda_number(ctx, number, &found);
    if (status < 0) return status;
    status = WLU_CUDA(ctx, device_get, &d->device, found);
    return status < 0 ? status : WLU_CUDA(ctx, context_retain, &d->context, d->device);
}

void wlm_device_context_close(wlm_device_context *d)
{
    wlu_cuda.context_release(d->device);
    d->context = NULL;
}

warplu_status wlm_device_context_enter(const wlm_device_context *d)
{
    return WLU_CUDA(d->ctx, context_push, d->context);
}

warplu_status wlm_device_context_leave(const wlm_device_context *d, warplu_status status)
{
    wlu_cu_handle old;
    warplu_status left = WLU_CUDA(status < 0 ? NULL : d->ctx, context_pop, &old);
    return status < 0 ? status : left;
}
