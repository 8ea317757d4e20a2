/* Finds which nodes may be no numbers because what they are made of leaves what a function is defined for: roots,
 * logarithms, arcs and powers of what moves. */
#include <math.h>

#include "model/graph/graph.h"

static int is_limited(const wlm_graph *graph, wlm_node node)
{
    const wlm_opcode opcode = wlm_node_opcode(graph, node);
    if (opcode == WLM_POW) {
        const wlm_node exponent = wlm_node_operand(graph, node, 1);
        return wlm_node_opcode(graph, exponent) != WLM_CONSTANT ||
               wlm_node_value(graph, exponent) != floor(wlm_node_value(graph, exponent));
    }
    return opcode == WLM_SQRT || opcode == WLM_RSQRT || opcode == WLM_LOG || opcode == WLM_LOG10 ||
           opcode == WLM_LOG1P || opcode == WLM_ASIN || opcode == WLM_ACOS;
}

void wlm_graph_find_domains(const wlm_graph *graph, const unsigned char *moves, int32_t inputs, unsigned char *facts)
{
    for (wlm_node k = 0; k < wlm_node_count(graph); k++) {
        const wlm_opcode opcode = wlm_node_opcode(graph, k);
        facts[k] = opcode == WLM_INPUT && wlm_node_input(graph, k) < inputs && moves[wlm_node_input(graph, k)];
        for (int i = 0; i < wlm_opcode_operands(opcode); i++) facts[k] |= facts[wlm_node_operand(graph, k, i)];
        if ((facts[k] & WLM_MOVES) && is_limited(graph, k)) facts[k] |= WLM_MAY_BE_NONE;
    }
}
