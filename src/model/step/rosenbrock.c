/* Builds steps of Rosenbrock methods: one Jacobian and one LU a step. */
#include <string.h>

#include "model/step/one_step.h"

typedef struct rosenbrock {
    wlm_step_build *b;
    const wlm_rosenbrock *tableau;
    wlm_one_step s;
    wlm_node *y, *by_time, *m, *j; /* y of a stage; df/dt and entries of M and J at the step's beginning */
    wlm_node inverse_h;
    wlm_lu *lu;
} rosenbrock;

/* Adds M sum_j c_ij u_j / h to the right-hand side. */
static void add_earlier(const rosenbrock *r, int k, wlm_node *right)
{
    wlm_graph *g = r->b->graph;
    const wlm_jacobian *m = &r->b->derived->m;
    wlm_node *sum = r->y;
    wlm_one_step_combine(r->b, &r->s, r->tableau->c[k], k, 0, sum);
    for (int32_t i = 0; i < r->b->n; i++) {
        wlm_node row = WLM_NONE;
        for (int32_t e = m->ptr[i]; e < m->ptr[i + 1]; e++) {
            if (sum[m->idx[e]] == WLM_NONE) continue;
            wlm_node term = wlm_binary(g, WLM_MUL, r->m[e], sum[m->idx[e]]);
            row = row == WLM_NONE ? term : wlm_binary(g, WLM_ADD, row, term);
        }
        if (row != WLM_NONE) right[i] = wlm_ternary(g, WLM_FMA, row, r->inverse_h, right[i]);
    }
}

static warplu_status stage(const rosenbrock *r, int k)
{
    wlm_graph *g = r->b->graph;
    wlm_node *right = r->s.stage[k];
    wlm_one_step_combine(r->b, &r->s, r->tableau->a[k], k, 1, r->y);
    wlm_node t = wlm_one_step_time(r->b, &r->s, r->tableau->alpha[k]);
    warplu_status status = wlm_build_at(r->b, t, r->y, r->b->derived->f, r->b->n, right);
    if (status != WARPLU_SUCCESS) return status;
    add_earlier(r, k, right);
    wlm_node weight = wlm_binary(g, WLM_MUL, wlm_constant(g, r->tableau->sum[k]), r->s.h);
    for (int32_t i = 0; i < r->b->n && r->tableau->sum[k] != 0.0; i++)
        if (r->by_time[i] != WLM_NONE) right[i] = wlm_ternary(g, WLM_FMA, weight, r->by_time[i], right[i]);
    return wlm_lu_solve(r->lu, right, right);
}

/* Builds what the step takes from its beginning. */
static warplu_status begin(rosenbrock *r)
{
    const wlm_derived *d = r->b->derived;
    wlm_graph *g = r->b->graph;
    wlm_node t = wlm_one_step_time(r->b, &r->s, 0.0);
    r->inverse_h = wlm_binary(g, WLM_DIV, wlm_constant(g, 1.0), r->s.h);
    warplu_status status = wlm_build_at(r->b, t, r->s.y, d->by_time, r->b->n, r->by_time);
    if (status == WARPLU_SUCCESS) status = wlm_build_at(r->b, t, r->s.y, d->m.node, d->m.ptr[d->n], r->m);
    if (status == WARPLU_SUCCESS) status = wlm_build_at(r->b, t, r->s.y, d->j.node, d->j.ptr[d->n], r->j);
    if (status != WARPLU_SUCCESS) return status;
    wlm_node inverse = wlm_binary(g, WLM_MUL, r->inverse_h, wlm_constant(g, 1.0 / r->tableau->gamma));
    return wlm_build_lu(r->b, r->m, r->j, inverse, &r->lu);
}

/* Makes a norm no number where the rates at the end are none: no step would go on from there, and a shorter one may end
 * elsewhere. Of rows that may be so alone; explicit methods and Newton's have rates or derivatives of the end. */
static warplu_status refuse_ends_without_rates(const rosenbrock *r, const wlm_node *next, wlm_node *wanted,
                                               wlm_node *norm)
{
    const wlm_derived *d = r->b->derived;
    const int32_t inputs = 1 + d->n;
    unsigned char *facts = WLU_CALLOC(d->ctx, (int64_t)wlm_node_count(d->graph) + inputs, unsigned char);
    if (facts == NULL) return wlu_fail_memory(d->ctx, "step");
    unsigned char *moves = facts + wlm_node_count(d->graph);
    int32_t count = 0;
    memset(moves, 1, (size_t)inputs);
    wlm_graph_find_domains(d->graph, moves, inputs, facts);
    for (int32_t i = 0; i < d->n; i++)
        if (facts[d->f[i]] & WLM_MAY_BE_NONE) wanted[count++] = d->f[i];
    wlu_free(d->ctx, facts);
    wlm_graph *g = r->b->graph;
    warplu_status status = wlm_build_at(r->b, wlm_one_step_time(r->b, &r->s, 1.0), next, wanted, count, wanted);
    for (int32_t k = 0; k < count && status == WARPLU_SUCCESS; k++)
        *norm = wlm_ternary(g, WLM_FMA, wlm_constant(g, 0.0), wanted[k], *norm);
    return status;
}

warplu_status wlm_build_rosenbrock(wlm_step_build *b, const wlm_rosenbrock *tableau, int controlled)
{
    wlu_context *ctx = b->derived->ctx;
    rosenbrock r = {.b = b, .tableau = tableau, .s = wlm_one_step_begin(b)};
    r.y = r.s.stage[WLM_STAGES_MOST], r.by_time = r.s.stage[WLM_STAGES_MOST + 1];
    wlm_node *next = r.s.stage[WLM_STAGES_MOST + 2], *error = r.y;
    r.m = WLU_ALLOC(ctx, b->derived->m.ptr[b->n], wlm_node);
    r.j = WLU_ALLOC(ctx, b->derived->j.ptr[b->n], wlm_node);
    warplu_status status = r.m == NULL || r.j == NULL ? wlu_fail_memory(ctx, "step") : begin(&r);
    for (int k = 0; k < tableau->stages && status == WARPLU_SUCCESS; k++) status = stage(&r, k);
    if (status == WARPLU_SUCCESS) {
        wlm_one_step_combine(b, &r.s, tableau->m, tableau->stages, 1, next);
        wlm_one_step_combine(b, &r.s, tableau->e, tableau->stages, 0, error);
        wlm_node norm = wlm_build_norm(b, b->of_steps, error, r.s.y, next);
        const wlm_node factor = wlm_build_factor(b, norm, tableau->lower + 1);
        if (controlled) status = refuse_ends_without_rates(&r, next, r.by_time, &norm);
        wlm_one_step_end(b, next, norm, factor, wlm_build_health(b, r.m, r.lu));
        if (status == WARPLU_SUCCESS) status = wlm_graph_status(b->graph);
    }
    wlm_lu_destroy(&r.lu);
    wlu_free(ctx, r.m);
    wlu_free(ctx, r.j);
    return status;
}
