/* Runs of narrow levels. See pack_runs.h and cuda/narrow.cuh. Through shared memory a result takes a small part of what it takes
 * through the second-level cache; but one block is all that works on a run. O(records + operands) time. */
#include "exec/device/pack_runs.h"

/* Levels of a run at least. */
enum { LEVELS = 4, NO_PLACE = -1 };

typedef struct cutter {
    wlu_stream_image *s;
    int64_t end;    /* of the part at hand: the bundle behind it */
    int32_t *place; /* by slot: in shared memory, of what the run at hand computes */
    wlu_task_list *out;
} cutter;

static int has_records(const wlu_bundle *b)
{
    return b->shape <= WLU_BUNDLE_WIDE;
}

static int may_run(const wlu_bundle *b)
{
    return b->shape <= WLU_BUNDLE_LONG && b->steps <= WLU_RUN_STEPS;
}

/* The bundle behind those of b's level, or, if it is not narrow, behind some of them: wide levels are not walked again from each
 * of their bundles. */
static int64_t level_end(const cutter *c, int64_t b)
{
    const wlu_stream_image *s = c->s;
    int64_t end = b + 1, most = b + WLU_RUN_WIDTH + 1 < c->end ? b + WLU_RUN_WIDTH + 1 : c->end;
    while (end < most && has_records(&s->bundle[end]) && s->bundle[end].level == s->bundle[b].level) end++;
    return end;
}

/* Bundles from b on that are a run, or 0. */
static int64_t run_length(const cutter *c, int64_t b)
{
    const wlu_stream_image *s = c->s;
    int64_t end = b, records = 0, levels = 0;
    while (end < c->end && has_records(&s->bundle[end])) {
        int64_t next = level_end(c, end);
        int runs = next - end <= WLU_RUN_WIDTH && (levels == 0 || s->bundle[end].level == (uint16_t)(s->bundle[end - 1].level + 1));
        for (int64_t k = end; k < next; k++) {
            records += s->bundle[k].records;
            runs &= may_run(&s->bundle[k]);
        }
        if (!runs || records > WLU_TASK_PLACES) break;
        end = next;
        levels++;
    }
    return levels >= LEVELS ? end - b : 0;
}

static int32_t renamed(const cutter *c, int32_t slot)
{
    return slot >= 0 && c->place[slot] != NO_PLACE ? ~c->place[slot] : slot;
}

/* A pair of a run: a factor's slot, then that of an unknown, or its place. */
static void order_pair(const cutter *c, int32_t *pair)
{
    int32_t low = pair[0] < pair[1] ? pair[0] : pair[1], high = pair[0] < pair[1] ? pair[1] : pair[0];
    pair[0] = low;
    pair[1] = renamed(c, high);
}

/* Bundles b .. b + length - 1 read from shared memory what they compute. Returns how many results that are. */
static int32_t share_results(const cutter *c, int64_t b, int64_t length)
{
    wlu_stream_image *s = c->s;
    int64_t first = s->bundle[b].first;
    const wlu_bundle *last = &s->bundle[b + length - 1];
    int64_t end = last->first + last->records;
    for (int64_t r = first; r < end; r++) c->place[s->record[r].target] = (int32_t)(r - first);
    for (int64_t r = first; r < end; r++)
        if (s->record[r].flags & WLU_RECORD_FROM_SLOT) s->record[r].start = renamed(c, s->record[r].start);
    int64_t begin = WLU_WARP * (int64_t)s->bundle[b].operand, behind = WLU_WARP * ((int64_t)last->operand + last->steps);
    for (int64_t q = begin; q < behind; q++) order_pair(c, s->operand + 2 * q);
    for (int64_t r = first; r < end; r++) c->place[s->record[r].target] = NO_PLACE;
    return (int32_t)(end - first);
}

static void count_widths(wlu_bundle *bundle, int64_t length)
{
    for (int64_t b = 0, end; b < length; b = end) {
        for (end = b; end < length && bundle[end].level == bundle[b].level; end++) continue;
        for (int64_t k = b; k < end; k++) bundle[k].width = (uint32_t)(end - b);
    }
}

static void put_task(const cutter *c, int64_t first, int64_t count, int32_t places)
{
    if (count == 0) return;
    if (c->out->task != NULL)
        c->out->task[c->out->count] = (wlu_solve_task){WLU_TASK_STREAM, (int32_t)first, (int32_t)count, places};
    c->out->count++;
}

/* Tasks of bundles b .. c->end - 1. */
static void cut_part(const cutter *c, int64_t b)
{
    int64_t pending = b;
    while (b < c->end) {
        int64_t run = run_length(c, b);
        if (run > 0) {
            put_task(c, pending, b - pending, 0);
            if (c->out->task != NULL) count_widths(&c->s->bundle[b], run);
            put_task(c, b, run, c->out->task != NULL ? share_results(c, b, run) : 0);
            b += run;
            pending = b;
        } else if (++b - pending == WLU_TASK_BUNDLES) {
            put_task(c, pending, WLU_TASK_BUNDLES, 0);
            pending = b;
        }
    }
    put_task(c, pending, b - pending, 0);
}

/* Counted while there is no room for tasks; operands are renamed when they are written. */
static void cut(cutter *c, const int64_t *part, int32_t parts)
{
    c->out->count = 0;
    for (int32_t k = 0; k < parts; k++) {
        c->end = part[k + 1];
        cut_part(c, part[k]);
    }
}

warplu_status wlu_runs_cut(wlu_context *ctx, wlu_stream_image *stream, const int64_t *part, int32_t parts, int64_t slots,
                           wlu_task_list *out)
{
    *out = (wlu_task_list){0};
    cutter c = {.s = stream, .place = WLU_ALLOC(ctx, slots, int32_t), .out = out};
    if (c.place == NULL) return wlu_fail_memory(ctx, "tasks of the solve for the device");
    for (int64_t k = 0; k < slots; k++) c.place[k] = NO_PLACE;
    cut(&c, part, parts);
    out->task = WLU_ALLOC(ctx, out->count, wlu_solve_task);
    if (out->task != NULL) cut(&c, part, parts);
    wlu_free(ctx, c.place);
    return out->task != NULL ? WARPLU_SUCCESS : wlu_fail_memory(ctx, "tasks of the solve for the device");
}

void wlu_task_list_free(wlu_context *ctx, wlu_task_list *list)
{
    wlu_free(ctx, list->task);
    *list = (wlu_task_list){0};
}
