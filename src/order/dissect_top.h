/* The core of a block: what is left when the low subtrees of a minimum degree order have been eliminated.
 *
 * Minimum degree is hard to beat where subtrees are low and columns short; dissection is for what lies above, a
 * fraction of the graph in circuits and networks, so that an order of low pivots by minimum degree and of the core by
 * METIS comes at a fraction of METIS's time, and several draws at that of one. The core's graph is the block's, and a
 * clique for each low subtree.
 *
 * O(nnz + n) and METIS, with at most CORE_COUNT entries for each low pivot. */
#ifndef WLU_ORDER_DISSECT_TOP_H
#define WLU_ORDER_DISSECT_TOP_H

#include "order/order.h"

typedef struct wlu_top {
    int32_t nlow;             /* pivots below the core; */
    int32_t *order;           /* all of the block: low ones in their order, then the core's by its numbers */
    int32_t *p, *i;           /* pattern of the core, an entry for each edge or two, rows ascending */
    wlu_diagonal_block block; /* a view of it */
} wlu_top;

enum { WLU_TOP_HEIGHT = 8, WLU_TOP_LOW_HEIGHT = 2 };

/* order: block-local, of minimum degree. highest: pivots on a path of the low subtrees, at most. WARPLU_OUT_OF_MEMORY:
 * nothing owned. */
warplu_status wlu_top_find(wlu_context *ctx, const wlu_diagonal_block *block, const int32_t *order, int32_t highest,
                           wlu_top *out);
/* The low pivots, then the core by METIS. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW, WARPLU_NOT_COMPILED. */
warplu_status wlu_top_dissect(wlu_context *ctx, const wlu_top *core, int seed, int32_t *order);
void wlu_top_free(wlu_context *ctx, wlu_top *core);

#endif
