/* Prices from counts. See price.h. */
#include "prep/price.h"

#include <string.h>

void wlu_sketch_tiles(wlu_sketch *s, int32_t *work)
{
    int32_t n = s->n, *heaviest = work, *width = work + n, *entries = work + 2 * (int64_t)n; /* by pivot, by tile */
    for (int32_t j = 0; j < n; j++) heaviest[j] = -1;
    s->ntiles = 0;
    for (int32_t j = 0; j < n; j++) {
        int32_t child = heaviest[j], up = s->parent[j], t = child >= 0 ? s->tile[child] : -1;
        s->follower[j] = -1;
        if (t >= 0 && width[t] < WLU_TILE_WIDTH &&
            wlu_tile_is_full(width[t] + 1, s->l[j], (double)entries[t] + s->l[j])) {
            s->follower[child] = j;
        } else {
            t = s->ntiles++;
            width[t] = entries[t] = 0;
        }
        s->tile[j] = t;
        width[t]++;
        entries[t] += s->l[j];
        if (up >= 0 && (heaviest[up] < 0 || s->l[j] + s->u[j] >= s->l[heaviest[up]] + s->u[heaviest[up]])) heaviest[up] = j;
    }
}

typedef struct pricing {
    const wlu_cost *cost;
    const wlu_sketch *s;
    wlu_price *dot, *best;    /* by tile: all below it and itself by DOT records; itself as a tile, the best of what is below */
    int32_t *height, *level_width; /* by pivot, by height */
    int32_t *width;           /* by tile, so far */
} pricing;

static void find_heights(pricing *p)
{
    const wlu_sketch *s = p->s;
    for (int32_t j = 0; j < s->n; j++) p->height[j] = p->level_width[j] = 0;
    for (int32_t j = 0; j < s->n; j++) {
        int32_t up = s->parent[j];
        p->level_width[p->height[j]]++;
        if (up >= 0 && p->height[up] <= p->height[j]) p->height[up] = p->height[j] + 1;
    }
}

/* All pivots, sources being out of the cache to this share. */
static wlu_price choose(pricing *p, double far_share)
{
    const wlu_sketch *s = p->s;
    wlu_price total = {0};
    memset(p->dot, 0, (size_t)s->ntiles * sizeof *p->dot);
    memset(p->best, 0, (size_t)s->ntiles * sizeof *p->best);
    memset(p->width, 0, (size_t)s->ntiles * sizeof *p->width);
    for (int32_t j = 0; j < s->n; j++) {
        int32_t t = s->tile[j], up = s->parent[j];
        wlu_price *dot = &p->dot[t], *best = &p->best[t];
        wlu_price_add(dot, wlu_cost_dots(p->cost, s->l[j], s->u[j], s->crowd * p->level_width[p->height[j]]));
        p->width[t]++;
        if (s->follower[j] >= 0) {
            wlu_price_add(best, wlu_cost_sources(p->cost, 0.0, s->l[j], s->targets[j]));
            continue;
        }
        wlu_price_add(best, wlu_cost_sources(p->cost, s->targets[j], s->l[j], s->targets[j]));
        wlu_price_add(best, wlu_cost_tile(p->cost, p->width[t], s->l[j]));
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

warplu_status wlu_sketch_price(wlu_context *ctx, const wlu_cost *cost, const wlu_sketch *s, double *ns)
{
    wlu_price *prices = WLU_ALLOC(ctx, 2 * (int64_t)s->ntiles, wlu_price);
    int32_t *work = WLU_ALLOC(ctx, 3 * (int64_t)s->n, int32_t);
    warplu_status status = WARPLU_SUCCESS;
    if (prices == NULL || work == NULL) {
        status = wlu_fail_memory(ctx, "prices");
    } else {
        pricing p = {cost, s, prices, prices + s->ntiles, work, work + s->n, work + 2 * (int64_t)s->n};
        find_heights(&p);
        wlu_price total = choose(&p, 0.0);
        double far_share = wlu_cost_far_share(cost, total.rows);
        if (far_share > 0.0) total = choose(&p, far_share);
        *ns = total.ns + far_share * total.far_ns;
    }
    wlu_free(ctx, prices);
    wlu_free(ctx, work);
    return status;
}
