/* Prices from counts. See price.h. */
#include "cost/price.h"

#include "cost/region_search.h"

#include <string.h>

/* Whether child j is rather the one whose tile its parent may join: it has as many entries, or where paths count
 * (height is not NULL), is higher. */
static int is_heavier(const wlu_tree_counts *s, const int32_t *height, int32_t j, int32_t sibling)
{
    if (height != NULL && height[j] != height[sibling]) return height[j] > height[sibling];
    return s->l[j] + s->u[j] >= s->l[sibling] + s->u[sibling];
}

void wlu_tree_counts_tiles(const wlu_cost *cost, wlu_tree_counts *s, int32_t *work)
{
    int32_t n = s->n, *heaviest = work, *width = work + n, *entries = work + 2 * (int64_t)n; /* by pivot, by tile */
    int32_t *height = wlu_target_is_latency_bound(cost) ? work + 3 * (int64_t)n : NULL;
    for (int32_t j = 0; j < n; j++) heaviest[j] = -1;
    for (int32_t j = 0; j < n && height != NULL; j++) height[j] = 0;
    s->ntiles = 0;
    for (int32_t j = 0; j < n; j++) {
        int32_t child = heaviest[j], up = s->parent[j], t = child >= 0 ? s->tile[child] : -1;
        s->follower[j] = -1;
        if (t >= 0 && width[t] < WLU_TILE_WIDTH &&
            wlu_tile_is_full(cost, width[t] + 1, s->l[j], (double)entries[t] + s->l[j])) {
            s->follower[child] = j;
        } else {
            t = s->ntiles++;
            width[t] = entries[t] = 0;
        }
        s->tile[j] = t;
        width[t]++;
        entries[t] += s->l[j];
        if (up < 0) continue;
        if (height != NULL && height[up] <= height[j]) height[up] = height[j] + 1;
        if (heaviest[up] < 0 || is_heavier(s, height, j, heaviest[up])) heaviest[up] = j;
    }
    int32_t *number = work;
    for (int32_t j = 0, last = 0; j < n; j++)
        if (s->follower[j] < 0) number[s->tile[j]] = last++;
    for (int32_t j = 0; j < n; j++) s->tile[j] = number[s->tile[j]];
}

typedef struct pricing {
    const wlu_cost *cost;
    const wlu_tree_counts *s;
    wlu_price *dot,
        *best; /* by tile: all below it and itself by DOT records; itself as a tile, the best of what is below */
    int32_t *height, *level_width; /* by pivot, by height */
    int32_t *width;                /* by tile, so far */
} pricing;

static void find_heights(pricing *p)
{
    const wlu_tree_counts *s = p->s;
    for (int32_t j = 0; j < s->n; j++) p->height[j] = p->level_width[j] = 0;
    for (int32_t j = 0; j < s->n; j++) {
        int32_t up = s->parent[j];
        p->level_width[p->height[j]]++;
        if (up >= 0 && p->height[up] <= p->height[j]) p->height[up] = p->height[j] + 1;
    }
}

/* Adds pivot j to what its tile takes as DOT records and as a tile. */
static void add_pivot(pricing *p, int32_t j, wlu_price *dot, wlu_price *tile)
{
    const wlu_tree_counts *s = p->s;
    int last = s->follower[j] < 0;
    int32_t width = ++p->width[s->tile[j]];
    wlu_price_add(dot, wlu_cost_dots(p->cost, s->l[j], s->u[j], s->crowd * p->level_width[p->height[j]]));
    wlu_price_add(tile, wlu_cost_sources(p->cost, last ? s->targets[j] : 0.0, s->l[j], s->targets[j]));
    if (last) wlu_price_add(tile, wlu_cost_tile(p->cost, width, s->l[j]));
}

/* All pivots, sources being out of the cache to this share. */
static wlu_price choose(pricing *p, double far_share)
{
    const wlu_tree_counts *s = p->s;
    wlu_price total = {0};
    memset(p->dot, 0, (size_t)s->ntiles * sizeof *p->dot);
    memset(p->best, 0, (size_t)s->ntiles * sizeof *p->best);
    memset(p->width, 0, (size_t)s->ntiles * sizeof *p->width);
    for (int32_t j = 0; j < s->n; j++) {
        int32_t t = s->tile[j], up = s->parent[j];
        wlu_price *dot = &p->dot[t], *best = &p->best[t];
        add_pivot(p, j, dot, best);
        if (s->follower[j] >= 0) continue;
        wlu_price cheaper = best->ns + far_share * best->far_ns < dot->ns + far_share * dot->far_ns ? *best : *dot;
        if (up < 0) {
            wlu_price_add(&total, cheaper);
        } else {
            wlu_price_add(&p->dot[s->tile[up]], *dot);
            wlu_price_add(&p->best[s->tile[up]], cheaper);
        }
    }
    return total;
}

