/* An equivalent order of smallest height: no fill outside the order's own, shorter paths.
 *
 * Jess and Kees (IEEE Trans. Computers C-31, 1982): in the filled graph, as long as there are vertices, all that can be
 * eliminated without further fill are, one of each clique. As Lewis, Peyton and Pothen have it (SIAM J. Sci. Stat.
 * Comput. 10, 1989), on a tree of the maximal cliques: a vertex of only one clique can go; a clique that has come down
 * to what it shares with a neighbour in the tree is that neighbour's.
 *
 * O(entries of L) to find the cliques, O(their sizes) after that. */
#ifndef WLU_ORDER_REDUCE_HEIGHT_H
#define WLU_ORDER_REDUCE_HEIGHT_H

#include "order/order.h"

/* lower: an order of B + B'. entries: those of L by the order given, diagonal included, or more. The two orders may not
 * be one array. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_order_reduce_height(wlu_context *ctx, const wlu_diagonal_block *block, const int32_t *order,
                                      int64_t entries, int32_t *lower);

#endif
