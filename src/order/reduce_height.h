/* An equivalent order of smallest height: no fill outside the given order's own, shorter paths.
 *
 * Jess and Kees (IEEE Trans. Computers C-31, 1982): as long as the filled graph has vertices, eliminate in each step
 * all vertices that cause no further fill, one of each clique. Lewis, Peyton and Pothen (SIAM J. Sci. Stat. Comput. 10,
 * 1989) do this on a tree of the maximal cliques: a vertex that belongs to one clique only can go; a clique that is
 * reduced to what it shares with a neighbour in the tree is merged into that neighbour.
 *
 * O(entries of L) to find the cliques, O(their sizes) after that. */
#ifndef WLU_ORDER_REDUCE_HEIGHT_H
#define WLU_ORDER_REDUCE_HEIGHT_H

#include "order/order.h"

/* Writes the order to lower, and its height, or 0 where that is above `highest`: then lower is no order. order: of B +
 * B'; not the same array. parent: its elimination tree, by place (cost/predict.h). entries: those of L by the given
 * order, diagonal included, or more. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_order_reduce_height(wlu_context *ctx, const wlu_diagonal_block *block, const int32_t *order,
                                      const int32_t *parent, int64_t entries, int32_t highest, int32_t *lower,
                                      int32_t *height);

#endif
