/* A stage of a flat program, and the lists of records that warps make of it (cuda_schedule.h). */
#ifndef WLU_EXEC_BATCH_CUDA_LISTS_H
#define WLU_EXEC_BATCH_CUDA_LISTS_H

#include "exec/device/groups.h"
#include "lu/flat.h"

/* Chains of eight sums whose sums there are slots for: they take turns. */
enum { WLU_GROUP_SUMS = 128 };

/* Slots of the stage: first .. first + slots - 1. Its own, from `first` on, are more: constants as slots and slots +
 * 1, unless they are among them; `spare`, for what nobody reads: what fills bundles up, and entries that guards
 * alone want; and those of sums. area: by slot, or NULL: nothing is judged. */
typedef struct wlu_group_stage {
    const wlu_flat_stream *stream;
    const wlu_flat_loads *load;
    int64_t first, slots;
    int32_t zero, minus_one, spare;
    const uint8_t *area;
    const uint16_t *column_power, *row_power; /* by entry, what the guards scale it by, or 0; NULL: nothing is judged */
} wlu_group_stage;

/* The number of one of its slots, or of a constant, in the stage. */
static inline int32_t wlu_group_own_slot(const wlu_group_stage *stage, int32_t slot)
{
    if (slot >= stage->first) return (int32_t)(slot - stage->first);
    return (int32_t)(stage->slots + (slot == stage->minus_one));
}

/* How many slots of its own the stage has, where it has these beside those of sums. */
static inline int64_t wlu_group_slots(const wlu_flat_stream *stream, int64_t slots)
{
    int64_t chains = 0;
    for (int64_t r = 0; r < stream->nrecords && chains < WLU_GROUP_SUMS; r++) chains += stream->sum[r] == WLU_SUM_LANES;
    return slots + 8 * chains;
}

/* As wlu_group_stream has them. */
typedef struct wlu_group_lists {
    int64_t bundles;
    wlu_group_bundle *bundle;
    int32_t *first, *last;
    int32_t warps;
} wlu_group_lists;

#endif
