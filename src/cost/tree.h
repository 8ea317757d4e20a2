/* The elimination tree: parents, heights, heaviest children and postorders.
 *
 * The tree of a symmetric pattern (Liu, SIAM J. Matrix Anal. Appl. 11, 1990), or of L + U made symmetric. Whatever
 * depends on a pivot is one of its ancestors, so that pivots in any postorder, subtree by subtree, are an order of
 * elimination with the same L and U. Nodes are numbered in an order of elimination: parents come after their children.
 *
 * wlu_tree_climb is the one step that all trees are built by: of a block from its graph (cost/predict.h), of the
 * factors from their patterns (here), of tiles from their rows (exec/device/tile_paths.h). */
#ifndef WLU_COST_TREE_H
#define WLU_COST_TREE_H

#include "base/context.h"

/* Makes j the root of the tree that holds the earlier node i. ancestor: a shortcut to some node above, -1 at roots. */
static inline void wlu_tree_climb(int32_t *parent, int32_t *ancestor, int32_t i, int32_t j)
{
    while (i >= 0 && i != j) {
        int32_t above = ancestor[i];
        ancestor[i] = j;
        if (above < 0) parent[i] = j;
        i = above;
    }
}

/* Nodes on the longest path from each node down to a leaf. Returns the largest; 0 where n is. O(n). */
int32_t wlu_tree_heights(int32_t n, const int32_t *parent, int32_t *height);

/* The child that has the most entries of L and U (l, u: of each node), or where height is not NULL is the highest; of
 * equals the latest; -1 at leaves. A tile of a node may continue that of this child. O(n). */
void wlu_tree_heaviest_children(int32_t n, const int32_t *parent, const int32_t *l, const int32_t *u,
                                const int32_t *height, int32_t *heaviest);

/* Places in a postorder: roots ascend, so do the children of a node, but its heaviest comes last, just before it.
 * heaviest: NULL for none; size: n, out, nodes of each subtree; work: n. O(n), without a stack. */
void wlu_tree_postorder(int32_t n, const int32_t *parent, const int32_t *heaviest, int32_t *size, int32_t *work,
                        int32_t *rank);

/* Patterns of the factors by columns, in positions: L below the diagonal, U above it within the block, F in earlier
 * blocks; rows ascend. */
typedef struct wlu_patterns {
    int32_t n, nblocks;
    const int32_t *block; /* nblocks + 1 */
    const int64_t *lp, *up, *fp;
    const int32_t *li, *ui, *fi;
} wlu_patterns;

typedef struct wlu_tree {
    int32_t *parent;   /* n: -1 at roots */
    int32_t *height;   /* n: nodes on the longest path down to a leaf */
    int32_t *heaviest; /* n: child, -1 at leaves */
    int32_t *order;    /* n: nodes in the postorder with heaviest children last; diagonal blocks stay in their order */
    int32_t *l, *u;    /* n: entries of each column of L, of each row of U */
} wlu_tree;

/* The tree of all dependences. paths: the heaviest child is the highest. O(entries of L and U) time, nearly; 16 n of
 * workspace, and unless U is L', whose columns then have their parents for first rows, 4 bytes an entry of L.
 * WARPLU_OUT_OF_MEMORY: nothing owned. */
warplu_status wlu_tree_find(wlu_context *ctx, const wlu_patterns *patterns, int paths, wlu_tree *out);
/* Takes zeros. */
void wlu_tree_free(wlu_context *ctx, wlu_tree *tree);

#endif
