/* A stage of a flat program as lists of records, one for each warp of a thread block that replays a group of members
 * (exec/device/groups.h).
 *
 * Records keep the flat program's order, in which what belongs together is close, so that a multiprocessor's first
 * cache has most operands. One after the other goes to the warp that can begin it first, by a simulated clock. Warps
 * then do not wait for each other at levels: a record waits for the records of other warps that it needs, and only
 * where an earlier record of its own warp has not waited for them. Every list keeps the order, so that waits never form
 * a cycle.
 *
 * A loaded number is read where the first record to read it starts from it and nobody else does before it is written
 * anew; else a record of its own brings it into its slot, just before it is first wanted. */
#ifndef WLU_EXEC_BATCH_CUDA_SCHEDULE_H
#define WLU_EXEC_BATCH_CUDA_SCHEDULE_H

#include "exec/device/groups.h"
#include "lu/flat.h"

/* Slots of the stage: first .. first + slots - 1; constants follow them as slots and slots + 1, unless they are among
 * them. area: by slot, or NULL: nothing is judged. */
typedef struct wlu_group_stage {
    const wlu_flat_stream *stream;
    const wlu_flat_loads *load;
    int64_t first, slots;
    int32_t zero, minus_one;
    const uint8_t *area;
} wlu_group_stage;

/* The number of one of its slots, or of a constant, in the stage. */
static inline int32_t wlu_group_own_slot(const wlu_group_stage *stage, int32_t slot)
{
    if (slot >= stage->first) return (int32_t)(slot - stage->first);
    return (int32_t)(stage->slots + (slot == stage->minus_one));
}

/* As wlu_group_stream has them. */
typedef struct wlu_group_lists {
    int64_t records, pairs, needs;
    wlu_group_record *record;
    int32_t *pair, *need, *first;
    int64_t *first_pair;
    int32_t warps;
} wlu_group_lists;

/* O(terms + records warps). *out is to be freed also after a failure. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlu_group_lists_create(wlu_context *ctx, const wlu_group_stage *stage, int32_t warps,
                                     wlu_group_lists *out);
void wlu_group_lists_free(wlu_context *ctx, wlu_group_lists *lists);

#endif
