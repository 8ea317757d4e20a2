/* Lists of records for warps. See cuda_schedule.h. */
#include "exec/batch/cuda_schedule.h"

#include <string.h>

enum { WARPS = WLU_GROUP_WARPS };

/* Of the simulated clock, in cycles of an H200: a record, a term of it, one of a long record, whose eight sums are
 * independent; how long a result takes to another warp. */
enum { RECORD_CYCLES = 300, TERM_CYCLES = 16, LONG_TERM_CYCLES = 6, HANDOVER_CYCLES = 150 };

/* A record of the stream, or ~k: what brings entry k into its slot. entry: what the record starts from, or -1. */
typedef struct task {
    int32_t record, entry;
    int32_t number; /* in its warp's list */
    int32_t need;   /* row, or -1 */
    uint8_t warp, tells;
    int64_t end; /* of the simulated clock */
} task;

/* A task that has read a slot, and the one before it. */
typedef struct reader {
    int32_t task, next;
} reader;

/* What is known of a slot. */
typedef struct slot_state {
    int32_t entry;   /* loaded into it, or -1 */
    int32_t touches; /* reads and writes by records */
    int32_t writes;
    int32_t writer;  /* last task so far, or -1 */
    int32_t readers; /* of what it has written, the last one; -1: none; kept where `writes` says that it matters */
    uint8_t seen;    /* the loaded number has its place */
} slot_state;

typedef struct schedule {
    wlu_context *ctx;
    const wlu_group_stage *stage;
    wlu_group_lists *out;
    slot_state *slot;
    task *task;
    reader *reader;
    int64_t tasks, readers, need_room;
    int32_t now; /* the task at hand, */
    int64_t clock[WARPS];
    int32_t length[WARPS];       /* of lists so far */
    int32_t known[WARPS][WARPS]; /* how far each warp knows the others to be */
    int64_t latest[WARPS];       /* when what it needs of each warp ends; -1: nothing; */
    int32_t wanted[WARPS];       /* and how many of that warp's tasks have to be done */
} schedule;

/* Whether the slot is one of the stage. */
static slot_state *find(const schedule *s, int32_t slot)
{
    return slot >= s->stage->first ? &s->slot[slot - s->stage->first] : NULL;
}

/* ------------------------------------------------------------------- slots */

/* Calls `see` with each slot that a record reads: its start first, where it has one. */
#define EACH_READ(s, r, see) \
    do { \
        const wlu_flat_stream *stream_ = (s)->stage->stream; \
        if (stream_->opcode[r] != WLU_RCP) see(s, stream_->start[r], r); \
        if (stream_->divisor[r] >= 0) see(s, stream_->divisor[r], r); \
        for (int64_t q_ = 2 * stream_->begin[r]; q_ < 2 * stream_->begin[(r) + 1]; q_++) \
            see(s, stream_->operand[q_], r); \
    } while (0)

static void count_read(schedule *s, int32_t slot, int64_t r)
{
    slot_state *at = find(s, slot);
    (void)r;
    if (at != NULL) at->touches++;
}

static void count(schedule *s)
{
    const wlu_flat_stream *stream = s->stage->stream;
    const wlu_flat_loads *load = s->stage->load;
    for (int64_t k = 0; k < s->stage->slots; k++) s->slot[k] = (slot_state){.entry = -1, .writer = -1, .readers = -1};
    for (int64_t k = 0; k < load->count; k++)
        if (load->slot[k] >= 0) find(s, load->slot[k])->entry = (int32_t)k;
    for (int64_t r = 0; r < stream->nrecords; r++) {
        EACH_READ(s, r, count_read);
        find(s, stream->target[r])->touches++;
        find(s, stream->target[r])->writes++;
    }
}

/* ------------------------------------------------------------------- tasks */

static task *append(schedule *s, int32_t record, int32_t entry)
{
    task *t = &s->task[s->tasks++];
    *t = (task){.record = record, .entry = entry, .need = -1};
    return t;
}

/* The loaded number of a slot that is touched for the first time is brought there, unless this record alone reads it,
 * as its start. */
