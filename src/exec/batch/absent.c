/* The batch executors of CUDA devices in a build without them: they say so. */
#include "exec/batch/batch.h"

static warplu_status create(wlu_context *ctx, const wlu_target *target, const wlu_program *program,
                            const wlu_flat *flat, int32_t places, wlu_team *team, wlu_batch_state **out)
{
    (void)target;
    (void)program;
    (void)flat;
    (void)places;
    (void)team;
    *out = NULL;
    return wlu_fail(ctx, WARPLU_NOT_COMPILED, "this build has no CUDA executor: it was configured without nvcc");
}

const wlu_batch_executor wlu_batch_cuda = {.name = "cuda", .flat = 1, .create = create};
const wlu_batch_executor wlu_batch_devices = {.name = "cuda", .flat = 1, .create = create};
