/* Images and states on a CUDA device: images begun; states made, freed, and their slots brought to the host. */
#ifndef WLU_EXEC_DEVICE_STATES_H
#define WLU_EXEC_DEVICE_STATES_H

#include "exec/device/resident.h"

/* An image of so many bytes, which begins with a wlu_resident_image and is zeros otherwise: target, program, device and
 * kernels are filled in. On failure *image is NULL: WARPLU_OUT_OF_MEMORY and those of wlu_cuda_device_find. */
warplu_status wlu_resident_image_create(wlu_context *ctx, const wlu_target *target, const wlu_program *program,
                                        const wlu_residence *residence, size_t bytes, wlu_image **image);
/* The executor's create for a state of so many bytes, which begins with a wlu_resident and is zeros otherwise. */
warplu_status wlu_resident_create(wlu_context *ctx, const wlu_image *image, int32_t count, size_t bytes,
                                  wlu_state **state);
/* As the executor's functions of these names. */
void wlu_resident_destroy(wlu_context *ctx, wlu_state **state);
warplu_status wlu_resident_fetch(wlu_context *ctx, wlu_state *state, int32_t member, wlu_slots *out);

#endif
