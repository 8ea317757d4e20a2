/* The executors of CUDA devices and their memory in a build without them: they say so. */
#include "exec/device/memory.h"
#include "exec/exec.h"

static warplu_status absent(wlu_context *ctx)
{
    return wlu_fail(ctx, WARPLU_NOT_COMPILED, "this build has no CUDA executor: it was configured without nvcc");
}

static warplu_status open_target(wlu_context *ctx, wlu_target *target, const wlu_cost **cost)
{
    (void)target;
    *cost = NULL;
    return absent(ctx);
}

static warplu_status open_device(wlu_context *ctx, int number, const void **device)
{
    (void)number;
    *device = NULL;
    return absent(ctx);
}

const wlu_executor wlu_executor_flow = {.name = "flow", .open = open_target};
const wlu_executor wlu_executor_levels = {.name = "levels", .open = open_target};

const wlu_device_memory wlu_device_memory_cuda = {.open = open_device};
