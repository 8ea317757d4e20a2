/* The executor `levels`: the compiler's streams as they are on a device, replayed by a launch a vector, after Tominaga
 * and Maekawa (2013); cuda/levels.cu has the kernels. */
#include "exec/device/replays.h"
#include "exec/levels/launch.h"

static warplu_status open_target(wlu_context *ctx, wlu_target *target, const wlu_cost **cost)
{
    if (target->doubles > 1)
        return wlu_fail(ctx, WARPLU_PRECISION_UNSUPPORTED,
                        "the cuda executor does not compute with complex values by the strategy levels");
    if (wlu_precision_refines(target->precision))
        return wlu_fail(ctx, WARPLU_PRECISION_UNSUPPORTED,
                        "the cuda executor does not compute in mixed precision by the strategy levels");
    if (target->strategy != WLU_STRATEGY_LAUNCHES) target->strategy = WARPLU_STRATEGY_LEVELS;
    *cost = &wlu_cost_levels;
    return wlu_cuda_number(ctx, target->device, &target->device);
}

static warplu_status load(wlu_context *ctx, const wlu_target *target, const wlu_program *program, wlu_image **image)
{
    return wlu_resident_load(ctx, &wlu_levels_residence, target, program, image);
}

const wlu_executor wlu_executor_levels = {.name = "levels", .open = open_target, .load = load, WLU_RESIDENT_FUNCTIONS};
