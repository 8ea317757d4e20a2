/* What becomes records of a group's lists: a stage's tasks in their order. For cuda_schedule.c, cuda_steps.c and
 * cuda_tasks.c. */
#ifndef WLU_EXEC_BATCH_CUDA_TASKS_H
#define WLU_EXEC_BATCH_CUDA_TASKS_H

#include "exec/batch/cuda_lists.h"

/* A record to be. Slots are the flat program's, or first + k for number k of the stage's own. start: -1: entry,
 * which is -1 otherwise. Terms are operands begin, begin + apart, ... of the stream, or, where sums >= 0, the eight
 * slots from there on, times minus one, whose products the tree joins. judged: it is the last to write its slot. */
typedef struct wlu_group_task {
    int64_t begin;
    int32_t terms, apart, sums;
    int32_t target, start, divisor, entry;
    int32_t step;
    uint8_t opcode, sum, judged;
} wlu_group_task;

typedef struct wlu_group_tasks {
    const wlu_group_stage *stage;
    wlu_group_task *task;
    int64_t count;
} wlu_group_tasks;

/* Slots (a, b) of a term. */
typedef struct wlu_group_term {
    int32_t a, b;
} wlu_group_term;

static inline wlu_group_term wlu_group_term_of(const wlu_group_stage *stage, const wlu_group_task *t, int32_t k)
{
    if (t->sums >= 0) return (wlu_group_term){stage->minus_one, t->sums + k};
    const int32_t *operand = stage->stream->operand + 2 * (t->begin + k * (int64_t)t->apart);
    return (wlu_group_term){operand[0], operand[1]};
}

/* The stage's tasks: what brings loaded numbers into their slots; its records, in pieces where their terms are many.
 * O(terms). WARPLU_OUT_OF_MEMORY. *s is to be freed also after a failure. */
warplu_status wlu_group_tasks_create(wlu_context *ctx, const wlu_group_stage *stage, wlu_group_tasks *s);
void wlu_group_tasks_free(wlu_context *ctx, wlu_group_tasks *s);

#endif
