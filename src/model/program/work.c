/* Copies operations and fuses products with sums. See work.h. O(nodes). */
#include "model/program/work.h"

int wlm_is_operation(const wlm_work *work, wlm_node node)
{
    return work->leaf[node] < 0 && work->of[node].opcode != WLM_CONSTANT;
}

int wlm_work_operands(const wlm_work *work, wlm_node node)
{
    return wlm_is_operation(work, node) ? wlm_opcode_operands((wlm_opcode)work->of[node].opcode) : 0;
}

void wlm_count_uses(wlm_work *work, const wlm_node *outputs, int32_t output_count)
{
    for (wlm_node i = 0; i < work->count; i++) work->uses[i] = 0;
    for (int32_t i = 0; i < output_count; i++) work->uses[outputs[i]]++;
    for (wlm_node node = work->count - 1; node >= 0; node--) {
        if (work->uses[node] == 0) continue;
        int operands = wlm_work_operands(work, node);
        for (int k = 0; k < operands; k++) work->uses[work->of[node].operand[k]]++;
    }
}

static int product_of_one(const wlm_work *w, wlm_node node)
{
    return w->of[node].opcode == WLM_MUL && w->uses[node] == 1;
}

static void take_in(wlm_work *w, wlm_node sum, wlm_opcode opcode, wlm_node product, wlm_node rest)
{
    const wlm_work_item *p = &w->of[product];
    w->of[sum] = (wlm_work_item){opcode, {p->operand[0], p->operand[1], rest}, NULL};
    w->uses[product] = 0;
}

/* Fuses a b + c and c - a b; there is no instruction for a b - c. */
static void fuse(wlm_work *w)
{
    for (wlm_node node = 0; node < w->count; node++) {
        const wlm_work_item *of = &w->of[node];
        if (w->uses[node] == 0 || (of->opcode != WLM_ADD && of->opcode != WLM_SUB)) continue;
        wlm_node a = of->operand[0], b = of->operand[1];
        if (product_of_one(w, b))
            take_in(w, node, of->opcode == WLM_ADD ? WLM_FMA : WLM_FNMA, b, a);
        else if (of->opcode == WLM_ADD && product_of_one(w, a))
            take_in(w, node, WLM_FMA, a, b);
    }
}

static warplu_status check_outputs(const wlm_work *w, const wlm_node *outputs, int32_t output_count)
{
    for (int32_t i = 0; i < output_count; i++)
        if (outputs[i] < 0 || outputs[i] >= w->count)
            return wlu_fail(w->ctx, WARPLU_INVALID_ARGUMENT, "program: output %d is node %d of %d", i, outputs[i],
                            w->count);
    return WARPLU_SUCCESS;
}

static void load(wlm_work *w)
{
    for (wlm_node node = 0; node < w->count; node++) {
        wlm_opcode opcode = wlm_node_opcode(w->graph, node);
        w->of[node].opcode = opcode;
        w->of[node].table = wlm_node_table(w->graph, node);
        for (int k = 0; k < 3; k++) w->of[node].operand[k] = wlm_node_operand(w->graph, node, k);
        w->leaf[node] = opcode == WLM_INPUT ? wlm_node_input(w->graph, node) : -1;
    }
}

static warplu_status check_inputs(const wlm_work *w)
{
    for (wlm_node node = 0; node < w->count; node++) {
        if (w->of[node].opcode != WLM_INPUT || w->uses[node] == 0) continue;
        if (w->leaf[node] < 0 || w->leaf[node] >= w->inputs)
            return wlu_fail(w->ctx, WARPLU_INVALID_ARGUMENT, "program: input %d is needed, of %d", w->leaf[node],
                            w->inputs);
    }
    return WARPLU_SUCCESS;
}

warplu_status wlm_work_create(wlm_work *work, const wlm_graph *graph, const wlm_node *outputs, int32_t output_count,
                              int32_t inputs)
{
    wlu_context *ctx = wlm_graph_context(graph);
    *work = (wlm_work){.ctx = ctx, .graph = graph, .count = wlm_node_count(graph), .inputs = inputs};
    warplu_status status = wlm_graph_status(graph);
    if (status == WARPLU_SUCCESS) status = check_outputs(work, outputs, output_count);
    if (status != WARPLU_SUCCESS) return status;
    work->of = WLU_ALLOC(ctx, work->count, wlm_work_item);
    work->leaf = WLU_ALLOC(ctx, work->count, int32_t);
    work->uses = WLU_ALLOC(ctx, work->count, int32_t);
    if (work->of == NULL || work->leaf == NULL || work->uses == NULL) {
        wlm_work_free(work);
        return wlu_fail_memory(ctx, "program");
    }
    load(work);
    wlm_count_uses(work, outputs, output_count);
    status = check_inputs(work);
    if (status == WARPLU_SUCCESS)
        fuse(work);
    else
        wlm_work_free(work);
    return status;
}

void wlm_work_free(wlm_work *work)
{
    wlu_free(work->ctx, work->of);
    wlu_free(work->ctx, work->leaf);
    wlu_free(work->ctx, work->uses);
    work->of = NULL;
    work->leaf = work->uses = NULL;
}
