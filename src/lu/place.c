/* Where slots of a factorization and its solves stand.
 *
 * Placement follows use: L and U of DOT pivots stand in the order in which the stream writes them, so that a
 * bundle of neighbours stores to neighbours; panels stand row by row. */
#include "lu/compile.h"
#include "lu/panels.h"

/* Slots not yet handed out. */
enum { UNPLACED = -1 };

/* Gives the next slots to those of a range that have none. */
static void place_rest(wlu_compiler *c, int64_t first, int64_t last, int64_t *next)
{
    int32_t *slot = c->out->slot;
    for (int64_t t = first; t < last; t++)
        if (slot[t] == UNPLACED) slot[t] = (int32_t)(*next)++;
}

/* Builds the TILE region, whose slots stand behind those of DOT pivots, and names the tile of each column. */
warplu_status wlu_place_region(wlu_compiler *c)
{
    const wlu_pivots *p = c->p;
    wlu_tiles *tiles = &c->lu->tiles;
    int64_t next = c->layout.y;
    for (int64_t t = 0; t < c->layout.count; t++) c->out->slot[t] = UNPLACED;
    for (int32_t k = 0; k < p->n; k++) {
        c->tile[k] = -1;
        if (c->lu->tiled[k]) next -= 2 + p->lp[k + 1] - p->lp[k];
    }
    for (int32_t t = 0; t < tiles->count; t++)
        for (int32_t at = tiles->first[t]; at < tiles->first[t + 1]; at++) {
            int32_t j = tiles->position[at];
            c->tile[j] = t;
            for (int64_t q = p->up[j], end = p->up[j + 1]; q < end; q++) next -= c->lu->tiled[p->ui[q]];
        }
    warplu_status status = wlu_panels_build(c->ctx, p, c->out, &next);
    c->out->y = next;
    return status < 0 || c->out->parts == 1 ? status : wlu_partition_tiles(c->ctx, &c->symbolic.cut, c->out);
}

static int64_t count_unplaced(const int32_t *slot, int64_t first, int64_t last)
{
    int64_t count = 0;
    for (int64_t t = first; t < last; t++) count += slot[t] == UNPLACED;
    return count;
}

/* Hands out physical slots for everything else the factorization touches: in each area what is computed stands in the
 * program's order, then what is only loaded. */
warplu_status wlu_place_factors(void *front, const wlu_stream *stream, int64_t sums)
{
    wlu_compiler *c = front;
    wlu_program *out = c->out;
    wlu_areas *area = &c->lu->areas;
    const wlu_layout *o = &c->layout;
    int64_t l = count_unplaced(out->slot, o->pivot, o->reciprocal) + count_unplaced(out->slot, o->u, o->f);
    int64_t f = l + count_unplaced(out->slot, o->l, o->u), u;
    area->u = 0;
    area->l = l;
    area->f = f;
    area->reciprocal = f + o->y - o->f;
    int32_t next[WLU_OPCODES] = {[WLU_DOTS] = (int32_t)area->l, [WLU_RCP] = (int32_t)area->reciprocal};
    for (int64_t k = 0; k < stream->nrecords; k++) { /* U in chains, L in products */
        int32_t *slot = &out->slot[stream->target[k]], *to = &next[stream->opcode[k]];
        int32_t unplaced = *slot == UNPLACED;
        *slot = unplaced ? *to : *slot;
        *to += unplaced;
    }
    c->lu->guard.count = u = next[WLU_DOT];
    place_rest(c, o->pivot, o->reciprocal, &u);
    place_rest(c, o->u, o->f, &u);
    place_rest(c, o->f, o->y, &f);
    out->sums = out->y;
    out->y = out->sums + sums;
    out->x = out->y + c->p->n;
    out->zero = out->x + c->p->n;
    out->trash = out->zero + 1;
    out->minus_one = c->cost->record_terms > 0 ? out->trash + 1 : -1;
    out->solve_sums = out->trash + 1 + (out->minus_one >= 0);
    out->nslots = out->solve_sums;
    return wlu_slots_check(c->ctx, c->out->nslots);
}

/* Slots of y and x in the order of the stream that computes them, and of its partial sums. The number of slots stands
 * once there are states. */
static warplu_status place_yx(wlu_compiler *c, const wlu_stream *stream, int64_t sums)
{
    const wlu_layout *o = &c->layout;
    int32_t *slot = c->out->slot;
    int64_t y = c->out->y, x = c->out->x;
    for (int64_t t = o->y; t < o->count; t++) slot[t] = UNPLACED;
    for (int64_t k = 0; k < stream->nrecords; k++) {
        int32_t t = stream->target[k];
        slot[t] = (int32_t)(t < o->x ? y++ : x++);
    }
    place_rest(c, o->y, o->x, &y);
    place_rest(c, o->x, o->count, &x);
    if (c->out->solve_sums + sums > c->out->nslots) c->out->nslots = c->out->solve_sums + sums;
    return wlu_slots_check(c->ctx, c->out->nslots);
}

/* Room for partial sums of the transposed solve, which may be compiled when there are states. */
warplu_status wlu_reserve_sums(wlu_compiler *c)
{
    const wlu_pivots *p = c->p;
    int64_t end = c->out->solve_sums;
    for (int32_t j = 0; j < p->n; j++) {
        end += wlu_cost_partial_sums(c->cost, p->fp[j + 1] - p->fp[j] + p->up[j + 1] - p->up[j]);
        end += wlu_cost_partial_sums(c->cost, p->lp[j + 1] - p->lp[j]);
    }
    if (end > c->out->nslots) c->out->nslots = end;
    return wlu_slots_check(c->ctx, c->out->nslots);
}

/* Where regions find y and leave x. */
static warplu_status map_tiles(wlu_compiler *c, wlu_triangular *t)
{
    const wlu_tiles *tiles = &c->lu->tiles;
    if (t->regions == 0) return WARPLU_SUCCESS;
    t->tile_y = WLU_ALLOC(c->ctx, tiles->m, int32_t);
    t->tile_x = WLU_ALLOC(c->ctx, tiles->m, int32_t);
    if (t->tile_y == NULL || t->tile_x == NULL) return wlu_fail_memory(c->ctx, "maps of the solve");
    for (int32_t at = 0; at < tiles->m; at++) {
        t->tile_y[at] = c->out->slot[c->layout.y + tiles->position[at]];
        t->tile_x[at] = c->out->slot[c->layout.x + tiles->position[at]];
    }
    return WARPLU_SUCCESS;
}

warplu_status wlu_place_unknowns(void *front, const wlu_stream *stream, int64_t sums)
{
    wlu_compiler *c = front;
    warplu_status status = place_yx(c, stream, sums);
    return status < 0 ? status : map_tiles(c, c->stage);
}
