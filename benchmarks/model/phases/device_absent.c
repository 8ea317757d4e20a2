/* `phases` on a device in a build without CUDA: it says so. */
#include "phases/device.h"

warplu_status wlm_phases_device_create(wlu_context *ctx, const wlm_phases *phases, const wlm_phases_state *state,
                                       wlm_phases_device **out)
{
    (void)phases;
    (void)state;
    *out = NULL;
    return wlu_fail(ctx, WARPLU_NOT_COMPILED, "this build has no CUDA executor: it was configured without nvcc");
}

void wlm_phases_device_destroy(wlm_phases_device **device)
{
    *device = NULL;
}

warplu_status wlm_phases_device_run(wlm_phases_device *device, wlm_method method, double h, int64_t steps)
{
    (void)device;
    (void)method;
    (void)h;
    (void)steps;
    return WARPLU_NOT_COMPILED;
}

warplu_status wlm_phases_device_define(wlm_phases_device *device)
{
    (void)device;
    return WARPLU_NOT_COMPILED;
}

warplu_status wlm_phases_device_fetch(wlm_phases_device *device, wlm_phases_state *state)
{
    (void)device;
    (void)state;
    return WARPLU_NOT_COMPILED;
}
