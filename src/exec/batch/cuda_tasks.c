/* Tasks of a stage in their order. See cuda_tasks.h. */
#include "exec/batch/cuda_tasks.h"

static void count_read(wlu_group_schedule *s, int32_t slot, int64_t r)
{
    wlu_group_slot *at = wlu_group_find(s, slot);
    (void)r;
    if (at != NULL) at->touches++;
}

static void count(wlu_group_schedule *s)
{
    const wlu_flat_stream *stream = s->stage->stream;
    const wlu_flat_loads *load = s->stage->load;
    for (int64_t k = 0; k <= s->stage->slots; k++)
        s->slot[k] = (wlu_group_slot){.entry = -1, .writer = -1, .readers = -1};
    for (int64_t k = 0; k < load->count; k++)
        if (load->slot[k] >= 0) wlu_group_find(s, load->slot[k])->entry = (int32_t)k;
    for (int64_t r = 0; r < stream->nrecords; r++) {
        WLU_GROUP_EACH_READ(s, r, count_read);
        wlu_group_find(s, stream->target[r])->touches++;
        wlu_group_find(s, stream->target[r])->writes++;
    }
}

/* Its entry is the next of the list. */
static void consume(wlu_group_schedule *s, wlu_group_task *t)
{
    if (t->entry < 0 || !wlu_group_has_ring(s)) return;
    t->tile = (int32_t)(s->consumed / WLU_GROUP_LANES);
    t->place = (uint8_t)(s->consumed % WLU_GROUP_LANES);
    s->out->entry[s->consumed++] = t->entry;
}

/* What loads a tile: as soon as there is room for it, when all that read the one in its place have been listed. */
static void append_loader(wlu_group_schedule *s, int32_t tile)
{
    s->task[s->tasks++] = (wlu_group_task){.record = WLU_GROUP_NO_RECORD, .entry = -1, .tile = tile, .need = -1};
}

static void append(wlu_group_schedule *s, int32_t record, int32_t entry)
{
    if (entry >= 0 && wlu_group_has_ring(s) && s->consumed % WLU_GROUP_LANES == 0)
        append_loader(s, (int32_t)(s->consumed / WLU_GROUP_LANES) + WLU_GROUP_RING - 1);
    wlu_group_task *t = &s->task[s->tasks++];
    *t = (wlu_group_task){.record = record, .entry = entry, .tile = -1, .need = -1};
    consume(s, t);
}

/* The loaded number of a slot that is touched for the first time is brought there, unless this record alone reads it,
 * as its start. */
static void bring(wlu_group_schedule *s, int32_t slot, int64_t r)
{
    const wlu_flat_stream *stream = s->stage->stream;
    wlu_group_slot *at = wlu_group_find(s, slot);
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

/* Whether the guards look at an entry. */
static int is_guarded(const wlu_group_stage *stage, int64_t k)
{
    return stage->column_power != NULL && (stage->column_power[k] | stage->row_power[k]) != 0;
}

/* In the stream's order, with what brings loaded numbers into slots. */
static void list_all(wlu_group_schedule *s)
{
    const wlu_flat_stream *stream = s->stage->stream;
    const wlu_flat_loads *load = s->stage->load;
    for (int32_t tile = 0; wlu_group_has_ring(s) && tile < WLU_GROUP_RING - 1; tile++) append_loader(s, tile);
    for (int64_t r = 0; r < stream->nrecords; r++) {
        const wlu_group_slot *start = stream->opcode[r] != WLU_RCP ? wlu_group_find(s, stream->start[r]) : NULL;
        int fresh = start != NULL && !start->seen;
        WLU_GROUP_EACH_READ(s, r, bring);
        bring(s, stream->target[r], r);
        append(s, (int32_t)r, fresh ? start->entry : -1);
        wlu_group_find(s, stream->target[r])->seen = 1;
    }
    for (int64_t k = 0; k < s->stage->slots; k++)
        if (s->slot[k].entry >= 0 && !s->slot[k].seen) append(s, ~s->slot[k].entry, s->slot[k].entry);
    for (int64_t k = 0; k < load->count; k++)
        if (load->slot[k] < 0 && is_guarded(s->stage, k)) append(s, ~(int32_t)k, (int32_t)k);
}

/* Tiles that there are not are not loaded; the last one is filled up. Returns how many tasks are left. */
static int64_t drop_loaders(wlu_group_schedule *s)
{
    int64_t left = 0, tiles = (s->consumed + WLU_GROUP_LANES - 1) / WLU_GROUP_LANES;
    for (int64_t k = 0; k < s->tasks; k++)
        if (s->task[k].record != WLU_GROUP_NO_RECORD || s->task[k].tile < tiles) s->task[left++] = s->task[k];
    for (; s->consumed % WLU_GROUP_LANES != 0; s->consumed++)
        s->out->entry[s->consumed] = s->out->entry[s->consumed - 1];
    s->out->entries = s->consumed;
    return left;
}

void wlu_group_list_tasks(wlu_group_schedule *s)
{
    count(s);
    list_all(s);
    s->tasks = drop_loaders(s);
}
