/* Nodes of the equations as numbers, beside the initial values. Parameters of lanes are taken for numbers that are none
 * in particular. Cost: a program that runs once. */
#include <string.h>

#include "base/finite.h"
#include "model/exec/formula.h"
#include "model/method/pencil.h"
#include "model/step/derived.h"

/* What nodes are worth where the inputs have these values. */
static warplu_status compute(const wlm_derived *d, const wlm_node *nodes, int32_t count, const double *input,
                             double *out)
{
    int32_t inputs = 1 + d->n + d->parameters;
    wlm_formula formula;
    warplu_status status = wlm_formula_create(d->ctx, "step", d->graph, nodes, count, inputs, &formula);
    if (status < 0) return status;
    for (int32_t i = 0; i < inputs; i++) *wlm_formula_input(&formula, i) = input[i];
    wlm_formula_run(&formula);
    for (int32_t i = 0; i < count; i++) out[i] = wlm_formula_output(&formula, i);
    wlm_formula_free(d->ctx, &formula);
    return WARPLU_SUCCESS;
}

/* Inputs: a time, then y beside its initial values, then parameters. */
static warplu_status make_inputs(const wlm_derived *d, int which, double *input)
{
    const wlm_equations *e = d->equations;
    wlm_node *initial = WLU_ALLOC(d->ctx, d->n, wlm_node);
    if (initial == NULL) return wlu_fail_memory(d->ctx, "step");
    warplu_status status = wlm_graph_copy(e->graph, d->graph, NULL, 0, e->initial, d->n, initial);
    for (int32_t i = 0; i < d->n && status == WARPLU_SUCCESS; i++)
        if (initial[i] == WLM_NONE) initial[i] = wlm_constant(d->graph, 0.0);
    input[0] = 0.37 * which;
    for (int32_t i = 1; i <= d->n + d->parameters; i++) input[i] = wlm_pencil_beside(1.0, i);
    if (status == WARPLU_SUCCESS) status = wlm_graph_status(d->graph);
    if (status == WARPLU_SUCCESS) status = compute(d, initial, d->n, input, input + 1);
    for (int32_t i = 0; i < d->n; i++) input[1 + i] = wlm_pencil_at_state(input[1 + i], i, which);
    for (int32_t i = d->n + 1; i <= d->n + d->parameters && which > 0; i++)
        input[i] = wlm_pencil_beside(input[i], 7 * which + i);
    wlu_free(d->ctx, initial);
    return status;
}

warplu_status wlm_derived_evaluate(const wlm_derived *d, const wlm_node *nodes, int32_t count, int which, double *out)
{
    double *input = WLU_ALLOC(d->ctx, 1 + (int64_t)d->n + d->parameters, double);
    warplu_status status = input == NULL ? wlu_fail_memory(d->ctx, "step") : make_inputs(d, which, input);
    if (status == WARPLU_SUCCESS) status = compute(d, nodes, count, input, out);
    wlu_free(d->ctx, input);
    return status;
}

warplu_status wlm_derived_sample(wlm_derived *d)
{
    const int32_t ms = d->m.ptr[d->n], js = d->j.ptr[d->n];
    wlm_node *node = WLU_ALLOC(d->ctx, ms + js, wlm_node);
    d->m_value = WLU_ALLOC(d->ctx, ms + js, double);
    warplu_status status = WARPLU_SUCCESS;
    if (node == NULL || d->m_value == NULL) status = wlu_fail_memory(d->ctx, "step");
    if (status == WARPLU_SUCCESS) {
        memcpy(node, d->m.node, (size_t)ms * sizeof *node);
        memcpy(node + ms, d->j.node, (size_t)js * sizeof *node);
        status = wlm_derived_evaluate(d, node, ms + js, 0, d->m_value);
    }
    wlu_free(d->ctx, node);
    if (d->m_value != NULL) d->j_value = d->m_value + ms;
    if (status != WARPLU_SUCCESS || wlu_all_finite(d->m_value, ms + js)) return status;
    wlu_free(d->ctx, d->m_value);
    d->m_value = d->j_value = NULL;
    return WARPLU_SUCCESS;
}
