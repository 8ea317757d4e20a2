/* Price of a refactorization from what is known of each pivot: its parent in the elimination tree and how many entries
 * L and U have there. What the compiler will choose later for the pattern itself (lu/symbolic.h) is chosen here
 * for the counts: tiles along paths of the tree, and above a cut through it tiles in place of DOT records. O(n). */
#ifndef WLU_COST_PRICE_H
#define WLU_COST_PRICE_H

#include "base/context.h"
#include "cost/cost.h"

/* Children come before their parents. */
typedef struct wlu_tree_counts {
    int32_t n;
    const int32_t *parent; /* -1 at roots */
    const int32_t *l, *u;  /* entries of L below each pivot, of U beside it */
    int32_t *tile;         /* of each pivot; */
    int32_t *follower;     /* the pivot after it in its tile, -1 */
    int32_t *targets;      /* other tiles that each pivot updates */
    int32_t ntiles;        /* tiles in the order of their last pivots */
    double crowd;          /* pivots of the whole matrix to each one here: those of other blocks share its levels */
    /* where paths count (wlu_target_is_latency_bound): */
    int64_t *target_ptr; /* ntiles + 1 */
    int32_t *target;     /* tiles that each tile updates */
    uint8_t *chosen;     /* ntiles: out, whether it is one of the TILE region; NULL where nobody asks */
} wlu_tree_counts;

/* Fills in tile and follower: a pivot joins the tile of its child with most entries, or where paths count,
 * of its highest one. work: 3 n int32, 4 n where paths count. */
void wlu_tree_counts_tiles(const wlu_cost *cost, wlu_tree_counts *s, int32_t *work);
/* All pivots, without loads: work, and the longest path where paths count. wlu_cost_time makes a time of them. */
typedef struct wlu_tree_counts_time {
    double ns, path_ns;
} wlu_tree_counts_time;

/* WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_tree_counts_price(wlu_context *ctx, const wlu_cost *cost, const wlu_tree_counts *s,
                                    wlu_tree_counts_time *out);

#endif
