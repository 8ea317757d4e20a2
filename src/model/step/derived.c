/* Copies the equations into a graph of their own, derives f and q by unknowns and time, and tells which rows break
 * what a kind of methods asks of M, by the line of the text that they come from. M is judged by its nodes, without
 * values: a derivative that needs an input above the parameters changes. */
#include "model/step/derived.h"

#include <string.h>

/* Takes out of df/dy what is by unknowns that rest: their changes are 0, whatever it is multiplied by. */
static void leave_out_resting(wlm_derived *d)
{
    for (int32_t i = 0; i < d->n; i++)
        d->rests[i] = wlm_node_is(d->graph, d->f[i], 0.0) && d->q[i] == wlm_input(d->graph, 1 + i);
    wlm_jacobian_leave_out(&d->j, d->rests);
}

static warplu_status derive(wlm_derived *d)
{
    wlm_jacobian by_time;
    int dependent = 0;
    warplu_status status = wlm_derive(d->graph, d->q, d->n, 1, d->n, &d->m);
    if (status == WARPLU_SUCCESS) status = wlm_derived_find_dependent(d, &dependent);
    if (status == WARPLU_SUCCESS && dependent) {
        wlm_jacobian_free(d->ctx, &d->m);
        status = wlm_derive(d->graph, d->q, d->n, 1, d->n, &d->m);
    }
    if (status == WARPLU_SUCCESS) status = wlm_derive(d->graph, d->f, d->n, 1, d->n, &d->j);
    if (status == WARPLU_SUCCESS) leave_out_resting(d);
    if (status == WARPLU_SUCCESS) status = wlm_derive(d->graph, d->f, d->n, 0, 1, &by_time);
    if (status != WARPLU_SUCCESS) return status;
    for (int32_t i = 0; i < d->n; i++) {
        d->by_time[i] = wlm_jacobian_at(&by_time, i, 0);
        if (wlm_node_is(d->graph, d->by_time[i], 0.0)) d->by_time[i] = WLM_NONE;
    }
    wlm_jacobian_free(d->ctx, &by_time);
    return wlm_graph_status(d->graph);
}

static warplu_status fill(wlm_derived *d)
{
    const wlm_equations *e = d->equations;
    const wlm_node *from[4] = {e->f, e->q, e->steady, e->tau};
    int32_t n = d->n;
    warplu_status status = wlm_graph_create(d->ctx, 0, &d->graph);
    d->f = WLU_ALLOC(d->ctx, 5 * (int64_t)n, wlm_node);
    if (status != WARPLU_SUCCESS) return status;
    d->held = WLU_CALLOC(d->ctx, n, unsigned char);
    d->rests = WLU_CALLOC(d->ctx, n, unsigned char);
    if (d->f == NULL || d->held == NULL || d->rests == NULL) return wlu_fail_memory(d->ctx, "step");
    d->q = d->f + n, d->steady = d->q + n, d->tau = d->steady + n, d->by_time = d->tau + n;
    for (int k = 0; k < 4; k++) memcpy(d->f + (int64_t)k * n, from[k], (size_t)n * sizeof *d->f);
    status = wlm_graph_copy(e->graph, d->graph, NULL, 0, d->f, 4 * n, d->f);
    if (status == WARPLU_SUCCESS) status = derive(d);
    for (int32_t i = 0; i < n; i++) d->algebraic += d->q[i] == WLM_NONE;
    return status;
}

warplu_status wlm_derived_create(const wlm_equations *equations, wlm_derived **out)
{
    wlu_context *ctx = equations->ctx;
    wlm_derived *d = WLU_CALLOC(ctx, 1, wlm_derived);
    *out = NULL;
    if (d == NULL) return wlu_fail_memory(ctx, "step");
    d->ctx = ctx, d->equations = equations;
    d->n = equations->n, d->parameters = equations->lane_parameters;
    warplu_status status = fill(d);
    if (status != WARPLU_SUCCESS) wlm_derived_destroy(&d);
    *out = d;
    return status;
}

