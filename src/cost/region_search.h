/* The TILE region for a target that executes at once all that is ready (wlu_target_is_latency_bound), and its time.
 *
 * Tiles, closed upwards in the elimination tree, in place of DOT records make paths shorter, and take more work
 * where the matrix is sparse. The time (wlu_cost_time) is made of the critical path, by an event simulation without
 * limits on what runs side by side, and of all work. A tile takes its sources in the order in which they are done
 * (lu/simulate.h), from when the DOT records below it are done:
 *     taken(g) = max(taken(g - 1), done(source g)) + time of a source
 *     done     = taken(last) + time of the tile
 * DOT pivots are closed downwards, so that their times do not depend on the choice. To this comes what a solve
 * takes; regions of many narrow tiles one above the other lengthen it.
 *
 * A threshold makes the family of regions that is searched: tiles begin where the DOT records' path from the leaves
 * gets longer than it. O(tiles) for all, and for each region, of some twenty, O(sources + tiles log
 * tiles) of its own; less where its work or a path that it cannot shorten takes too long already. */
#ifndef WLU_COST_REGION_SEARCH_H
#define WLU_COST_REGION_SEARCH_H

#include "cost/tiles.h"

typedef struct wlu_path_time {
    double path_ns;
    wlu_price work;
} wlu_path_time;

/* The best region found: chosen (n). fixed: work and bytes that no choice changes. No region of more than max_bytes in
 * all is taken; *fits is 0 where none was found. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_region_search(wlu_context *ctx, const wlu_cost *cost, const wlu_tile_tree *tiles, wlu_price fixed,
                                double max_bytes, uint8_t *chosen, wlu_path_time *out, int *fits);
/* Time of a region, closed upwards. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_region_simulate(wlu_context *ctx, const wlu_cost *cost, const wlu_tile_tree *tiles, uint8_t *chosen,
                                  wlu_path_time *out);

#endif
