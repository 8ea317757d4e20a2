/* A stage of a flat program as lists of bundles, one for each warp of a thread block that replays a group of members
 * (exec/device/groups.h).
 *
 * Tasks (cuda_tasks.h) have their steps (cuda_steps.h). The tasks of a step that are summed alike, and have about as
 * many terms, become bundles, which the warps take in turn. What fills a bundle up starts from zero and goes to a slot
 * that nobody reads. All warps wait for each other as often as steps change, whether they have a bundle or not.
 *
 * A loaded number is read where the first record to read it starts from it and nobody else does before it is written
 * anew; else a record of its own brings it into its slot. */
#ifndef WLU_EXEC_BATCH_CUDA_SCHEDULE_H
#define WLU_EXEC_BATCH_CUDA_SCHEDULE_H

#include "exec/batch/cuda_lists.h"

/* O(terms + tasks log tasks). *out is to be freed also after a failure. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlu_group_lists_create(wlu_context *ctx, const wlu_group_stage *stage, int32_t warps,
                                     wlu_group_lists *out);
void wlu_group_lists_free(wlu_context *ctx, wlu_group_lists *lists);

#endif