static void bring(schedule *s, int32_t slot, int64_t r)
{
    const wlu_flat_stream *stream = s->stage->stream;
    slot_state *at = find(s, slot);
    if (at == NULL || at->entry < 0 || at->seen) return;
    int starts = stream->opcode[r] != WLU_RCP && stream->start[r] == slot, own = stream->target[r] == slot;
    int64_t reads = 0;
    for (int64_t q = 2 * stream->begin[r]; q < 2 * stream->begin[r + 1]; q++) reads += stream->operand[q] == slot;
    at->seen = 1;
    if (starts && stream->divisor[r] != slot && reads == 0 && (own || at->touches == 1)) return;
    append(s, ~at->entry, at->entry);
    at->entry = -1;
    at->writes++;
}

/* In the stream's order, with what brings loaded numbers into slots. */
static void list_tasks(schedule *s)
{
    const wlu_flat_stream *stream = s->stage->stream;
    for (int64_t r = 0; r < stream->nrecords; r++) {
        const slot_state *start = stream->opcode[r] != WLU_RCP ? find(s, stream->start[r]) : NULL;
        int fresh = start != NULL && !start->seen;
        EACH_READ(s, r, bring);
        append(s, (int32_t)r, fresh ? start->entry : -1);
        find(s, stream->target[r])->seen = 1;
    }
    for (int64_t k = 0; k < s->stage->slots; k++)
        if (s->slot[k].entry >= 0 && !s->slot[k].seen) append(s, ~s->slot[k].entry, s->slot[k].entry);
}

/* ------------------------------------------------------------------- warps */

/* The task at hand comes after this one; -1: none. */
static void follow(schedule *s, int32_t before)
{
    if (before < 0) return;
    const task *t = &s->task[before];
    if (t->end > s->latest[t->warp]) s->latest[t->warp] = t->end;
    if (t->number + 1 > s->wanted[t->warp]) s->wanted[t->warp] = t->number + 1;
}

static void follow_read(schedule *s, int32_t slot, int64_t r)
{
    const slot_state *at = find(s, slot);
    (void)r;
    if (at != NULL) follow(s, at->writer);
}

/* Whoever writes the slot anew comes after this reader. */
static void note_read(schedule *s, int32_t slot, int64_t r)
{
    slot_state *at = find(s, slot);
    (void)r;
    if (at == NULL || at->writes < 2) return;
    s->reader[s->readers] = (reader){s->now, at->readers};
    at->readers = (int32_t)s->readers++;
}

static int32_t target_of(const schedule *s, const task *t)
{
    return t->record < 0 ? s->stage->load->slot[~t->record] : s->stage->stream->target[t->record];
}

/* The warp that can begin the task at hand first, and when. */
static int choose(const schedule *s, int64_t *begin)
{
    int last = 0, best = 0;
    int64_t second = -1;
    for (int w = 1; w < s->out->warps; w++)
        if (s->latest[w] > s->latest[last]) last = w;
    for (int w = 0; w < s->out->warps; w++)
        if (w != last && s->latest[w] > second) second = s->latest[w];
    for (int w = 0; w < s->out->warps; w++) {
        int64_t at = s->clock[w], there = w == last ? second : s->latest[last];
        if (there >= 0 && there + HANDOVER_CYCLES > at) at = there + HANDOVER_CYCLES;
        if (s->latest[w] > at) at = s->latest[w];
        if (w == 0 || at < *begin) {
            best = w;
            *begin = at;
        }
    }
    return best;
}

static int64_t cycles(const schedule *s, const task *t)
{
    const wlu_flat_stream *stream = s->stage->stream;
    if (t->record < 0) return RECORD_CYCLES;
    int64_t terms = stream->begin[t->record + 1] - stream->begin[t->record];
    return RECORD_CYCLES + terms * (stream->sum[t->record] == WLU_SUM_IN_ORDER ? TERM_CYCLES : LONG_TERM_CYCLES);
}

