/* The longest path of a solve, of orders or of pivots, and what it adds to a refactorization in the same call.
 *
 * A solve is a stream of records, one for each y and x that others are needed for, in levels; a block with enough
 * pivots in the TILE region solves for those at once, tile by tile. A block's y wait for what entries of F hold of the
 * x of later blocks, so that a block triangular form of thousands of tiny blocks, which takes hardly a path to factor,
 * may be one chain to solve. See lu/emit.h and lu/solve_regions.h for what is compiled. */
#ifndef WLU_COST_SOLVE_PATH_H
#define WLU_COST_SOLVE_PATH_H

#include "base/context.h"
#include "cost/cost.h"

/* All in positions. */
typedef struct wlu_solve_path {
    int32_t n, nblocks;
    const int32_t *block;  /* nblocks + 1 */
    const int32_t *parent; /* in the elimination tree of its block, a later position; -1 at roots */
    const int32_t *tile;   /* of the TILE region, numbered in each block; -1: none */
    const int64_t *fp;     /* n + 1: F by columns, */
    const int32_t *fi;     /* rows of earlier blocks */
} wlu_solve_path;

typedef struct wlu_solve_path_time {
    int32_t levels; /* of the longest path, tiles taking cost->path.solve_tile_levels each */
    int32_t wide;   /* of its levels, those with more records than a run of narrow levels takes */
    double ns;
} wlu_solve_path_time;

/* Where paths count. O(n + entries of F); 3 n int32 and one a level. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_solve_path_find(wlu_context *ctx, const wlu_cost *cost, const wlu_solve_path *chain,
                                  wlu_solve_path_time *out);

#endif
