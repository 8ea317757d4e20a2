/* The operations of a graph on their way into a program: a copy of the nodes that can be changed, where products
 * are fused with sums, and an order of those that outputs need. Private to this room. */
#ifndef WLU_MODEL_PROGRAM_WORK_H
#define WLU_MODEL_PROGRAM_WORK_H

#include "model/program/program.h"

typedef struct wlm_work_item {
    int32_t opcode;
    wlm_node operand[3];
    const wlm_table *table; /* NULL: it reads none */
} wlm_work_item;

typedef struct wlm_work {
    wlu_context *ctx;
    const wlm_graph *graph;
    int32_t count, inputs; /* nodes of the graph; inputs of the program */
    wlm_work_item *of;     /* count */
    int32_t *leaf;         /* count: the input slot that holds the node, or -1 */
    int32_t *uses;         /* count: operands and outputs that are this node */
} wlm_work;

/* Copies what outputs need, and fuses sums with products that nothing else reads. */
warplu_status wlm_work_create(wlm_work *work, const wlm_graph *graph, const wlm_node *outputs, int32_t output_count,
                              int32_t inputs);
void wlm_work_free(wlm_work *work);
/* Returns 1 where the node is computed: it is neither a constant nor an input. */
int wlm_is_operation(const wlm_work *work, wlm_node node);
/* Returns the number of operands that the node's operation has now. */
int wlm_work_operands(const wlm_work *work, wlm_node node);
/* Counts uses anew, from outputs down to leaves; 0 for what they do not need. */
void wlm_count_uses(wlm_work *work, const wlm_node *outputs, int32_t output_count);

/* Finds an order of the operations that outputs need, depth first: of several orders the one with the fewest
 * temporaries. `order` has room for all operations; *count are written. work->uses must be those of these outputs. */
warplu_status wlm_order(const wlm_work *work, const wlm_node *outputs, int32_t output_count, wlm_node *order,
                        int32_t *count);

/* Finds an order of the same operations that keeps more units of a processor busy (interleave.c); `to` has `count`. */
warplu_status wlm_interleave(const wlm_work *work, const wlm_node *order, int32_t count, wlm_node *to);

/* Makes the program of the ordered operations. */
warplu_status wlm_emit(wlm_work *work, const wlm_node *outputs, int32_t output_count, int32_t inputs,
                       wlm_program **out);

#endif
