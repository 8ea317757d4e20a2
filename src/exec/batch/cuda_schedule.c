/* Lists of records for warps. See cuda_schedule.h. */
#include "exec/batch/cuda_schedule.h"

#include "exec/batch/cuda_tasks.h"

/* Of the simulated clock, in cycles of an H200: a record, a term of it, one of a long record, whose eight sums are
 * independent; how long a result takes to another warp. */
enum { RECORD_CYCLES = 300, TERM_CYCLES = 16, LONG_TERM_CYCLES = 6, HANDOVER_CYCLES = 150, TILE_CYCLES = 1500 };

/* ------------------------------------------------------------------- warps */

/* The task at hand comes after this one; -1: none. */
static void follow(wlu_group_schedule *s, int32_t before)
{
    if (before < 0) return;
    const wlu_group_task *t = &s->task[before];
    if (t->end > s->latest[t->warp]) s->latest[t->warp] = t->end;
    if (t->number + 1 > s->wanted[t->warp]) s->wanted[t->warp] = t->number + 1;
}

static void follow_read(wlu_group_schedule *s, int32_t slot, int64_t r)
{
    const wlu_group_slot *at = wlu_group_find(s, slot);
    (void)r;
    if (at != NULL) follow(s, at->writer);
}

/* Whoever writes the slot anew comes after this reader. */
static void note_read(wlu_group_schedule *s, int32_t slot, int64_t r)
{
    wlu_group_slot *at = wlu_group_find(s, slot);
    (void)r;
    if (at == NULL || at->writes < 2) return;
    s->reader[s->readers] = (wlu_group_reader){s->now, at->readers};
    at->readers = (int32_t)s->readers++;
}

static int32_t target_of(const wlu_group_schedule *s, const wlu_group_task *t)
{
    if (t->record >= 0) return s->stage->stream->target[t->record];
    int32_t slot = s->stage->load->slot[~t->record];
    return slot >= 0 ? slot : (int32_t)(s->stage->first + s->stage->slots);
}

/* Of warps first .. end - 1 the one that can begin the task at hand first, and when. */
static int choose(const wlu_group_schedule *s, int first, int end, int64_t *begin)
{
    int last = 0, best = first;
    int64_t second = -1;
    for (int w = 1; w < s->out->warps; w++)
        if (s->latest[w] > s->latest[last]) last = w;
    for (int w = 0; w < s->out->warps; w++)
        if (w != last && s->latest[w] > second) second = s->latest[w];
    for (int w = first; w < end; w++) {
        int64_t at = s->clock[w], there = w == last ? second : s->latest[last];
        if (there >= 0 && there + HANDOVER_CYCLES > at) at = there + HANDOVER_CYCLES;
        if (s->latest[w] > at) at = s->latest[w];
        if (w == first || at < *begin) {
            best = w;
            *begin = at;
        }
    }
    return best;
}

static int64_t cycles(const wlu_group_schedule *s, const wlu_group_task *t)
{
    const wlu_flat_stream *stream = s->stage->stream;
    if (t->record == WLU_GROUP_NO_RECORD) return TILE_CYCLES;
    if (t->record < 0) return RECORD_CYCLES;
    int64_t terms = stream->begin[t->record + 1] - stream->begin[t->record];
    return RECORD_CYCLES + terms * (stream->sum[t->record] == WLU_SUM_IN_ORDER ? TERM_CYCLES : LONG_TERM_CYCLES);
}

