/* Tiles and prices of known factors. See patterns.h. */
#include "cost/patterns.h"

#include "cost/region.h"
#include "cost/solve_path.h"

#include <string.h>

typedef struct pricer {
    const wlu_cost *cost;
    const wlu_patterns *p;
    const wlu_tree *tree;
    wlu_tile_tree *tiles;
    double *work;     /* by tile, or NULL */
    int32_t *rank;    /* n: places of pivots in the tree's order */
    int32_t *end;     /* by tile: place after its last pivot */
    int32_t *mark;    /* by tile: the last tile that it updates */
    int32_t *least;   /* by tile: place of the earliest of its pivots that updates the tile at hand */
    int32_t *touched; /* the tiles that do; where paths count, of all tiles, one behind the other, */
    int64_t *sources; /* and of each tile where its own begin, count + 1; else NULL */
} pricer;

/* The sources of tile t, with the earliest of their pivots that update it; returns how many. */
static int32_t find_sources(const pricer *c, int32_t t, int32_t *touched)
{
    const wlu_patterns *p = c->p;
    int32_t count = 0;
    for (int32_t at = c->end[t] - c->tiles->width[t]; at < c->end[t]; at++) {
        int32_t j = c->tree->order[at];
        for (int64_t q = p->up[j]; q < p->up[j + 1]; q++) {
            int32_t k = p->ui[q], s = c->tiles->tile[k];
            if (s == t) continue;
            if (c->mark[s] != t) {
                c->mark[s] = t;
                c->least[s] = c->rank[k];
                touched[count++] = s;
            } else if (c->rank[k] < c->least[s]) {
                c->least[s] = c->rank[k];
            }
        }
    }
    return count;
}

/* Tile t as a target: the price of its panel, and to each source that of updating it. */
static void price_tile(const pricer *c, int32_t t)
{
    const wlu_tile_tree *tiles = c->tiles;
    int32_t *touched = c->touched + (c->sources != NULL ? c->sources[t] : 0);
    int32_t width = tiles->width[t], below = tiles->below[t], count = find_sources(c, t, touched);
    int64_t above = 0;
    double ns = 0.0;
    if (c->sources != NULL) c->sources[t + 1] = c->sources[t] + count;
    for (int32_t i = 0; i < count; i++) {
        int32_t s = touched[i], pivots = c->end[s] - c->least[s];
        wlu_price update = wlu_cost_sources(c->cost, 1.0, tiles->below[s], pivots);
        above += pivots;
        ns += update.ns;
        update.bytes = 16.0 + 4.0 * tiles->below[s] / width;
        wlu_price_add(&tiles->as_tile[s], update);
    }
    wlu_price own = wlu_cost_tile(c->cost, width, below);
    own.bytes = 100.0 + 4.0 * width + 4.0 * ((double)above + width + below);
    wlu_price_add(&tiles->as_tile[t], own);
    if (c->work != NULL) c->work[t] = ns + own.ns;
}

/* Which tiles each one updates: the other way round than their sources are listed. */
static warplu_status list_targets(const pricer *c, wlu_context *ctx)
{
    wlu_tile_tree *tiles = c->tiles;
    int64_t n = tiles->n, count = c->sources[n];
    int64_t *ptr = tiles->target_ptr = WLU_CALLOC(ctx, n + 1, int64_t);
    tiles->target = WLU_ALLOC(ctx, count, int32_t);
    if (ptr == NULL || tiles->target == NULL) return wlu_fail_memory(ctx, "targets of tiles");
    for (int64_t q = 0; q < count; q++) ptr[c->touched[q] + 1]++;
    for (int64_t t = 0; t < n; t++) ptr[t + 1] += ptr[t];
    for (int32_t t = 0; t < tiles->n; t++)
        for (int64_t q = c->sources[t]; q < c->sources[t + 1]; q++) tiles->target[ptr[c->touched[q]]++] = t;
    memmove(ptr + 1, ptr, (size_t)n * sizeof *ptr); /* each ended where the next one begins */
    ptr[0] = 0;
    return WARPLU_SUCCESS;
}

