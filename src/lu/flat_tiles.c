/* The TILE region written out flat: a record for each number of a panel that is no zero. See flat_build.h.
 *
 * A row of a panel is updated by rows of L: those of its sources, in their order, one that it is itself the target of;
 * where it is a pivot of a source, that pivot's row in the source's diagonal block; last its own entries of L, which it
 * gets on the way (eliminate_row of exec/reference/reference.c). Each update is by up to eight pivots, whose rows of U
 * stand in the panel one after the other. So a number's terms are, update by update, pivot by pivot, an l of the row
 * and a u of its column. Which of them are zeros is found row by row, a bit a column; rows are done in the order in
 * which the reference needs them: those above by their sources, the diagonal block, those below.
 *
 * O(terms + panel rows * 8 + rows of sources * pivots); a byte a row of all panels, and 24 bytes a row of a source of
 * the largest tile. */
#include "lu/flat_build.h"

#include <string.h>

enum { W = WLU_TILE_WIDTH };

typedef struct update {
    int64_t l;     /* slot of the l by the first pivot */
    int32_t u;     /* panel row of the first pivot's u */
    uint8_t found; /* bit of each pivot by which l is no zero */
    uint8_t own;   /* by the tile's own pivots, whose rows have entries of L too */
} update;

/* The row at hand. */
typedef struct row {
    int64_t slot;     /* of its first number */
    int64_t *record;  /* by column: one more than the record of the stream into the number that its own begins with */
    unsigned found;   /* bit of each column whose number is no zero */
    int32_t lower;    /* so many of its columns are of L */
    int64_t terms[W]; /* by column */
} row;

typedef struct tiler {
    wlu_flat_builder *b;
    const wlu_tiles *t;
    uint8_t *found; /* of each row of all panels: bit of each column whose number is no zero */
    /* Of the tile at hand: */
    int32_t tile, rows;
    int64_t panel;     /* slot of its first number */
    uint8_t *of_panel; /* found, of its first row */
    int64_t *begin;    /* rows + 1: first update of each row, */
    update *list;      /* in the order of the reference; the last is the row's own */
    int64_t *record;   /* by number of the panel: see row */
} tiler;

static uint8_t *found_of(const tiler *w, int64_t slot)
{
    return w->found + (slot - w->b->p->region_slots) / W;
}

/* ----------------------------------------------------------------- updates */

/* Counts the update of a row, or lists it. */
static void note_update(tiler *w, int listed, int32_t r, int64_t l, int32_t u, unsigned found)
{
    if (r >= w->rows || found == 0) return;
    if (listed) w->list[w->begin[r]] = (update){.l = l, .u = u, .found = (uint8_t)found};
    w->begin[r]++;
}

static void walk_source(tiler *w, int listed, const wlu_tile_source *g)
{
    const wlu_tiles *t = w->t;
    int32_t s = g->tile, skip = wlu_tile_width(t, s) - g->pivots;
    int64_t diagonal = wlu_tile_diagonal(t, s) + W * skip + skip, lower = wlu_tile_lower(t, s) + skip;
    const uint8_t *of_diagonal = found_of(w, diagonal), *of_lower = found_of(w, lower);
    for (int32_t i = 1; i < g->pivots; i++)
        note_update(w, listed, g->at + i, diagonal + W * i, g->at, of_diagonal[i] >> skip & ((1u << i) - 1));
    for (int32_t r = 0; r < t->below[s]; r++)
        note_update(w, listed, t->target[g->to + r], lower + (int64_t)W * r, g->at,
                    of_lower[r] >> skip & ((1u << g->pivots) - 1));
}

static void walk_sources(tiler *w, int listed)
{
    const wlu_tiles *t = w->t;
    for (int64_t g = t->source_ptr[w->tile]; g < t->source_ptr[w->tile + 1]; g++) walk_source(w, listed, &t->source[g]);
}

/* Lists the updates of all rows, with room for each row's own behind them. */
static void list_updates(tiler *w)
{
    int64_t at = 0;
    memset(w->begin, 0, ((size_t)w->rows + 1) * sizeof *w->begin);
    walk_sources(w, 0);
    for (int32_t r = 0; r <= w->rows; r++) {
        int64_t count = w->begin[r];
        w->begin[r] = at;
        at += count + 1;
    }
    walk_sources(w, 1);
    for (int32_t r = w->rows; r > 0; r--) w->begin[r] = w->begin[r - 1] + 1; /* behind those of the row before it */
    w->begin[0] = 0;
}

/* Bits of the columns into which the update's pivot j takes a term. */
static inline unsigned columns_of(const tiler *w, const update *u, int j)
{
    unsigned found = w->of_panel[u->u + j];
    return u->own ? found & (0xfeu << j) : found;
}

