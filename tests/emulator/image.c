/* What the image of a factorization says before anything runs: whose each slot is, and whether all that it refers to is
 * there. See survey.h; image_solve.c has the tasks of solves. O(image). */
#include "emulator/survey.h"

enum { W = 8 };

/* ------------------------------------------------------------------ bounds */

/* Elements from an array's first to where the next array begins; INT64_MAX: not known. */
static int64_t count_of(const wlu_survey *s, const void *array, size_t size)
{
    if (s->block == NULL) return INT64_MAX;
    int64_t from = (const char *)array - (const char *)s->block->memory, to = s->block->bytes;
    for (int k = 0; k < s->block->count; k++)
        if (s->block->at[k] > from && s->block->at[k] < to) to = s->block->at[k];
    return (to - from) / (int64_t)size;
}

int wlu_survey_within(wlu_survey *s, const void *array, size_t size, const char *what, int64_t first, int64_t count,
                      int32_t task)
{
    char name[WLU_TASK_NAME];
    int64_t there = count_of(s, array, size);
    if (count == 0 || (count > 0 && first >= 0 && first <= there - count)) return 1;
    wlu_machine_fail(s->m, "%s takes %lld %s from %lld on; there are %lld", wlu_task_name(s->m, task, name),
                     (long long)count, what, (long long)first, (long long)there);
    return 0;
}

void wlu_survey_value(wlu_survey *s, int32_t at, int32_t lowest, int32_t task)
{
    char name[WLU_TASK_NAME];
    if (at < lowest || at >= s->m->values / s->m->lanes->doubles)
        wlu_machine_fail(s->m, "%s reads value %d of %lld", wlu_task_name(s->m, task, name), at,
                         (long long)(s->m->values / s->m->lanes->doubles));
}

/* ------------------------------------------------------------------ owners */

void wlu_survey_claim(wlu_survey *s, int64_t first, int64_t count, int32_t task)
{
    char name[WLU_TASK_NAME], other[WLU_TASK_NAME];
    wlu_machine *m = s->m;
    for (int64_t slot = first; slot < first + count && m->status == WARPLU_SUCCESS; slot++) {
        int64_t at = slot - m->split;
        if (at < 0 || at >= m->slots || at == m->zero || at == m->minus_one) {
            wlu_machine_fail(m, "%s writes slot %lld of %d", wlu_task_name(m, task, name), (long long)slot,
                             m->split + m->slots);
            return;
        }
        if (m->owner[at] != WLU_NO_TASK)
            wlu_machine_fail(m, "slot %lld is written twice, by %s and by %s", (long long)slot,
                             wlu_task_name(m, m->owner[at], name), wlu_task_name(m, task, other));
        m->owner[at] = task;
    }
}

/* ----------------------------------------------------------------- bundles */

static void survey_records(wlu_survey *s, const wlu_device_stream *d, const wlu_bundle *b, int32_t task)
{
    char name[WLU_TASK_NAME];
    static const int most[] = {[WLU_BUNDLE_SHORT] = WLU_WARP, [WLU_BUNDLE_LONG] = WLU_WARP / 8, [WLU_BUNDLE_WIDE] = 1};
    if (b->records > most[b->shape])
        wlu_machine_fail(s->m, "%s has %d records", wlu_task_name(s->m, task, name), b->records);
    if (!WITHIN(s, d->record, b->first, b->records, task) ||
        !WITHIN(s, d->operand, 2 * WLU_WARP * (int64_t)b->operand, 2 * WLU_WARP * (int64_t)b->steps, task))
        return;
    for (int r = 0; r < b->records; r++) {
        const wlu_device_instruction *x = &d->record[b->first + r];
        if ((x->flags & WLU_RECORD_FROM_SLOT) == 0) wlu_survey_value(s, x->start, -1, task);
        if (x->area >= WLU_SEEN_AREAS) wlu_machine_fail(s->m, "record %d has area %d", b->first + r, x->area);
        wlu_survey_claim(s, x->target, 1, task);
        if (x->flags & WLU_RECORD_RECIPROCAL) wlu_survey_claim(s, x->other, 1, task);
    }
}

static void survey_loads(wlu_survey *s, const wlu_device_stream *d, const wlu_bundle *b, int32_t task)
{
    if (!WITHIN(s, d->load_source, b->operand, b->steps, task) || !WITHIN(s, d->load_power, b->operand, b->steps, task))
        return;
    for (int32_t k = 0; k < b->steps; k++) wlu_survey_value(s, d->load_source[b->operand + k], -1, task);
    if (b->records >= WLU_SEEN_AREAS) wlu_machine_fail(s->m, "bundle %d loads area %d", task, b->records);
    wlu_survey_claim(s, b->first, b->steps, task);
}

static void survey_guards(wlu_survey *s, const wlu_device_guards *g, const wlu_bundle *b, int32_t task)
{
    if (!WITHIN(s, g->a_scale, b->first, b->steps, task) || !WITHIN(s, g->row_scale, b->first, b->steps, task)) return;
    for (int32_t k = b->first; k < b->first + b->steps; k++) {
        int32_t row = k < g->shared ? k : g->n + (k - g->shared);
        if (!WITHIN(s, g->a_source, k, 1, task) || !WITHIN(s, g->a_source, row, 1, task)) return;
        wlu_survey_value(s, g->a_source[k], 0, task);
        wlu_survey_value(s, g->a_source[row], 0, task);
    }
}

