/* The CUDA executor and device memory of a build without them: they say so. */
#include "exec/device/memory.h"
#include "exec/exec.h"

static warplu_status available(wlu_context *ctx)
{
    return wlu_fail(ctx, WARPLU_NOT_COMPILED, "this build has no CUDA executor: it was configured without nvcc");
}

static warplu_status open_device(wlu_context *ctx, const void **device)
{
    *device = NULL;
    return available(ctx);
}

const wlu_executor wlu_executor_cuda = {.name = "cuda", .cost = &wlu_cost_cuda, .available = available};

const wlu_device_memory wlu_device_memory_cuda = {.open = open_device};
