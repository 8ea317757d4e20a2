/* Builds what all steps need: inputs and outputs of a graph under construction, the norm of an error, the factor of the
 * next length, and the LU of M * inverse - J with its health. These are nodes like any others, so lanes and devices
 * compute them alike. */
#include "model/step/build.h"

#include <math.h>
#include <string.h>

#include "model/step/pivots.h"

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

/* M inverse - J by rows: nodes, and samples with numbers in place of inverse. */
typedef struct sum {
    const wlm_node *m, *j;
    wlm_node inverse;
    wlm_jacobian a;
    double *value[WLM_PIVOT_SAMPLES], by[WLM_PIVOT_SAMPLES];
} sum;

/* Adds row i, at columns ascending. */
static void add_row(const wlm_step_build *b, sum *s, int32_t i)
{
    wlm_graph *g = b->graph;
    const wlm_derived *d = b->derived;
    const wlm_jacobian *pm = &d->m, *pj = &d->j;
    int32_t a = pm->ptr[i], c = pj->ptr[i], to = s->a.ptr[i];
    for (; a < pm->ptr[i + 1] || c < pj->ptr[i + 1]; to++) {
        const int32_t column_m = a < pm->ptr[i + 1] ? pm->idx[a] : INT32_MAX;
        const int32_t column_j = c < pj->ptr[i + 1] ? pj->idx[c] : INT32_MAX;
        const int has_m = column_m <= column_j, has_j = column_j <= column_m;
        wlm_node node = has_m ? wlm_binary(g, WLM_MUL, s->m[a], s->inverse) : WLM_NONE;
        if (has_j) node = has_m ? wlm_binary(g, WLM_SUB, node, s->j[c]) : wlm_unary(g, WLM_NEG, s->j[c]);
        s->a.idx[to] = has_m ? column_m : column_j;
        s->a.node[to] = node;
        for (int v = 0; v < WLM_PIVOT_SAMPLES && d->m_value != NULL; v++)
            s->value[v][to] = (has_m ? d->m_value[a] * s->by[v] : 0.0) - (has_j ? d->j_value[c] : 0.0);
        a += has_m, c += has_j;
    }
    s->a.ptr[i + 1] = to;
}

static double largest(const double *value, int32_t count)
{
    double most = 0.0;
    for (int32_t k = 0; k < count; k++) most = fmax(most, fabs(value[k]));
    return most;
}

/* Lengths of samples: where both matrices are alike, and far shorter. */
static void choose_samples(const wlm_derived *d, sum *s)
{
    const double m = largest(d->m_value, d->m.ptr[d->n]), j = largest(d->j_value, d->j.ptr[d->n]);
    s->by[0] = m > 0.0 && j > 0.0 ? 1.37 * j / m : 1.0; /* no number by which many systems are singular */
    s->by[1] = 0x1p20 * s->by[0];
}

warplu_status wlm_build_lu(const wlm_step_build *b, const wlm_node *m, const wlm_node *j, wlm_node inverse, wlm_lu **lu)
{
    const wlm_derived *d = b->derived;
    int32_t n = b->n;
    int64_t entries = (int64_t)d->m.ptr[n] + d->j.ptr[n];
    *lu = NULL;
    if (entries > INT32_MAX) return wlu_fail(d->ctx, WARPLU_OVERFLOW, "step: more than 2^31 - 1 derivatives");
    sum s = {.m = m, .j = j, .inverse = inverse, .a = {.rows = n, .columns = n}};
    s.a.ptr = WLU_ALLOC(d->ctx, (int64_t)n + 1, int32_t);
    s.a.idx = WLU_ALLOC(d->ctx, entries, int32_t);
    s.a.node = WLU_ALLOC(d->ctx, entries, wlm_node);
    s.value[0] = WLU_ALLOC(d->ctx, WLM_PIVOT_SAMPLES * entries, double);
    warplu_status status = WARPLU_SUCCESS;
    if (WLU_ALL_THERE(s.a.ptr, s.a.idx, s.a.node, s.value[0])) {
        s.value[1] = s.value[0] + entries;
        if (d->m_value != NULL) choose_samples(d, &s);
        s.a.ptr[0] = 0;
        for (int32_t i = 0; i < n; i++) add_row(b, &s, i);
        const double *const value[] = {s.value[0], s.value[1]};
        status = wlm_lu_create(b->graph, &s.a, &d->m, d->m_value != NULL ? value : NULL, lu);
    } else {
        status = wlu_fail_memory(d->ctx, "step");
    }
    wlu_free(d->ctx, s.value[0]);
    wlm_jacobian_free(d->ctx, &s.a);
    return status;
}

wlm_node wlm_build_health(const wlm_step_build *b, const wlm_node *m, const wlm_lu *lu)
{
    const wlm_jacobian *pm = &b->derived->m;
    wlm_node sign = lu->sign;
    for (int32_t i = 0; i < b->n; i++) {
        if (pm->ptr[i + 1] - pm->ptr[i] != 1 || pm->idx[pm->ptr[i]] != i) return lu->health;
        sign = wlm_binary(b->graph, WLM_MUL, sign, wlm_unary(b->graph, WLM_SIGN, m[pm->ptr[i]]));
    }
    return wlm_binary(b->graph, WLM_MIN, lu->health, sign);
}
