/* Forming tiles. See tiles.h. */
#include "cost/tiles.h"

#include <string.h>

/* A tile that may still grow. */
typedef struct growing {
    int64_t entries; /* of L in its pivots' columns */
    int32_t width, rows;
} growing;

typedef struct former {
    const wlu_cost *cost;
    const wlu_elimination *e;
    growing *tile; /* numbered by their first pivots */
    int32_t count;
    int32_t *mark; /* n, where patterns are known: the last tile that has the row */
    wlu_tile_tree *out;
} former;

static inline int32_t pivot_at(const wlu_elimination *e, int32_t at)
{
    return e->order != NULL ? e->order[at] : at;
}

/* Rows of L below tile t and pivot k together. */
static int32_t count_rows_together(const former *f, int32_t t, int32_t k)
{
    const wlu_elimination *e = f->e;
    if (e->lp == NULL) return e->l[k];
    int32_t rows = f->tile[t].rows - (f->mark[k] == t);
    for (int64_t q = e->lp[k]; q < e->lp[k + 1]; q++) rows += f->mark[e->li[q]] != t;
    return rows;
}

/* Adds pivot k to tile t, which has so many rows below it from now on. */
static void add_pivot(former *f, int32_t t, int32_t k, int32_t rows)
{
    const wlu_elimination *e = f->e;
    f->out->tile[k] = t;
    f->out->follower[k] = -1;
    f->tile[t].entries += e->l[k];
    f->tile[t].width++;
    f->tile[t].rows = rows;
    if (e->lp == NULL) return;
    for (int64_t q = e->lp[k]; q < e->lp[k + 1]; q++) f->mark[e->li[q]] = t;
}

/* In a postorder the heaviest child comes just before its parent, so that the marks are those of its tile. */
static void grow_tiles(former *f)
{
    const wlu_elimination *e = f->e;
    f->count = 0;
    for (int32_t k = 0; k < e->n && f->mark != NULL; k++) f->mark[k] = -1;
    for (int32_t at = 0; at < e->n; at++) {
        int32_t k = pivot_at(e, at), child = e->heaviest[k], t = child >= 0 ? f->out->tile[child] : -1;
        if (t >= 0 && f->tile[t].width < WLU_TILE_WIDTH) {
            int32_t rows = count_rows_together(f, t, k);
            if (wlu_tile_is_full(f->cost, f->tile[t].width + 1, rows, (double)(f->tile[t].entries + e->l[k]))) {
                add_pivot(f, t, k, rows);
                f->out->follower[child] = k;
                continue;
            }
        }
        f->tile[f->count] = (growing){0, 0, 0};
        add_pivot(f, f->count++, k, e->l[k]);
    }
}

/* Numbers the tiles anew, by their last pivots. number: a tile each. */
static void number_tiles(former *f, int32_t *number)
{
    const wlu_elimination *e = f->e;
    wlu_tile_tree *out = f->out;
    int32_t last = 0;
    for (int32_t at = 0; at < e->n; at++) {
        int32_t k = pivot_at(e, at), t = out->tile[k];
        if (out->follower[k] >= 0) continue;
        out->width[last] = f->tile[t].width;
        out->below[last] = f->tile[t].rows;
        out->parent[last] = e->parent[k];
        number[t] = last++;
    }
    for (int32_t k = 0; k < e->n; k++) out->tile[k] = number[out->tile[k]];
    for (int32_t t = 0; t < f->count; t++)
        if (out->parent[t] >= 0) out->parent[t] = out->tile[out->parent[t]];
    out->n = f->count;
}

/* Records by the term; a level takes its time however few pivots share it. level_width: n + 1. */
static void price_dots(const wlu_cost *cost, const wlu_elimination *e, int32_t *level_width, wlu_tile_tree *out)
{
    memset(level_width, 0, ((size_t)e->n + 1) * sizeof *level_width);
    for (int32_t k = 0; k < e->n; k++) level_width[e->height[k]]++;
    for (int32_t k = 0; k < e->n; k++)
        wlu_price_add(&out->as_dot[out->tile[k]],
                      wlu_cost_dots(cost, e->l[k], e->u[k], e->crowd * level_width[e->height[k]]));
}

warplu_status wlu_tiles_form(wlu_context *ctx, const wlu_cost *cost, const wlu_elimination *e, wlu_tile_tree *out)
{
    int64_t n = e->n;
    memset(out, 0, sizeof *out);
    former f = {.cost = cost, .e = e, .out = out};
    int32_t *pool = out->tile = WLU_ALLOC(ctx, 5 * n, int32_t);
    int32_t *work = WLU_ALLOC(ctx, n + 1, int32_t);
    f.tile = WLU_ALLOC(ctx, n, growing);
    warplu_status status = WARPLU_SUCCESS;
    if (pool == NULL || work == NULL || f.tile == NULL) {
        status = wlu_fail_memory(ctx, "tiles");
    } else {
        out->follower = pool + n;
        out->parent = pool + 2 * n;
        out->width = pool + 3 * n;
        out->below = pool + 4 * n;
        f.mark = e->lp != NULL ? work : NULL;
        grow_tiles(&f);
        number_tiles(&f, work);
        out->as_dot = WLU_CALLOC(ctx, 2 * (int64_t)out->n, wlu_price);
        if (out->as_dot == NULL) {
            status = wlu_fail_memory(ctx, "tiles");
        } else {
            out->as_tile = out->as_dot + out->n;
            price_dots(cost, e, work, out);
        }
    }
    wlu_free(ctx, work);
    wlu_free(ctx, f.tile);
    return status;
}

warplu_status wlu_tiles_find_dot_paths(wlu_context *ctx, const wlu_cost *cost, const wlu_elimination *e,
                                       const int32_t *above, wlu_tile_tree *t)
{
    double *done = WLU_CALLOC(ctx, e->n, double);
    t->dot_own = WLU_CALLOC(ctx, 2 * (int64_t)t->n, double);
    warplu_status status = WARPLU_SUCCESS;
    if (done == NULL || t->dot_own == NULL) {
        status = wlu_fail_memory(ctx, "paths of tiles");
    } else {
        t->dot_done = t->dot_own + t->n;
        for (int32_t at = 0; at < e->n; at++) {
            int32_t k = pivot_at(e, at), up = e->parent[k];
            double ns = wlu_cost_path_pivot(cost, above[k]);
            done[k] += ns;
            t->dot_own[t->tile[k]] += ns;
            t->dot_done[t->tile[k]] = done[k];
            if (up >= 0 && done[up] < done[k]) done[up] = done[k];
        }
    }
    wlu_free(ctx, done);
    return status;
}

void wlu_tiles_free(wlu_context *ctx, wlu_tile_tree *t)
{
    wlu_free(ctx, t->tile); /* pools: see wlu_tiles_form */
    wlu_free(ctx, t->as_dot);
    wlu_free(ctx, t->dot_own);
    wlu_free(ctx, t->target_ptr);
    wlu_free(ctx, t->target);
    memset(t, 0, sizeof *t);
}
