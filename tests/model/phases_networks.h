/* Networks for tests of `phases`, made by hand: equations without text. In a header because check.h counts failures per
 * test file. */
#ifndef WLU_TEST_PHASES_NETWORKS_H
#define WLU_TEST_PHASES_NETWORKS_H

#include <string.h>

#include "phases/run.h"
#include "support/check.h"

enum { NETWORK_MOST = 4000 };

typedef struct network {
    wlu_context ctx;
    wlm_equations eq;
} network;

static inline void network_begin(network *w, int states, int literal)
{
    memset(w, 0, sizeof *w);
    wlu_context_init(&w->ctx, NULL);
    w->eq.ctx = &w->ctx;
    w->eq.n = states;
    if (wlm_graph_create(&w->ctx, literal, &w->eq.graph) != WARPLU_SUCCESS) abort();
    w->eq.f = calloc((size_t)states, sizeof(wlm_node));
    w->eq.q = calloc((size_t)states, sizeof(wlm_node));
    w->eq.initial = calloc((size_t)states, sizeof(wlm_node));
    w->eq.name = calloc((size_t)states, sizeof(char *));
    w->eq.local = calloc(NETWORK_MOST, sizeof(wlm_node));
    w->eq.local_name = calloc(NETWORK_MOST, sizeof(char *));
    for (int i = 0; i < states; i++) {
        w->eq.q[i] = wlm_input(w->eq.graph, 1 + i);
        w->eq.initial[i] = wlm_constant(w->eq.graph, 0.1 * (i % 7) - 0.2);
        w->eq.name[i] = "state";
    }
}

static inline void network_end(network *w)
{
    wlm_graph_destroy(&w->eq.graph);
    free(w->eq.f);
    free(w->eq.q);
    free(w->eq.initial);
    free(w->eq.name);
    free(w->eq.local);
    free(w->eq.local_name);
}

static inline wlm_node network_define(network *w, wlm_node node)
{
    if (w->eq.locals == NETWORK_MOST) abort();
    w->eq.local_name[w->eq.locals] = "definition";
    w->eq.local[w->eq.locals++] = node;
    return node;
}

/* Names of arithmetic on a network's graph. */
static inline wlm_node constant(network *w, double x)
{
    return wlm_constant(w->eq.graph, x);
}
static inline wlm_node state(network *w, int i)
{
    return wlm_input(w->eq.graph, 1 + i);
}
static inline wlm_node add(network *w, wlm_node a, wlm_node b)
{
    return wlm_binary(w->eq.graph, WLM_ADD, a, b);
}
static inline wlm_node sub(network *w, wlm_node a, wlm_node b)
{
    return wlm_binary(w->eq.graph, WLM_SUB, a, b);
}
static inline wlm_node mul(network *w, wlm_node a, wlm_node b)
{
    return wlm_binary(w->eq.graph, WLM_MUL, a, b);
}
static inline wlm_node unary(network *w, wlm_opcode opcode, wlm_node a)
{
    return wlm_unary(w->eq.graph, opcode, a);
}

/* Switches by the bits of a number. */
static inline wlm_phases_options switches(int bits, int stack)
{
    return (wlm_phases_options){bits & 1, bits >> 1 & 1, bits >> 2 & 1, bits >> 3 & 1, stack};
}

static inline wlm_phases *network_phases(network *w, int bits, int stack)
{
    wlm_phases *p = NULL;
    wlm_phases_options options = switches(bits, stack);
    CHECK_SAY(wlm_phases_create(&w->ctx, &w->eq, &options, &p) == WARPLU_SUCCESS, "%s", w->ctx.last_message);
    if (p == NULL) abort();
    return p;
}

/* A random expression of what is there, bounded. */
static inline wlm_node invent(network *w, uint64_t *structure, uint64_t *numbers, const wlm_node *from, int count,
                              int depth)
{
    wlm_graph *g = w->eq.graph;
    if (depth == 0 || check_below(structure, 5) == 0)
        return check_below(structure, 3) > 0 ? from[check_below(structure, count)]
                                             : constant(w, check_uniform(numbers) - 0.4);
    int opcode = WLM_NEG + check_below(structure, WLM_OPCODES - WLM_NEG);
    if (check_below(structure, 2)) opcode = check_below(structure, 2) ? WLM_ADD : WLM_MUL;
    wlm_node a[3];
    for (int k = 0; k < 3; k++) a[k] = invent(w, structure, numbers, from, count, depth - 1);
    wlm_node bounded = unary(w, WLM_TANH, a[0]), positive = add(w, bounded, constant(w, 1.5));
    switch (opcode) {
    case WLM_SQRT:
    case WLM_RSQRT:
    case WLM_LOG:
    case WLM_LOG10: return wlm_unary(g, opcode, positive);
    case WLM_LOG1P:
    case WLM_POW: return wlm_binary(g, WLM_POW, positive, unary(w, WLM_TANH, a[1]));
    case WLM_EXP:
    case WLM_EXPM1:
    case WLM_ASIN:
    case WLM_ACOS:
    case WLM_TAN: return wlm_unary(g, opcode, bounded);
    case WLM_DIV: return wlm_binary(g, WLM_DIV, a[1], positive);
    case WLM_SELECT: return wlm_ternary(g, WLM_SELECT, wlm_binary(g, WLM_LT, a[0], a[1]), a[1], a[2]);
    default: return wlm_make(g, (wlm_opcode)opcode, a[0], a[1], a[2]);
    }
}

/* Cells of one or two kinds that differ in their numbers: three states and `definitions` definitions each, coupled in a
 * ring. */
static inline void network_invent(network *w, uint64_t seed, int cells, int definitions, int literal)
{
    uint64_t numbers = seed + 77;
    network_begin(w, 3 * cells, literal);
    for (int cell = 0; cell < cells; cell++) {
        uint64_t structure = seed + (uint64_t)(cell % 3 == 2);
        wlm_node from[200];
        int count = 0;
        for (int k = 0; k < 3; k++) from[count++] = state(w, 3 * cell + k);
        from[count++] = state(w, (3 * cell + 3) % w->eq.n);
        from[count++] = wlm_input(w->eq.graph, 0);
        for (int k = 0; k < definitions; k++) {
            from[count] = network_define(w, invent(w, &structure, &numbers, from, count, 3));
            count++;
        }
        for (int k = 0; k < 3; k++) {
            wlm_node drive = unary(w, WLM_TANH, invent(w, &structure, &numbers, from, count, 3));
            w->eq.f[3 * cell + k] = sub(w, drive, state(w, 3 * cell + k));
        }
    }
}

#endif