/* -------------------------------------------------------------------- rows */

/* What a row's numbers are before its updates. A record of the stream whose terms are in order is the beginning of the
 * number's own; others go before. */
static warplu_status open_row(tiler *w, row *r)
{
    wlu_flat_builder *b = w->b;
    const wlu_stream *s = &b->p->dot;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t c = 0; c < wlu_tile_width(w->t, w->tile) && status == WARPLU_SUCCESS; c++) {
        int64_t from = r->record[c] - 1;
        if (from >= 0) {
            int64_t terms = wlu_stream_terms(s, from);
            status = wlu_flat_reserve(b, 1, terms);
            if (status < 0) break;
            if (s->opcode[from] == WLU_DOT && s->start[from] == s->target[from] &&
                wlu_flat_sum(terms) == WLU_SUM_IN_ORDER) {
                r->terms[c] = wlu_flat_put_terms(b, s, from, wlu_flat_operands(b)); /* to count them */
            } else {
                status = wlu_flat_copy(b, s, from);
                r->record[c] = 0;
            }
        }
        if (r->terms[c] > 0 || !wlu_flat_is_zero(b, r->slot + c)) r->found |= 1u << c;
    }
    return status;
}

/* The row's own update, once it is known which of its l are zeros: behind those in the list. Returns it. */
static update own_update(const tiler *w, row *r)
{
    update own = {.l = r->slot, .u = w->t->above[w->tile], .own = 1};
    for (int32_t j = 0; j < r->lower; j++)
        if (r->found >> j & 1) r->found |= columns_of(w, &own, j);
    own.found = (uint8_t)(r->found & ((1u << r->lower) - 1));
    return own;
}

static void count_update(const tiler *w, const update *u, row *r)
{
    for (int j = 0; u->found >> j != 0; j++) {
        if ((u->found >> j & 1) == 0) continue;
        unsigned columns = columns_of(w, u, j);
        r->found |= columns;
        for (int c = 0; columns >> c != 0; c++) r->terms[c] += columns >> c & 1;
    }
}

/* The terms of an update to the columns' places. */
static void put_update(const tiler *w, const update *u, int32_t *const *at, int64_t *placed)
{
    wlu_flat_builder *b = w->b;
    for (int j = 0; u->found >> j != 0; j++) {
        if ((u->found >> j & 1) == 0) continue;
        unsigned columns = columns_of(w, u, j);
        int32_t l = wlu_flat_read(b, u->l + j);
        int64_t of_u = w->panel + (int64_t)W * (u->u + j);
        for (int c = 0; columns >> c != 0; c++) {
            if ((columns >> c & 1) == 0) continue;
            int32_t *pair = at[c] + 2 * placed[c]++;
            pair[0] = l;
            pair[1] = wlu_flat_read(b, of_u + c);
        }
    }
}

/* The records of a row whose terms are counted: names its numbers, puts their terms, column by column. */
static void put_row(tiler *w, row *r, const update *list, int64_t updates)
{
    wlu_flat_builder *b = w->b;
    int64_t reciprocal = wlu_lu_of(b->p)->tile_reciprocal + w->t->first[w->tile], placed[W] = {0};
    int32_t start[W] = {0}, *at[W], *next = wlu_flat_operands(b);
    for (int c = 0; c < W; c++) {
        at[c] = next;
        next += 2 * r->terms[c];
        if (r->terms[c] == 0 && (c >= r->lower || (r->found >> c & 1) == 0)) continue;
        start[c] = wlu_flat_read(b, r->slot + c);
        if (r->record[c] > 0) placed[c] = wlu_flat_put_terms(b, &b->p->dot, r->record[c] - 1, at[c]);
        wlu_flat_write(b, r->slot + c);
    }
    for (int64_t k = 0; k < updates; k++) put_update(w, &list[k], at, placed);
    for (int c = 0; c < W; c++) {
        int lower = c < r->lower;
        if (r->terms[c] == 0 && (!lower || (r->found >> c & 1) == 0)) continue;
        wlu_flat_put(b, lower ? WLU_DOTS : WLU_DOT, WLU_SUM_IN_ORDER, *wlu_flat_at(b, r->slot + c), start[c],
                     lower ? wlu_flat_read(b, reciprocal + c) : -1, r->terms[c]);
    }
}

