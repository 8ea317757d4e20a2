/* States on a CUDA device: made, freed, and their slots brought to the host. */
#ifndef WLU_EXEC_DEVICE_STATES_H
#define WLU_EXEC_DEVICE_STATES_H

#include "exec/device/resident.h"

/* As the executor's functions of these names. */
warplu_status wlu_resident_create(wlu_context *ctx, const wlu_image *image, int32_t count, wlu_team *team,
                                  wlu_state **state);
void wlu_resident_destroy(wlu_context *ctx, wlu_state **state);
warplu_status wlu_resident_fetch(wlu_context *ctx, wlu_state *state, int32_t member, wlu_slots *out);

#endif
