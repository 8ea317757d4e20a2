/* Choosing the TILE region. See region.h. */
#include "cost/region.h"

#include "cost/region_search.h"

#include <string.h>

/* Prices of a byte that are tried, each four times the one before; at the dearest all that matters is size. */
static const double CHEAPEST_BYTE = 0.01, DEAREST_BYTE = 1e6;

/* What a choice is judged by: time, sources being out of the cache to some share, and bytes at a price. */
typedef struct weights {
    double far_share, per_byte;
} weights;

static double weighed(wlu_price x, weights w)
{
    return x.ns + w.far_share * x.far_ns + w.per_byte * x.bytes;
}

/* Chooses from the leaves to the roots; returns the price. below_dot: of each tile, its whole subtree as DOT records;
 * best: the tile itself and the best of what is below it. */
static wlu_price choose(const wlu_tile_tree *tiles, weights by, wlu_price *below_dot, wlu_price *best, uint8_t *chosen)
{
    wlu_price total = {0};
    memcpy(below_dot, tiles->as_dot, (size_t)tiles->n * sizeof *below_dot);
    memcpy(best, tiles->as_tile, (size_t)tiles->n * sizeof *best);
    for (int32_t t = 0; t < tiles->n; t++) {
        int32_t up = tiles->parent[t];
        chosen[t] = weighed(best[t], by) < weighed(below_dot[t], by);
        wlu_price cheaper = chosen[t] ? best[t] : below_dot[t];
        if (up < 0) {
            wlu_price_add(&total, cheaper);
        } else {
            wlu_price_add(&below_dot[up], below_dot[t]);
            wlu_price_add(&best[up], cheaper);
        }
    }
    for (int32_t t = tiles->n - 1; t >= 0; t--)
        if (tiles->parent[t] >= 0 && !chosen[tiles->parent[t]]) chosen[t] = 0;
    return total;
}

static warplu_status choose_by_work(wlu_context *ctx, const wlu_cost *cost, const wlu_tile_tree *tiles, wlu_price fixed,
                                    double max_bytes, uint8_t *chosen, wlu_region_time *out)
{
    wlu_price *below_dot = WLU_ALLOC(ctx, 2 * (int64_t)tiles->n, wlu_price);
    if (below_dot == NULL) return wlu_fail_memory(ctx, "choice of tiles");
    wlu_price *best = below_dot + tiles->n;
    wlu_price total = choose(tiles, (weights){0}, below_dot, best, chosen);
    weights by = {.far_share = wlu_cost_far_share(cost, total.rows)};
    if (by.far_share > 0.0) total = choose(tiles, by, below_dot, best, chosen);
    for (double dearer = CHEAPEST_BYTE; total.bytes + fixed.bytes > max_bytes && dearer <= DEAREST_BYTE;
         dearer *= 4.0) {
        by.per_byte = dearer;
        total = choose(tiles, by, below_dot, best, chosen);
    }
    wlu_price_add(&total, fixed);
    by.per_byte = 0.0;
    *out = (wlu_region_time){.ns = weighed(total, by), .bytes = total.bytes};
    wlu_free(ctx, below_dot);
    return WARPLU_SUCCESS;
}

warplu_status wlu_region_choose(wlu_context *ctx, const wlu_cost *cost, const wlu_tile_tree *tiles, wlu_price fixed,
                                double max_bytes, uint8_t *chosen, wlu_region_time *out)
{
    if (wlu_target_is_latency_bound(cost)) {
        wlu_path_time time;
        int fits;
        warplu_status status = wlu_region_search(ctx, cost, tiles, fixed, max_bytes, chosen, &time, &fits);
        if (status < 0) return status;
        if (fits) {
            *out = (wlu_region_time){time.work.ns, time.path_ns, time.work.bytes};
            return status;
        }
    }
    return choose_by_work(ctx, cost, tiles, fixed, max_bytes, chosen, out);
}
