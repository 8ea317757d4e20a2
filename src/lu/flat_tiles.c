/* The first stage written out flat: the stream's records, and the TILE region, a record for each number of a panel that
 * is no zero. See flat_build.h.
 *
 * A row of a panel is updated by rows of L: those of its sources, in their order, that it is the target of; where it is
 * a pivot of a source, by that pivot's row of the source's diagonal block; last by its own entries of L, which it gets
 * on the way (eliminate_row of exec/reference/reference.c). So for each row there is a list of l with the panel's rows
 * whose u they are multiplied with, each once, and a number's terms are those of the list whose u in its column is no
 * zero. Rows are done in the order in which the reference needs them: those above by their sources, the diagonal block,
 * those below.
 *
 * Records of the stream come when a tile needs what they leave, not all before the first tile: where a line of the
 * cache holds one slot of eight members, that saves 3 to 9 of 100 misses in a cache of 1 MB (memplus, pf_ACTIVSg2000,
 * sptrMondo).
 *
 * O(terms of L's entries with whole rows of panels, which are those of the tile's steps at most); a byte a row of all
 * panels, 24 a row of a source of the largest tile, 4 a slot. */
#include "lu/flat_build.h"

#include <string.h>

enum { W = WLU_TILE_WIDTH };

/* By up to eight pivots of a source, whose rows of U stand in the panel one after the other. */
typedef struct update {
    int64_t l;     /* slot of the l by the first pivot */
    int32_t u;     /* panel row of the first pivot's u */
    uint8_t found; /* bit of each pivot by which l is no zero */
} update;

/* An l that is no zero, by its number; and the panel row that it is multiplied with. */
typedef struct factor {
    int32_t l, u;
} factor;

