/* Makes blocks and launches their kernels, cooperatively, in a stream of their own. See block.h. */
#include "model/device/block.h"

#include "device/context.h"
#include "device/kernels.h"
#include "device/memory.h"

enum { SHARED_UNASKED = 48 << 10 }; /* shared memory that needs not be asked for */

struct wlm_device_block {
    wlu_context *ctx;
    wlu_cuda_context on;
    wlm_device_size size;
    wlu_cu_handle module, kernel, stream;
    wlu_cu_address memory;
    int32_t threads, shared_bytes;
    int64_t most; /* thread blocks that are resident at one time */
};

static warplu_status find_size(wlm_device_block *b)
{
    int processors = 0, shared = 0;
    warplu_status status = WLU_CUDA(b->ctx, device_attribute, &processors, WLU_CU_MULTIPROCESSORS, b->on.device);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(b->ctx, device_attribute, &shared, WLU_CU_SHARED_OPTIN, b->on.device);
    b->size = (wlm_device_size){processors, shared};
    return status == WARPLU_SUCCESS ? WLU_CUDA(b->ctx, stream_create, &b->stream, WLU_CU_STREAM_NON_BLOCKING) : status;
}

warplu_status wlm_device_block_open(wlu_context *ctx, int number, wlm_device_block **out)
{
    *out = NULL;
    wlm_device_block *b = WLU_CALLOC(ctx, 1, wlm_device_block);
    if (b == NULL) return wlu_fail_memory(ctx, "a block on a device");
    b->ctx = ctx;
    warplu_status status = wlu_cuda_context_open(ctx, number, &b->on);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_enter(ctx, &b->on);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, find_size(b));
    if (status < 0)
        wlm_device_block_destroy(&b);
    else
        *out = b;
    return status;
}

void wlm_device_block_destroy(wlm_device_block **block)
{
    wlm_device_block *b = *block;
    if (b == NULL) return;
    if (b->on.handle != NULL && wlu_cuda_enter(NULL, &b->on) == WARPLU_SUCCESS) {
        if (b->memory != 0) wlu_cuda.free(b->memory);
        if (b->module != NULL) wlu_cuda.module_unload(b->module);
        if (b->stream != NULL) wlu_cuda.stream_destroy(b->stream);
        wlu_cuda_leave(NULL, WARPLU_SUCCESS);
    }
    if (b->on.handle != NULL) wlu_cuda_context_close(&b->on);
    wlu_free(b->ctx, b);
    *block = NULL;
}

wlm_device_size wlm_device_block_size(const wlm_device_block *block)
{
    return block->size;
}

/* Finds how many thread blocks are resident at one time. */
static warplu_status find_most(wlm_device_block *b)
{
    int each = 0;
    warplu_status status = WARPLU_SUCCESS;
    if (b->shared_bytes > SHARED_UNASKED)
        status = WLU_CUDA(b->ctx, function_set, b->kernel, WLU_CU_FUNCTION_DYNAMIC_SHARED, b->shared_bytes);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(b->ctx, occupancy, &each, b->kernel, b->threads, (size_t)b->shared_bytes);
    b->most = (int64_t)each * b->size.processors;
    if (status == WARPLU_SUCCESS && b->most < 1)
        return wlu_fail(b->ctx, WARPLU_DEVICE_FAILED, "%d threads and %d bytes of shared memory do not fit the device",
                        (int)b->threads, (int)b->shared_bytes);
    return status;
}

static warplu_status load(wlm_device_block *b, const char *text, const char *kernel)
{
    warplu_status status = wlu_cuda_load(b->ctx, text, &b->module);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(b->ctx, module_function, &b->kernel, b->module, kernel);
    return status == WARPLU_SUCCESS ? find_most(b) : status;
}

warplu_status wlm_device_block_compile(wlm_device_block *b, const char *text, const char *kernel, int32_t threads,
                                       int32_t shared_bytes)
{
    b->threads = threads;
    b->shared_bytes = shared_bytes;
    warplu_status status = wlu_cuda_enter(b->ctx, &b->on);
    return status < 0 ? status : wlu_cuda_leave(b->ctx, load(b, text, kernel));
}

warplu_status wlm_device_block_alloc(wlm_device_block *b, int64_t bytes)
{
    warplu_status status = wlu_cuda_enter(b->ctx, &b->on);
    return status < 0 ? status : wlu_cuda_leave(b->ctx, WLU_CUDA(b->ctx, alloc, &b->memory, (size_t)bytes));
}

uint64_t wlm_device_block_address(const wlm_device_block *block)
{
    return block->memory;
}

warplu_status wlm_device_block_write(wlm_device_block *b, int64_t at, const void *from, int64_t bytes)
{
    if (bytes == 0) return WARPLU_SUCCESS;
    warplu_status status = wlu_cuda_enter(b->ctx, &b->on);
    if (status < 0) return status;
    status = WLU_CUDA(b->ctx, to_device, b->memory + (wlu_cu_address)at, from, (size_t)bytes, b->stream);
    return wlu_cuda_leave(b->ctx, wlu_cuda_wait(b->ctx, b->stream, status));
}

warplu_status wlm_device_block_read(wlm_device_block *b, int64_t at, void *to, int64_t bytes)
{
    if (bytes == 0) return WARPLU_SUCCESS;
    warplu_status status = wlu_cuda_enter(b->ctx, &b->on);
    if (status < 0) return status;
    status = WLU_CUDA(b->ctx, to_host, to, b->memory + (wlu_cu_address)at, (size_t)bytes, b->stream);
    return wlu_cuda_leave(b->ctx, wlu_cuda_wait(b->ctx, b->stream, status));
}

warplu_status wlm_device_block_launch(wlm_device_block *b, int64_t wanted, void **parameters, uint32_t *blocks)
{
    *blocks = (uint32_t)(wanted < b->most ? wanted : b->most);
    wlu_cu_launch_attribute together = {.id = WLU_CU_LAUNCH_TOGETHER, .of = {.value = 1}};
    wlu_cu_launch how = {*blocks, 1, 1, (unsigned)b->threads, 1, 1, (unsigned)b->shared_bytes, b->stream, &together, 1};
    warplu_status status = wlu_cuda_enter(b->ctx, &b->on);
    if (status < 0) return status;
    status = WLU_CUDA(b->ctx, launch_with, &how, b->kernel, parameters, NULL);
    return wlu_cuda_leave(b->ctx, wlu_cuda_wait(b->ctx, b->stream, status));
}
