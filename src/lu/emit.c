/* Emission: state machines that walk the patterns of L, U and F and hand out scalar records. See emit.h. */
#include "lu/emit.h"

/* Where a machine stands: the step, the column, and places in up to two patterns. */
typedef enum step {
    F_BEGIN,
    F_LOAD,
    F_TERMS,
    F_RCP,
    F_DIV,
    F_GUARD,
    S_LOAD,
    S_FORWARD,
    S_MOVE,
    S_DIV,
    S_BACK,
    S_F,
    T_LOAD,
    T_F,
    T_U,
    T_DIV,
    T_MOVE,
    T_L,
    END
} step;

typedef struct lu_emitter {
    wlu_emitter base;
    const wlu_pattern *a;
    const wlu_pivots *p;
    wlu_emit_options options;
    wlu_layout layout;
    int32_t *where; /* factor: logical slot of each position in column j */
    step step;
    int32_t j, b; /* column (pivot position), block */
    int64_t q, r; /* places in the patterns of step and inner loop */
    int64_t load; /* place in the column of A */
} lu_emitter;

typedef struct sink {
    wlu_record *at, *end;
} sink;

static inline int full(const sink *s)
{
    return s->at == s->end;
}

static inline void put(sink *s, int32_t opcode, int64_t t, int64_t a, int64_t b)
{
    *s->at++ = (wlu_record){opcode, (int32_t)t, (int32_t)a, (int32_t)b};
}

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

static void rewind_walk(wlu_emitter *emitter)
{
    static const step first[] = {F_BEGIN, S_LOAD, T_LOAD};
    lu_emitter *e = (lu_emitter *)emitter;
    e->step = first[e->options.kind];
    e->j = 0;
    e->q = e->r = e->load = 0;
    e->b = e->options.kind == WLU_STREAM_SOLVE ? e->p->nblocks - 1 : 0;
}

static int tiled(const lu_emitter *e, int32_t k)
{
    return e->options.tiled != NULL && e->options.tiled[k];
}

/* Slot t by pivot k, or its reciprocal. */
static void divide(const lu_emitter *e, sink *s, int64_t t, int32_t k)
{
    if (e->options.reciprocals)
        put(s, WLU_MUL, t, e->layout.reciprocal + k, 0);
    else
        put(s, WLU_DIV, t, e->layout.pivot + k, 0);
}

/* ---------------------------------------------------------- factorization */

static void factor_begin(lu_emitter *e)
{
    const wlu_pivots *p = e->p;
    int32_t j = e->j;
    if (j == p->n) {
        e->step = END;
        return;
    }
    e->where[j] = (int32_t)(e->layout.pivot + j);
    for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++) e->where[p->li[q]] = (int32_t)(e->layout.l + q);
    for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) e->where[p->ui[q]] = (int32_t)(e->layout.u + q);
    for (int64_t q = p->fp[j]; q < p->fp[j + 1]; q++) e->where[p->fi[q]] = (int32_t)(e->layout.f + q);
    e->load = e->a->p[p->col[j]];
    e->q = p->up[j];
    e->r = -1;
    e->step = F_LOAD;
}

static void factor_load(lu_emitter *e, sink *s)
{
    const wlu_pattern *a = e->a;
    for (; e->load < a->p[e->p->col[e->j] + 1]; e->load++) {
        if (full(s)) return;
        int32_t i = a->i[e->load];
        put(s, WLU_LOAD, e->where[e->p->row_pos[i]], e->load, wlu_pivots_exponent(e->p, i, e->p->col[e->j]));
    }
    e->step = F_TERMS;
}

/* Every pivot k of U's column j updates column j by column k of L. */
static void factor_terms(lu_emitter *e, sink *s)
{
    const wlu_pivots *p = e->p;
    for (; e->q < p->up[e->j + 1]; e->q++, e->r = -1) {
        int32_t k = p->ui[e->q];
        if (tiled(e, k)) continue;
        if (e->r < 0) e->r = p->lp[k];
        int64_t u = e->layout.u + e->q, end = p->lp[k + 1];
        if (end - e->r > s->end - s->at) end = e->r + (s->end - s->at);
        for (; e->r < end; e->r++) put(s, WLU_MSUB, e->where[p->li[e->r]], e->layout.l + e->r, u);
        if (e->r < p->lp[k + 1]) return;
    }
    e->q = p->lp[e->j];
    e->step = tiled(e, e->j) ? F_GUARD : e->options.reciprocals ? F_RCP : F_DIV;
}

