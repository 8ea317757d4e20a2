/* Builds what all steps need: inputs and outputs of a graph under construction, the norm of an error, the factor of the
 * next length, and the LU of M * inverse - J with its health. These are nodes like any others, so lanes and devices
 * compute them alike. */
#include "model/step/build.h"

#include <string.h>

warplu_status wlm_build_begin(wlm_step_build *b, const wlm_derived *derived, const wlm_tolerance *asked,
                              const wlm_tolerance *of_steps, int32_t outputs)
{
    wlu_context *ctx = derived->ctx;
    *b = (wlm_step_build){.derived = derived, .asked = asked, .of_steps = of_steps, .n = derived->n};
    b->inputs = 1 + derived->n + derived->parameters;
    warplu_status status = wlm_graph_create(ctx, 0, &b->graph);
    b->output = WLU_ALLOC(ctx, outputs, wlm_node);
    b->work = WLU_ALLOC(ctx, (int64_t)(WLM_STAGES_MOST + 4) * derived->n, wlm_node);
    if (status == WARPLU_SUCCESS && (b->output == NULL || b->work == NULL)) status = wlu_fail_memory(ctx, "step");
    return status;
}

void wlm_build_end(wlm_step_build *b)
{
    if (b->derived == NULL) return;
    wlm_graph_destroy(&b->graph);
    wlu_free(b->derived->ctx, b->output);
    wlu_free(b->derived->ctx, b->work);
    b->derived = NULL;
}

wlm_node wlm_build_input(wlm_step_build *b)
{
    return wlm_input(b->graph, b->inputs++);
}

void wlm_build_output(wlm_step_build *b, wlm_node node)
{
    b->output[b->outputs++] = node;
}

warplu_status wlm_build_at(const wlm_step_build *b, wlm_node t, const wlm_node *y, const wlm_node *wanted,
                           int32_t count, wlm_node *out)
{
    wlm_node *inputs = WLU_ALLOC(b->derived->ctx, (int64_t)b->n + 1, wlm_node);
    if (inputs == NULL) return wlu_fail_memory(b->derived->ctx, "step");
    inputs[0] = t;
    memcpy(inputs + 1, y, (size_t)b->n * sizeof *y);
    warplu_status status = wlm_graph_copy(b->derived->graph, b->graph, inputs, b->n + 1, wanted, count, out);
    wlu_free(b->derived->ctx, inputs);
    return status;
}

static wlm_node scale_of(wlm_graph *g, const wlm_tolerance *by, wlm_node y, wlm_node other)
{
    wlm_node size = wlm_unary(g, WLM_ABS, y);
    if (other != WLM_NONE) size = wlm_binary(g, WLM_MAX, size, wlm_unary(g, WLM_ABS, other));
    return wlm_ternary(g, WLM_FMA, wlm_constant(g, by->relative), size, wlm_constant(g, by->absolute));
}

wlm_node wlm_build_norm(const wlm_step_build *b, const wlm_tolerance *by, const wlm_node *e, const wlm_node *y,
                        const wlm_node *other)
{
    wlm_graph *g = b->graph;
    wlm_node most = wlm_constant(g, 0.0);
    for (int32_t i = 0; i < b->n; i++) {
        if (e[i] == WLM_NONE) continue;
        wlm_node part = wlm_binary(g, WLM_DIV, e[i], scale_of(g, by, y[i], other != NULL ? other[i] : WLM_NONE));
        most = wlm_binary(g, WLM_MAX, most, wlm_unary(g, WLM_ABS, part));
    }
    return most;
}

wlm_node wlm_build_factor(const wlm_step_build *b, wlm_node norm, int order)
{
    wlm_graph *g = b->graph;
    wlm_node exponent = wlm_binary(g, WLM_MUL, wlm_unary(g, WLM_LOG, norm), wlm_constant(g, -1.0 / order));
    wlm_node factor = wlm_binary(g, WLM_MUL, wlm_unary(g, WLM_EXP, exponent), wlm_constant(g, WLM_FACTOR_SAFETY));
    factor = wlm_binary(g, WLM_MIN, factor, wlm_constant(g, WLM_FACTOR_MOST));
    return wlm_binary(g, WLM_MAX, factor, wlm_constant(g, WLM_FACTOR_LEAST));
}

warplu_status wlm_build_lu(const wlm_step_build *b, const wlm_node *m, const wlm_node *j, wlm_node inverse, wlm_lu **lu)
{
    const wlm_derived *d = b->derived;
    wlm_graph *g = b->graph;
    wlm_jacobian a = d->both;
    *lu = NULL;
    a.node = WLU_ALLOC(d->ctx, a.ptr[b->n], wlm_node);
    if (a.node == NULL) return wlu_fail_memory(d->ctx, "step");
    for (int32_t k = 0; k < a.ptr[b->n]; k++) {
        const int has_m = d->of_m[k] >= 0, has_j = d->of_j[k] >= 0;
        if (has_m) a.node[k] = wlm_binary(g, WLM_MUL, m[d->of_m[k]], inverse);
        if (has_j)
            a.node[k] = has_m ? wlm_binary(g, WLM_SUB, a.node[k], j[d->of_j[k]]) : wlm_unary(g, WLM_NEG, j[d->of_j[k]]);
    }
    warplu_status status = wlm_lu_create(g, &a, d->row, d->column, lu);
    wlu_free(d->ctx, a.node);
    return status;
}

wlm_node wlm_build_health(const wlm_step_build *b, const wlm_node *m, const wlm_lu *lu)
{
    wlm_graph *g = b->graph;
    const wlm_jacobian *pm = &b->derived->m;
    wlm_node sign = lu->sign;
    int may_be_none = 0;
    for (int32_t i = 0; i < b->n; i++) {
        if (pm->ptr[i + 1] - pm->ptr[i] != 1 || pm->idx[pm->ptr[i]] != i) return lu->health;
        const wlm_node capacity = m[pm->ptr[i]];
        may_be_none |= wlm_node_opcode(g, capacity) != WLM_CONSTANT;
        sign = wlm_binary(g, WLM_MUL, sign, wlm_unary(g, WLM_SIGN, capacity));
    }
    const wlm_node zero = wlm_constant(g, 0.0);
    if (may_be_none) /* a capacity that is nothing has no sign */
        sign = wlm_ternary(g, WLM_SELECT, wlm_binary(g, WLM_EQ, sign, zero), wlm_constant(g, 1.0), sign);
    return wlm_binary(g, WLM_MIN, lu->health, sign);
}
