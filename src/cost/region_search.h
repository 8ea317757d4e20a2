/* The TILE region for a target that executes at once all that is ready (wlu_target_is_latency_bound), and its time.
 *
 * Tiles, closed upwards in the elimination tree, in place of DOT records make paths shorter, and take more work where
 * the matrix is sparse. Time is made (wlu_cost_time) of the longest path, by an event simulation without limits on what
 * runs side by side, and of all work. A tile takes its sources in the order in which they are done
 * (program/simulate.h), from when the DOT records below it are; taken(g) = max(taken(g - 1), done(source g)) + time of
 * a source,    done = taken(last) + time of the tile. DOT pivots are closed downwards, so that their times do not
 * depend on the choice. To this comes what a solve takes, which regions of many narrow tiles one above the other
 * lengthen.
 *
 * A threshold makes the family of regions that is searched: tiles begin where the DOT records' path from the leaves
 * gets longer than it. O(sources + tiles log tiles) for a region, of some twenty; less where most tiles are near the
 * leaves, and where tiles that begin so late lead to no root before the best region so far is done. */
#ifndef WLU_COST_REGION_SEARCH_H
#define WLU_COST_REGION_SEARCH_H

#include "base/context.h"
#include "cost/cost.h"

/* Tiles, children before their parents. */
typedef struct wlu_tile_flow {
    int32_t n;
    const int32_t *parent; /* -1 at roots */
    const int32_t *width, *below;
    const double *dot_own;             /* what its pivots take on a path as DOT records, */
    const double *dot_done;            /* when the last is done if all below it are such: later than any of these */
    const wlu_price *as_dot, *as_tile; /* work by itself; of a tile, what it does as a source with it */
    const int64_t *target_ptr;         /* n + 1 */
    const int32_t *target;             /* tiles that each one updates */
} wlu_tile_flow;

typedef struct wlu_tile_flow_time {
    double path_ns;
    wlu_price work;
} wlu_tile_flow_time;

/* What a DOT pivot takes on a path, u entries of U above it: its own record, then one of its column of L. */
static inline double wlu_path_pivot(const wlu_cost *cost, int64_t u)
{
    return 2.0 * wlu_cost_chain(cost, u);
}

/* The best region found: chosen (n). fixed: work and bytes that no choice changes. No region of more than max_bytes in
 * all is taken; *fits is 0 where none was found. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_region_search(wlu_context *ctx, const wlu_cost *cost, const wlu_tile_flow *flow, wlu_price fixed,
                                double max_bytes, uint8_t *chosen, wlu_tile_flow_time *out, int *fits);
/* Time of a region, closed upwards. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_tile_flow_simulate(wlu_context *ctx, const wlu_cost *cost, const wlu_tile_flow *flow, uint8_t *chosen,
                                     wlu_tile_flow_time *out);

#endif