/* A row of what the task at hand waits for, unless its warp knows it all. */
static warplu_status wait_for(wlu_group_schedule *s, wlu_group_task *t)
{
    wlu_group_lists *out = s->out;
    int waits = 0;
    for (int w = 0; w < out->warps; w++) waits |= w != t->warp && s->wanted[w] > s->known[t->warp][w];
    if (!waits) return WARPLU_SUCCESS;
    if (out->needs == s->need_room) {
        int64_t room = 2 * s->need_room + 64;
        int32_t *moved =
            wlu_resize(s->ctx, out->need, WLU_GROUP_LANES * out->needs, WLU_GROUP_LANES * room, sizeof *moved);
        if (moved == NULL) return wlu_fail_memory(s->ctx, "what warps wait for");
        out->need = moved;
        s->need_room = room;
    }
    int32_t *row = out->need + WLU_GROUP_LANES * out->needs;
    t->need = (int32_t)out->needs++;
    for (int w = 0; w < WLU_GROUP_LANES; w++) {
        int wanted = w != t->warp && s->wanted[w] > s->known[t->warp][w];
        row[w] = wanted ? s->wanted[w] : 0;
        if (wanted) s->known[t->warp][w] = s->wanted[w];
    }
    return WARPLU_SUCCESS;
}

/* Marks those that are waited for: the last ones of each warp that the row names. at: where the tasks of lists are. */
static void mark(wlu_group_schedule *s, const int32_t *list)
{
    const wlu_group_lists *out = s->out;
    for (int64_t row = 0; row < out->needs; row++)
        for (int w = 0; w < out->warps; w++)
            if (out->need[WLU_GROUP_LANES * row + w] > 0)
                s->task[list[out->first[w] + out->need[WLU_GROUP_LANES * row + w] - 1]].tells = 1;
}

/* After whom the task at hand comes: whoever loads its entry; its slots' writers, and readers of its target. A tile
 * comes after all that read what was in its place. */
static void follow_all(wlu_group_schedule *s, const wlu_group_task *t)
{
    const wlu_group_place *place = t->tile >= 0 ? &s->ring[t->tile % WLU_GROUP_RING] : NULL;
    for (int w = 0; w < WLU_GROUP_LANES; w++) {
        s->latest[w] = -1;
        s->wanted[w] = 0;
    }
    if (place != NULL) follow(s, place->loader);
    if (t->record == WLU_GROUP_NO_RECORD) {
        for (int32_t k = place->readers; k >= 0; k = s->reader[k].next) follow(s, s->reader[k].task);
        return;
    }
    const wlu_group_slot *target = wlu_group_find(s, target_of(s, t));
    if (t->record >= 0) WLU_GROUP_EACH_READ(s, t->record, follow_read);
    follow(s, target->writer);
    for (int32_t k = target->readers; k >= 0; k = s->reader[k].next) follow(s, s->reader[k].task);
}

/* What the task at hand leaves behind. */
static void note(wlu_group_schedule *s, const wlu_group_task *t)
{
    wlu_group_place *place = t->tile >= 0 ? &s->ring[t->tile % WLU_GROUP_RING] : NULL;
    if (t->record == WLU_GROUP_NO_RECORD) {
        *place = (wlu_group_place){s->now, -1};
        return;
    }
    if (place != NULL) {
        s->reader[s->readers] = (wlu_group_reader){s->now, place->readers};
        place->readers = (int32_t)s->readers++;
    }
    wlu_group_slot *target = wlu_group_find(s, target_of(s, t));
    target->readers = -1;
    if (t->record >= 0) WLU_GROUP_EACH_READ(s, t->record, note_read);
    target->writer = s->now;
    if (t->record >= 0 && s->stage->stream->start[t->record] == target_of(s, t)) target->readers = -1;
}

