/* Narrow sections. See pack_narrow.h and cuda/narrow.cuh. Through shared memory a result takes a small part of what it
 * takes through the second-level cache; but one block is all that works on a section. O(records + operands) time. */
#include "exec/device/pack_narrow.h"

#include <string.h>

/* Levels of a narrow section at least. */
enum { LEVELS = 4, NO_PLACE = -1 };

typedef struct cutter {
    const wlu_stream_image *s;
    int slot_bytes;
    int64_t end; /* of the segment at hand: the bundle behind it */
    wlu_task_list *out;
} cutter;

/* A narrow section at work. place: by slot from `first` on, in shared memory, of what it computes. */
typedef struct sharer {
    const wlu_stream_image *s;
    int64_t first;
    int32_t *place;
} sharer;

static int has_records(const wlu_bundle *b)
{
    return b->shape <= WLU_BUNDLE_WIDE;
}

static int may_be_narrow(const cutter *c, const wlu_bundle *b)
{
    return b->shape <= WLU_BUNDLE_LONG && b->steps <= WLU_NARROW_STEPS(c->slot_bytes);
}

/* The bundle behind those of b's level, or, if it is not narrow, behind some of them: wide levels are not walked again
 * from each of their bundles. */
static int64_t level_end(const cutter *c, int64_t b)
{
    const wlu_stream_image *s = c->s;
    int64_t end = b + 1, most = b + WLU_NARROW_WIDTH + 1 < c->end ? b + WLU_NARROW_WIDTH + 1 : c->end;
    while (end < most && has_records(&s->bundle[end]) && s->bundle[end].level == s->bundle[b].level) end++;
    return end;
}

/* Bundles from b on that are a narrow section, or 0. */
static int64_t section_length(const cutter *c, int64_t b)
{
    const wlu_stream_image *s = c->s;
    int64_t end = b, records = 0, levels = 0;
    while (end < c->end && has_records(&s->bundle[end])) {
        int64_t next = level_end(c, end);
        int narrow = next - end <= WLU_NARROW_WIDTH &&
                     (levels == 0 || s->bundle[end].level == (uint16_t)(s->bundle[end - 1].level + 1));
        for (int64_t k = end; k < next; k++) {
            records += s->bundle[k].records;
            narrow &= may_be_narrow(c, &s->bundle[k]);
        }
        if (!narrow || records > WLU_TASK_PLACES(c->slot_bytes)) break;
        end = next;
        levels++;
    }
    return levels >= LEVELS ? end - b : 0;
}

static void count_widths(wlu_bundle *bundle, int64_t length)
{
    for (int64_t b = 0, end; b < length; b = end) {
        for (end = b; end < length && bundle[end].level == bundle[b].level; end++) continue;
        for (int64_t k = b; k < end; k++) bundle[k].width = (uint32_t)(end - b);
    }
}

/* The record behind those of a bundle. */
static int64_t records_end(const wlu_bundle *b)
{
    return (int64_t)b->first + b->records;
}

static void put_task(const cutter *c, int64_t first, int64_t count, int64_t places)
{
    if (count > 0)
        c->out->task[c->out->count++] =
            (wlu_solve_task){WLU_TASK_STREAM, (int32_t)first, (int32_t)count, (int32_t)places};
}

/* Tasks of bundles b .. c->end - 1. */
static void cut_segment(const cutter *c, int64_t b)
{
    int64_t pending = b;
    while (b < c->end) {
        int64_t section = section_length(c, b);
        if (section > 0) {
            put_task(c, pending, b - pending, 0);
            count_widths(&c->s->bundle[b], section);
            put_task(c, b, section, records_end(&c->s->bundle[b + section - 1]) - c->s->bundle[b].first);
            b += section;
            pending = b;
        } else if (++b - pending == WLU_TASK_BUNDLES) {
            put_task(c, pending, WLU_TASK_BUNDLES, 0);
            pending = b;
        }
    }
    put_task(c, pending, b - pending, 0);
}

warplu_status wlu_narrow_cut(wlu_context *ctx, const wlu_stream_image *stream, int slot_bytes, const int64_t *segment,
                             int32_t segments, wlu_task_list *out)
{
    cutter c = {.s = stream, .slot_bytes = slot_bytes, .out = out};
    *out = (wlu_task_list){.task = WLU_ALLOC(ctx, stream->bundles, wlu_solve_task)};
    if (out->task == NULL) return wlu_fail_memory(ctx, "tasks of the solve for the device");
    for (int32_t k = 0; k < segments; k++) {
        c.end = segment[k + 1];
        cut_segment(&c, segment[k]);
    }
    return WARPLU_SUCCESS;
}

/* ---------------------------------------------------------------- operands */

static int32_t renamed(const sharer *h, int32_t slot)
{
    return slot >= h->first && h->place[slot - h->first] != NO_PLACE ? ~h->place[slot - h->first] : slot;
}

/* A pair of a narrow section: a factor's slot, then that of an unknown, or its place. */
static void order_pair(const sharer *h, int32_t *pair)
{
    int32_t low = pair[0] < pair[1] ? pair[0] : pair[1], high = pair[0] < pair[1] ? pair[1] : pair[0];
    pair[0] = low;
    pair[1] = renamed(h, high);
}

/* The bundles of a task read from shared memory what they compute. */
static void share_results(const sharer *h, const wlu_solve_task *task)
{
    const wlu_stream_image *s = h->s;
    const wlu_bundle *begin = &s->bundle[task->first], *last = begin + task->count - 1;
    wlu_device_instruction *record = s->record + begin->first;
    for (int32_t r = 0; r < task->places; r++) h->place[record[r].target - h->first] = r;
    for (int32_t r = 0; r < task->places; r++)
        if (record[r].flags & WLU_RECORD_FROM_SLOT) record[r].start = renamed(h, record[r].start);
    int64_t behind = WLU_WARP * ((int64_t)last->operand + last->steps);
    for (int64_t q = WLU_WARP * (int64_t)begin->operand; q < behind; q++) order_pair(h, s->operand + 2 * q);
    for (int32_t r = 0; r < task->places; r++) h->place[record[r].target - h->first] = NO_PLACE;
}

warplu_status wlu_narrow_share(wlu_context *ctx, const wlu_stream_image *stream, const wlu_task_list *tasks,
                               int64_t first, int64_t slots)
{
    sharer h = {.s = stream, .first = first, .place = WLU_ALLOC(ctx, slots, int32_t)};
    if (h.place == NULL) return wlu_fail_memory(ctx, "tasks of the solve for the device");
    memset(h.place, 0xff, (size_t)slots * sizeof *h.place); /* NO_PLACE */
    for (int64_t k = 0; k < tasks->count; k++)
        if (tasks->task[k].places > 0) share_results(&h, &tasks->task[k]);
    wlu_free(ctx, h.place);
    return WARPLU_SUCCESS;
}

void wlu_task_list_free(wlu_context *ctx, wlu_task_list *list)
{
    wlu_free(ctx, list->task);
    *list = (wlu_task_list){0};
}
