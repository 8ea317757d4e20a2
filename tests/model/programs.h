/* Random graphs, and programs one number at a time: what tests of programs and of their executors share. */
#ifndef WLU_TEST_MODEL_PROGRAMS_H
#define WLU_TEST_MODEL_PROGRAMS_H

#include "model/program/program.h"

#include <math.h>
#include <string.h>

#include "some_tables.h"
#include "support/check.h"

static inline wlm_graph *fresh_graph(wlu_context *ctx)
{
    wlm_graph *graph = NULL;
    if (wlm_graph_create(ctx, 0, &graph) != WARPLU_SUCCESS) abort();
    return graph;
}

/* count nodes, the first ones inputs, by opcodes of a list, some operands constants of another list. */
typedef struct random_graph {
    int inputs, operations;
    const wlm_opcode *opcodes;
    int opcode_count;
    const double *constants;
    int constant_count;
} random_graph;

static inline wlm_node random_operand(wlm_graph *g, const random_graph *of, uint64_t *seed)
{
    if (check_below(seed, 5) == 0) return wlm_constant(g, of->constants[check_below(seed, of->constant_count)]);
    int32_t count = wlm_node_count(g), near = count > 12 && check_below(seed, 3) > 0 ? 12 : count;
    wlm_node node = count - 1 - check_below(seed, near);
    return node == 0 ? 1 : node; /* node 0 is NaN */
}

static inline void make_random(wlm_graph *g, const random_graph *of, uint64_t *seed)
{
    for (int32_t i = 0; i < of->inputs; i++) wlm_input(g, i);
    for (int k = 0; k < of->operations; k++) {
        wlm_node a = random_operand(g, of, seed), b = random_operand(g, of, seed), c = random_operand(g, of, seed);
        wlm_opcode opcode = of->opcodes[check_below(seed, of->opcode_count)];
        if (wlm_opcode_is_tabled(opcode))
            wlm_read_table(g, opcode, some_table[check_below(seed, SOME_TABLES)], a, b);
        else
            wlm_make(g, opcode, a, b, c);
    }
}

/* Values of all nodes. The caller frees them. */
static inline double *graph_values(const wlm_graph *g, const double *inputs)
{
    int32_t count = wlm_node_count(g);
    double *v = malloc((size_t)count * sizeof *v);
    for (wlm_node node = 0; node < count; node++) {
        wlm_opcode opcode = wlm_node_opcode(g, node);
        double operand[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < wlm_opcode_operands(opcode); k++) operand[k] = v[wlm_node_operand(g, node, k)];
        v[node] = opcode == WLM_CONSTANT ? wlm_node_value(g, node)
                  : opcode == WLM_INPUT
                      ? inputs[wlm_node_input(g, node)]
                      : wlm_evaluate_with(wlm_node_table(g, node), opcode, operand[0], operand[1], operand[2]);
    }
    return v;
}

static inline double operand_value(const wlm_program *p, const double *slots, int32_t from)
{
    return from < 0 ? p->constant[-1 - from] : slots[from];
}

/* Runs a program on slots of one number each. */
static inline void run_plainly(const wlm_program *p, double *slots)
{
    for (int32_t at = 0; at < p->instructions; at++) {
        const wlm_instruction *i = &p->instruction[at];
        int operands = wlm_operand_count(i->opcode);
        double a = operand_value(p, slots, i->a), b = operands > 1 ? operand_value(p, slots, i->b) : 0.0,
               c = operands > 2 ? operand_value(p, slots, i->c) : 0.0;
        const wlm_table *table = wlm_program_table(p, i);
        slots[i->to] = i->opcode == WLM_MOVE ? a : wlm_evaluate_with(table, (wlm_opcode)i->opcode, a, b, c);
    }
}

/* The same bits, or both a NaN. */
static inline int same_number(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

#endif
