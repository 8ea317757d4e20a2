/* What becomes a list of a warp: a stage's tasks in their order, and what is known of its slots while warps take them.
 * For cuda_schedule.c and cuda_tasks.c. */
#ifndef WLU_EXEC_BATCH_CUDA_TASKS_H
#define WLU_EXEC_BATCH_CUDA_TASKS_H

#include "exec/batch/cuda_lists.h"

enum { WLU_GROUP_NO_RECORD = INT32_MIN };

/* record: of the stream; ~k: what brings entry k into its slot; WLU_GROUP_NO_RECORD: what loads a tile. entry: what it
 * starts from, or -1. tile: what it loads, or in which its entry is; place: of the entry in it. */
typedef struct wlu_group_task {
    int32_t record, entry;
    int32_t tile;
    uint8_t place;
    int32_t number; /* in its warp's list */
    int32_t need;   /* row, or -1 */
    uint8_t warp, tells;
    int64_t end; /* of the simulated clock */
} wlu_group_task;

/* A task that has read a slot, and the one before it. */
typedef struct wlu_group_reader {
    int32_t task, next;
} wlu_group_reader;

/* What is known of a slot. */
typedef struct wlu_group_slot {
    int32_t entry;   /* loaded into it, or -1 */
    int32_t touches; /* reads and writes by records */
    int32_t writes;
    int32_t writer;  /* last task so far, or -1 */
    int32_t readers; /* of what it has written, the last one; -1: none; kept where `writes` says that it matters */
    uint8_t seen;    /* the loaded number has its place */
} wlu_group_slot;

/* A place of the ring: what has loaded it, and who has read it since. */
typedef struct wlu_group_place {
    int32_t loader, readers;
} wlu_group_place;

typedef struct wlu_group_schedule {
    wlu_context *ctx;
    const wlu_group_stage *stage;
    wlu_group_lists *out;
    wlu_group_slot *slot;
    wlu_group_task *task;
    wlu_group_reader *reader;
    wlu_group_place ring[WLU_GROUP_RING];
    int64_t tasks, readers, need_room;
    int64_t consumed; /* entries in the list */
    int32_t now;      /* the task at hand, */
    int64_t clock[WLU_GROUP_LANES];
    int32_t length[WLU_GROUP_LANES];                 /* of lists so far */
    int32_t known[WLU_GROUP_LANES][WLU_GROUP_LANES]; /* how far each warp knows the others to be */
    int64_t latest[WLU_GROUP_LANES];                 /* when what it needs of each warp ends; -1: nothing; */
    int32_t wanted[WLU_GROUP_LANES];                 /* and how many of that warp's tasks have to be done */
} wlu_group_schedule;

/* Whether the slot is one of the stage. */
static inline wlu_group_slot *wlu_group_find(const wlu_group_schedule *s, int32_t slot)
{
    return slot >= s->stage->first ? &s->slot[slot - s->stage->first] : NULL;
}

/* Whether its entries go through the ring. */
static inline int wlu_group_has_ring(const wlu_group_schedule *s)
{
    return s->stage->column_power != NULL;
}

/* Calls `see` with each slot that a record reads: its start first, where it has one. */
#define WLU_GROUP_EACH_READ(s, r, see) \
    do { \
        const wlu_flat_stream *stream_ = (s)->stage->stream; \
        if (stream_->opcode[r] != WLU_RCP) see(s, stream_->start[r], r); \
        if (stream_->divisor[r] >= 0) see(s, stream_->divisor[r], r); \
        for (int64_t q_ = 2 * stream_->begin[r]; q_ < 2 * stream_->begin[(r) + 1]; q_++) \
            see(s, stream_->operand[q_], r); \
    } while (0)

/* The stage's tasks: its records, what brings loaded numbers into their slots before them, what loads tiles. Room for
 * them and for entries is there. O(terms). */
void wlu_group_list_tasks(wlu_group_schedule *s);

#endif
