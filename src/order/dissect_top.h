/* The top of a block: what remains when the low subtrees of a minimum degree order have been eliminated.
 *
 * Minimum degree is hard to beat where subtrees are low and columns short. Dissection pays above them, which is a small
 * part of the graph in circuits and networks. So low pivots are ordered by minimum degree and the top by METIS. This
 * takes a fraction of METIS's time for all, and several seeds can be tried in the time of one. The graph of the top is
 * that of the block, with a clique for each low subtree.
 *
 * O(nnz + n) and METIS, with at most TOP_COUNT entries for each low pivot. */
#ifndef WLU_ORDER_DISSECT_TOP_H
#define WLU_ORDER_DISSECT_TOP_H

#include "order/order.h"

typedef struct wlu_top {
    int32_t nlow;             /* pivots below the top; */
    int32_t *order;           /* all of the block: low ones in their order, then the top's by its numbers */
    int32_t *p, *i;           /* pattern of the top, an entry for each edge or two, rows ascending */
    wlu_diagonal_block block; /* a view of it */
} wlu_top;

enum { WLU_TOP_HEIGHT = 8, WLU_TOP_LOW_HEIGHT = 2 };

/* Finds the top. order: block-local, of minimum degree; parent: its elimination tree, by
 * place. highest: the most pivots on a path of the low subtrees.
 * WARPLU_OUT_OF_MEMORY: nothing owned. */
warplu_status wlu_top_find(wlu_context *ctx, const wlu_diagonal_block *block, const int32_t *order,
                           const int32_t *parent, int32_t highest, wlu_top *out);
/* Orders the low pivots, then the top by METIS. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW, WARPLU_NOT_COMPILED. */
warplu_status wlu_top_dissect(wlu_context *ctx, const wlu_top *top, int seed, int32_t *order);
void wlu_top_free(wlu_context *ctx, wlu_top *top);

#endif
