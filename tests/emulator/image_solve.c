/* What the image of a solve says before anything runs: which task has each bundle, pull and tile, and whether all that
 * they refer to is there. See survey.h. O(image). */
#include "emulator/survey.h"

enum { W = 8 };

/* Parts of `taken`, in this order. */
typedef enum taking { TAKE_BUNDLE, TAKE_FORWARD, TAKE_BACK, TAKE_TILE_FORWARD, TAKE_TILE_BACK, TAKINGS } taking;

static int32_t takings_of(const wlu_device_solve *v, taking what)
{
    const int32_t count[] = {v->stream.bundles, v->tiled, v->tiled, v->tiles, v->tiles};
    return count[what];
}

int64_t wlu_machine_takings(const wlu_device_solve *v)
{
    int64_t count = 0;
    for (int k = 0; k < TAKINGS; k++) count += takings_of(v, (taking)k);
    return count;
}

static int32_t *taken(const wlu_survey *s, taking what)
{
    int32_t *at = s->m->taken;
    for (int k = 0; k < (int)what; k++) at += takings_of(s->m->solve, (taking)k);
    return at;
}

static const char *const taking_names[TAKINGS] = {"bundle", "pulls of pivot forward", "pulls of pivot back",
                                                  "tile forward", "tile back"};

/* Task number q has elements first .. first + count - 1 to itself. 0 and an error if they are not there, or another's.
 */
static int take(wlu_survey *s, taking what, int32_t first, int32_t count, int32_t q)
{
    int32_t *by = taken(s, what);
    if (first < 0 || count < 1 || first > takings_of(s->m->solve, what) - count) {
        wlu_machine_fail(s->m, "task %d has %d from %s %d on; there are %d", q, count, taking_names[what], first,
                         takings_of(s->m->solve, what));
        return 0;
    }
    for (int32_t k = first; k < first + count; k++) {
        if (by[k] != WLU_NO_TASK)
            wlu_machine_fail(s->m, "%s %d is in tasks %d and %d", taking_names[what], k, by[k], q);
        by[k] = q;
    }
    return s->m->status == WARPLU_SUCCESS;
}

/* An operand or a start that is negative: computed by a level before this one in the task. */
static void check_place(wlu_survey *s, int32_t slot, int32_t places, int32_t q)
{
    if (slot < 0 && ~slot >= places)
        wlu_machine_fail(s->m, "task %d reads place %d where there are %d", q, ~slot, places);
}

/* In a narrow section, the first of a pair: a factor's, or padding. */
static void check_factor(wlu_survey *s, int32_t slot, int32_t q)
{
    const wlu_machine *m = s->m;
    if (slot < 0 || (slot >= m->split && slot - m->split != m->zero))
        wlu_machine_fail(s->m, "task %d takes a factor from slot %d", q, slot);
}

/* Bundle b, whose level so many records of its task come before. */
static void survey_places(wlu_survey *s, const wlu_device_stream *d, const wlu_bundle *b, int32_t places, int narrow,
                          int32_t q)
{
    const int32_t *pair = d->operand + 2 * WLU_WARP * (int64_t)b->operand;
    for (int64_t k = 0; k < 2 * WLU_WARP * (int64_t)b->steps; k++) check_place(s, pair[k], places, q);
    for (int64_t k = 0; narrow && k < WLU_WARP * (int64_t)b->steps; k++) check_factor(s, pair[2 * k], q);
    for (int32_t r = b->first; r < b->first + b->records; r++)
        if (d->record[r].flags & WLU_RECORD_FROM_SLOT) check_place(s, d->record[r].start, places, q);
}

/* Bundles from k on that are of one level. */
static int32_t level_width(const wlu_bundle *bundle, int32_t k, int32_t count)
{
    int32_t end = k;
    while (end < count && bundle[end].level == bundle[k].level) end++;
    return end - k;
}

/* Of a narrow section: levels that follow each other, each of few short bundles that know how many they are. */
static void survey_narrow(wlu_survey *s, const wlu_solve_task *t, const wlu_bundle *bundle, int32_t q)
{
    for (int32_t k = 0, width; k < t->count; k += width) {
        width = level_width(bundle, k, t->count);
        if (width > WLU_NARROW_WIDTH || (k > 0 && (uint16_t)(bundle[k].level - bundle[k - 1].level) != 1))
            wlu_machine_fail(s->m, "task %d has %d bundles of level %d", q, width, bundle[k].level);
        for (int32_t i = k; i < k + width; i++)
            if (bundle[i].steps > (uint32_t)WLU_NARROW_STEPS(wlu_machine_slot_bytes(s->m)) ||
                bundle[i].shape > WLU_BUNDLE_LONG || (int32_t)bundle[i].width != width)
                wlu_machine_fail(s->m,
                                 "bundle %d of task %d has shape %d, %d steps, and is one of %d where there are %d", i,
                                 q, bundle[i].shape, bundle[i].steps, bundle[i].width, width);
    }
}

