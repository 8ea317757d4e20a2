/* What a factorization takes, from the patterns of its factors: the tree, its tiles and their prices.
 *
 * Where pivots are known, counts need not be estimated: rows of panels are the union of their pivots' rows, and each
 * source is priced with the pivots that update its target. Used to compare pivots (pivot/attempts.h) and to compile
 * (lu/symbolic.h). O(entries of L and U). */
#ifndef WLU_COST_PATTERNS_H
#define WLU_COST_PATTERNS_H

#include "cost/tiles.h"
#include "cost/tree.h"

/* Forms the tiles of these factors, with all prices, and where paths count targets and paths. work: n, or NULL; of each
 * tile, what eliminating it takes, its sources being priced here and not there. WARPLU_OUT_OF_MEMORY; the caller frees
 * *tree and *tiles, whatever is returned. */
warplu_status wlu_patterns_form_tiles(wlu_context *ctx, const wlu_cost *cost, const wlu_patterns *patterns,
                                      wlu_tree *tree, wlu_tile_tree *tiles, double *work);

/* The predicted time of a refactorization, loads apart, by the best region; where paths count with a solve's.
 * WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_patterns_price(wlu_context *ctx, const wlu_cost *cost, const wlu_patterns *patterns, double *ns);

#endif
