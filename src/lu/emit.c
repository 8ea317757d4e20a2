/* Emission: walks over the patterns of L, U and F. See emit.h. */
#include "lu/emit.h"

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

static inline int32_t higher(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* ---------------------------------------------------- factorization, chains */

/* Terms of column j by the columns of L that are not tiled; a row's own are done before it is a column's. Cells are
 * zero before, and again once the column is listed. Returns their number. */
static int64_t count_column(wlu_emission *e, int32_t j)
{
    const wlu_pivots *p = e->p;
    const int64_t *lp = p->lp;
    const int32_t *li = p->li, *level = e->level;
    wlu_emit_cell *cell = e->cell;
    int64_t terms = 0;
    for (int64_t q = p->up[j], end = p->up[j + 1]; q < end; q++) {
        int32_t k = p->ui[q], of_u = cell[k].level;
        if (e->tiled[k]) continue;
        for (int64_t r = lp[k], last = lp[k + 1]; r < last; r++) {
            wlu_emit_cell *to = &cell[li[r]];
            to->level = higher(to->level, higher(of_u, level[r]) + 1);
            to->length++;
        }
        terms += lp[k + 1] - lp[k];
    }
    return terms;
}

/* What is known of a row, whose cell is zero then. */
static inline wlu_emit_cell take_cell(wlu_emission *e, int32_t row)
{
    wlu_emit_cell cell = e->cell[row];
    e->cell[row] = (wlu_emit_cell){0, 0};
    return cell;
}

/* Lists slot t, of this row, if it has terms. */
static inline void list_dot(wlu_emission *e, wlu_chains *c, int64_t t, int32_t row, int32_t group)
{
    wlu_emit_cell cell = take_cell(e, row);
    if (cell.length == 0) return;
    e->chain[t] = wlu_chains_put(c, WLU_DOT, (int32_t)t, (int32_t)t, -1, cell.length, cell.level, group);
}

/* The chains of column j, whose terms have been counted. */
static void list_column(wlu_emission *e, wlu_chains *c, int32_t j)
{
    const wlu_pivots *p = e->p;
    const wlu_layout *o = &e->layout;
    const int32_t *part = e->part;
    int32_t panel = e->parts + 1 + e->tile[j], own = e->tiled[j] ? panel : part != NULL ? part[j] : 0;
    for (int64_t q = p->up[j], end = p->up[j + 1]; q < end; q++) {
        int32_t k = p->ui[q];
        list_dot(e, c, o->u + q, k, e->tiled[k] ? panel : part != NULL ? part[k] : 0);
    }
    int32_t level = e->cell[j].level + 1;
    list_dot(e, c, o->pivot + j, j, own);
    if (e->tiled[j]) {
        for (int64_t q = p->lp[j], end = p->lp[j + 1]; q < end; q++) list_dot(e, c, o->l + q, p->li[q], own);
        return;
    }
    int32_t reciprocal = (int32_t)(o->reciprocal + j);
    wlu_chains_put(c, WLU_RCP, reciprocal, reciprocal, (int32_t)(o->pivot + j), 0, level, own);
    for (int64_t q = p->lp[j], end = p->lp[j + 1]; q < end; q++) {
        wlu_emit_cell cell = take_cell(e, p->li[q]);
        int32_t t = (int32_t)(o->l + q);
        e->level[q] = higher(cell.level, level + 1);
        e->chain[t] = wlu_chains_put(c, WLU_DOTS, t, t, reciprocal, cell.length, e->level[q], own);
    }
}

static warplu_status list_factor(wlu_emission *e, wlu_chains *c)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t j = 0; j < e->p->n && status == WARPLU_SUCCESS; j++) {
        status = wlu_chains_pass(c, count_column(e, j));
        list_column(e, c, j);
    }
    return status;
}

/* ----------------------------------------------------- factorization, terms */

static inline void map_rows(int32_t *where, const int64_t *cp, const int32_t *ci, const int32_t *chain, int32_t j)
{
    for (int64_t q = cp[j], end = cp[j + 1]; q < end; q++) where[ci[q]] = chain[q];
}

