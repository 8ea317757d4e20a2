/* Emission: walks over the patterns of L, U and F. See emit.h. */
#include "lu/emit.h"

#include "program/program.h"

typedef struct lu_emitter {
    wlu_emitter base;
    const wlu_pattern *a;
    const wlu_pivots *p;
    wlu_emit_options options;
    wlu_layout layout;
    int32_t *where; /* factor: logical slot of each position in the column at hand */
} lu_emitter;

wlu_layout wlu_layout_of(const wlu_pivots *p, int in_place)
{
    wlu_layout o = {.pivot = 0, .reciprocal = p->n, .l = 2 * (int64_t)p->n};
    o.u = o.l + p->lp[p->n];
    o.f = o.u + p->up[p->n];
    o.y = o.f + p->fp[p->n];
    o.x = in_place ? o.y : o.y + p->n;
    o.count = o.x + p->n;
    return o;
}

static int tiled(const lu_emitter *e, int32_t k)
{
    return e->options.tiled != NULL && e->options.tiled[k];
}

/* Slots t .. t + count - 1 by pivot k, or its reciprocal. */
static void divide(const lu_emitter *e, wlu_sink *sink, int64_t t, int32_t k, int64_t count)
{
    int64_t by = (e->options.reciprocals ? e->layout.reciprocal : e->layout.pivot) + k;
    if (count == 0) return;
    wlu_series *s = wlu_sink_next(sink);
    s->record = (wlu_record){e->options.reciprocals ? WLU_MUL : WLU_DIV, (int32_t)t, (int32_t)by, 0};
    s->rule = WLU_SERIES_ROW;
    s->count = (int32_t)count;
}

/* Terms by the entries q .. end - 1 of a pattern, whose rows are ci and whose first slot is base. */
static void multiply(wlu_sink *sink, wlu_series_rule rule, const int32_t *ci, int64_t q, int64_t end, int64_t base,
                     int64_t t, int64_t b)
{
    if (q == end) return;
    wlu_series *s = wlu_sink_next(sink);
    s->record = (wlu_record){WLU_MSUB, (int32_t)t, (int32_t)(base + q), (int32_t)b};
    s->rule = rule;
    s->count = (int32_t)(end - q);
    s->index = ci + q;
}

/* ---------------------------------------------------------- factorization */

static void map_rows(lu_emitter *e, const int64_t *cp, const int32_t *ci, int64_t base, int32_t j)
{
    for (int64_t q = cp[j]; q < cp[j + 1]; q++) e->where[ci[q]] = (int32_t)(base + q);
}

static void load_column(const lu_emitter *e, wlu_sink *s, int32_t j)
{
    const wlu_pattern *a = e->a;
    const wlu_pivots *p = e->p;
    int32_t col = p->col[j];
    for (int32_t q = a->p[col]; q < a->p[col + 1]; q++)
        wlu_sink_put_record(s, WLU_LOAD, e->where[p->row_pos[a->i[q]]], q, wlu_pivots_exponent(p, a->i[q], col));
}

/* Every pivot k of U's column j updates column j by column k of L. */
static void factor_column(lu_emitter *e, wlu_sink *s, int32_t j)
{
    const wlu_pivots *p = e->p;
    const wlu_layout *o = &e->layout;
    e->where[j] = (int32_t)(o->pivot + j);
    map_rows(e, p->lp, p->li, o->l, j);
    map_rows(e, p->up, p->ui, o->u, j);
    if (e->options.whole) {
        map_rows(e, p->fp, p->fi, o->f, j);
        load_column(e, s, j);
    }
    for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) {
        int32_t k = p->ui[q];
        if (!tiled(e, k)) multiply(s, WLU_SERIES_MAPPED, p->li, p->lp[k], p->lp[k + 1], o->l, 0, o->u + q);
    }
    if (!tiled(e, j)) {
        if (e->options.reciprocals) wlu_sink_put_record(s, WLU_RCP, o->reciprocal + j, o->pivot + j, 0);
        divide(e, s, o->l + p->lp[j], j, p->lp[j + 1] - p->lp[j]);
    }
    if (e->options.whole) wlu_sink_put_record(s, WLU_GUARD, j, 0, 0);
    wlu_sink_flush(s); /* where changes */
}

static void factor(lu_emitter *e, wlu_sink *s)
{
    s->map = e->where;
    for (int32_t j = 0; j < e->p->n && s->status == WARPLU_SUCCESS; j++) factor_column(e, s, j);
}

/* ------------------------------------------------------------------ solve */

/* LOAD of right-hand side entry source[k] into y_k, scaled by its exponent where there are any. */
static void solve_load(const lu_emitter *e, wlu_sink *s, const int32_t *source, const int16_t *exponent)
{
    for (int32_t k = 0; e->options.whole && k < e->p->n; k++)
        wlu_sink_put_record(s, WLU_LOAD, e->layout.y + k, source[k], exponent != NULL ? exponent[source[k]] : 0);
}

