/* Each node is a number, a number times one input, or something else; nodes in ascending order. */
#include "phases/storage.h"

#include <math.h>

enum { NUMBER = -1, OTHER = -2 };

typedef struct term {
    int32_t input; /* or NUMBER, OTHER */
    double factor;
} term;

static term other(void)
{
    return (term){OTHER, 0.0};
}

static term sum_of(term a, term b, double sign)
{
    if (b.input == NUMBER && b.factor == 0.0) return a;
    if (a.input == NUMBER && a.factor == 0.0) return (term){b.input, sign * b.factor};
    if (a.input != b.input || a.input == OTHER) return other();
    return (term){a.input, a.factor + sign * b.factor};
}

static term term_of(const wlm_graph *g, const term *terms, wlm_node node)
{
    wlm_opcode opcode = wlm_node_opcode(g, node);
    term operand[3] = {{NUMBER, 0.0}, {NUMBER, 0.0}, {NUMBER, 0.0}};
    int numbers = 1;
    if (opcode == WLM_CONSTANT) return (term){NUMBER, wlm_node_value(g, node)};
    if (opcode == WLM_INPUT) return (term){wlm_node_input(g, node), 1.0};
    for (int k = 0; k < wlm_opcode_operands(opcode); k++) {
        operand[k] = terms[wlm_node_operand(g, node, k)];
        numbers &= operand[k].input == NUMBER;
    }
    if (numbers) return (term){NUMBER, wlm_evaluate(opcode, operand[0].factor, operand[1].factor, operand[2].factor)};
    term a = operand[0], b = operand[1];
    switch (opcode) {
    case WLM_ADD: return sum_of(a, b, 1.0);
    case WLM_SUB: return sum_of(a, b, -1.0);
    case WLM_NEG: return (term){a.input, -a.factor};
    case WLM_MUL:
        if (a.input == NUMBER) return (term){b.input, a.factor * b.factor};
        return b.input == NUMBER ? (term){a.input, a.factor * b.factor} : other();
    case WLM_DIV: return b.input == NUMBER ? (term){a.input, a.factor / b.factor} : other();
    default: return other();
    }
}

warplu_status wlm_storage(wlu_context *ctx, const wlm_equations *eq, double *coefficient)
{
    int32_t count = wlm_node_count(eq->graph);
    warplu_status status = WARPLU_SUCCESS;
    term *terms = WLU_ALLOC(ctx, count, term);
    if (terms == NULL) return wlu_fail_memory(ctx, "phases");
    for (wlm_node node = 0; node < count; node++) terms[node] = term_of(eq->graph, terms, node);
    for (int32_t i = 0; i < eq->n && status == WARPLU_SUCCESS; i++) {
        term q = eq->q[i] == WLM_NONE ? other() : terms[eq->q[i]];
        coefficient[i] = q.factor;
        if (q.input != i + 1 || !isfinite(q.factor) || q.factor == 0.0)
            status = wlu_fail(ctx, WARPLU_INVALID_ARGUMENT,
                              "phases: the equation of '%s' is not explicit: phases runs x' = ... alone", eq->name[i]);
    }
    wlu_free(ctx, terms);
    return status;
}