/* With the lists of targets where paths count. */
static warplu_status price_tiles(pricer *c, wlu_context *ctx, int paths)
{
    int64_t n = c->p->n, entries = c->p->up[n];
    int32_t *pool = WLU_ALLOC(ctx, 4 * n, int32_t), place = 0;
    int64_t *sources = paths ? WLU_CALLOC(ctx, (int64_t)c->tiles->n + 1, int64_t) : NULL;
    warplu_status status = WARPLU_SUCCESS;
    c->touched = WLU_ALLOC(ctx, paths ? entries : n, int32_t);
    if (pool == NULL || c->touched == NULL || (paths && sources == NULL)) {
        status = wlu_fail_memory(ctx, "prices of tiles");
    } else {
        c->sources = sources;
        c->rank = pool;
        c->end = pool + n;
        c->mark = pool + 2 * n;
        c->least = pool + 3 * n;
        for (int32_t at = 0; at < c->p->n; at++) c->rank[c->tree->order[at]] = at;
        for (int32_t t = 0; t < c->tiles->n; t++) {
            c->end[t] = place += c->tiles->width[t];
            c->mark[t] = -1;
        }
        for (int32_t t = 0; t < c->tiles->n; t++) price_tile(c, t);
        if (paths) status = list_targets(c, ctx);
    }
    wlu_free(ctx, pool);
    wlu_free(ctx, sources);
    wlu_free(ctx, c->touched);
    return status;
}

static warplu_status find_paths(const pricer *c, wlu_context *ctx, const wlu_elimination *e)
{
    int32_t *work = WLU_ALLOC(ctx, e->n, int32_t);
    if (work == NULL) return wlu_fail_memory(ctx, "paths of tiles");
    for (int32_t k = 0; k < e->n; k++) work[k] = (int32_t)(c->p->up[k + 1] - c->p->up[k]);
    warplu_status status = wlu_tiles_find_dot_paths(ctx, c->cost, e, work, c->tiles);
    wlu_free(ctx, work);
    return status;
}

warplu_status wlu_patterns_form_tiles(wlu_context *ctx, const wlu_cost *cost, const wlu_patterns *p, wlu_tree *tree,
                                      wlu_tile_tree *tiles, double *work)
{
    int paths = wlu_target_is_latency_bound(cost);
    memset(tiles, 0, sizeof *tiles);
    warplu_status status = wlu_tree_find(ctx, p, paths, tree);
    if (status < 0) return status;
    wlu_elimination e = {p->n,    tree->order, tree->parent, tree->height, tree->heaviest,
                         tree->l, tree->u,     p->lp,        p->li,        1.0};
    pricer c = {.cost = cost, .p = p, .tree = tree, .tiles = tiles, .work = work};
    status = wlu_tiles_form(ctx, cost, &e, tiles);
    if (status == WARPLU_SUCCESS) status = price_tiles(&c, ctx, paths);
    if (status == WARPLU_SUCCESS && paths) status = find_paths(&c, ctx, &e);
    return status;
}

/* What a solve adds to these factors with this region, by its path. The tiles' own list becomes the solve's. */
static warplu_status add_solve(wlu_context *ctx, const wlu_cost *cost, const wlu_patterns *p, const wlu_tree *tree,
                               const wlu_tile_tree *tiles, const uint8_t *chosen, double *ns)
{
    wlu_solve_path_time time;
    for (int32_t k = 0; k < p->n; k++)
        if (!chosen[tiles->tile[k]]) tiles->tile[k] = -1;
    wlu_solve_path path = {p->n, p->nblocks, p->block, tree->parent, tiles->tile, p->fp, p->fi};
    warplu_status status = wlu_solve_path_find(ctx, cost, &path, &time);
    if (status == WARPLU_SUCCESS) *ns += time.ns;
    return status;
}

warplu_status wlu_patterns_price(wlu_context *ctx, const wlu_cost *cost, const wlu_patterns *p, double *ns)
{
    wlu_tree tree = {0};
    wlu_tile_tree tiles;
    wlu_region_time time;
    uint8_t *chosen = WLU_ALLOC(ctx, p->n, uint8_t);
    warplu_status status = wlu_patterns_form_tiles(ctx, cost, p, &tree, &tiles, NULL);
    if (status == WARPLU_SUCCESS && chosen == NULL) status = wlu_fail_memory(ctx, "price of pivots");
    if (status == WARPLU_SUCCESS)
        status = wlu_region_choose(ctx, cost, &tiles, (wlu_price){0}, HUGE_VAL, chosen, &time);
    if (status == WARPLU_SUCCESS) {
        *ns = wlu_cost_time(cost, time.path_ns, time.ns);
        if (wlu_target_is_latency_bound(cost)) status = add_solve(ctx, cost, p, &tree, &tiles, chosen, ns);
    }
    wlu_tiles_free(ctx, &tiles);
    wlu_tree_free(ctx, &tree);
    wlu_free(ctx, chosen);
    return status;
}
