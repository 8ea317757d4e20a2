/* The executor `flow`: the program packed for a device (exec/device), replayed by one launch (cuda/flow.cu).
 *
 * The image is uploaded once; a state's slots stay on the device and come to the host when somebody looks at them. */
#include "exec/device/replays.h"
#include "exec/flow/launch.h"

static warplu_status open_target(wlu_context *ctx, wlu_target *target, const wlu_cost **cost)
{
    target->strategy = WARPLU_STRATEGY_FLOW;
    *cost = &wlu_cost_cuda;
    return wlu_cuda_number(ctx, target->device, &target->device);
}

static warplu_status load(wlu_context *ctx, const wlu_target *target, const wlu_program *program, wlu_image **image)
{
    return wlu_resident_load(ctx, &wlu_flow_residence, target, program, image);
}

const wlu_executor wlu_executor_flow = {.name = "flow", .open = open_target, .load = load, WLU_RESIDENT_FUNCTIONS};
