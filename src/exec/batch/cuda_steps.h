/* Steps of a stage's tasks: list scheduling.
 *
 * A task comes in a later step than those that write what it reads, or that read what it overwrites. A step takes as
 * many tasks as a block's warps hold side by side. Of the tasks that could come, those come first that the end of the
 * schedule waits for, by the longest chain of tasks behind each; the others keep the flat program's order, in which
 * what belongs together is close, so that a multiprocessor's first cache has most operands. (R. L. Graham, Bounds for
 * certain multiprocessing anomalies, Bell System Technical Journal 45, 1966, has the bounds of such schedules.) */
#ifndef WLU_EXEC_BATCH_CUDA_STEPS_H
#define WLU_EXEC_BATCH_CUDA_STEPS_H

#include "exec/batch/cuda_tasks.h"

/* Sets each task's step, 0 .. *steps - 1, none of which is empty. O(terms + tasks log tasks). WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_group_steps_assign(wlu_context *ctx, wlu_group_tasks *s, int32_t most, int32_t *steps);

#endif
