/* The CUDA executor of a build without it: says so. */
#include "exec/exec.h"

static warplu_status available(wlu_context *ctx)
{
    return wlu_fail(ctx, WARPLU_NOT_COMPILED, "this build has no CUDA executor: it was configured without nvcc");
}

const wlu_executor wlu_executor_cuda = {.name = "cuda", .cost = &wlu_cost_cuda, .available = available};
