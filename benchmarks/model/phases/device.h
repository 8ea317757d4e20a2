/* `phases` on a CUDA device: one launch a phase, all of a run on one stream, results fetched when they are asked for. A
 * build without CUDA answers WARPLU_NOT_COMPILED. */
#ifndef PHASES_DEVICE_H
#define PHASES_DEVICE_H

#include "phases/run.h"

typedef struct wlm_phases_device wlm_phases_device;

/* On the first device: bytecode, table and the state as it is. WARPLU_INVALID_ARGUMENT where the bytecode's stack is
 * deeper than that of the kernels; WARPLU_NO_DEVICE, WARPLU_DEVICE_FAILED, WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_phases_device_create(wlu_context *ctx, const wlm_phases *phases, const wlm_phases_state *state,
                                       wlm_phases_device **out);
void wlm_phases_device_destroy(wlm_phases_device **device);

/* As wlm_phases_run; waits until the steps are done. */
warplu_status wlm_phases_device_run(wlm_phases_device *device, wlm_method method, double h, int64_t steps);
/* As wlm_phases_define. */
warplu_status wlm_phases_device_define(wlm_phases_device *device);
/* Brings the first array, and the number of steps, to a state of the same phases. */
warplu_status wlm_phases_device_fetch(wlm_phases_device *device, wlm_phases_state *state);

#endif