static void move_block(const lu_emitter *e, wlu_sink *s, int32_t begin, int32_t end)
{
    for (int32_t j = begin; !e->options.in_place && j < end; j++)
        if (!tiled(e, j)) wlu_sink_put_record(s, WLU_MOVE, e->layout.x + j, e->layout.y + j, 0);
}

/* Back substitution by column j of U, into rows that the region does not solve. */
static void solve_back(const lu_emitter *e, wlu_sink *s, int32_t j)
{
    const wlu_pivots *p = e->p;
    const wlu_layout *o = &e->layout;
    for (int64_t q = p->up[j]; q < p->up[j + 1];) {
        int64_t begin = q;
        while (q < p->up[j + 1] && !tiled(e, p->ui[q])) q++;
        multiply(s, WLU_SERIES_NAMED, p->ui, begin, q, o->u, o->x, o->x + j);
        while (q < p->up[j + 1] && tiled(e, p->ui[q])) q++;
    }
}

/* Forward substitution by columns of L that are not the region's, then back. */
static void solve_block(const lu_emitter *e, wlu_sink *s, int32_t begin, int32_t end)
{
    const wlu_pivots *p = e->p;
    const wlu_layout *o = &e->layout;
    for (int32_t j = begin; j < end; j++)
        if (!tiled(e, j)) multiply(s, WLU_SERIES_NAMED, p->li, p->lp[j], p->lp[j + 1], o->l, o->y, o->y + j);
    move_block(e, s, begin, end);
    for (int32_t j = end - 1; j >= begin; j--) {
        if (!tiled(e, j)) divide(e, s, o->x + j, j, 1);
        solve_back(e, s, j);
        multiply(s, WLU_SERIES_NAMED, p->fi, p->fp[j], p->fp[j + 1], o->f, o->y, o->x + j);
    }
}

static void solve(lu_emitter *e, wlu_sink *s)
{
    const wlu_pivots *p = e->p;
    solve_load(e, s, p->row, p->exponent);
    for (int32_t b = p->nblocks - 1; b >= 0 && s->status == WARPLU_SUCCESS; b--)
        solve_block(e, s, p->block[b], p->block[b + 1]);
}

static void solve_transposed_block(const lu_emitter *e, wlu_sink *s, int32_t begin, int32_t end)
{
    const wlu_pivots *p = e->p;
    const wlu_layout *o = &e->layout;
    for (int32_t j = begin; j < end; j++) {
        multiply(s, WLU_SERIES_INTO, p->fi, p->fp[j], p->fp[j + 1], o->f, o->y + j, o->x);
        multiply(s, WLU_SERIES_INTO, p->ui, p->up[j], p->up[j + 1], o->u, o->y + j, o->y);
        divide(e, s, o->y + j, j, 1);
    }
    move_block(e, s, begin, end);
    for (int32_t j = end - 1; j >= begin; j--)
        multiply(s, WLU_SERIES_INTO, p->li, p->lp[j], p->lp[j + 1], o->l, o->x + j, o->x);
}

static void solve_transposed(lu_emitter *e, wlu_sink *s)
{
    const wlu_pivots *p = e->p;
    solve_load(e, s, p->col, p->col_exponent);
    for (int32_t b = 0; b < p->nblocks && s->status == WARPLU_SUCCESS; b++)
        solve_transposed_block(e, s, p->block[b], p->block[b + 1]);
}

static void emit(wlu_emitter *emitter, wlu_sink *s)
{
    lu_emitter *e = (lu_emitter *)emitter;
    switch (e->options.kind) {
    case WLU_STREAM_FACTOR: factor(e, s); break;
    case WLU_STREAM_SOLVE: solve(e, s); break;
    case WLU_STREAM_SOLVE_TRANSPOSED: solve_transposed(e, s); break;
    case WLU_STREAM_KINDS: break;
    }
}

static void destroy(wlu_context *ctx, wlu_emitter *emitter)
{
    wlu_free(ctx, ((lu_emitter *)emitter)->where);
    wlu_free(ctx, emitter);
}

warplu_status wlu_lu_emitter_create(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *pivots,
                                    const wlu_emit_options *options, wlu_emitter **out)
{
    *out = NULL;
    wlu_layout layout = wlu_layout_of(pivots, options->in_place);
    warplu_status status = wlu_slots_check(ctx, layout.count);
    if (status < 0) return status;
    lu_emitter *e = WLU_CALLOC(ctx, 1, lu_emitter);
    if (e == NULL) return wlu_fail_memory(ctx, "emitter");
    e->where = WLU_ALLOC(ctx, pivots->n, int32_t);
    if (e->where == NULL) {
        wlu_free(ctx, e);
        return wlu_fail_memory(ctx, "emitter");
    }
    e->base = (wlu_emitter){.slots = layout.count, .emit = emit, .destroy = destroy};
    e->a = a;
    e->p = pivots;
    e->options = *options;
    e->layout = layout;
    *out = &e->base;
    return WARPLU_SUCCESS;
}
