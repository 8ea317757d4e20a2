/* What an image says before anything runs: whose each slot is, and whether all that it refers to is there. See machine.h.
 * O(image). */
#include "exec/emulate/machine.h"

enum { W = 8 };

typedef enum array {
    BUNDLE, RECORD, OPERAND, LOAD_SOURCE, LOAD_POWER, TILE, TILE_LOAD, SOURCE, TARGET, GUARD, A_SCALE, ROW_SCALE, ARRAYS
} array;

static const char *const array_names[ARRAYS] = {
    "bundle", "record", "operand", "load", "power of load", "tile", "load of tile", "source of tile", "target", "guard",
    "power of column", "power of row"};

typedef struct survey {
    wlu_machine *m;
    const wlu_device_program *p;
    int64_t count[ARRAYS]; /* elements of each; INT64_MAX: not known */
} survey;

/* ------------------------------------------------------------------ bounds */

/* An array reaches to where the next one begins. */
static int64_t reach(const void *const *begin, int which, const void *end)
{
    const char *from = begin[which], *to = end;
    for (int k = 0; k < ARRAYS; k++)
        if ((const char *)begin[k] > from && (const char *)begin[k] < to) to = begin[k];
    return to - from;
}

static void measure(survey *s, const void *block, int64_t bytes)
{
    const wlu_device_stream *d = &s->p->dot;
    const wlu_device_guards *g = &s->p->guards;
    const void *const begin[ARRAYS] = {d->bundle,    d->record,    d->operand,   d->load_source, d->load_power, s->p->tile,
                                       s->p->load,   s->p->source, s->p->target, g->a_source,    g->a_scale,    g->row_scale};
    static const int64_t size[ARRAYS] = {
        sizeof(wlu_bundle),    sizeof(wlu_device_record), sizeof(int32_t), sizeof(int32_t), sizeof(uint16_t), sizeof(wlu_device_tile),
        sizeof(wlu_tile_load), sizeof(wlu_device_source), sizeof(int32_t), sizeof(int32_t), sizeof(uint16_t), sizeof(uint16_t)};
    for (int k = 0; k < ARRAYS; k++)
        s->count[k] = block == NULL ? INT64_MAX : reach(begin, k, (const char *)block + bytes) / size[k];
}

/* Elements first .. first + count - 1 of an array; 0 and an error if they are not there. */
static int within(survey *s, array which, int64_t first, int64_t count, int32_t task)
{
    char name[WLU_TASK_NAME];
    if (count == 0 || (count > 0 && first >= 0 && first <= s->count[which] - count)) return 1;
    wlu_machine_fail(s->m, "%s takes %lld of %s from %lld on; there are %lld", wlu_task_name(s->m, task, name),
                     (long long)count, array_names[which], (long long)first, (long long)s->count[which]);
    return 0;
}

/* A number that loads read; -1 where a load may read none. */
static void check_value(survey *s, int32_t at, int32_t lowest, int32_t task)
{
    char name[WLU_TASK_NAME];
    if (at < lowest || at >= s->m->values)
        wlu_machine_fail(s->m, "%s reads value %d of %lld", wlu_task_name(s->m, task, name), at, (long long)s->m->values);
}

/* ------------------------------------------------------------------ owners */

static void claim(survey *s, int64_t first, int64_t count, int32_t task)
{
    char name[WLU_TASK_NAME], other[WLU_TASK_NAME];
    wlu_machine *m = s->m;
    for (int64_t slot = first; slot < first + count && m->status == WARPLU_SUCCESS; slot++) {
        if (slot < 0 || slot >= s->p->slots || slot == s->p->zero) {
            wlu_machine_fail(m, "%s writes slot %lld of %d", wlu_task_name(m, task, name), (long long)slot, s->p->slots);
            return;
        }
        if (m->owner[slot] != WLU_NO_TASK)
            wlu_machine_fail(m, "slot %lld is written twice, by %s and by %s", (long long)slot,
                             wlu_task_name(m, m->owner[slot], name), wlu_task_name(m, task, other));
        m->owner[slot] = task;
    }
}

/* ----------------------------------------------------------------- bundles */

static void survey_records(survey *s, const wlu_bundle *b, int32_t task)
{
    int room = b->shape == WLU_BUNDLE_LONG ? WLU_WARP / 8 : WLU_WARP;
    if (b->records > room) wlu_machine_fail(s->m, "bundle %d has %d records", task, b->records);
    if (!within(s, RECORD, b->first, b->records, task) ||
        !within(s, OPERAND, 2 * WLU_WARP * (int64_t)b->operand, 2 * WLU_WARP * (int64_t)b->steps, task))
        return;
    for (int r = 0; r < b->records; r++) {
        const wlu_device_record *x = &s->p->dot.record[b->first + r];
        if ((x->flags & WLU_RECORD_FROM_SLOT) == 0) check_value(s, x->start, -1, task);
        if (x->area >= WLU_DEVICE_AREAS) wlu_machine_fail(s->m, "record %d has area %d", b->first + r, x->area);
        claim(s, x->target, 1, task);
        if (x->flags & WLU_RECORD_RECIPROCAL) claim(s, x->other, 1, task);
    }
}