static void factor_finish(lu_emitter *e, sink *s)
{
    if (e->step == F_RCP) {
        put(s, WLU_RCP, e->layout.reciprocal + e->j, e->layout.pivot + e->j, 0);
        e->step = F_DIV;
        return;
    }
    if (e->step == F_DIV) {
        for (; e->q < e->p->lp[e->j + 1]; e->q++) {
            if (full(s)) return;
            divide(e, s, e->layout.l + e->q, e->j);
        }
        e->step = F_GUARD;
        return;
    }
    put(s, WLU_GUARD, e->j, 0, 0);
    e->j++;
    e->step = F_BEGIN;
}

/* ------------------------------------------------------------------ solve */

/* LOAD of right-hand side entry source[k] into y_k, scaled by its exponent where there are any. */
static void solve_load(lu_emitter *e, sink *s, const int32_t *source, const int16_t *exponent)
{
    for (; e->j < e->p->n; e->j++) {
        if (full(s)) return;
        int32_t k = source[e->j];
        put(s, WLU_LOAD, e->layout.y + e->j, k, exponent != NULL ? exponent[k] : 0);
    }
}

static void enter_block(lu_emitter *e, step next)
{
    if (e->b < 0 || e->b >= e->p->nblocks) {
        e->step = END;
        return;
    }
    e->j = e->p->block[e->b];
    e->q = -1;
    e->step = next;
}

/* Column j of a pattern: y_i -= c_ij y_j for its rows (BY_ROW), or y_j -= c_ij y_i (INTO_TILE). 0: sink full. */
typedef enum direction { BY_ROW, INTO_TILE } direction;

static int emit_column(lu_emitter *e, sink *s, direction way, const int64_t *cp, const int32_t *ci, int64_t base,
                       int64_t target, int64_t source)
{
    if (e->q < 0) e->q = cp[e->j];
    for (; e->q < cp[e->j + 1]; e->q++) {
        if (full(s)) return 0;
        if (way == BY_ROW)
            put(s, WLU_MSUB, target + ci[e->q], base + e->q, source + e->j);
        else
            put(s, WLU_MSUB, target + e->j, base + e->q, source + ci[e->q]);
    }
    e->q = -1;
    return 1;
}

static void emit_moves(lu_emitter *e, sink *s, step next, int32_t first)
{
    int32_t end = e->p->block[e->b + 1];
    for (; !e->options.in_place && e->j < end; e->j++) {
        if (full(s)) return;
        if (!tiled(e, e->j)) put(s, WLU_MOVE, e->layout.x + e->j, e->layout.y + e->j, 0);
    }
    e->j = first;
    e->step = next;
}

/* Forward substitution of the block, by columns of L that are not the region's. */
static void solve_forward(lu_emitter *e, sink *s)
{
    const wlu_pivots *p = e->p;
    for (; e->j < p->block[e->b + 1]; e->j++)
        if (!tiled(e, e->j) && !emit_column(e, s, BY_ROW, p->lp, p->li, e->layout.l, e->layout.y, e->layout.y)) return;
    e->j = p->block[e->b];
    e->step = S_MOVE;
}

/* Back substitution by column j of U, into rows that the region does not solve. */
static int solve_back(lu_emitter *e, sink *s)
{
    const wlu_pivots *p = e->p;
    if (e->q < 0) e->q = p->up[e->j];
    for (; e->q < p->up[e->j + 1]; e->q++) {
        if (full(s)) return 0;
        int32_t i = p->ui[e->q];
        if (!tiled(e, i)) put(s, WLU_MSUB, e->layout.x + i, e->layout.u + e->q, e->layout.x + e->j);
    }
    e->q = -1;
    return 1;
}

