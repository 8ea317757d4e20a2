/* Finds what a use's equations depend on: leaves that change in a run, the time, jumps. */
#include "model/system/bank_maker.h"

warplu_status wlm_bank_reads(const wlm_bank_maker *m, const wlm_node *nodes, int32_t count, unsigned types, int *out)
{
    unsigned char *reads = WLU_ALLOC(m->ctx, m->kind->leaves, unsigned char);
    if (reads == NULL) return wlu_fail_memory(m->ctx, m->kind->name);
    warplu_status status = wlm_graph_reads(m->graph, nodes, count, m->kind->leaves, reads);
    *out = 0;
    for (int32_t k = 0; k < m->kind->leaves && status == WARPLU_SUCCESS; k++) {
        const wlm_leaf *l = &m->kind->leaf[k];
        if (!reads[k] || (types >> l->type & 1) == 0) continue;
        *out |= l->type != WLM_LEAF_PORT || wlm_layout_port(m->layout, m->use, l->index)->memory != WLM_MEMORY_FIXED;
    }
    wlu_free(m->ctx, reads);
    return status;
}

/* Returns the node whose value decides where an operation jumps or branches, itself or its condition; else WLM_NONE. */
static wlm_node decides(const wlm_graph *graph, wlm_node node)
{
    wlm_opcode opcode = wlm_node_opcode(graph, node);
    if (opcode == WLM_SELECT) return wlm_node_operand(graph, node, 0);
    return wlm_opcode_course(opcode) == WLM_COURSE_SMOOTH ? WLM_NONE : node;
}

warplu_status wlm_bank_jump(const wlm_bank_maker *m, const wlm_node *nodes, int32_t count, int *out)
{
    int32_t size = wlm_node_count(m->graph), deciding = 0;
    unsigned char *needed = WLU_ALLOC(m->ctx, size, unsigned char);
    wlm_node *by = WLU_ALLOC(m->ctx, size, wlm_node);
    warplu_status status = WARPLU_SUCCESS;
    *out = 0;
    if (needed == NULL || by == NULL) {
        status = wlu_fail_memory(m->ctx, m->kind->name);
    } else {
        wlm_graph_mark(m->graph, nodes, count, needed);
        for (wlm_node node = 0; node < size; node++) {
            by[deciding] = needed[node] ? decides(m->graph, node) : WLM_NONE;
            deciding += by[deciding] != WLM_NONE;
        }
        if (deciding > 0) status = wlm_bank_reads(m, by, deciding, WLM_READS_UNKNOWNS, out);
    }
    wlu_free(m->ctx, needed);
    wlu_free(m->ctx, by);
    return status;
}