void wlm_derived_destroy(wlm_derived **derived)
{
    wlm_derived *d = *derived;
    if (d == NULL) return;
    wlm_jacobian_free(d->ctx, &d->j);
    wlm_jacobian_free(d->ctx, &d->m);
    wlm_jacobian_free(d->ctx, &d->both);
    wlm_graph_destroy(&d->graph);
    wlu_free(d->ctx, d->f);
    wlu_free(d->ctx, d->of_m);
    wlu_free(d->ctx, d->row);
    wlu_free(d->ctx, d->m_value);
    wlu_free(d->ctx, d->held);
    wlu_free(d->ctx, d->rests);
    wlu_free(d->ctx, d);
    *derived = NULL;
}

static warplu_status refuse(const wlm_derived *d, int32_t row, const char *method, const char *why)
{
    wlm_place place = d->equations->place != NULL ? d->equations->place[row] : (wlm_place){.line = 0};
    const char *name = d->equations->name != NULL ? d->equations->name[row] : "?";
    return wlu_fail(d->ctx, WARPLU_MODEL_EQUATIONS,
                    "line " WLM_LINE_FORMAT ": %s cannot step %s, whose %s: take tr-bdf2", WLM_LINE(place), method,
                    name, why);
}

/* Returns 1 where nodes need an input up to number `last`: 0 is the time, others are unknowns. */
static int needs_input(const wlm_derived *d, const wlm_node *nodes, int32_t count, int32_t last, unsigned char *needed)
{
    wlm_graph_mark(d->graph, nodes, count, needed);
    for (wlm_node node = 0; node < wlm_node_count(d->graph); node++)
        if (needed[node] && wlm_node_opcode(d->graph, node) == WLM_INPUT && wlm_node_input(d->graph, node) <= last)
            return 1;
    return 0;
}

/* Sets *why where a row's charge has derivatives that change, or depends on time itself; NULL of others. */
static void judge_charge(const wlm_derived *d, int32_t row, unsigned char *needed, const char **why)
{
    int32_t first = d->m.ptr[row], count = d->m.ptr[row + 1] - first;
    *why = NULL;
    if (d->q[row] == WLM_NONE || wlm_node_opcode(d->graph, d->q[row]) == WLM_INPUT) return;
    if (needs_input(d, &d->q[row], 1, 0, needed)) *why = "charge changes with time";
    if (needs_input(d, d->m.node + first, count, d->n, needed)) *why = "charge has a capacity that changes";
}

warplu_status wlm_derived_needs_constant(const wlm_derived *derived, const char *method)
{
    const char *why = NULL;
    int32_t row = 0;
    unsigned char *needed = WLU_ALLOC(derived->ctx, wlm_node_count(derived->graph), unsigned char);
    if (needed == NULL) return wlu_fail_memory(derived->ctx, "step");
    for (; row < derived->n; row++) {
        judge_charge(derived, row, needed, &why);
        if (why != NULL) break;
    }
    wlu_free(derived->ctx, needed);
    return why != NULL ? refuse(derived, row, method, why) : WARPLU_SUCCESS;
}

warplu_status wlm_derived_needs_diagonal(const wlm_derived *derived, const char *method)
{
    const wlm_jacobian *m = &derived->m;
    for (int32_t i = 0; i < derived->n; i++) {
        if (derived->q[i] == WLM_NONE || m->ptr[i] == m->ptr[i + 1])
            return refuse(derived, i, method, "equation has no rate of change");
        if (m->ptr[i + 1] - m->ptr[i] > 1 || m->idx[m->ptr[i]] != i ||
            wlm_node_is(derived->graph, m->node[m->ptr[i]], 0.0))
            return refuse(derived, i, method, "equation has the rates of other unknowns");
    }
    return wlm_derived_needs_constant(derived, method);
}
