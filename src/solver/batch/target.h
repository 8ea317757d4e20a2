/* Chooses what replays a batch's members. */
#ifndef WLU_SOLVER_BATCH_TARGET_H
#define WLU_SOLVER_BATCH_TARGET_H

#include "solver/batch/parts.h"

/* By the batch's executor or the solver's, on the devices of the options, which are copied. WARPLU_INVALID_ARGUMENT,
 * WARPLU_OUT_OF_MEMORY and those of wlu_target_find. */
warplu_status wlu_batch_find_target(warplu_batch *b);
/* 0: the host replays, or nothing yet. */
int32_t wlu_batch_devices_at_work(const warplu_batch *b);

#endif
