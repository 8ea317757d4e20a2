/* A candidate: rows and columns from the orders of a form's blocks, and its predictions. */
#ifndef WLU_ORDER_CANDIDATE_H
#define WLU_ORDER_CANDIDATE_H

#include "order/analysis.h"
#include "order/transversal.h"

/* Fills in *c, except for the ordering, matched, joined and order_ns. order: n, block-local orders of the form's
 * blocks, one after the other. lowers: on a latency-bound target they may be replaced by equivalent orders of smallest
 * height. The candidate owns row and col, on failure too. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_candidate_predict(wlu_context *ctx, const wlu_cost *cost, const wlu_pattern *a,
                                    const wlu_transversal *form, int lowers, int32_t *order, wlu_candidate *c);

#endif
