/* Equations of known problems, made by hand: what a text would become. */
#ifndef WLU_TESTS_MODEL_PROBLEMS_H
#define WLU_TESTS_MODEL_PROBLEMS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/equations/equations.h"

enum { PROBLEM_MOST = 32 };

typedef struct problem {
    wlu_context ctx;
    wlm_equations e;
    wlm_node f[PROBLEM_MOST], q[PROBLEM_MOST], steady[PROBLEM_MOST], tau[PROBLEM_MOST], initial[PROBLEM_MOST];
    wlm_place place[PROBLEM_MOST];
    char *name[PROBLEM_MOST], names[PROBLEM_MOST][16];
    wlm_event event[4];
    wlm_pulse pulse[4];
} problem;

static wlm_graph *at; /* the graph under construction */

static inline wlm_node num(double value)
{
    return wlm_constant(at, value);
}

static inline wlm_node add(wlm_node a, wlm_node b)
{
    return wlm_binary(at, WLM_ADD, a, b);
}

static inline wlm_node sub(wlm_node a, wlm_node b)
{
    return wlm_binary(at, WLM_SUB, a, b);
}

static inline wlm_node mul(wlm_node a, wlm_node b)
{
    return wlm_binary(at, WLM_MUL, a, b);
}

static inline wlm_node by(double a, wlm_node b)
{
    return mul(num(a), b);
}

static inline wlm_node of(wlm_opcode opcode, wlm_node a)
{
    return wlm_unary(at, opcode, a);
}

static inline wlm_node neg(wlm_node a)
{
    return of(WLM_NEG, a);
}

/* n states from y0; parameters are inputs n + 1 and on; the caller sets f. */
static inline void problem_begin(problem *p, int32_t n, int32_t parameters, const double *y0)
{
    memset(p, 0, sizeof *p);
    wlu_context_init(&p->ctx, NULL);
    if (wlm_graph_create(&p->ctx, 0, &at) != WARPLU_SUCCESS) abort();
    p->e = (wlm_equations){.ctx = &p->ctx, .graph = at, .n = n, .lane_parameters = parameters};
    p->e.f = p->f, p->e.q = p->q, p->e.steady = p->steady, p->e.tau = p->tau, p->e.initial = p->initial;
    p->e.name = p->name, p->e.place = p->place, p->e.event = p->event, p->e.pulse = p->pulse;
    for (int32_t i = 0; i < n; i++) {
        p->q[i] = wlm_input(at, 1 + i);
        p->steady[i] = p->tau[i] = WLM_NONE;
        p->initial[i] = num(y0[i]);
        snprintf(p->names[i], sizeof p->names[i], "y%d", (int)i);
        p->name[i] = p->names[i];
        p->place[i].line = 10 + i;
    }
}

static inline void problem_end(problem *p)
{
    wlm_graph_destroy(&p->e.graph);
}

#endif
