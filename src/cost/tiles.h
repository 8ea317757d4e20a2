/* Tiles: supernodes of at most WLU_TILE_WIDTH pivots, and what each takes as a tile and as DOT records.
 *
 * A tile is a path in the elimination tree whose pivots are eliminated together: a fundamental supernode, cut or merged
 * to the width of a register (relaxed supernodes: Ashcraft and Grimes, ACM TOMS 15, 1989), explicit zeros being allowed
 * up to a share of its panel. Every pivot belongs to one. A pivot joins the tile of its heaviest child
 * (cost/tree.h) while the zeros stay few.
 *
 * Tiles are formed here alone, from what is known of the pivots: from counts, before there is a factor
 * (cost/predict.h), or from the patterns of the factors (cost/patterns.h). Whoever knows adds what tiles take as
 * sources and, where paths count, whom they update; cost/region.h chooses. */
#ifndef WLU_COST_TILES_H
#define WLU_COST_TILES_H

#include "base/context.h"
#include "cost/cost.h"

/* What is known of the pivots, children before their parents. */
typedef struct wlu_elimination {
    int32_t n;
    const int32_t *order; /* a postorder with heaviest children last; NULL: the pivots as they are numbered */
    const int32_t *parent, *height, *heaviest; /* the tree (cost/tree.h) */
    const int32_t *l, *u;                      /* entries of L below each pivot, of U beside it */
    const int64_t *lp;                         /* the pattern of L, with an order; NULL: its counts alone are known, */
    const int32_t *li;                         /* and each column's rows are taken to be those of its children */
    double crowd; /* pivots of the whole matrix to each one here: those of other blocks share its levels */
} wlu_elimination;

/* Numbered in the order of their last pivots: children before their parents. */
typedef struct wlu_tile_tree {
    int32_t n;                   /* tiles */
    int32_t *tile, *follower;    /* of each pivot: its tile; the pivot after it there, -1 */
    int32_t *parent;             /* of each tile, as all that follows: the tile of its last pivot's parent, -1 */
    int32_t *width, *below;      /* pivots; rows of L below them */
    wlu_price *as_dot, *as_tile; /* work by itself; of a tile, what it does as a source with it */
    /* Where paths count (wlu_target_is_latency_bound), else NULL: */
    double *dot_own;     /* what its pivots take on a path as DOT records, */
    double *dot_done;    /* when the last is done if all below it are such: later than any of these */
    int64_t *target_ptr; /* n + 1: in target */
    int32_t *target;     /* tiles that each one updates */
} wlu_tile_tree;

/* Forms the tiles, with what they take as DOT records; as_tile is zero. O(n), and entries of L where patterns are
 * known; 28 n bytes of workspace. WARPLU_OUT_OF_MEMORY; the caller frees *out, whatever is returned. */
warplu_status wlu_tiles_form(wlu_context *ctx, const wlu_cost *cost, const wlu_elimination *e, wlu_tile_tree *out);

/* Where paths count: dot_own and dot_done. above: entries of U above each pivot. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_tiles_find_dot_paths(wlu_context *ctx, const wlu_cost *cost, const wlu_elimination *e,
                                       const int32_t *above, wlu_tile_tree *tiles);

/* Takes zeros. */
void wlu_tiles_free(wlu_context *ctx, wlu_tile_tree *tiles);

#endif