static void survey_loads(survey *s, const wlu_bundle *b, int32_t task)
{
    if (!within(s, LOAD_SOURCE, b->operand, b->steps, task) || !within(s, LOAD_POWER, b->operand, b->steps, task)) return;
    for (int32_t k = 0; k < b->steps; k++) check_value(s, s->p->dot.load_source[b->operand + k], -1, task);
    if (b->records >= WLU_DEVICE_AREAS) wlu_machine_fail(s->m, "bundle %d loads area %d", task, b->records);
    claim(s, b->first, b->steps, task);
}

static void survey_guards(survey *s, const wlu_bundle *b, int32_t task)
{
    const wlu_device_guards *g = &s->p->guards;
    if (!within(s, A_SCALE, b->first, b->steps, task) || !within(s, ROW_SCALE, b->first, b->steps, task)) return;
    for (int32_t k = b->first; k < b->first + b->steps; k++) {
        int32_t row = k < g->shared ? k : g->n + (k - g->shared);
        if (!within(s, GUARD, k, 1, task) || !within(s, GUARD, row, 1, task)) return;
        check_value(s, g->a_source[k], 0, task);
        check_value(s, g->a_source[row], 0, task);
    }
}

/* ------------------------------------------------------------------- tiles */

static void survey_source(survey *s, const wlu_device_tile *t, const wlu_device_source *x, int32_t task)
{
    int64_t rows = (int64_t)t->above + t->width + t->below;
    int pivots = x->width - x->skip;
    if (x->skip < 0 || pivots < 1 || x->width > W || x->rows < 0 || x->at < 0 || x->at + pivots > t->above)
        wlu_machine_fail(s->m, "tile %d has a source of %d pivots for row %d", t->tile, pivots, x->at);
    if (!within(s, TARGET, x->target, x->rows, task)) return;
    for (int32_t r = 0; r < x->rows; r++) {
        int32_t to = s->p->target[x->target + r];
        if (to < x->at + pivots || to > rows)
            wlu_machine_fail(s->m, "tile %d of %lld rows is updated in row %d by pivots up to %d", t->tile, (long long)rows, to,
                             x->at + pivots - 1);
    }
}

static void survey_tile(survey *s, const wlu_device_tile *t, int32_t task)
{
    int64_t rows = (int64_t)t->above + t->width + t->below;
    if (t->above < 0 || t->width < 1 || t->width > W || t->below < 0 || rows > s->p->panel_rows)
        wlu_machine_fail(s->m, "tile %d has %lld rows; the largest panel %d", t->tile, (long long)rows, s->p->panel_rows);
    if (t->tile < 0 || t->tile >= s->p->tiles) wlu_machine_fail(s->m, "a tile has number %d of %d", t->tile, s->p->tiles);
    claim(s, t->panel, W * rows, task);
    claim(s, t->reciprocal, t->width, task);
    if (!within(s, TILE_LOAD, t->load, t->loads, task) || !within(s, SOURCE, t->source, t->sources, task)) return;
    for (int32_t k = 0; k < t->loads; k++) {
        const wlu_tile_load *x = &s->p->load[t->load + k];
        if (x->at < 0 || x->at >= W * rows) wlu_machine_fail(s->m, "tile %d loads number %d of its panel", t->tile, x->at);
        if (x->power != WLU_FROM_STAGE) check_value(s, x->from, -1, task);
    }
    for (int32_t g = 0; g < t->sources; g++) survey_source(s, t, &s->p->source[t->source + g], task);
}

void wlu_machine_survey(wlu_machine *m, const void *block, int64_t bytes)
{
    const wlu_device_program *p = &m->program;
    survey s = {.m = m, .p = p};
    measure(&s, block, bytes);
    for (int32_t k = 0; k < p->slots; k++) m->owner[k] = WLU_NO_TASK;
    if (!within(&s, BUNDLE, 0, p->dot.bundles, WLU_NO_TASK) || !within(&s, TILE, 0, p->tiles, WLU_NO_TASK)) return;
    for (int32_t b = 0; b < p->dot.bundles && m->status == WARPLU_SUCCESS; b++) {
        const wlu_bundle *x = &p->dot.bundle[b];
        if (x->shape <= WLU_BUNDLE_LONG)
            survey_records(&s, x, b);
        else if (x->shape == WLU_BUNDLE_LOADS)
            survey_loads(&s, x, b);
        else
            survey_guards(&s, x, b);
    }
    for (int32_t t = 0; t < p->tiles && m->status == WARPLU_SUCCESS; t++) survey_tile(&s, &p->tile[t], p->dot.bundles + t);
}