typedef struct tiler {
    wlu_flat_builder *b;
    const wlu_tiles *t;
    uint8_t *found; /* of each row of all panels: bit of each column whose number is no zero */
    /* Of the tile at hand: */
    int32_t tile, rows;
    int64_t panel;     /* slot of its first number */
    uint8_t *of_panel; /* found, of its first row */
    int64_t *begin;    /* rows + 1: first update of each row, */
    update *list;      /* in the order of the reference */
    int64_t *record;   /* by number of the panel: the record of the stream into it, or -1 */
    /* Of the row at hand: */
    factor *factor; /* rows at most */
    int32_t factors;
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

/* Lists the updates of all rows. */
static void list_updates(tiler *w)
{
    int64_t at = 0;
    memset(w->begin, 0, ((size_t)w->rows + 1) * sizeof *w->begin);
    walk_sources(w, 0);
    for (int32_t r = 0; r <= w->rows; r++) {
        int64_t count = w->begin[r];
        w->begin[r] = at;
        at += count;
    }
    walk_sources(w, 1);
    for (int32_t r = w->rows; r > 0; r--) w->begin[r] = w->begin[r - 1]; /* the end of the row before it */
    w->begin[0] = 0;
}

/* -------------------------------------------------------------------- rows */

/* The l of a row's updates. */
static void list_factors(tiler *w, int32_t r)
{
    w->factors = 0;
    for (int64_t k = w->begin[r]; k < w->begin[r + 1]; k++) {
        const update *u = &w->list[k];
        for (int j = 0; u->found >> j != 0; j++)
            if (u->found >> j & 1) w->factor[w->factors++] = (factor){.l = w->b->flat->slot[u->l + j], .u = u->u + j};
    }
}

/* Puts the terms of a number of column c to `to`; returns how many. */
static int64_t put_terms(const tiler *w, int32_t c, int32_t *to)
{
    const int32_t *number = w->b->flat->slot + w->panel + c;
    const uint8_t *found = w->of_panel;
    int64_t terms = 0;
    for (int32_t k = 0; k < w->factors; k++) {
        const factor f = w->factor[k];
        if ((found[f.u] >> c & 1) == 0) continue;
        to[2 * terms] = f.l;
        to[2 * terms + 1] = number[(int64_t)W * f.u];
        terms++;
    }
    return terms;
}

/* Terms that a record of the stream has for a number, put where the number's own are to begin, behind which there is
 * room for those by the row's l. Only where both are in order; else the record goes before. */
static warplu_status begin_terms(const tiler *w, int64_t record, int64_t *terms)
{
    wlu_flat_builder *b = w->b;
    const wlu_stream *s = &b->p->dot;
    warplu_status status = WARPLU_SUCCESS;
    *terms = 0;
    if (record < 0) return wlu_flat_reserve(b, 1, w->factors);
    int64_t most = wlu_stream_terms(s, record);
    int joined =
        wlu_flat_sum(most) == WLU_SUM_IN_ORDER && s->opcode[record] == WLU_DOT && s->start[record] == s->target[record];
    if (!joined) status = wlu_flat_copy(b, s, record);
    if (status == WARPLU_SUCCESS) status = wlu_flat_reserve(b, 1, most + w->factors);
    if (status == WARPLU_SUCCESS && joined) *terms = wlu_flat_put_terms(b, s, record, wlu_flat_operands(b));
    return status;
}

/* The number in row r and column c, of L where `lower`, then one of the row's l for the columns behind it. */
static warplu_status do_number(tiler *w, int32_t r, int32_t c, int lower)
{
    wlu_flat_builder *b = w->b;
    int64_t slot = w->panel + (int64_t)W * r + c, terms;
    int64_t reciprocal = wlu_lu_of(b->p)->tile_reciprocal + w->t->first[w->tile] + c;
    warplu_status status = begin_terms(w, w->record[W * r + c], &terms);
    if (status < 0) return status;
    terms += put_terms(w, c, wlu_flat_operands(b) + 2 * terms);
    int32_t start = wlu_flat_read(b, slot);
    if (terms == 0 && start == WLU_FLAT_ZERO) return WARPLU_SUCCESS;
    int32_t target = wlu_flat_write(b, slot);
    w->of_panel[r] |= (uint8_t)(1u << c);
    if (lower) {
        wlu_flat_put(b, WLU_DOTS, WLU_SUM_IN_ORDER, target, start, wlu_flat_read(b, reciprocal), terms);
        w->factor[w->factors++] = (factor){.l = target, .u = w->t->above[w->tile] + c};
    } else if (terms > 0) {
        wlu_flat_put(b, WLU_DOT, WLU_SUM_IN_ORDER, target, start, -1, terms);
    }
    return WARPLU_SUCCESS;
}

/* Row r of the panel, of whose columns `lower` are of L. */
static warplu_status do_row(tiler *w, int32_t r, int32_t lower)
{
    warplu_status status = WARPLU_SUCCESS;
    list_factors(w, r);
    for (int32_t c = 0; c < wlu_tile_width(w->t, w->tile) && status == WARPLU_SUCCESS; c++)
        status = do_number(w, r, c, c < lower);
    return status;
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
    for (int64_t q = 0; q < (int64_t)W * w->rows; q++) w->record[q] = -1;
    for (int64_t r = first_record(s, w->t->vector[k]); r < first_record(s, w->t->vector[k + 1]); r++)
        w->record[s->target[r] - w->panel] = r;
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

/* Most rows of a panel, and most updates. */
static void find_largest(const wlu_tiles *t, int64_t *rows, int64_t *updates)
{
    *rows = *updates = 0;
    for (int32_t k = 0; k < t->count; k++) {
        int64_t of_panel = (int64_t)t->above[k] + wlu_tile_width(t, k) + t->below[k], all = t->above[k];
        for (int64_t g = t->source_ptr[k]; g < t->source_ptr[k + 1]; g++) all += t->below[t->source[g].tile];
        *rows = of_panel > *rows ? of_panel : *rows;
        *updates = all > *updates ? all : *updates;
    }
}

/* ------------------------------------------------------- the stream's turn */

/* The records of the stream that are not into panels: in order, so many, so many of them are done; by slot the place
 * behind its writer's. */
typedef struct turn {
    const wlu_sort_entry *sorted;
    int64_t count, done;
    int32_t *behind;
} turn;

static warplu_status copy_to(wlu_flat_builder *b, turn *u, int64_t end)
{
    warplu_status status = WARPLU_SUCCESS;
    for (; u->done < end && status == WARPLU_SUCCESS; u->done++)
        status = wlu_flat_copy(b, &b->p->dot, u->sorted[u->done].record);
    return status;
}

/* How many of them the records into a tile's panel need. */
static int64_t needed(const tiler *w, const turn *u, int32_t k)
{
    const wlu_program *p = w->b->p;
    const wlu_stream *s = &p->dot;
    int64_t first = first_record(s, w->t->vector[k]), end = first_record(s, w->t->vector[k + 1]), most = 0;
    for (int64_t q = 2 * s->begin[first]; q < 2 * s->begin[end]; q++)
        if (s->operand[q] < p->y && u->behind[s->operand[q]] > most) most = u->behind[s->operand[q]];
    return most;
}

static warplu_status put_in_turn(tiler *w, turn *u)
{
    wlu_flat_builder *b = w->b;
    const wlu_stream *s = &b->p->dot;
    warplu_status status = WARPLU_SUCCESS;
    u->sorted = wlu_flat_sort(b, s, 0, u->count);
    for (int64_t k = 0; k < u->count; k++) u->behind[s->target[u->sorted[k].record]] = (int32_t)(k + 1);
    for (int32_t k = 0; k < w->t->count && status == WARPLU_SUCCESS; k++) {
        status = copy_to(b, u, needed(w, u, k));
        if (status == WARPLU_SUCCESS) status = do_tile(w, k);
    }
    return status == WARPLU_SUCCESS ? copy_to(b, u, u->count) : status;
}

warplu_status wlu_flat_put_factor(wlu_flat_builder *b, int64_t end)
{
    const wlu_program *p = b->p;
    tiler w = {.b = b, .t = &wlu_lu_of(p)->tiles};
    turn u = {.count = end, .behind = WLU_CALLOC(b->ctx, p->y, int32_t)};
    int64_t rows, updates;
    find_largest(w.t, &rows, &updates);
    w.found = WLU_CALLOC(b->ctx, (p->sums - p->region_slots) / W, uint8_t);
    w.begin = WLU_ALLOC(b->ctx, rows + 1, int64_t);
    w.list = WLU_ALLOC(b->ctx, updates, update);
    w.record = WLU_ALLOC(b->ctx, W * rows, int64_t);
    w.factor = WLU_ALLOC(b->ctx, rows, factor);
    warplu_status status = u.behind && w.found && w.begin && w.list && w.record && w.factor
                               ? put_in_turn(&w, &u)
                               : wlu_fail_memory(b->ctx, "tiles of the flat program");
    wlu_free(b->ctx, u.behind);
    wlu_free(b->ctx, w.found);
    wlu_free(b->ctx, w.begin);
    wlu_free(b->ctx, w.list);
    wlu_free(b->ctx, w.record);
    wlu_free(b->ctx, w.factor);
    return status;
}