/* Its places are the results of as many records that follow each other. */
static void survey_bundles(wlu_survey *s, const wlu_solve_task *t, int32_t q)
{
    const wlu_device_stream *d = s->m->stream;
    int32_t places = 0, earlier = 0;
    if (!take(s, TAKE_BUNDLE, t->first, t->count, q)) return;
    if (t->places > 0) survey_narrow(s, t, &d->bundle[t->first], q);
    for (int32_t k = t->first; k < t->first + t->count; k++) {
        const wlu_bundle *b = &d->bundle[k];
        if (k > t->first && b->level != b[-1].level) earlier = places;
        if (t->places > 0 && (b->shape > WLU_BUNDLE_WIDE || b->first != d->bundle[t->first].first + places))
            wlu_machine_fail(s->m, "task %d has places, and records that do not follow each other, from %d on", q,
                             b->first);
        if (b->shape <= WLU_BUNDLE_WIDE) survey_places(s, d, b, earlier, t->places > 0, q);
        if (t->places > 0) places += b->records;
    }
    if (t->places < 0 || t->places > WLU_TASK_PLACES(wlu_machine_slot_bytes(s->m)) || t->places != places)
        wlu_machine_fail(s->m, "task %d has %d places for %d records", q, t->places, places);
}

/* Slots that are read at once: 16 bytes. */
static int32_t piece(const wlu_survey *s)
{
    return 16 / s->m->lanes->slot_bytes;
}

static void survey_pull(wlu_survey *s, const wlu_solve_pull *x, int32_t q)
{
    const wlu_device_solve *v = s->m->solve;
    if (x->row < 0 || x->row % piece(s) != 0 || x->row > v->split - W || x->width < 1 || x->width > W || x->first < 0 ||
        x->first > v->tiled - x->width)
        wlu_machine_fail(s->m, "task %d takes a row from slot %d, with unknowns %d to %d", q, x->row, x->first,
                         x->first + x->width - 1);
}

static void survey_pulls(wlu_survey *s, const wlu_solve_task *t, int32_t q)
{
    const wlu_device_solve *v = s->m->solve;
    int forward = t->kind == WLU_TASK_PULLS_FORWARD;
    const int32_t *ends = forward ? v->forward : v->back;
    if (t->count > WLU_TILE_THREADS / WLU_WARP)
        wlu_machine_fail(s->m, "task %d has %d pivots for fewer warps", q, t->count);
    if (!take(s, forward ? TAKE_FORWARD : TAKE_BACK, t->first, t->count, q)) return;
    for (int32_t at = t->first; at < t->first + t->count; at++) {
        if (ends[at + 1] < ends[at] ||
            !WITHIN(s, v->pull, ends[at], ends[at + 1] - ends[at], s->m->stream->bundles + q)) {
            wlu_machine_fail(s->m, "task %d takes rows %d to %d", q, ends[at], ends[at + 1] - 1);
            return;
        }
        for (int32_t k = ends[at]; k < ends[at + 1]; k++) survey_pull(s, &v->pull[k], q);
        if (ends[at + 1] > ends[at])
            wlu_survey_claim(s, v->split + (int64_t)v->start[(forward ? 0 : v->tiled) + at], 1,
                             s->m->stream->bundles + q);
    }
}

/* Rows, which are read in pieces, of a tile for pivots low .. high - 1, none twice: threads side by side update them.
 */
static void survey_rows(wlu_survey *s, int32_t slot, int32_t rows, int32_t target, int32_t low, int32_t high, int32_t q)
{
    const wlu_device_solve *v = s->m->solve;
    int32_t task = s->m->stream->bundles + q;
    if (slot < 0 || slot % piece(s) != 0 || rows < 0 || slot > v->split - W * (int64_t)rows ||
        !WITHIN(s, v->target, target, rows, task)) {
        wlu_machine_fail(s->m, "task %d takes %d rows from slot %d on", q, rows, slot);
        return;
    }
    for (int32_t r = 0; r < rows; r++) {
        int32_t to = v->target[target + r], least = r > 0 ? v->target[target + r - 1] + 1 : low;
        if (to < least || to >= high)
            wlu_machine_fail(s->m, "task %d has a row for pivot %d, and not for one of %d to %d", q, to, least,
                             high - 1);
    }
}

