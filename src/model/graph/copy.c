/* Copies and marks the parts of graphs that some nodes need. O(nodes of the graph). */
#include <string.h>

#include "model/graph/graph.h"

void wlm_graph_mark(const wlm_graph *graph, const wlm_node *wanted, int32_t wanted_count, unsigned char *needed)
{
    int32_t count = wlm_node_count(graph);
    memset(needed, 0, (size_t)count);
    for (int32_t i = 0; i < wanted_count; i++)
        if (wanted[i] != WLM_NONE) needed[wanted[i]] = 1;
    for (wlm_node node = count - 1; node >= 0; node--)
        if (needed[node])
            for (int k = 0; k < wlm_opcode_operands(wlm_node_opcode(graph, node)); k++)
                needed[wlm_node_operand(graph, node, k)] = 1;
}

warplu_status wlm_graph_reads(const wlm_graph *graph, const wlm_node *wanted, int32_t wanted_count, int32_t inputs,
                              unsigned char *reads)
{
    wlu_context *ctx = wlm_graph_context(graph);
    int32_t count = wlm_node_count(graph);
    unsigned char *needed = WLU_ALLOC(ctx, count, unsigned char);
    if (needed == NULL) return wlu_fail_memory(ctx, "equations");
    if (inputs > 0) memset(reads, 0, (size_t)inputs);
    wlm_graph_mark(graph, wanted, wanted_count, needed);
    for (wlm_node node = 0; node < count; node++)
        if (needed[node] && wlm_node_opcode(graph, node) == WLM_INPUT && wlm_node_input(graph, node) < inputs)
            reads[wlm_node_input(graph, node)] = 1;
    wlu_free(ctx, needed);
    return WARPLU_SUCCESS;
}

static wlm_node copy_of(const wlm_graph *from, wlm_graph *to, const wlm_node *inputs, int32_t input_count,
                        const wlm_node *copies, wlm_node node)
{
    wlm_opcode opcode = wlm_node_opcode(from, node);
    if (opcode == WLM_CONSTANT) return wlm_constant(to, wlm_node_value(from, node));
    if (opcode == WLM_INPUT) {
        int32_t number = wlm_node_input(from, node);
        return number < input_count && inputs[number] != WLM_NONE ? inputs[number] : wlm_input(to, number);
    }
    wlm_node operand[3] = {WLM_NONE, WLM_NONE, WLM_NONE};
    for (int k = 0; k < wlm_opcode_operands(opcode); k++) operand[k] = copies[wlm_node_operand(from, node, k)];
    const wlm_table *table = wlm_node_table(from, node);
    if (table != NULL) return wlm_read_table(to, opcode, table, operand[0], operand[1]);
    return wlm_make(to, opcode, operand[0], operand[1], operand[2]);
}

warplu_status wlm_graph_copy(const wlm_graph *from, wlm_graph *to, const wlm_node *inputs, int32_t input_count,
                             const wlm_node *wanted, int32_t wanted_count, wlm_node *out)
{
    wlu_context *ctx = wlm_graph_context(to);
    int32_t count = wlm_node_count(from);
    unsigned char *needed = WLU_ALLOC(ctx, count, unsigned char);
    wlm_node *copies = WLU_ALLOC(ctx, count, wlm_node);
    warplu_status status = needed == NULL || copies == NULL ? wlu_fail_memory(ctx, "equations") : WARPLU_SUCCESS;
    if (status == WARPLU_SUCCESS) {
        wlm_graph_mark(from, wanted, wanted_count, needed);
        for (wlm_node node = 0; node < count; node++)
            if (needed[node]) copies[node] = copy_of(from, to, inputs, input_count, copies, node);
        for (int32_t i = 0; i < wanted_count; i++) out[i] = wanted[i] == WLM_NONE ? WLM_NONE : copies[wanted[i]];
        status = wlm_graph_status(to);
    }
    wlu_free(ctx, needed);
    wlu_free(ctx, copies);
    return status;
}