static warplu_status fill_factor(wlu_emission *e, wlu_chains *c, const int32_t *slot, int32_t *operand)
{
    const wlu_pivots *p = e->p;
    const int32_t *chain = e->chain, *u = slot + e->layout.u, *l = slot + e->layout.l, *li = p->li;
    int32_t *where = e->level; /* of no more use */
    int64_t *term = c->term;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t j = 0; j < p->n && status == WARPLU_SUCCESS; j++) {
        int64_t terms = 0;
        where[j] = chain[e->layout.pivot + j];
        map_rows(where, p->up, p->ui, chain + e->layout.u, j);
        map_rows(where, p->lp, li, chain + e->layout.l, j);
        for (int64_t q = p->up[j], end = p->up[j + 1]; q < end; q++) {
            int32_t k = p->ui[q];
            if (e->tiled[k]) continue;
            for (int64_t r = p->lp[k], last = p->lp[k + 1]; r < last; r++)
                wlu_chains_put_term(term, operand, where[li[r]], l[r], u[q]);
            terms += p->lp[k + 1] - p->lp[k];
        }
        status = wlu_chains_pass(c, terms);
    }
    return status;
}

/* ------------------------------------------------------------------- solve */

/* Terms of column j of a pattern by an unknown of this level, into unknowns. */
static inline void count_rows(wlu_emit_cell *cell, const int64_t *cp, const int32_t *ci, int32_t j, int32_t level)
{
    for (int64_t q = cp[j], end = cp[j + 1]; q < end; q++) {
        cell[ci[q]].level = higher(cell[ci[q]].level, level + 1);
        cell[ci[q]].length++;
    }
}

/* Column j of F, into blocks that come later, perhaps in other segments. */
static void count_beyond(const wlu_emission *e, int32_t j, int32_t level)
{
    const wlu_pivots *p = e->p;
    for (int64_t q = p->fp[j], end = p->fp[j + 1]; q < end; q++) {
        int same = e->segment == NULL || e->segment[p->fi[q]] == e->segment[p->n + j];
        wlu_emit_cell *y = &e->cell[p->fi[q]];
        y->level = higher(y->level, same ? level + 1 : 1);
        y->length++;
    }
}

/* Column j of U, into rows that the region does not solve. */
static void count_back(const wlu_emission *e, int32_t j, int32_t level)
{
    const wlu_pivots *p = e->p;
    wlu_emit_cell *x = e->cell + p->n;
    for (int64_t q = p->up[j], end = p->up[j + 1]; q < end; q++) {
        if (e->tiled[p->ui[q]]) continue;
        x[p->ui[q]].level = higher(x[p->ui[q]].level, level + 1);
        x[p->ui[q]].length++;
    }
}

/* Forward substitution by columns of L that are not the region's, then back. */
static void list_block(wlu_emission *e, wlu_chains *c, int32_t begin, int32_t end)
{
    const wlu_pivots *p = e->p;
    const wlu_layout *o = &e->layout;
    wlu_emit_cell *y = e->cell, *x = e->cell + p->n;
    int32_t segment_y = e->segment != NULL ? e->segment[begin] : 0;
    int32_t segment_x = e->segment != NULL ? e->segment[p->n + begin] : 0;
    for (int32_t j = begin; j < end; j++) {
        int32_t t = (int32_t)(o->y + j);
        if (y[j].length > 0) e->chain[j] = wlu_chains_put(c, WLU_DOT, t, t, -1, y[j].length, y[j].level, segment_y);
        if (e->tiled[j]) continue;
        count_rows(y, p->lp, p->li, j, y[j].level);
        x[j].level = segment_x == segment_y ? y[j].level + 1 : 1;
    }
    for (int32_t j = end - 1; j >= begin; j--) {
        int32_t t = (int32_t)(o->x + j), start = (int32_t)(o->y + j), by = (int32_t)(o->reciprocal + j);
        if (!e->tiled[j])
            e->chain[p->n + j] = wlu_chains_put(c, WLU_DOTS, t, start, by, x[j].length, x[j].level, segment_x);
        count_back(e, j, x[j].level);
        count_beyond(e, j, x[j].level);
    }
}

