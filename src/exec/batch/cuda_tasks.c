/* Tasks of a stage in their order. See cuda_tasks.h. */
#include "exec/batch/cuda_tasks.h"

enum { SUMS = 8 };

/* What is known of a slot while tasks are listed. */
typedef struct slot_of {
    int32_t entry;   /* loaded into it, or -1 */
    int32_t touches; /* reads and writes by records */
    int32_t writer;  /* last task so far, or -1 */
    uint8_t seen;    /* the loaded number has its place */
} slot_of;

typedef struct list_of {
    wlu_group_tasks *tasks;
    const wlu_group_stage *stage;
    slot_of *slot;
    int64_t chains; /* of eight sums, so far */
} list_of;

/* NULL: a constant, or a slot of another stage. */
static slot_of *find(const list_of *l, int32_t slot)
{
    int64_t k = slot - l->stage->first;
    return k >= 0 && k < l->stage->slots ? &l->slot[k] : NULL;
}

static int64_t terms_of(const wlu_flat_stream *stream, int64_t r)
{
    return stream->begin[r + 1] - stream->begin[r];
}

static void touch(list_of *l, int32_t slot)
{
    slot_of *at = find(l, slot);
    if (at != NULL) at->touches++;
}

static void count(list_of *l)
{
    const wlu_flat_stream *stream = l->stage->stream;
    const wlu_flat_loads *load = l->stage->load;
    for (int64_t k = 0; k < l->stage->slots; k++) l->slot[k] = (slot_of){.entry = -1, .writer = -1};
    for (int64_t k = 0; k < load->count; k++)
        if (load->slot[k] >= 0) find(l, load->slot[k])->entry = (int32_t)k;
    for (int64_t r = 0; r < stream->nrecords; r++) {
        touch(l, stream->target[r]);
        touch(l, stream->divisor[r]);
        if (stream->opcode[r] != WLU_RCP) touch(l, stream->start[r]);
        for (int64_t q = 2 * stream->begin[r]; q < 2 * stream->begin[r + 1]; q++) touch(l, stream->operand[q]);
    }
}

/* ------------------------------------------------------------------- tasks */

static void append(list_of *l, wlu_group_task t)
{
    slot_of *at = find(l, t.target);
    if (at != NULL) {
        if (at->writer >= 0) l->tasks->task[at->writer].judged = 0;
        at->writer = (int32_t)l->tasks->count;
        t.judged = 1;
    }
    l->tasks->task[l->tasks->count++] = t;
}

static void append_load(list_of *l, int32_t entry)
{
    int32_t slot = l->stage->load->slot[entry];
    append(l, (wlu_group_task){.sums = -1,
                               .target = slot >= 0 ? slot : (int32_t)l->stage->first + l->stage->spare,
                               .start = -1,
                               .divisor = -1,
                               .entry = entry,
                               .opcode = WLU_DOT,
                               .sum = WLU_GROUP_IN_ORDER});
}

/* A chain of a task's terms, in pieces: all but the last leave the sum so far in the target. */
static void append_chain(list_of *l, wlu_group_task t)
{
    wlu_group_task piece = t;
    for (int64_t left = t.terms; left > WLU_GROUP_TERMS; left -= WLU_GROUP_TERMS) {
        piece.terms = WLU_GROUP_TERMS;
        piece.opcode = WLU_DOT;
        piece.divisor = -1;
        append(l, piece);
        piece.begin += WLU_GROUP_TERMS * (int64_t)t.apart;
        piece.terms = (int32_t)(left - WLU_GROUP_TERMS);
        piece.start = t.target;
        piece.entry = -1;
    }
    piece.opcode = t.opcode;
    piece.divisor = t.divisor;
    append(l, piece);
}

/* The eight sums of a chain, and what joins them. They come with their signs changed, and go with minus one. */
static void append_sums(list_of *l, wlu_group_task t)
{
    const wlu_group_stage *stage = l->stage;
    int32_t slot = (int32_t)stage->first + stage->spare + 1 + (int32_t)(l->chains++ % WLU_GROUP_SUMS) * SUMS;
    for (int32_t k = 0; k < SUMS; k++) {
        wlu_group_task sum = {.begin = t.begin + k,
                              .terms = (t.terms - k + SUMS - 1) / SUMS,
                              .apart = SUMS,
                              .sums = -1,
                              .target = slot + k,
                              .start = stage->zero,
                              .divisor = -1,
                              .entry = -1,
                              .opcode = WLU_DOT,
                              .sum = WLU_GROUP_IN_ORDER};
        append_chain(l, sum);
    }
    t.sums = slot;
    t.terms = SUMS;
    t.sum = WLU_GROUP_PRODUCTS;
    append(l, t);
}

