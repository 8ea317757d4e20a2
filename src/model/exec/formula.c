/* Compiles nodes of a graph, runs them on one lane, and frees them. See formula.h. */
#include "model/exec/formula.h"

void wlm_formula_free(wlu_context *ctx, wlm_formula *formula)
{
    wlm_file_free(ctx, formula->file);
    wlm_code_destroy(ctx, &formula->code);
    wlm_program_destroy(ctx, &formula->program);
    *formula = (wlm_formula){0};
}

warplu_status wlm_formula_create(wlu_context *ctx, const char *what, const wlm_graph *graph, const wlm_node *nodes,
                                 int32_t count, int32_t inputs, wlm_formula *out)
{
    *out = (wlm_formula){0};
    warplu_status status = wlm_program_compile(graph, nodes, count, inputs, &out->program);
    if (status == WARPLU_SUCCESS) status = wlm_code_create(ctx, out->program, WLM_ISA_BEST, &out->code);
    if (status == WARPLU_SUCCESS) out->file = wlm_file_create(ctx, out->program);
    if (status == WARPLU_SUCCESS && out->file == NULL) status = wlu_fail_memory(ctx, what);
    if (status < 0) wlm_formula_free(ctx, out);
    return status;
}
