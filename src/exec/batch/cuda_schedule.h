/* A stage of a flat program as lists of records, one for each warp of a thread block that replays a group of members
 * (exec/device/groups.h).
 *
 * Records keep the flat program's order, in which what belongs together is close, so that a multiprocessor's first
 * cache has most operands. One after the other goes to the warp that can begin it first, by a simulated clock. Warps
 * then do not wait for each other at levels: a record waits for the records of other warps that it needs, and only
 * where an earlier record of its own warp has not waited for them. Every list keeps the order, so that waits never form
 * a cycle.
 *
 * Entries are listed in the order in which records want them, and come in tiles of 32, which the first warps load: into
 * a ring, so that a tile waits for all that read the one whose place it takes.
 *
 * A loaded number is read where the first record to read it starts from it and nobody else does before it is written
 * anew; else a record of its own brings it into its slot, just before it is first wanted. */
#ifndef WLU_EXEC_BATCH_CUDA_SCHEDULE_H
#define WLU_EXEC_BATCH_CUDA_SCHEDULE_H

#include "exec/batch/cuda_lists.h"

/* O(terms + records warps). *out is to be freed also after a failure. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlu_group_lists_create(wlu_context *ctx, const wlu_group_stage *stage, int32_t warps,
                                     wlu_group_lists *out);
void wlu_group_lists_free(wlu_context *ctx, wlu_group_lists *lists);

#endif
