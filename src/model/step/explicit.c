/* Explicit Runge-Kutta methods, and Rush and Larsen's (A practical algorithm for solving dynamic membrane equations,
 * IEEE Trans. Biomed. Eng. 25, 1978): gates exactly, with the others held, the others by Euler's method. */
#include "model/step/one_step.h"

/* Builds the rates of a stage: f over the diagonal of M, times h. */
static warplu_status rates(const wlm_step_build *b, const wlm_one_step *s, double c, const wlm_node *y, wlm_node *out)
{
    wlm_graph *g = b->graph;
    wlm_node t = wlm_one_step_time(b, s, c), *m = s->stage[WLM_STAGES_MOST + 2];
    warplu_status status = wlm_build_at(b, t, y, b->derived->f, b->n, out);
    if (status == WARPLU_SUCCESS) status = wlm_build_at(b, t, y, b->derived->m.node, b->n, m);
    if (status != WARPLU_SUCCESS) return status;
    for (int32_t i = 0; i < b->n; i++) {
        if (!wlm_node_is(g, m[i], 1.0)) out[i] = wlm_binary(g, WLM_DIV, out[i], m[i]);
        out[i] = wlm_binary(g, WLM_MUL, s->h, out[i]);
    }
    return WARPLU_SUCCESS;
}

warplu_status wlm_build_explicit(wlm_step_build *b, const wlm_explicit *tableau)
{
    wlm_one_step s = wlm_one_step_begin(b);
    wlm_node *next = s.stage[WLM_STAGES_MOST], *error = s.stage[WLM_STAGES_MOST + 1];
    warplu_status status = WARPLU_SUCCESS;
    for (int k = 0; k < tableau->stages && status == WARPLU_SUCCESS; k++) {
        wlm_one_step_combine(b, &s, tableau->a[k], k, 1, next);
        status = rates(b, &s, tableau->c[k], next, s.stage[k]);
    }
    if (status != WARPLU_SUCCESS) return status;
    wlm_node norm = wlm_constant(b->graph, 0.0), one = wlm_constant(b->graph, 1.0), factor = one;
    wlm_one_step_combine(b, &s, tableau->b, tableau->stages, 1, next);
    if (tableau->lower > 0) {
        wlm_one_step_combine(b, &s, tableau->e, tableau->stages, 0, error);
        norm = wlm_build_norm(b, b->of_steps, error, s.y, next);
        factor = wlm_build_factor(b, norm, tableau->lower + 1);
    }
    wlm_one_step_end(b, next, norm, factor, one);
    return wlm_graph_status(b->graph);
}

warplu_status wlm_build_rush_larsen(wlm_step_build *b)
{
    wlm_graph *g = b->graph;
    wlm_one_step s = wlm_one_step_begin(b);
    wlm_node *rate = s.stage[0], *steady = s.stage[1], *tau = s.stage[2], *next = s.stage[3];
    wlm_node t = wlm_one_step_time(b, &s, 0.0), one = wlm_constant(g, 1.0);
    warplu_status status = rates(b, &s, 0.0, s.y, rate);
    if (status == WARPLU_SUCCESS) status = wlm_build_at(b, t, s.y, b->derived->steady, b->n, steady);
    if (status == WARPLU_SUCCESS) status = wlm_build_at(b, t, s.y, b->derived->tau, b->n, tau);
    if (status != WARPLU_SUCCESS) return status;
    for (int32_t i = 0; i < b->n; i++) {
        if (steady[i] == WLM_NONE || tau[i] == WLM_NONE) {
            next[i] = wlm_binary(g, WLM_ADD, s.y[i], rate[i]);
            continue;
        }
        wlm_node decay = wlm_unary(g, WLM_EXP, wlm_unary(g, WLM_NEG, wlm_binary(g, WLM_DIV, s.h, tau[i])));
        wlm_node away = wlm_binary(g, WLM_SUB, s.y[i], steady[i]);
        next[i] = wlm_ternary(g, WLM_FMA, away, decay, steady[i]);
    }
    wlm_one_step_end(b, next, wlm_constant(g, 0.0), one, one);
    return wlm_graph_status(g);
}
