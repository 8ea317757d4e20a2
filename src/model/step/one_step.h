/* The inputs of one-step methods, and nodes that all of them build. */
#ifndef WLU_MODEL_STEP_ONE_STEP_H
#define WLU_MODEL_STEP_ONE_STEP_H

#include "model/step/build.h"

typedef struct wlm_one_step {
    wlm_node t, h, last, first;
    wlm_node *y; /* n; it stands in the build's work, with the stages behind it */
    wlm_node *stage[WLM_STAGES_MOST + 3];
} wlm_one_step;

static inline wlm_one_step wlm_one_step_begin(wlm_step_build *b)
{
    wlm_one_step s = {.t = wlm_input(b->graph, 0), .y = b->work};
    s.h = wlm_build_input(b), s.last = wlm_build_input(b), s.first = wlm_build_input(b);
    for (int32_t i = 0; i < b->n; i++) s.y[i] = wlm_input(b->graph, 1 + i);
    for (int k = 0; k < WLM_STAGES_MOST + 3; k++) s.stage[k] = b->work + (int64_t)(k + 1) * b->n;
    return s;
}

/* Builds t + c h, moved to where the equations do not jump. */
static inline wlm_node wlm_one_step_time(const wlm_step_build *b, const wlm_one_step *s, double c)
{
    wlm_graph *g = b->graph;
    wlm_node t = c == 0.0 ? s->t : wlm_ternary(g, WLM_FMA, wlm_constant(g, c), s->h, s->t);
    return wlm_binary(g, WLM_MAX, wlm_binary(g, WLM_MIN, t, s->last), s->first);
}

/* Builds sum + coefficient * node; a term by 0 is left out. sum may be WLM_NONE. */
static inline wlm_node wlm_add_term(wlm_graph *g, wlm_node sum, double coefficient, wlm_node node)
{
    if (coefficient == 0.0) return sum;
    wlm_node by = wlm_constant(g, coefficient);
    return sum == WLM_NONE ? wlm_binary(g, WLM_MUL, by, node) : wlm_ternary(g, WLM_FMA, by, node, sum);
}

/* Builds sums of stages by coefficients, for each unknown. from_y: 1: y is added; else an empty sum is WLM_NONE. */
static inline void wlm_one_step_combine(const wlm_step_build *b, const wlm_one_step *s, const double *by, int stages,
                                        int from_y, wlm_node *out)
{
    for (int32_t i = 0; i < b->n; i++) {
        out[i] = from_y ? s->y[i] : WLM_NONE;
        for (int k = 0; k < stages; k++) out[i] = wlm_add_term(b->graph, out[i], by[k], s->stage[k][i]);
    }
}

static inline void wlm_one_step_end(wlm_step_build *b, const wlm_node *next, wlm_node norm, wlm_node factor,
                                    wlm_node health)
{
    for (int32_t i = 0; i < b->n; i++) wlm_build_output(b, next[i]);
    wlm_build_output(b, norm);
    wlm_build_output(b, factor);
    wlm_build_output(b, health);
}

#endif