static void append_record(list_of *l, int64_t r, int32_t entry)
{
    const wlu_flat_stream *stream = l->stage->stream;
    wlu_group_task t = {.begin = stream->begin[r],
                        .terms = (int32_t)terms_of(stream, r),
                        .apart = 1,
                        .sums = -1,
                        .target = stream->target[r],
                        .start = stream->start[r],
                        .divisor = stream->divisor[r],
                        .entry = entry,
                        .opcode = stream->opcode[r],
                        .sum = WLU_GROUP_IN_ORDER};
    if (entry >= 0) t.start = -1;
    if (t.opcode == WLU_RCP) t.start = l->stage->zero;
    switch ((wlu_sum)stream->sum[r]) {
    case WLU_SUM_IN_ORDER: append_chain(l, t); break;
    case WLU_SUM_LANES: append_sums(l, t); break;
    case WLU_SUM_TREE:
        t.sum = WLU_GROUP_PRODUCTS;
        append(l, t);
        break;
    }
}

/* The loaded number of a slot that is touched for the first time is brought there, unless this record alone reads it,
 * as its start. */
static void bring(list_of *l, int32_t slot, int64_t r)
{
    const wlu_flat_stream *stream = l->stage->stream;
    slot_of *at = find(l, slot);
    if (at == NULL || at->entry < 0 || at->seen) return;
    int starts = stream->opcode[r] != WLU_RCP && stream->start[r] == slot, own = stream->target[r] == slot;
    int64_t reads = 0;
    for (int64_t q = 2 * stream->begin[r]; q < 2 * stream->begin[r + 1]; q++) reads += stream->operand[q] == slot;
    at->seen = 1;
    if (starts && stream->divisor[r] != slot && reads == 0 && (own || at->touches == 1)) return;
    append_load(l, at->entry);
    at->entry = -1;
}

/* Whether the guards look at an entry. */
static int is_guarded(const wlu_group_stage *stage, int64_t k)
{
    return stage->column_power != NULL && (stage->column_power[k] | stage->row_power[k]) != 0;
}

/* In the stream's order, with what brings loaded numbers into slots. */
static void list_all(list_of *l)
{
    const wlu_flat_stream *stream = l->stage->stream;
    const wlu_flat_loads *load = l->stage->load;
    for (int64_t r = 0; r < stream->nrecords; r++) {
        const slot_of *start = stream->opcode[r] != WLU_RCP ? find(l, stream->start[r]) : NULL;
        int fresh = start != NULL && !start->seen;
        if (stream->opcode[r] != WLU_RCP) bring(l, stream->start[r], r);
        if (stream->divisor[r] >= 0) bring(l, stream->divisor[r], r);
        for (int64_t q = 2 * stream->begin[r]; q < 2 * stream->begin[r + 1]; q++) bring(l, stream->operand[q], r);
        bring(l, stream->target[r], r);
        append_record(l, r, fresh ? start->entry : -1);
        find(l, stream->target[r])->seen = 1;
    }
    for (int64_t k = 0; k < l->stage->slots; k++)
        if (l->slot[k].entry >= 0 && !l->slot[k].seen) append_load(l, l->slot[k].entry);
    for (int64_t k = 0; k < load->count; k++)
        if (load->slot[k] < 0 && is_guarded(l->stage, k)) append_load(l, (int32_t)k);
}

/* At most: records, further pieces of them, sums, entries. */
static int64_t room_for(const wlu_group_stage *stage)
{
    const wlu_flat_stream *stream = stage->stream;
    int64_t room = stream->nrecords + stage->load->count;
    for (int64_t r = 0; r < stream->nrecords; r++) {
        room += terms_of(stream, r) / WLU_GROUP_TERMS;
        if (stream->sum[r] == WLU_SUM_LANES) room += SUMS;
    }
    return room;
}

warplu_status wlu_group_tasks_create(wlu_context *ctx, const wlu_group_stage *stage, wlu_group_tasks *s)
{
    *s = (wlu_group_tasks){.stage = stage, .task = WLU_ALLOC(ctx, room_for(stage), wlu_group_task)};
    list_of l = {.tasks = s, .stage = stage, .slot = WLU_ALLOC(ctx, stage->slots, slot_of)};
    if (s->task != NULL && l.slot != NULL) {
        count(&l);
        list_all(&l);
    }
    int failed = s->task == NULL || l.slot == NULL;
    wlu_free(ctx, l.slot);
    return failed ? wlu_fail_memory(ctx, "records of a batch") : WARPLU_SUCCESS;
}

void wlu_group_tasks_free(wlu_context *ctx, wlu_group_tasks *s)
{
    wlu_free(ctx, s->task);
    *s = (wlu_group_tasks){0};
}
