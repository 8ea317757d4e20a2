/* Verification of what a factorization has beside its records: tiles, their sources and targets, guards. O(region). */
#include "lu/verify.h"

typedef struct verifier {
    wlu_context *ctx;
    const wlu_program *p;
    const wlu_lu *lu;
    int32_t *stamp; /* by slot: 0 where nothing has been written */
    int32_t *taken; /* by tiled pivot: the last tile, and one, that has been updated by it */
} verifier;

static warplu_status broken(const verifier *v, const char *what, int64_t at, int64_t slot)
{
    return wlu_program_broken(v->ctx, what, at, slot);
}

/* Slots that tile k's panel may have. */
static int64_t panel_slots(const verifier *v, int32_t k)
{
    const wlu_tiles *t = &v->lu->tiles;
    return (k + 1 < t->count ? t->panel[k + 1] : v->p->sums) - t->panel[k];
}

/* Source g of tile k: its pivots are rows above that no source before it has updated the tile by; its targets lie in
 * the panel, where both have a row of L in common, on it, and not on a row that has been used. */
static warplu_status check_source(verifier *v, int32_t k, int64_t g)
{
    const wlu_tiles *t = &v->lu->tiles;
    const wlu_tile_source *source = &t->source[g];
    const int32_t *row = t->row + t->row_ptr[k];
    int32_t s = source->tile, pivots = source->pivots, width = wlu_tile_width(t, k), above = t->above[k],
            rows = above + t->below[k];
    if (s < 0 || s >= k || pivots < 1 || pivots > wlu_tile_width(t, s) || source->at < 0 ||
        source->at > above - pivots || row[source->at] != t->first[s + 1] - pivots)
        return broken(v, "source of a tile", k, s);
    if (t->owner != NULL && t->turn[k] == 0 && (t->turn[s] > 0 || t->owner[s] != t->owner[k]))
        return broken(v, "tile of a subtree that needs another part", k, s);
    for (int32_t at = t->first[s + 1] - pivots; at < t->first[s + 1]; at++) {
        if (v->taken[at] == k + 1) return broken(v, "source that comes twice", k, s);
        v->taken[at] = k + 1;
    }
    if (source->to < 0 || source->to + t->below[s] > t->ntargets) return broken(v, "targets", k, s);
    for (int32_t r = 0; r < t->below[s]; r++) {
        int32_t at = t->target[source->to + r], i = t->row[t->row_ptr[s] + t->above[s] + r];
        int32_t found = at < above           ? row[at < 0 ? 0 : at]
                        : at < above + width ? t->first[k] + at - above
                        : at < rows + width  ? row[at - width]
                                             : -1;
        if (at < 0 || (found != i && (found >= 0 || WLU_TILE_WIDTH * ((int64_t)at + 1) > panel_slots(v, k))))
            return broken(v, "target of a source", k, at);
        if (at < above && v->taken[found] == k + 1) return broken(v, "source behind what it updates", k, s);
    }
    return WARPLU_SUCCESS;
}

/* Rows ascend, outside the tile; sources are all rows above. */
static warplu_status check_tile(verifier *v, int32_t k)
{
    const wlu_tiles *t = &v->lu->tiles;
    int32_t width = wlu_tile_width(t, k), rows = t->above[k] + t->below[k];
    const int32_t *row = t->row + t->row_ptr[k];
    if (width < 1 || width > WLU_TILE_WIDTH || t->above[k] < 0 || t->below[k] < 0 ||
        t->row_ptr[k + 1] - t->row_ptr[k] != rows)
        return broken(v, "tile", k, width);
    if (t->panel[k] < v->p->region_slots || t->panel[k] % WLU_TILE_WIDTH != 0 ||
        panel_slots(v, k) < (int64_t)WLU_TILE_WIDTH * (rows + width))
        return broken(v, "panel", k, t->panel[k]);
    for (int32_t q = 0; q < rows; q++) {
        int above = q < t->above[k];
        int32_t least = q > 0 ? row[q - 1] + 1 : 0, most = above ? t->first[k] : t->m;
        if (!above && least < t->first[k + 1]) least = t->first[k + 1];
        if (row[q] < least || row[q] >= most) return broken(v, "row of a tile", k, row[q]);
    }
    if (t->owner != NULL && (t->owner[k] < 0 || t->owner[k] >= v->p->parts))
        return broken(v, "owner of a tile", k, t->owner[k]);
    int32_t updated = 0;
    for (int64_t g = t->source_ptr[k]; g < t->source_ptr[k + 1]; g++) {
        warplu_status status = check_source(v, k, g);
        if (status < 0) return status;
        updated += t->source[g].pivots;
    }
    return updated == t->above[k] ? WARPLU_SUCCESS : broken(v, "rows above without a source", k, updated);
}

static warplu_status check_tiles(verifier *v)
{
    const wlu_tiles *t = &v->lu->tiles;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t k = 0; k < t->count && status == WARPLU_SUCCESS; k++) status = check_tile(v, k);
    for (int32_t at = 0; at < t->m; at++) v->stamp[v->lu->tile_reciprocal + at] = 1;
    return status;
}

static warplu_status check_guards(const verifier *v, int64_t sources)
{
    const wlu_program *p = v->p;
    const wlu_guards *g = &v->lu->guard;
    const wlu_areas *area = &v->lu->areas;
    if (area->u + g->count > area->l) return broken(v, "guarded slots", g->count, area->l);
    for (int64_t k = 0; k < g->count; k++)
        if (g->u_column[k] < 0 || g->u_column[k] >= p->n || v->stamp[area->u + k] == 0)
            return broken(v, "guard", k, area->u + k);
    if (g->shared < 0 || g->shared > p->n || g->entries != 2 * p->n - g->shared)
        return broken(v, "guarded entries", g->shared, g->entries);
    for (int32_t k = 0; k < g->entries; k++)
        if (g->a_source[k] < 0 || g->a_source[k] >= sources) return broken(v, "guard source", k, g->a_source[k]);
    for (int32_t k = 0; k < p->n; k++)
        if (g->column[k] < 0 || g->column[k] >= p->n) return broken(v, "guard column", k, g->column[k]);
    return WARPLU_SUCCESS;
}

warplu_status wlu_lu_verify(wlu_context *ctx, const wlu_program *p, int32_t *stamp)
{
    const wlu_lu *lu = wlu_lu_of(p);
    verifier v = {.ctx = ctx, .p = p, .lu = lu, .stamp = stamp, .taken = WLU_CALLOC(ctx, lu->tiles.m, int32_t)};
    if (v.taken == NULL) return wlu_fail_memory(ctx, "program verification");
    warplu_status status = check_tiles(&v);
    if (status == WARPLU_SUCCESS) status = check_guards(&v, wlu_program_sources(p));
    wlu_free(ctx, v.taken);
    return status;
}

int wlu_lu_has_region(const wlu_program *p, const wlu_solve_region *r)
{
    const wlu_tiles *t = &wlu_lu_of(p)->tiles;
    return r->begin >= 0 && r->end > r->begin && r->end <= t->count && r->first == t->first[r->begin] &&
           r->behind == t->first[r->end];
}