static void solve_next(lu_emitter *e, sink *s)
{
    const wlu_pivots *p = e->p;
    const wlu_layout *o = &e->layout;
    int32_t begin = e->b >= 0 ? p->block[e->b] : 0, end = e->b >= 0 ? p->block[e->b + 1] : 0;
    switch (e->step) {
    case S_LOAD:
        solve_load(e, s, p->row, p->exponent);
        if (e->j == p->n) enter_block(e, S_FORWARD);
        break;
    case S_FORWARD: solve_forward(e, s); break;
    case S_MOVE: emit_moves(e, s, S_DIV, end - 1); break;
    case S_DIV:
        if (!tiled(e, e->j)) divide(e, s, o->x + e->j, e->j);
        e->q = -1;
        e->step = S_BACK;
        break;
    case S_BACK:
        if (!solve_back(e, s)) return;
        e->step = S_F;
        break;
    case S_F:
        if (!emit_column(e, s, BY_ROW, p->fp, p->fi, o->f, o->y, o->x)) return;
        e->step = S_DIV;
        if (--e->j < begin) {
            e->b--;
            enter_block(e, S_FORWARD);
        }
        break;
    default: break;
    }
}

static void solve_transposed_next(lu_emitter *e, sink *s)
{
    const wlu_pivots *p = e->p;
    const wlu_layout *o = &e->layout;
    int32_t begin = e->b < p->nblocks ? p->block[e->b] : 0;
    int32_t end = e->b < p->nblocks ? p->block[e->b + 1] : 0;
    switch (e->step) {
    case T_LOAD:
        solve_load(e, s, p->col, p->col_exponent);
        if (e->j == p->n) enter_block(e, T_F);
        break;
    case T_F:
        if (!emit_column(e, s, INTO_TILE, p->fp, p->fi, o->f, o->y, o->x)) return;
        e->step = T_U;
        break;
    case T_U:
        if (!emit_column(e, s, INTO_TILE, p->up, p->ui, o->u, o->y, o->y)) return;
        e->step = T_DIV;
        break;
    case T_DIV:
        divide(e, s, o->y + e->j, e->j);
        e->step = T_F;
        if (++e->j == end) {
            e->j = begin;
            e->step = T_MOVE;
        }
        break;
    case T_MOVE: emit_moves(e, s, T_L, end - 1); break;
    case T_L:
        for (; e->j >= begin; e->j--)
            if (!emit_column(e, s, INTO_TILE, p->lp, p->li, o->l, o->x, o->x)) return;
        e->b++;
        enter_block(e, T_F);
        break;
    default: break;
    }
}

static int64_t next_records(wlu_emitter *emitter, wlu_record *buffer, int64_t capacity)
{
    lu_emitter *e = (lu_emitter *)emitter;
    sink s = {buffer, buffer + capacity};
    while (e->step != END && !full(&s)) {
        if (e->step == F_BEGIN)
            factor_begin(e);
        else if (e->step == F_LOAD)
            factor_load(e, &s);
        else if (e->step == F_TERMS)
            factor_terms(e, &s);
        else if (e->step <= F_GUARD)
            factor_finish(e, &s);
        else if (e->step <= S_F)
            solve_next(e, &s);
        else
            solve_transposed_next(e, &s);
    }
    return s.at - buffer;
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
    if (layout.count > INT32_MAX)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "%lld slots exceed the 32-bit slot width", (long long)layout.count);
    lu_emitter *e = WLU_CALLOC(ctx, 1, lu_emitter);
    if (e == NULL) return wlu_fail_memory(ctx, "emitter");
    e->where = WLU_ALLOC(ctx, pivots->n, int32_t);
    if (e->where == NULL) {
        wlu_free(ctx, e);
        return wlu_fail_memory(ctx, "emitter");
    }
    e->base = (wlu_emitter){.slots = layout.count, .rewind = rewind_walk, .next = next_records, .destroy = destroy};
    e->a = a;
    e->p = pivots;
    e->options = *options;
    e->layout = layout;
    rewind_walk(&e->base);
    *out = &e->base;
    return WARPLU_SUCCESS;
}
