/* The longest path of a solve. See solve_path.h.
 *
 * Blocks from the last to the first: y up the tree, a level for each but those that are b's own, then x down it, a
 * level each. A region begins when all that its pivots need is there, and takes its highest tree of tiles. */
#include "cost/solve_path.h"

#include <string.h>

/* Records of a level beyond which it is none of a run: measured, not what the packer asks (that counts bundles). */
enum { NARROW_RECORDS = 64 };

typedef struct walker {
    const wlu_cost *cost;
    const wlu_solve_path *chain;
    int32_t *ready; /* the level at which what y waits for is there; -1: it waits for nothing */
    int32_t *y,
        *x; /* their levels; y is 0 where it is b's own; in a region, the tiles to here, and the level at its end */
    int32_t *width; /* by level: records */
    int32_t longest;
} walker;

static inline int32_t later(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Tiles on the longest path of a block's region; 0: it has none, or one that is too small to be solved for by tiles. */
static int32_t region_height(const walker *w, int32_t begin, int32_t end)
{
    const wlu_solve_path *c = w->chain;
    int32_t pivots = 0, height = 0;
    for (int32_t k = begin; k < end; k++) {
        pivots += c->tile[k] >= 0;
        w->y[k] = 1;
    }
    if (pivots < w->cost->solve_pivots || pivots == 0) return 0;
    for (int32_t k = begin; k < end; k++) {
        int32_t up = c->parent[k];
        if (c->tile[k] < 0) continue;
        height = later(height, w->y[k]);
        if (up >= 0) w->y[up] = later(w->y[up], w->y[k] + (c->tile[up] != c->tile[k]));
    }
    return height;
}

/* Levels of one block's y and x. */
static void walk_block(walker *w, int32_t begin, int32_t end, int32_t height)
{
    const wlu_solve_path *c = w->chain;
    int32_t *ready = w->ready, start = 0;
    for (int32_t k = begin; k < end; k++) {
        int32_t up = c->parent[k];
        w->y[k] = ready[k] + 1;
        if (height > 0 && c->tile[k] >= 0) {
            start = later(start, ready[k]);
            continue;
        }
        if (up >= 0) ready[up] = later(ready[up], w->y[k]);
    }
    int32_t solved = start + height * w->cost->path.solve_tile_levels;
    for (int32_t k = end - 1; k >= begin; k--) {
        int32_t up = c->parent[k];
        w->x[k] = height > 0 && c->tile[k] >= 0 ? solved : later(w->y[k], up >= 0 ? w->x[up] : 0) + 1;
        w->longest = later(w->longest, w->x[k]);
    }
}

static void walk(walker *w)
{
    const wlu_solve_path *c = w->chain;
    for (int32_t k = 0; k < c->n; k++) w->ready[k] = -1;
    for (int32_t b = c->nblocks - 1; b >= 0; b--) {
        int32_t begin = c->block[b], end = c->block[b + 1], height = region_height(w, begin, end);
        walk_block(w, begin, end, height);
        for (int32_t k = begin; k < end; k++) {
            for (int64_t q = c->fp[k]; q < c->fp[k + 1]; q++) w->ready[c->fi[q]] = later(w->ready[c->fi[q]], w->x[k]);
            if (height > 0 && c->tile[k] >= 0) w->y[k] = w->x[k] = 0; /* no records */
        }
    }
}

static int32_t count_wide(const walker *w)
{
    int32_t wide = 0;
    memset(w->width, 0, ((size_t)w->longest + 1) * sizeof *w->width);
    for (int32_t k = 0; k < w->chain->n; k++) {
        w->width[w->y[k]]++;
        w->width[w->x[k]]++;
    }
    for (int32_t level = 1; level <= w->longest; level++) wide += w->width[level] >= NARROW_RECORDS;
    return wide;
}

warplu_status wlu_solve_path_find(wlu_context *ctx, const wlu_cost *cost, const wlu_solve_path *chain,
                                  wlu_solve_path_time *out)
{
    int64_t n = chain->n;
    int32_t *pool = WLU_ALLOC(ctx, 3 * n, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    walker w = {.cost = cost, .chain = chain, .ready = pool};
    if (pool == NULL) return wlu_fail_memory(ctx, "path of the solve");
    w.y = pool + n;
    w.x = pool + 2 * n;
    walk(&w);
    w.width = WLU_ALLOC(ctx, (int64_t)w.longest + 1, int32_t);
    if (w.width != NULL) {
        *out = (wlu_solve_path_time){.levels = w.longest, .wide = count_wide(&w)};
        out->ns = out->levels * cost->path.ns_per_solve_level + out->wide * cost->path.ns_per_wide_level;
    } else {
        status = wlu_fail_memory(ctx, "path of the solve");
    }
    wlu_free(ctx, w.width);
    wlu_free(ctx, pool);
    return status;
}
