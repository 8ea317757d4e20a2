/* Memory of a CUDA device. See exec/device/memory.h. What is told to the caller for a device is its context. */
#include "exec/device/memory.h"

#include "device/memory.h"
#include "exec/device/device.h"

static warplu_status open_device(wlu_context *ctx, int number, const void **device)
{
    const wlu_cuda_device *found;
    warplu_status status = wlu_cuda_device_find(ctx, number, &found);
    *device = found != NULL ? &found->on : NULL;
    return status;
}

static warplu_status describe_current(wlu_context *ctx, wlu_device_facts *out)
{
    wlu_cu_device number;
    size_t bytes = 0;
    warplu_status status = WLU_CUDA(ctx, context_device, &number);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, device_name, out->name, (int)sizeof out->name, number);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, device_memory, &bytes, number);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, device_attribute, &out->multiprocessors, WLU_CU_MULTIPROCESSORS, number);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, device_attribute, &out->major, WLU_CU_MAJOR, number);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, device_attribute, &out->minor, WLU_CU_MINOR, number);
    out->memory_bytes = (int64_t)bytes;
    return status == WARPLU_SUCCESS ? WLU_CUDA(ctx, driver_version, &out->driver) : status;
}

static warplu_status describe(wlu_context *ctx, const void *device, wlu_device_facts *out)
{
    *out = (wlu_device_facts){0};
    warplu_status status = wlu_cuda_enter(ctx, device);
    return status < 0 ? status : wlu_cuda_leave(ctx, describe_current(ctx, out));
}

static void free_memory(const void *device, void *memory)
{
    if (memory == NULL || wlu_cuda_enter(NULL, device) < 0) return;
    wlu_cuda.free(wlu_cuda_address(memory));
    wlu_cuda_leave(NULL, WARPLU_SUCCESS);
}

static warplu_status alloc(wlu_context *ctx, const void *device, int64_t bytes, void **out)
{
    wlu_cu_address address = 0;
    *out = NULL;
    warplu_status status = wlu_cuda_enter(ctx, device);
    if (status < 0) return status;
    status = wlu_cuda_leave(ctx, WLU_CUDA(ctx, alloc, &address, (size_t)(bytes > 0 ? bytes : 1)));
    if (status == WARPLU_SUCCESS)
        *out = wlu_cuda_pointer(address);
    else
        free_memory(device, wlu_cuda_pointer(address)); /* only leaving the context had failed */
    return status;
}

static warplu_status to_device(wlu_context *ctx, const void *device, void *to, const void *from, int64_t bytes)
{
    warplu_status status = wlu_cuda_enter(ctx, device);
    if (status < 0) return status;
    status = WLU_CUDA(ctx, to_device, wlu_cuda_address(to), from, (size_t)bytes, NULL);
    return wlu_cuda_leave(ctx, wlu_cuda_wait(ctx, NULL, status));
}

static warplu_status to_host(wlu_context *ctx, const void *device, void *to, const void *from, int64_t bytes)
{
    warplu_status status = wlu_cuda_enter(ctx, device);
    if (status < 0) return status;
    status = WLU_CUDA(ctx, to_host, to, wlu_cuda_address(from), (size_t)bytes, NULL);
    return wlu_cuda_leave(ctx, wlu_cuda_wait(ctx, NULL, status));
}

static warplu_status wait_for(wlu_context *ctx, const void *device, void *stream)
{
    warplu_status status = wlu_cuda_enter(ctx, device);
    return status < 0 ? status : wlu_cuda_leave(ctx, WLU_CUDA(ctx, stream_wait, stream));
}

const wlu_device_memory wlu_device_memory_cuda = {.open = open_device,
                                                  .describe = describe,
                                                  .alloc = alloc,
                                                  .free = free_memory,
                                                  .to_device = to_device,
                                                  .to_host = to_host,
                                                  .wait = wait_for};
