/* Scalar streams: walks over the patterns of L, U and F. See scalar_stream.h. */
#include "scalar_stream.h"

typedef struct walk {
    const wlu_pattern *a;
    const wlu_pivots *p;
    wlu_scalar_options options;
    wlu_layout layout;
    int32_t *where; /* factor: logical slot of each position in the column at hand */
    wlu_scalar_take *take;
    void *user;
    warplu_status status; /* of the last record; from the first failure on none is put */
} walk;

static int tiled(const walk *e, int32_t k)
{
    return e->options.tiled != NULL && e->options.tiled[k];
}

static void put(walk *e, wlu_opcode opcode, int64_t t, int64_t a, int64_t b)
{
    wlu_record record = {opcode, (int32_t)t, (int32_t)a, (int32_t)b};
    if (e->status == WARPLU_SUCCESS) e->status = e->take(e->user, &record);
}

/* Slot t by pivot k, or its reciprocal. */
static void divide(walk *e, int64_t t, int32_t k)
{
    if (e->options.reciprocals)
        put(e, WLU_MUL, t, e->layout.reciprocal + k, 0);
    else
        put(e, WLU_DIV, t, e->layout.pivot + k, 0);
}

/* ---------------------------------------------------------- factorization */

static void map_rows(walk *e, const int64_t *cp, const int32_t *ci, int64_t base, int32_t j)
{
    for (int64_t q = cp[j]; q < cp[j + 1]; q++) e->where[ci[q]] = (int32_t)(base + q);
}

static void load_column(walk *e, int32_t j)
{
    const wlu_pattern *a = e->a;
    const wlu_pivots *p = e->p;
    int32_t col = p->col[j];
    for (int32_t q = a->p[col]; q < a->p[col + 1]; q++)
        put(e, WLU_LOAD, e->where[p->row_pos[a->i[q]]], q, wlu_pivots_exponent(p, a->i[q], col));
}

/* Every pivot k of U's column j updates column j by column k of L. */
static void factor_column(walk *e, int32_t j)
{
    const wlu_pivots *p = e->p;
    const wlu_layout *o = &e->layout;
    e->where[j] = (int32_t)(o->pivot + j);
    map_rows(e, p->lp, p->li, o->l, j);
    map_rows(e, p->up, p->ui, o->u, j);
    map_rows(e, p->fp, p->fi, o->f, j);
    load_column(e, j);
    for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) {
        int32_t k = p->ui[q];
        for (int64_t r = p->lp[k]; !tiled(e, k) && r < p->lp[k + 1]; r++)
            put(e, WLU_MSUB, e->where[p->li[r]], o->l + r, o->u + q);
    }
    if (!tiled(e, j)) {
        if (e->options.reciprocals) put(e, WLU_RCP, o->reciprocal + j, o->pivot + j, 0);
        for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++) divide(e, o->l + q, j);
    }
    put(e, WLU_GUARD, j, 0, 0);
}

/* ------------------------------------------------------------------ solve */

/* LOAD of right-hand side entry source[k] into y_k, scaled by its exponent where there are any. */
static void load(walk *e, const int32_t *source, const int16_t *exponent)
{
    for (int32_t k = 0; k < e->p->n; k++)
        put(e, WLU_LOAD, e->layout.y + k, source[k], exponent != NULL ? exponent[source[k]] : 0);
}

static void move_block(walk *e, int32_t begin, int32_t end)
{
    for (int32_t j = begin; !e->options.in_place && j < end; j++)
        if (!tiled(e, j)) put(e, WLU_MOVE, e->layout.x + j, e->layout.y + j, 0);
}

/* Forward substitution by columns of L, then back. */
static void solve_block(walk *e, int32_t begin, int32_t end)
{
    const wlu_pivots *p = e->p;
    const wlu_layout *o = &e->layout;
    for (int32_t j = begin; j < end; j++)
        for (int64_t q = p->lp[j]; !tiled(e, j) && q < p->lp[j + 1]; q++)
            put(e, WLU_MSUB, o->y + p->li[q], o->l + q, o->y + j);
    move_block(e, begin, end);
    for (int32_t j = end - 1; j >= begin; j--) {
        if (!tiled(e, j)) divide(e, o->x + j, j);
        for (int64_t q = p->up[j]; q < p->up[j + 1]; q++)
            if (!tiled(e, p->ui[q])) put(e, WLU_MSUB, o->x + p->ui[q], o->u + q, o->x + j);
        for (int64_t q = p->fp[j]; q < p->fp[j + 1]; q++) put(e, WLU_MSUB, o->y + p->fi[q], o->f + q, o->x + j);
    }
}

static void solve_transposed_block(walk *e, int32_t begin, int32_t end)
{
    const wlu_pivots *p = e->p;
    const wlu_layout *o = &e->layout;
    for (int32_t j = begin; j < end; j++) {
        for (int64_t q = p->fp[j]; q < p->fp[j + 1]; q++) put(e, WLU_MSUB, o->y + j, o->f + q, o->x + p->fi[q]);
        for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) put(e, WLU_MSUB, o->y + j, o->u + q, o->y + p->ui[q]);
        divide(e, o->y + j, j);
    }
    move_block(e, begin, end);
    for (int32_t j = end - 1; j >= begin; j--)
        for (int64_t q = p->lp[j]; q < p->lp[j + 1]; q++) put(e, WLU_MSUB, o->x + j, o->l + q, o->x + p->li[q]);
}

static void emit(walk *e)
{
    const wlu_pivots *p = e->p;
    switch (e->options.kind) {
    case WLU_STREAM_FACTOR:
        for (int32_t j = 0; j < p->n && e->status == WARPLU_SUCCESS; j++) factor_column(e, j);
        break;
    case WLU_STREAM_SOLVE:
        load(e, p->row, p->exponent);
        for (int32_t b = p->nblocks - 1; b >= 0; b--) solve_block(e, p->block[b], p->block[b + 1]);
        break;
    case WLU_STREAM_SOLVE_TRANSPOSED:
        load(e, p->col, p->col_exponent);
        for (int32_t b = 0; b < p->nblocks; b++) solve_transposed_block(e, p->block[b], p->block[b + 1]);
        break;
    case WLU_STREAM_KINDS: break;
    }
}

warplu_status wlu_scalar_stream(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *pivots,
                                const wlu_scalar_options *options, wlu_scalar_take *take, void *user)
{
    walk e = {.a = a, .p = pivots, .options = *options, .take = take, .user = user};
    e.layout = wlu_layout_of(pivots, options->in_place);
    e.status = wlu_slots_check(ctx, e.layout.count);
    if (e.status < 0) return e.status;
    e.where = WLU_ALLOC(ctx, pivots->n, int32_t);
    if (e.where == NULL) return wlu_fail_memory(ctx, "scalar stream");
    emit(&e);
    wlu_free(ctx, e.where);
    return e.status;
}
