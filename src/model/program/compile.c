/* Compiles graphs into programs, whole or in two parts. See program.h. */
#include "model/program/work.h"

warplu_status wlm_program_compile(const wlm_graph *graph, const wlm_node *outputs, int32_t output_count, int32_t inputs,
                                  wlm_program **out)
{
    wlm_work work;
    *out = NULL;
    warplu_status status = wlm_work_create(&work, graph, outputs, output_count, inputs);
    if (status != WARPLU_SUCCESS) return status;
    status = wlm_emit(&work, outputs, output_count, inputs, out);
    wlm_work_free(&work);
    return status;
}

/* Sets varies[node] to 1 where the node depends on an input that is not fixed. */
static void mark_varying(const wlm_work *w, const unsigned char *fixed, unsigned char *varies)
{
    for (wlm_node node = 0; node < w->count; node++) {
        int operands = wlm_work_operands(w, node);
        varies[node] = w->of[node].opcode == WLM_INPUT && w->uses[node] > 0 && !fixed[w->leaf[node]];
        for (int k = 0; k < operands; k++) varies[node] |= varies[w->of[node].operand[k]];
    }
}

/* Lists the operations that do not vary and are outputs, or are read by one that varies, in ascending order. varies
 * becomes 2 there. */
static int32_t find_carried(const wlm_work *w, const wlm_node *outputs, int32_t output_count, unsigned char *varies,
                            wlm_node *carried)
{
    int32_t count = 0;
    for (int32_t i = 0; i < output_count; i++)
        if (varies[outputs[i]] == 0 && wlm_is_operation(w, outputs[i])) varies[outputs[i]] = 2;
    for (wlm_node node = 0; node < w->count; node++) {
        if (varies[node] != 1 || w->uses[node] == 0) continue;
        int operands = wlm_work_operands(w, node);
        for (int k = 0; k < operands; k++) {
            wlm_node a = w->of[node].operand[k];
            if (varies[a] == 0 && wlm_is_operation(w, a)) varies[a] = 2;
        }
    }
    for (wlm_node node = 0; node < w->count; node++)
        if (varies[node] == 2) carried[count++] = node;
    return count;
}

static warplu_status split(wlm_work *w, const wlm_node *outputs, int32_t output_count, const unsigned char *fixed,
                           unsigned char *varies, wlm_node *carried, wlm_program **once, wlm_program **body)
{
    wlm_count_uses(w, outputs, output_count);
    mark_varying(w, fixed, varies);
    int32_t count = find_carried(w, outputs, output_count, varies, carried);
    warplu_status status = wlm_emit(w, carried, count, w->inputs, once);
    if (status != WARPLU_SUCCESS) return status;
    for (int32_t i = 0; i < count; i++) w->leaf[carried[i]] = w->inputs + i;
    status = wlm_emit(w, outputs, output_count, w->inputs + count, body);
    if (status == WARPLU_SUCCESS && (*body)->slots < (*once)->slots) (*body)->slots = (*once)->slots;
    return status;
}

warplu_status wlm_program_split(const wlm_graph *graph, const wlm_node *outputs, int32_t output_count, int32_t inputs,
                                const unsigned char *fixed, wlm_program **once, wlm_program **body)
{
    wlm_work work;
    wlu_context *ctx = wlm_graph_context(graph);
    *once = *body = NULL;
    warplu_status status = wlm_work_create(&work, graph, outputs, output_count, inputs);
    if (status != WARPLU_SUCCESS) return status;
    unsigned char *varies = WLU_ALLOC(ctx, work.count, unsigned char);
    wlm_node *carried = WLU_ALLOC(ctx, work.count, wlm_node);
    status = varies != NULL && carried != NULL ? split(&work, outputs, output_count, fixed, varies, carried, once, body)
                                               : wlu_fail_memory(ctx, "program");
    wlu_free(ctx, varies);
    wlu_free(ctx, carried);
    wlm_work_free(&work);
    if (status != WARPLU_SUCCESS) {
        wlm_program_destroy(ctx, once);
        wlm_program_destroy(ctx, body);
    }
    return status;
}

void wlm_program_destroy(wlu_context *ctx, wlm_program **program)
{
    wlm_program *p = *program;
    if (p == NULL) return;
    wlu_free(ctx, p->instruction);
    wlu_free(ctx, p->constant);
    wlu_free(ctx, p->table);
    wlu_free(ctx, p);
    *program = NULL;
}
