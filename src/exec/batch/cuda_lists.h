/* A stage of a flat program, and the lists of records that warps make of it (cuda_schedule.h). */
#ifndef WLU_EXEC_BATCH_CUDA_LISTS_H
#define WLU_EXEC_BATCH_CUDA_LISTS_H

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
    const uint16_t *column_power, *row_power; /* by entry, what the guards scale it by, or 0; NULL: its entries are no
                                                 values of members, and there is no ring. Slot `slots` is one more: what
                                                 the guards alone want goes there */
} wlu_group_stage;

/* The number of one of its slots, or of a constant, in the stage. */
static inline int32_t wlu_group_own_slot(const wlu_group_stage *stage, int32_t slot)
{
    if (slot >= stage->first) return (int32_t)(slot - stage->first);
    return (int32_t)(stage->slots + (slot == stage->minus_one));
}

/* As wlu_group_stream has them. */
typedef struct wlu_group_lists {
    int64_t records, pairs, needs, entries;
    wlu_group_record *record;
    int32_t *pair, *need, *first, *entry;
    int64_t *first_pair;
    int32_t warps;
} wlu_group_lists;

#endif