static warplu_status assign(wlu_group_schedule *s, wlu_group_task *t)
{
    int loads = t->record == WLU_GROUP_NO_RECORD,
        loaders = wlu_group_has_ring(s) && s->out->warps > WLU_GROUP_LOADERS ? WLU_GROUP_LOADERS : 0;
    int64_t begin = 0;
    s->now = (int32_t)(t - s->task);
    follow_all(s, t);
    t->warp = (uint8_t)choose(s, loads ? 0 : loaders, loads && loaders > 0 ? loaders : s->out->warps, &begin);
    t->number = s->length[t->warp]++;
    t->end = s->clock[t->warp] = begin + cycles(s, t);
    warplu_status status = wait_for(s, t);
    note(s, t);
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
static int32_t write_record(const wlu_group_schedule *s, const wlu_group_task *t, wlu_group_record *to, int32_t *pair)
{
    const wlu_group_stage *stage = s->stage;
    const wlu_flat_stream *stream = stage->stream;
    int64_t r = t->record;
    int32_t ring = t->tile % WLU_GROUP_RING * WLU_GROUP_TILE;
    if (r == WLU_GROUP_NO_RECORD) {
        *to = (wlu_group_record){.target = t->tile * WLU_GROUP_LANES,
                                 .start = ring,
                                 .divisor = -1,
                                 .need = t->need,
                                 .opcode = WLU_LOAD,
                                 .tells = t->tells};
        return 0;
    }
    int32_t target = target_of(s, t);
    *to = (wlu_group_record){.target = wlu_group_own_slot(stage, target),
                             .start = ~t->entry,
                             .divisor = -1,
                             .need = t->need,
                             .power = t->entry >= 0 ? wlu_upper_of_power(stage->load->scale[t->entry]) : 0,
                             .opcode = WLU_DOT,
                             .tells = t->tells};
    if (stage->area != NULL && target < stage->slots && wlu_group_find(s, target)->writer == t - s->task)
        to->area = stage->area[target];
    if (t->tile >= 0) {
        to->ring = (uint16_t)(ring + t->place);
        to->column_power = stage->column_power[t->entry];
        to->row_power = stage->row_power[t->entry];
    }
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

static warplu_status write_lists(wlu_group_schedule *s)
{
    wlu_group_lists *out = s->out;
    int32_t *list = WLU_ALLOC(s->ctx, s->tasks + 1, int32_t), next[WLU_GROUP_LANES];
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

static warplu_status run(wlu_group_schedule *s)
{
    warplu_status status = WARPLU_SUCCESS;
    wlu_group_list_tasks(s);
    for (int k = 0; k < WLU_GROUP_RING; k++) s->ring[k] = (wlu_group_place){-1, -1};
    s->readers = 0;
    for (int64_t k = 0; k < s->tasks && status == WARPLU_SUCCESS; k++) status = assign(s, &s->task[k]);
    return status == WARPLU_SUCCESS ? write_lists(s) : status;
}

warplu_status wlu_group_lists_create(wlu_context *ctx, const wlu_group_stage *stage, int32_t warps,
                                     wlu_group_lists *out)
{
    int64_t entries = stage->load->count,
            records = stage->stream->nrecords + entries + entries / WLU_GROUP_LANES + 2 * WLU_GROUP_RING,
            reads = 2 * (stage->stream->nterms + stage->stream->nrecords) + entries;
    *out = (wlu_group_lists){.warps = warps};
    if (reads > INT32_MAX || stage->slots > INT32_MAX - 2)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "a batch of %lld terms exceeds 32-bit numbers",
                        (long long)stage->stream->nterms);
    wlu_group_schedule s = {.ctx = ctx, .stage = stage, .out = out};
    s.slot = WLU_ALLOC(ctx, stage->slots + 1, wlu_group_slot);
    s.task = WLU_ALLOC(ctx, records + 1, wlu_group_task);
    s.reader = WLU_ALLOC(ctx, reads + 1, wlu_group_reader);
    out->entry = WLU_ALLOC(ctx, entries + WLU_GROUP_LANES, int32_t);
    int there = s.slot != NULL && s.task != NULL && s.reader != NULL && out->entry != NULL;
    warplu_status status = there ? run(&s) : wlu_fail_memory(ctx, "lists of warps");
    wlu_free(ctx, s.slot);
    wlu_free(ctx, s.task);
    wlu_free(ctx, s.reader);
    return status;
}

void wlu_group_lists_free(wlu_context *ctx, wlu_group_lists *l)
{
    void *owned[] = {l->record, l->pair, l->need, l->first, l->first_pair, l->entry};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
    *l = (wlu_group_lists){0};
}
