/* The elimination tree of the pivots: the tree of the pattern of L + U, made symmetric (Liu, SIAM J. Matrix Anal. Appl.
 * 11, 1990). Whatever depends on a pivot is one of its ancestors, so that pivots in any postorder, subtree by subtree,
 * are an order of elimination with the same L and U.
 *
 * O(entries of L and U) time, nearly; 4 bytes an entry of L and 12 n of workspace. */
#ifndef WLU_PIVOT_TREE_H
#define WLU_PIVOT_TREE_H

#include "pivot/pivots.h"

typedef struct wlu_tree {
    int32_t *parent; /* n: -1 at roots */
    int32_t *height; /* n: nodes on the longest path down to a leaf */
    int32_t *order;  /* n: a postorder; roots ascend, so that diagonal blocks stay in their order; the child with most
                        entries  comes last, just before its parent */
} wlu_tree;

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

/* u_row: n, entries of each row of U. paths: the highest child comes last instead, so that tiles lie along the longest
 * paths. WARPLU_OUT_OF_MEMORY: nothing owned. */
warplu_status wlu_tree_find(wlu_context *ctx, const wlu_pivots *pivots, const int32_t *u_row, int paths, wlu_tree *out);
void wlu_tree_free(wlu_context *ctx, wlu_tree *tree);

#endif