/* The choice where paths count. best: as tiles. */
static warplu_status choose_by_path(pricing *p, wlu_context *ctx, wlu_tree_counts_time *out)
{
    const wlu_tree_counts *s = p->s;
    int64_t ntiles = s->ntiles;
    double *times = WLU_CALLOC(ctx, s->n + 2 * ntiles, double);
    int32_t *tree = WLU_CALLOC(ctx, 3 * ntiles, int32_t);
    uint8_t *own = s->chosen == NULL ? WLU_ALLOC(ctx, ntiles, uint8_t) : NULL,
            *chosen = s->chosen != NULL ? s->chosen : own;
    warplu_status status = WARPLU_SUCCESS;
    if (times == NULL || tree == NULL || chosen == NULL) {
        status = wlu_fail_memory(ctx, "prices");
    } else {
        double *done = times, *dot_own = times + s->n, *dot_done = dot_own + ntiles;
        int32_t *parent = tree, *below = tree + ntiles, *above = tree + 2 * ntiles;
        wlu_tile_flow_time time;
        int fits;
        for (int32_t j = 0; j < s->n; j++) add_pivot(p, j, &p->dot[s->tile[j]], &p->best[s->tile[j]]);
        for (int32_t t = 0; t < s->ntiles; t++) /* entries of U above it: about as many as pivots of its sources */
            for (int64_t q = s->target_ptr[t]; q < s->target_ptr[t + 1]; q++) above[s->target[q]] += p->width[t];
        for (int32_t j = 0; j < s->n; j++) {
            int32_t t = s->tile[j], up = s->parent[j];
            double ns = wlu_path_pivot(p->cost, above[t]);
            done[j] += ns;
            dot_own[t] += ns;
            dot_done[t] = done[j];
            parent[t] = up >= 0 ? s->tile[up] : -1;
            below[t] = s->l[j];
            if (up >= 0 && done[up] < done[j]) done[up] = done[j];
        }
        wlu_tile_flow f = {s->ntiles, parent, p->width, below,         dot_own,
                           dot_done,  p->dot, p->best,  s->target_ptr, s->target};
        status = wlu_region_search(ctx, p->cost, &f, (wlu_price){0}, 1.0, chosen, &time, &fits);
        if (status == WARPLU_SUCCESS) *out = (wlu_tree_counts_time){time.work.ns, time.path_ns};
    }
    wlu_free(ctx, times);
    wlu_free(ctx, tree);
    wlu_free(ctx, own);
    return status;
}

static void choose_by_work(pricing *p, wlu_tree_counts_time *out)
{
    wlu_price total = choose(p, 0.0);
    double far_share = wlu_cost_far_share(p->cost, total.rows);
    if (far_share > 0.0) total = choose(p, far_share);
    *out = (wlu_tree_counts_time){.ns = total.ns + far_share * total.far_ns};
}

warplu_status wlu_tree_counts_price(wlu_context *ctx, const wlu_cost *cost, const wlu_tree_counts *s,
                                    wlu_tree_counts_time *out)
{
    wlu_price *prices = WLU_CALLOC(ctx, 2 * (int64_t)s->ntiles, wlu_price);
    int32_t *work = WLU_CALLOC(ctx, 3 * (int64_t)s->n, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (prices == NULL || work == NULL) {
        status = wlu_fail_memory(ctx, "prices");
    } else {
        pricing p = {cost, s, prices, prices + s->ntiles, work, work + s->n, work + 2 * (int64_t)s->n};
        find_heights(&p);
        if (wlu_target_is_latency_bound(cost))
            status = choose_by_path(&p, ctx, out);
        else
            choose_by_work(&p, out);
    }
    wlu_free(ctx, prices);
    wlu_free(ctx, work);
    return status;
}