/* A row of what the task at hand waits for, unless its warp knows it all. */
static warplu_status wait_for(schedule *s, task *t)
{
    wlu_group_lists *out = s->out;
    int waits = 0;
    for (int w = 0; w < out->warps; w++) waits |= w != t->warp && s->wanted[w] > s->known[t->warp][w];
    if (!waits) return WARPLU_SUCCESS;
    if (out->needs == s->need_room) {
        int64_t room = 2 * s->need_room + 64;
        int32_t *moved = wlu_resize(s->ctx, out->need, WARPS * out->needs, WARPS * room, sizeof *moved);
        if (moved == NULL) return wlu_fail_memory(s->ctx, "what warps wait for");
        out->need = moved;
        s->need_room = room;
    }
    int32_t *row = out->need + WARPS * out->needs;
    t->need = (int32_t)out->needs++;
    for (int w = 0; w < WARPS; w++) {
        int wanted = w != t->warp && s->wanted[w] > s->known[t->warp][w];
        row[w] = wanted ? s->wanted[w] : 0;
        if (wanted) s->known[t->warp][w] = s->wanted[w];
    }
    return WARPLU_SUCCESS;
}

/* Marks those that are waited for: the last ones of each warp that the row names. at: where the tasks of lists are. */
static void mark(schedule *s, const int32_t *list)
{
    const wlu_group_lists *out = s->out;
    for (int64_t row = 0; row < out->needs; row++)
        for (int w = 0; w < out->warps; w++)
            if (out->need[WARPS * row + w] > 0) s->task[list[out->first[w] + out->need[WARPS * row + w] - 1]].tells = 1;
}

static warplu_status assign(schedule *s, task *t)
{
    int32_t slot = target_of(s, t);
    slot_state *target = find(s, slot);
    for (int w = 0; w < WARPS; w++) {
        s->latest[w] = -1;
        s->wanted[w] = 0;
    }
    if (t->record >= 0) EACH_READ(s, t->record, follow_read);
    follow(s, target->writer);
    for (int32_t k = target->readers; k >= 0; k = s->reader[k].next) follow(s, s->reader[k].task);
    int64_t begin = 0;
    t->warp = (uint8_t)choose(s, &begin);
    t->number = s->length[t->warp]++;
    t->end = s->clock[t->warp] = begin + cycles(s, t);
    warplu_status status = wait_for(s, t);
    target->readers = -1;
    s->now = (int32_t)(t - s->task);
    if (t->record >= 0) EACH_READ(s, t->record, note_read);
    target->writer = s->now;
    if (t->record >= 0 && s->stage->stream->start[t->record] == slot) target->readers = -1;
    return status;
}

/* -------------------------------------------------------------------- lists */

static int32_t padded(const wlu_flat_stream *stream, int64_t r)
{
    int64_t terms = stream->begin[r + 1] - stream->begin[r], to = stream->sum[r] == WLU_SUM_IN_ORDER ? 2 : 8;
    return (int32_t)((terms + to - 1) / to * to);
}

static uint8_t sum_of(const wlu_flat_stream *stream, int64_t r)
{
    switch ((wlu_sum)stream->sum[r]) {
    case WLU_SUM_IN_ORDER: return WLU_GROUP_IN_ORDER;
    case WLU_SUM_LANES: return WLU_GROUP_STRIDED;
    case WLU_SUM_TREE: break;
    }
    return WLU_GROUP_PRODUCTS;
}

/* The record of a task, and its pairs, which go to `pair`; returns their number. */
static int32_t write_record(const schedule *s, const task *t, wlu_group_record *to, int32_t *pair)
{
    const wlu_group_stage *stage = s->stage;
    const wlu_flat_stream *stream = stage->stream;
    int64_t r = t->record;
    int32_t target = target_of(s, t);
    *to = (wlu_group_record){.target = wlu_group_own_slot(stage, target),
                             .start = ~t->entry,
                             .divisor = -1,
                             .need = t->need,
                             .power = t->entry >= 0 ? wlu_upper_of_power(stage->load->scale[t->entry]) : 0,
                             .opcode = WLU_DOT,
                             .tells = t->tells};
    if (stage->area != NULL && find(s, target)->writer == t - s->task) to->area = stage->area[target];
    if (r < 0) return 0;
    to->opcode = stream->opcode[r];
    to->sum = sum_of(stream, r);
    to->divisor = stream->divisor[r];
    to->terms = padded(stream, r);
    if (t->entry < 0) to->start = stream->opcode[r] != WLU_RCP ? wlu_group_own_slot(stage, stream->start[r]) : 0;
    int64_t terms = stream->begin[r + 1] - stream->begin[r];
    const int32_t *operand = stream->operand + 2 * stream->begin[r];
    for (int32_t k = 0; k < to->terms; k++) {
        pair[2 * k] = k < terms ? operand[2 * k] : stage->zero;
        pair[2 * k + 1] = wlu_group_own_slot(stage, k < terms ? operand[2 * k + 1] : stage->zero);
    }
    return to->terms;
}

