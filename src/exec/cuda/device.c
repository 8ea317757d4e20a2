/* Devices: contexts and kernels. See device.h. */
#include "exec/cuda/device.h"

#include <pthread.h>

/* Machine code for the architectures of this build, and PTX for later ones. */
extern const unsigned char wlu_fatbin_flow[], wlu_fatbin_gather[], wlu_fatbin_solve[];

enum { DEVICES_MAX = 64 };

static wlu_cuda_device devices[DEVICES_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

warplu_status wlu_cuda_enter(wlu_context *ctx, const wlu_cuda_device *device)
{
    return WLU_CUDA(ctx, context_push, device->context);
}

warplu_status wlu_cuda_leave(wlu_context *ctx, warplu_status status)
{
    wlu_cu_handle left;
    wlu_cu_result result = wlu_cuda.context_pop(&left);
    return status < 0 ? status : wlu_cuda_check(ctx, result, "context_pop");
}

static warplu_status load_kernel(wlu_context *ctx, const unsigned char *image, const char *name, wlu_cu_handle *module,
                                 wlu_cu_handle *kernel)
{
    warplu_status status = WLU_CUDA(ctx, module_load, module, image);
    return status < 0 ? status : WLU_CUDA(ctx, module_function, kernel, *module, name);
}

static warplu_status load_kernels(wlu_context *ctx, wlu_cuda_device *d)
{
    int taken = 0;
    warplu_status status = load_kernel(ctx, wlu_fatbin_flow, "wlu_flow", &d->module[0], &d->flow);
    if (status == WARPLU_SUCCESS) status = load_kernel(ctx, wlu_fatbin_solve, "wlu_solve", &d->module[1], &d->solve);
    if (status == WARPLU_SUCCESS) status = load_kernel(ctx, wlu_fatbin_gather, "wlu_gather", &d->module[2], &d->gather);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, function_get, &taken, WLU_CU_FUNCTION_SHARED, d->flow);
    d->shared_bytes -= taken;
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, function_set, d->flow, WLU_CU_FUNCTION_DYNAMIC_SHARED, d->shared_bytes);
    for (int k = 0; k < WLU_CUDA_KERNELS && status < 0; k++)
        if (d->module[k] != NULL) wlu_cuda.module_unload(d->module[k]);
    return status;
}

static warplu_status prepare(wlu_context *ctx, wlu_cu_device number, wlu_cuda_device *d)
{
    *d = (wlu_cuda_device){0};
    warplu_status status = WLU_CUDA(ctx, device_attribute, &d->multiprocessors, WLU_CU_MULTIPROCESSORS, number);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, device_attribute, &d->shared_bytes, WLU_CU_SHARED_OPTIN, number);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, context_retain, &d->context, number);
    if (status < 0) return status;
    status = wlu_cuda_enter(ctx, d);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, load_kernels(ctx, d));
    if (status < 0) wlu_cuda.context_release(number);
    d->ready = status == WARPLU_SUCCESS;
    return status;
}

warplu_status wlu_cuda_device_find(wlu_context *ctx, const wlu_cuda_device **out)
{
    wlu_cu_handle current = NULL;
    wlu_cu_device number = 0;
    *out = NULL;
    warplu_status status = wlu_cuda_open(ctx);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, context_current, &current);
    if (status == WARPLU_SUCCESS)
        status = current != NULL ? WLU_CUDA(ctx, context_device, &number) : WLU_CUDA(ctx, device_get, &number, 0);
    if (status < 0) return status;
    if (number < 0 || number >= DEVICES_MAX) return wlu_fail(ctx, WARPLU_NO_DEVICE, "CUDA device %d is one too many", number);
    pthread_mutex_lock(&lock);
    if (!devices[number].ready) status = prepare(ctx, number, &devices[number]);
    pthread_mutex_unlock(&lock);
    if (status == WARPLU_SUCCESS) *out = &devices[number];
    return status;
}
