/* The trees of a graph's nodes, before they become bytecode: where they end, and how much each takes. */
#ifndef PHASES_TREES_H
#define PHASES_TREES_H

#include "model/graph/graph.h"

enum { WLM_NESTING_MOST = 2000 }; /* parentheses within parentheses: what recursion over trees is safe with */

/* Of each node of the graph. */
typedef struct wlm_trees {
    const wlm_graph *graph;
    int32_t *owner; /* the first definition that is this node, -1: none; inputs and constants have none */
    int32_t *stack; /* that the tree needs, its sums split wherever that helps */
    int32_t *depth; /* of nesting; a chain counts once */
    int64_t *words; /* at most; INT64_MAX / 4 and above: too many */
} wlm_trees;

/* definition: of each node, the first that it is, or -1. Frees nothing where it fails: WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_trees_create(wlu_context *ctx, const wlm_graph *graph, const int32_t *definition, wlm_trees *out);
void wlm_trees_free(wlu_context *ctx, wlm_trees *trees);

/* 1 where trees end: a constant, an input, a definition. */
int wlm_trees_ends(const wlm_trees *trees, wlm_node node);
/* Of an ADD or a MUL: the operand that continues its chain, 0 or 1; -1 where both are other terms. */
int wlm_trees_chain(const wlm_trees *trees, wlm_node node);

#endif
