/* The TILE region: which tiles are compiled as tiles, and what a refactorization takes then.
 *
 * The region is closed upwards in the tree: what depends on one of its tiles is in it. Where work is all that counts,
 * it is the set that costs least together with the DOT records of all other pivots, found exactly by dynamic
 * programming from the leaves to the roots, under a price for bytes where the bound on them asks for one: O(tiles) for
 * each of up to fifteen prices. Where paths count, cost/region_search.h finds it by simulated time. */
#ifndef WLU_COST_REGION_H
#define WLU_COST_REGION_H

#include "cost/tiles.h"

typedef struct wlu_region_time {
    double ns;      /* all work */
    double path_ns; /* the longest path, where paths count; wlu_cost_time makes a time of both */
    double bytes;   /* of the program, as far as the prices know them */
} wlu_region_time;

/* chosen: a flag for each tile. fixed: work and bytes that no choice changes. Where no region is within max_bytes, out
 * holds the smallest one. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_region_choose(wlu_context *ctx, const wlu_cost *cost, const wlu_tile_tree *tiles, wlu_price fixed,
                                double max_bytes, uint8_t *chosen, wlu_region_time *out);

#endif