/* Row number `at` of the panel, of whose columns `lower` are of L. */
static warplu_status do_row(tiler *w, int32_t at, int32_t lower)
{
    row r = {.slot = w->panel + (int64_t)W * at, .record = w->record + (int64_t)W * at, .lower = lower};
    update *list = w->list + w->begin[at];
    int64_t updates = w->begin[at + 1] - w->begin[at] - 1, terms = 0;
    warplu_status status = open_row(w, &r);
    if (status < 0) return status;
    for (int64_t k = 0; k < updates; k++) count_update(w, &list[k], &r);
    list[updates] = own_update(w, &r);
    count_update(w, &list[updates], &r);
    for (int c = 0; c < W; c++) terms += r.terms[c];
    status = wlu_flat_reserve(w->b, W, terms);
    if (status < 0) return status;
    w->of_panel[at] = (uint8_t)r.found;
    put_row(w, &r, list, updates + 1);
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------------- tiles */

static int64_t first_record(const wlu_stream *s, int64_t vector)
{
    return vector < s->nvectors ? s->vector[vector].first : s->nrecords;
}

static void open_tile(tiler *w, int32_t k)
{
    const wlu_stream *s = &w->b->p->dot;
    w->tile = k;
    w->rows = w->t->above[k] + wlu_tile_width(w->t, k) + w->t->below[k];
    w->panel = w->t->panel[k];
    w->of_panel = found_of(w, w->panel);
    memset(w->record, 0, W * (size_t)w->rows * sizeof *w->record);
    for (int64_t r = first_record(s, w->t->vector[k]); r < first_record(s, w->t->vector[k + 1]); r++)
        w->record[s->target[r] - w->panel] = r + 1;
    list_updates(w);
}

static warplu_status put_reciprocal(const tiler *w, int32_t i)
{
    wlu_flat_builder *b = w->b;
    int64_t reciprocal = wlu_lu_of(b->p)->tile_reciprocal + w->t->first[w->tile] + i;
    warplu_status status = wlu_flat_reserve(b, 1, 0);
    if (status < 0) return status;
    int32_t pivot = wlu_flat_read(b, wlu_tile_diagonal(w->t, w->tile) + W * i + i);
    wlu_flat_put(b, WLU_RCP, WLU_SUM_IN_ORDER, wlu_flat_write(b, reciprocal), WLU_FLAT_ZERO, pivot, 0);
    return WARPLU_SUCCESS;
}

static warplu_status do_tile(tiler *w, int32_t k)
{
    const wlu_tiles *t = w->t;
    int32_t width = wlu_tile_width(t, k), diagonal = t->above[k];
    warplu_status status = WARPLU_SUCCESS;
    open_tile(w, k);
    for (int64_t g = t->source_ptr[k]; g < t->source_ptr[k + 1]; g++)
        for (int32_t i = 0; i < t->source[g].pivots && status == WARPLU_SUCCESS; i++)
            status = do_row(w, t->source[g].at + i, 0);
    for (int32_t i = 0; i < width && status == WARPLU_SUCCESS; i++) {
        status = do_row(w, diagonal + i, i);
        if (status == WARPLU_SUCCESS) status = put_reciprocal(w, i);
    }
    for (int32_t r = 0; r < t->below[k] && status == WARPLU_SUCCESS; r++)
        status = do_row(w, diagonal + width + r, width);
    return status;
}

/* Most rows of a panel, and most rows of sources with those of the tile itself. */
static void find_largest(const wlu_tiles *t, int64_t *rows, int64_t *updates)
{
    *rows = *updates = 0;
    for (int32_t k = 0; k < t->count; k++) {
        int64_t of_panel = (int64_t)t->above[k] + wlu_tile_width(t, k) + t->below[k], all = 2 * of_panel + 1;
        for (int64_t g = t->source_ptr[k]; g < t->source_ptr[k + 1]; g++) all += t->below[t->source[g].tile];
        *rows = of_panel > *rows ? of_panel : *rows;
        *updates = all > *updates ? all : *updates;
    }
}

warplu_status wlu_flat_put_tiles(wlu_flat_builder *b)
{
    const wlu_program *p = b->p;
    tiler w = {.b = b, .t = &wlu_lu_of(p)->tiles};
    int64_t rows, updates;
    warplu_status status = WARPLU_SUCCESS;
    if (w.t->count == 0) return status;
    find_largest(w.t, &rows, &updates);
    w.found = WLU_CALLOC(b->ctx, (p->sums - p->region_slots) / W, uint8_t);
    w.begin = WLU_ALLOC(b->ctx, rows + 1, int64_t);
    w.list = WLU_ALLOC(b->ctx, updates, update);
    w.record = WLU_ALLOC(b->ctx, W * rows, int64_t);
    if (!w.found || !w.begin || !w.list || !w.record) status = wlu_fail_memory(b->ctx, "tiles of the flat program");
    for (int32_t k = 0; k < w.t->count && status == WARPLU_SUCCESS; k++) status = do_tile(&w, k);
    wlu_free(b->ctx, w.found);
    wlu_free(b->ctx, w.begin);
    wlu_free(b->ctx, w.list);
    wlu_free(b->ctx, w.record);
    return status;
}
