/* Makes blocks and launches their kernels, cooperatively, in a stream of their own. See block.h. */
#include "model/device/block.h"

#include <string.h>

#include "base/clock.h"
#include "device/context.h"
#include "device/kernels.h"
#include "device/memory.h"

struct wlm_device_block {
    wlu_context *ctx;
    wlu_cuda_context on;
    wlu_cu_handle module, kernel, stream;
    wlu_cu_address memory;
    int64_t most; /* thread blocks that are resident at one time */
    double compile_seconds;
};

/* Finds how many thread blocks are resident at one time. */
static warplu_status find_most(wlm_device_block *b)
{
    int each = 0, processors = 0;
    warplu_status status = WLU_CUDA(b->ctx, occupancy, &each, b->kernel, WLM_BLOCK_THREADS, 0);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(b->ctx, device_attribute, &processors, WLU_CU_MULTIPROCESSORS, b->on.device);
    b->most = (int64_t)each * processors;
    if (status == WARPLU_SUCCESS && b->most < 1)
        return wlu_fail(b->ctx, WARPLU_DEVICE_FAILED, "a kernel of %d threads does not fit the device",
                        (int)WLM_BLOCK_THREADS);
    return status;
}

static warplu_status fill(wlm_device_block *b, const char *text, const char *kernel, int64_t bytes)
{
    int64_t begin = wlu_now_ns();
    warplu_status status = wlu_cuda_load(b->ctx, text, &b->module);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(b->ctx, module_function, &b->kernel, b->module, kernel);
    b->compile_seconds = (double)(wlu_now_ns() - begin) * 1e-9;
    if (status == WARPLU_SUCCESS) status = find_most(b);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(b->ctx, stream_create, &b->stream, WLU_CU_STREAM_NON_BLOCKING);
    return status == WARPLU_SUCCESS ? WLU_CUDA(b->ctx, alloc, &b->memory, (size_t)bytes) : status;
}

warplu_status wlm_device_block_create(wlu_context *ctx, int number, const char *text, const char *kernel, int64_t bytes,
                                      wlm_device_block **out)
{
    *out = NULL;
    wlm_device_block *b = WLU_CALLOC(ctx, 1, wlm_device_block);
    if (b == NULL) return wlu_fail_memory(ctx, "a block on a device");
    b->ctx = ctx;
    warplu_status status = wlu_cuda_context_open(ctx, number, &b->on);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_enter(ctx, &b->on);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, fill(b, text, kernel, bytes));
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

warplu_status wlm_device_block_launch(wlm_device_block *b, int64_t threads, void **parameters, uint32_t *blocks)
{
    int64_t wanted = (threads + WLM_BLOCK_THREADS - 1) / WLM_BLOCK_THREADS;
    *blocks = (uint32_t)(wanted < b->most ? wanted : b->most);
    wlu_cu_launch_attribute together = {.id = WLU_CU_LAUNCH_TOGETHER, .of = {.value = 1}};
    wlu_cu_launch how = {*blocks, 1, 1, WLM_BLOCK_THREADS, 1, 1, 0, b->stream, &together, 1};
    warplu_status status = wlu_cuda_enter(b->ctx, &b->on);
    if (status < 0) return status;
    status = WLU_CUDA(b->ctx, launch_with, &how, b->kernel, parameters, NULL);
    return wlu_cuda_leave(b->ctx, wlu_cuda_wait(b->ctx, b->stream, status));
}

double wlm_device_block_compile_seconds(const wlm_device_block *block)
{
    return block->compile_seconds;
}
