/* Derivatives of nodes with respect to inputs, as nodes of the same graph: forward mode on the graph (Wengert 1964;
 * Griewank and Walther, Evaluating Derivatives, 2nd ed., 2008, chapter 3), so that common terms of a function and its
 * derivatives are computed once.
 *
 * Each node has a sparse row: the inputs that it depends on, and the derivative by each. The pattern is that of the
 * graph: an entry that is absent is zero whatever the inputs are. Operations that jump (sign, floor, comparisons) have
 * derivative zero; of abs, min, max and select that of the branch which is taken. Cost: a few nodes for each entry of
 * the rows of what the wanted nodes need. */
#ifndef WLU_MODEL_GRAPH_DERIVE_H
#define WLU_MODEL_GRAPH_DERIVE_H

#include "model/graph/graph.h"

/* A matrix of nodes by rows: row i has entries ptr[i] to ptr[i + 1] - 1, columns ascending. */
typedef struct wlm_jacobian {
    int32_t rows, columns;
    int32_t *ptr; /* rows + 1 */
    int32_t *idx; /* columns: numbers of inputs */
    wlm_node *node;
} wlm_jacobian;

/* Makes rows: row i has the derivatives of of[i] (WLM_NONE: an empty row) by inputs first to first + columns - 1, and
 * column j is input first + j. The caller owns *out until wlm_jacobian_free. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_derive(wlm_graph *graph, const wlm_node *of, int32_t rows, int32_t first, int32_t columns,
                         wlm_jacobian *out);
/* Frees a matrix; an empty one will do. */
void wlm_jacobian_free(wlu_context *ctx, wlm_jacobian *jacobian);
/* Takes out the entries of marked columns. */
void wlm_jacobian_leave_out(wlm_jacobian *jacobian, const unsigned char *marked);
/* Returns the node at row i and column j, or WLM_NONE. */
wlm_node wlm_jacobian_at(const wlm_jacobian *jacobian, int32_t i, int32_t j);

#endif
