/* Finds what a use's equations depend on: leaves that change in a run, the time, jumps. */
#include "model/system/bank_maker.h"

/* Returns 1 where the marked nodes have a leaf that changes in a run. */
static int has_leaf(const wlm_bank_maker *m, const unsigned char *needed, int with_time)
{
    for (wlm_node node = 0; node < wlm_node_count(m->graph); node++) {
        if (!needed[node] || wlm_node_opcode(m->graph, node) != WLM_INPUT) continue;
        int32_t leaf = wlm_node_input(m->graph, node);
        if (leaf >= m->kind->leaves) continue; /* factors */
        const wlm_leaf *l = &m->kind->leaf[leaf];
        if (l->type == WLM_LEAF_PARAMETER || (l->type == WLM_LEAF_TIME && !with_time)) continue;
        if (l->type == WLM_LEAF_PORT && wlm_layout_port(m->layout, m->use, l->index)->memory == WLM_MEMORY_FIXED)
            continue;
        return 1;
    }
    return 0;
}

warplu_status wlm_bank_vary(const wlm_bank_maker *m, const wlm_node *nodes, int32_t count, int with_time, int *out)
{
    unsigned char *needed = WLU_ALLOC(m->ctx, wlm_node_count(m->graph), unsigned char);
    if (needed == NULL) return wlu_fail_memory(m->ctx, m->kind->name);
    wlm_graph_mark(m->graph, nodes, count, needed);
    *out = has_leaf(m, needed, with_time);
    wlu_free(m->ctx, needed);
    return WARPLU_SUCCESS;
}

warplu_status wlm_bank_knows_time(const wlm_bank_maker *m, wlm_node node, int *out)
{
    unsigned char *needed = WLU_ALLOC(m->ctx, wlm_node_count(m->graph), unsigned char);
    if (needed == NULL) return wlu_fail_memory(m->ctx, m->kind->name);
    wlm_graph_mark(m->graph, &node, 1, needed);
    *out = 0;
    for (wlm_node k = 0; k < wlm_node_count(m->graph) && !*out; k++) {
        if (!needed[k] || wlm_node_opcode(m->graph, k) != WLM_INPUT) continue;
        int32_t leaf = wlm_node_input(m->graph, k);
        *out = leaf < m->kind->leaves && m->kind->leaf[leaf].type == WLM_LEAF_TIME;
    }
    wlu_free(m->ctx, needed);
    return WARPLU_SUCCESS;
}

/* Returns the node whose value decides where an operation jumps or branches, itself or its condition; else WLM_NONE. */
static wlm_node decides(const wlm_graph *graph, wlm_node node)
{
    wlm_opcode opcode = wlm_node_opcode(graph, node);
    if (opcode == WLM_SELECT) return wlm_node_operand(graph, node, 0);
    return wlm_opcode_is_smooth(opcode) ? WLM_NONE : node;
}

warplu_status wlm_bank_jump(const wlm_bank_maker *m, const wlm_node *nodes, int32_t count, int *out)
{
    int32_t size = wlm_node_count(m->graph);
    unsigned char *needed = WLU_ALLOC(m->ctx, size, unsigned char), *below = WLU_ALLOC(m->ctx, size, unsigned char);
    warplu_status status = needed == NULL || below == NULL ? wlu_fail_memory(m->ctx, m->kind->name) : WARPLU_SUCCESS;
    *out = 0;
    if (status == WARPLU_SUCCESS) wlm_graph_mark(m->graph, nodes, count, needed);
    for (wlm_node node = 0; status == WARPLU_SUCCESS && node < size && !*out; node++) {
        wlm_node by = needed[node] ? decides(m->graph, node) : WLM_NONE;
        if (by == WLM_NONE) continue;
        wlm_graph_mark(m->graph, &by, 1, below);
        *out = has_leaf(m, below, 0);
    }
    wlu_free(m->ctx, needed);
    wlu_free(m->ctx, below);
    return status;
}