/* Pivots first .. end - 1 are the tile path's. */
static void survey_solve_tile(wlu_survey *s, const wlu_solve_tile *t, int forward, int32_t first, int32_t end,
                              int32_t q)
{
    const wlu_device_solve *v = s->m->solve;
    int32_t task = s->m->stream->bundles + q, behind = t->first + t->width;
    if (t->diagonal < 0 || t->diagonal % piece(s) != 0 || t->diagonal > v->split - W * t->width || t->reciprocal < 0 ||
        t->reciprocal > v->split - t->width)
        wlu_machine_fail(s->m, "task %d has a tile at slot %d", q, t->diagonal);
    if (forward) {
        survey_rows(s, t->lower, t->lowers, t->lower_target, behind, end, q);
        wlu_survey_claim(s, v->split + (int64_t)v->z + t->first, t->width, task);
        return;
    }
    survey_rows(s, t->upper, t->uppers, t->upper_target, first, t->first, q);
    wlu_survey_claim(s, v->split + (int64_t)v->z + v->tiled + t->first, t->width, task);
    for (int32_t at = t->first; at < behind; at++) wlu_survey_claim(s, v->split + (int64_t)v->tile_x[at], 1, task);
}

static void survey_tile_path(wlu_survey *s, const wlu_solve_task *t, int32_t q)
{
    const wlu_device_solve *v = s->m->solve;
    int forward = t->kind == WLU_TASK_TILE_PATH_FORWARD;
    if (t->count > WLU_TILE_PATH_TILES) wlu_machine_fail(s->m, "task %d has %d tiles", q, t->count);
    if (!take(s, forward ? TAKE_TILE_FORWARD : TAKE_TILE_BACK, t->first, t->count, q)) return;
    int32_t first = v->tile[t->first].first, end = first;
    for (int32_t k = t->first; k < t->first + t->count; k++) {
        const wlu_solve_tile *x = &v->tile[k];
        if (x->first != end || x->width < 1 || x->width > W || x->first < 0 || x->first > v->tiled - x->width ||
            x->first + x->width - first > WLU_TILE_PATH_PIVOTS(wlu_machine_slot_bytes(s->m))) {
            wlu_machine_fail(s->m, "task %d has pivots %d to %d after pivots %d to %d", q, x->first,
                             x->first + x->width - 1, first, end - 1);
            return;
        }
        end += x->width;
    }
    for (int32_t k = t->first; k < t->first + t->count; k++) survey_solve_tile(s, &v->tile[k], forward, first, end, q);
}

/* Every bundle and tile, and every pivot with pulls, is in a task. */
static void survey_takings(wlu_survey *s)
{
    const wlu_device_solve *v = s->m->solve;
    for (int what = 0; what < TAKINGS; what++) {
        const int32_t *by = taken(s, (taking)what), *ends = what == TAKE_FORWARD ? v->forward
                                                            : what == TAKE_BACK  ? v->back
                                                                                 : NULL;
        for (int32_t k = 0; k < takings_of(v, (taking)what); k++)
            if (by[k] == WLU_NO_TASK && (ends == NULL || ends[k + 1] > ends[k]))
                wlu_machine_fail(s->m, "%s %d is in no task", taking_names[what], k);
    }
}

void wlu_survey_tasks(wlu_survey *s)
{
    const wlu_device_solve *v = s->m->solve;
    int64_t ends = v->tiled > 0 ? (int64_t)v->tiled + 1 : 0;
    for (int64_t k = 0; k < wlu_machine_takings(v); k++) s->m->taken[k] = WLU_NO_TASK;
    if (!WITHIN(s, v->task, 0, v->tasks, WLU_NO_TASK) || !WITHIN(s, v->tile, 0, v->tiles, WLU_NO_TASK) ||
        !WITHIN(s, v->forward, 0, ends, WLU_NO_TASK) || !WITHIN(s, v->back, 0, ends, WLU_NO_TASK) ||
        !WITHIN(s, v->tile_y, 0, v->tiled, WLU_NO_TASK) || !WITHIN(s, v->tile_x, 0, v->tiled, WLU_NO_TASK) ||
        !WITHIN(s, v->start, 0, 2 * (int64_t)v->tiled, WLU_NO_TASK))
        return;
    for (int32_t q = 0; q < v->tasks && s->m->status == WARPLU_SUCCESS; q++) {
        const wlu_solve_task *t = &v->task[q];
        if (t->kind == WLU_TASK_STREAM)
            survey_bundles(s, t, q);
        else if (t->kind == WLU_TASK_PULLS_FORWARD || t->kind == WLU_TASK_PULLS_BACK)
            survey_pulls(s, t, q);
        else if (t->kind == WLU_TASK_TILE_PATH_FORWARD || t->kind == WLU_TASK_TILE_PATH_BACK)
            survey_tile_path(s, t, q);
        else
            wlu_machine_fail(s->m, "task %d is of kind %d", q, t->kind);
    }
    survey_takings(s);
}
