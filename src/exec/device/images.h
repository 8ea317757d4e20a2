/* Images on a CUDA device: packed on the host as the executor's strategy has it, then brought to the device. */
#ifndef WLU_EXEC_DEVICE_IMAGES_H
#define WLU_EXEC_DEVICE_IMAGES_H

#include "exec/device/resident.h"

/* As an executor's load, for images of this residence. */
warplu_status wlu_resident_load(wlu_context *ctx, const wlu_residence *residence, const wlu_target *target,
                                const wlu_program *program, wlu_image **image);
/* The executor's function. */
void wlu_resident_unload(wlu_context *ctx, wlu_image **image);

#endif