static warplu_status write_lists(schedule *s)
{
    wlu_group_lists *out = s->out;
    int32_t *list = WLU_ALLOC(s->ctx, s->tasks + 1, int32_t), next[WARPS];
    out->records = s->tasks;
    for (int64_t r = 0; r < s->stage->stream->nrecords; r++) out->pairs += padded(s->stage->stream, r);
    out->record = WLU_CALLOC(s->ctx, out->records + 1, wlu_group_record);
    out->pair = WLU_CALLOC(s->ctx, 2 * (out->pairs + 4), int32_t);
    out->first = WLU_CALLOC(s->ctx, out->warps + 1, int32_t);
    out->first_pair = WLU_CALLOC(s->ctx, out->warps, int64_t);
    if (list == NULL || out->record == NULL || out->pair == NULL || out->first == NULL || out->first_pair == NULL) {
        wlu_free(s->ctx, list);
        return wlu_fail_memory(s->ctx, "lists of warps");
    }
    for (int w = 0; w < out->warps; w++) {
        next[w] = out->first[w];
        out->first[w + 1] = out->first[w] + s->length[w];
    }
    for (int64_t k = 0; k < s->tasks; k++) list[next[s->task[k].warp]++] = (int32_t)k;
    mark(s, list);
    int64_t pairs = 0;
    for (int w = 0; w < out->warps; w++) {
        out->first_pair[w] = pairs;
        for (int32_t k = out->first[w]; k < out->first[w + 1]; k++)
            pairs += write_record(s, &s->task[list[k]], &out->record[k], out->pair + 2 * pairs);
    }
    wlu_free(s->ctx, list);
    return WARPLU_SUCCESS;
}

static warplu_status run(schedule *s)
{
    warplu_status status = WARPLU_SUCCESS;
    count(s);
    list_tasks(s);
    s->readers = 0;
    for (int64_t k = 0; k < s->tasks && status == WARPLU_SUCCESS; k++) status = assign(s, &s->task[k]);
    return status == WARPLU_SUCCESS ? write_lists(s) : status;
}

warplu_status wlu_group_lists_create(wlu_context *ctx, const wlu_group_stage *stage, int32_t warps,
                                     wlu_group_lists *out)
{
    int64_t records = stage->stream->nrecords + stage->load->count,
            reads = 2 * (stage->stream->nterms + stage->stream->nrecords);
    *out = (wlu_group_lists){.warps = warps};
    if (reads > INT32_MAX || stage->slots > INT32_MAX - 2)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "a batch of %lld terms exceeds 32-bit numbers",
                        (long long)stage->stream->nterms);
    schedule s = {.ctx = ctx, .stage = stage, .out = out};
    s.slot = WLU_ALLOC(ctx, stage->slots + 1, slot_state);
    s.task = WLU_ALLOC(ctx, records + 1, task);
    s.reader = WLU_ALLOC(ctx, reads + 1, reader);
    warplu_status status =
        s.slot == NULL || s.task == NULL || s.reader == NULL ? wlu_fail_memory(ctx, "lists of warps") : run(&s);
    wlu_free(ctx, s.slot);
    wlu_free(ctx, s.task);
    wlu_free(ctx, s.reader);
    return status;
}

void wlu_group_lists_free(wlu_context *ctx, wlu_group_lists *l)
{
    void *owned[] = {l->record, l->pair, l->need, l->first, l->first_pair};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    *l = (wlu_group_lists){0};
}