static warplu_status list_solve(wlu_emission *e, wlu_chains *c)
{
    const wlu_pivots *p = e->p;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t b = p->nblocks - 1; b >= 0 && status == WARPLU_SUCCESS; b--) {
        int32_t begin = p->block[b], end = p->block[b + 1];
        list_block(e, c, begin, end);
        status = wlu_chains_pass(c, p->lp[end] - p->lp[begin] + p->up[end] - p->up[begin] + p->fp[end] - p->fp[begin]);
    }
    return status;
}

typedef struct filler {
    int64_t *term;
    int32_t *operand;
    const int32_t *chain;
} filler;

/* Terms of column j of a pattern, whose slots begin at a, by slot b. */
static inline void fill_rows(const filler *f, const int64_t *cp, const int32_t *ci, int32_t j, const int32_t *a,
                             int32_t b)
{
    for (int64_t q = cp[j], end = cp[j + 1]; q < end; q++)
        wlu_chains_put_term(f->term, f->operand, f->chain[ci[q]], a[q], b);
}

static void fill_block(const wlu_emission *e, const filler *y, const int32_t *slot, int32_t begin, int32_t end)
{
    const wlu_pivots *p = e->p;
    const wlu_layout *o = &e->layout;
    for (int32_t j = begin; j < end; j++)
        if (!e->tiled[j]) fill_rows(y, p->lp, p->li, j, slot + o->l, slot[o->y + j]);
    for (int32_t j = end - 1; j >= begin; j--) {
        int32_t x = slot[o->x + j];
        for (int64_t q = p->up[j]; q < p->up[j + 1]; q++)
            if (!e->tiled[p->ui[q]])
                wlu_chains_put_term(y->term, y->operand, y->chain[p->n + p->ui[q]], slot[o->u + q], x);
        fill_rows(y, p->fp, p->fi, j, slot + o->f, x);
    }
}

/* Chains of y, then those of x. */
static warplu_status fill_solve(wlu_emission *e, wlu_chains *c, const int32_t *slot, int32_t *operand)
{
    const wlu_pivots *p = e->p;
    const filler y = {c->term, operand, e->chain};
    for (int32_t b = p->nblocks - 1; b >= 0; b--) fill_block(e, &y, slot, p->block[b], p->block[b + 1]);
    return wlu_poll_cancel(e->ctx);
}

/* -------------------------------------------------------- transposed solve */

/* The highest level among the unknowns that column j of a pattern names. */
static inline int32_t highest_of(const wlu_emit_cell *cell, const int64_t *cp, const int32_t *ci, int32_t j)
{
    int32_t level = 0;
    for (int64_t q = cp[j], end = cp[j + 1]; q < end; q++) level = higher(level, cell[ci[q]].level);
    return level;
}

static void list_transposed_block(wlu_emission *e, wlu_chains *c, int32_t begin, int32_t end)
{
    const wlu_pivots *p = e->p;
    const wlu_layout *o = &e->layout;
    wlu_emit_cell *y = e->cell, *x = e->cell + p->n;
    for (int32_t j = begin; j < end; j++) {
        int32_t t = (int32_t)(o->y + j), level = higher(highest_of(x, p->fp, p->fi, j), highest_of(y, p->up, p->ui, j));
        int64_t length = p->fp[j + 1] - p->fp[j] + p->up[j + 1] - p->up[j];
        y[j].level = level + 1;
        e->chain[j] = wlu_chains_put(c, WLU_DOTS, t, t, (int32_t)(o->reciprocal + j), (int32_t)length, level + 1, 0);
    }
    for (int32_t j = end - 1; j >= begin; j--) {
        int32_t t = (int32_t)(o->x + j), length = (int32_t)(p->lp[j + 1] - p->lp[j]);
        x[j].level = higher(y[j].level, highest_of(x, p->lp, p->li, j)) + 1;
        e->chain[p->n + j] = wlu_chains_put(c, WLU_DOT, t, (int32_t)(o->y + j), -1, length, x[j].level, 0);
    }
}

