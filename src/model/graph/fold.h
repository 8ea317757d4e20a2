/* Folding and identities: what a new node is, where it is less than an operation. */
#ifndef WLU_MODEL_GRAPH_FOLD_H
#define WLU_MODEL_GRAPH_FOLD_H

#include "model/graph/graph.h"

/* The node that opcode(a, b, c) is equal to, where that is a constant, an operand or a simpler node; else WLM_NONE, and
 * the operation may have been rewritten into an equal one, with operands of commutative operations in ascending order. No
 * identity changes a result but the sign of a zero; none takes a NaN or an infinity away. */
wlm_node wlm_simplify(wlm_graph *graph, wlm_opcode *opcode, wlm_node *a, wlm_node *b, wlm_node *c);

#endif