static void survey_stores(wlu_survey *s, const wlu_device_solve *v, const wlu_bundle *b, int32_t task)
{
    char name[WLU_TASK_NAME];
    if (!WITHIN(s, v->power, b->first, b->steps, task) || !WITHIN(s, v->index, b->first, b->steps, task)) return;
    for (int32_t k = b->first; k < b->first + b->steps; k++)
        if (v->index[k] < 0 || v->index[k] >= v->n)
            wlu_machine_fail(s->m, "%s stores unknown %d of %d", wlu_task_name(s->m, task, name), v->index[k], v->n);
}

static void survey_stream(wlu_survey *s)
{
    const wlu_device_stream *d = s->m->stream;
    if (!WITHIN(s, d->bundle, 0, d->bundles, WLU_NO_TASK)) return;
    for (int32_t k = 0; k < d->bundles && s->m->status == WARPLU_SUCCESS; k++) {
        const wlu_bundle *b = &d->bundle[k];
        if (b->shape <= WLU_BUNDLE_WIDE)
            survey_records(s, d, b, k);
        else if (b->shape == WLU_BUNDLE_LOADS)
            survey_loads(s, d, b, k);
        else if (b->shape == WLU_BUNDLE_GUARDS && s->m->program != NULL)
            survey_guards(s, &s->m->program->guards, b, k);
        else if (b->shape == WLU_BUNDLE_STORES && s->m->solve != NULL)
            survey_stores(s, s->m->solve, b, k);
        else
            wlu_machine_fail(s->m, "bundle %d has shape %d", k, b->shape);
    }
}

/* ------------------------------------------------------------------- tiles */

/* Returns how many chunks it comes in. */
static int32_t survey_source(wlu_survey *s, const wlu_device_tile *t, const wlu_device_source *x, int32_t task)
{
    const wlu_device_program *p = s->m->program;
    int64_t rows = (int64_t)t->above + t->width + t->below;
    int pivots = x->width - x->skip;
    if (x->skip < 0 || pivots < 1 || x->width > W || x->rows < 0 || x->at < 0 || x->at + pivots > t->above)
        wlu_machine_fail(s->m, "tile %d has a source of %d pivots for row %d", t->tile, pivots, x->at);
    int32_t chunk = WLU_TILE_CHUNK(wlu_machine_slot_bytes(s->m));
    int32_t chunks = x->rows > chunk ? (x->rows + chunk - 1) / chunk : 1;
    if (!WITHIN(s, p->target, x->target, x->rows, task)) return chunks;
    for (int32_t r = 0; r < x->rows; r++) {
        int32_t to = p->target[x->target + r];
        if (to < x->at + pivots || to > rows)
            wlu_machine_fail(s->m, "tile %d of %lld rows is updated in row %d by pivots up to %d", t->tile,
                             (long long)rows, to, x->at + pivots - 1);
    }
    return chunks;
}

static void survey_tile(wlu_survey *s, const wlu_device_tile *t, int32_t task)
{
    const wlu_device_program *p = s->m->program;
    int64_t rows = (int64_t)t->above + t->width + t->below;
    if (t->above < 0 || t->width < 1 || t->width > W || t->below < 0 || rows > p->panel_rows)
        wlu_machine_fail(s->m, "tile %d has %lld rows; the largest panel %d", t->tile, (long long)rows, p->panel_rows);
    if (t->tile < 0 || t->tile >= p->tiles) wlu_machine_fail(s->m, "a tile has number %d of %d", t->tile, p->tiles);
    wlu_survey_claim(s, t->panel, W * rows, task);
    wlu_survey_claim(s, t->reciprocal, t->width, task);
    if (!WITHIN(s, p->load, t->load, t->loads, task) || !WITHIN(s, p->source, t->source, t->sources, task)) return;
    for (int32_t k = 0; k < t->loads; k++) {
        const wlu_tile_load *x = &p->load[t->load + k];
        if (x->at < 0 || x->at >= W * rows)
            wlu_machine_fail(s->m, "tile %d loads number %d of its panel", t->tile, x->at);
        if (x->power != WLU_FROM_STAGE) wlu_survey_value(s, x->from, -1, task);
    }
    int32_t chunks = 0;
    for (int32_t g = 0; g < t->sources; g++) chunks += survey_source(s, t, &p->source[t->source + g], task);
    if (chunks != t->chunks)
        wlu_machine_fail(s->m, "tile %d has %d chunks; its sources %d", t->tile, t->chunks, chunks);
}

void wlu_machine_survey(wlu_machine *m, const wlu_block *block)
{
    wlu_survey s = {.m = m, .block = block};
    for (int32_t k = 0; k < m->slots; k++) m->owner[k] = WLU_NO_TASK;
    survey_stream(&s);
    if (m->program != NULL && WITHIN(&s, m->program->tile, 0, m->queue, WLU_NO_TASK))
        for (int32_t t = 0; t < m->queue && m->status == WARPLU_SUCCESS; t++)
            survey_tile(&s, &m->program->tile[t], m->stream->bundles + t);
    if (m->solve != NULL && m->status == WARPLU_SUCCESS) wlu_survey_tasks(&s);
}