static warplu_status list_transposed(wlu_emission *e, wlu_chains *c)
{
    const wlu_pivots *p = e->p;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t b = 0; b < p->nblocks && status == WARPLU_SUCCESS; b++) {
        int32_t begin = p->block[b], end = p->block[b + 1];
        list_transposed_block(e, c, begin, end);
        status = wlu_chains_pass(c, p->lp[end] - p->lp[begin] + p->up[end] - p->up[begin] + p->fp[end] - p->fp[begin]);
    }
    return status;
}

/* Terms into one chain, by column j of a pattern whose slots begin at a and the unknowns that it names. */
static inline void fill_into(int64_t *term, int32_t *operand, int32_t chain, const int64_t *cp, const int32_t *ci,
                             int32_t j, const int32_t *a, const int32_t *unknown)
{
    for (int64_t q = cp[j], end = cp[j + 1]; q < end; q++)
        wlu_chains_put_term(term, operand, chain, a[q], unknown[ci[q]]);
}

static warplu_status fill_transposed(wlu_emission *e, wlu_chains *c, const int32_t *slot, int32_t *operand)
{
    const wlu_pivots *p = e->p;
    const wlu_layout *o = &e->layout;
    const int32_t *y = slot + o->y, *x = slot + o->x;
    for (int32_t j = 0; j < p->n; j++) {
        fill_into(c->term, operand, e->chain[j], p->fp, p->fi, j, slot + o->f, x);
        fill_into(c->term, operand, e->chain[j], p->up, p->ui, j, slot + o->u, y);
        fill_into(c->term, operand, e->chain[p->n + j], p->lp, p->li, j, slot + o->l, x);
    }
    return wlu_poll_cancel(e->ctx);
}

/* ------------------------------------------------------------------ calls */

static warplu_status allocate(wlu_emission *e, wlu_chains *c)
{
    const wlu_pivots *p = e->p;
    int factor = e->kind == WLU_STREAM_FACTOR;
    int64_t n = p->n, slots = factor ? e->layout.f : 2 * n, entries = p->lp[n] > n ? p->lp[n] : n;
    warplu_status status = wlu_slots_check(e->ctx, e->layout.count);
    if (status < 0) return status;
    e->cell = WLU_CALLOC(e->ctx, 2 * n, wlu_emit_cell);
    e->chain = WLU_ALLOC(e->ctx, slots, int32_t);
    if (factor) e->level = WLU_ALLOC(e->ctx, entries, int32_t);
    if (e->cell == NULL || e->chain == NULL || (factor && e->level == NULL))
        return wlu_fail_memory(e->ctx, "chains of the program");
    return wlu_chains_allocate(c, slots);
}

warplu_status wlu_emit_chains(wlu_emission *e, wlu_chains *c)
{
    e->layout = wlu_layout_of(e->p, 0);
    warplu_status status = allocate(e, c);
    if (status < 0) return status;
    switch (e->kind) {
    case WLU_STREAM_FACTOR: return list_factor(e, c);
    case WLU_STREAM_SOLVE: return list_solve(e, c);
    case WLU_STREAM_SOLVE_TRANSPOSED: return list_transposed(e, c);
    case WLU_STREAM_KINDS: break;
    }
    return WARPLU_SUCCESS;
}

warplu_status wlu_emit_terms(wlu_emission *e, wlu_chains *c, const int32_t *slot, int32_t *operand)
{
    switch (e->kind) {
    case WLU_STREAM_FACTOR: return fill_factor(e, c, slot, operand);
    case WLU_STREAM_SOLVE: return fill_solve(e, c, slot, operand);
    case WLU_STREAM_SOLVE_TRANSPOSED: return fill_transposed(e, c, slot, operand);
    case WLU_STREAM_KINDS: break;
    }
    return WARPLU_SUCCESS;
}

void wlu_emission_free(wlu_emission *e)
{
    wlu_free(e->ctx, e->cell);
    wlu_free(e->ctx, e->chain);
    wlu_free(e->ctx, e->level);
    e->cell = NULL;
    e->chain = e->level = NULL;
}
