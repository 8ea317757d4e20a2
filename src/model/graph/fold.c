/* Makes nodes: folds constants and applies identities. None changes a result but the sign of a zero; none takes a NaN
 * or an infinity away. Operands of commutative operations are put in ascending order. */
#include "model/graph/graph.h"

#include <math.h>

static int constant(const wlm_graph *g, wlm_node a)
{
    return a != WLM_NONE && wlm_node_opcode(g, a) == WLM_CONSTANT;
}

static double value_of(const wlm_graph *g, wlm_node a)
{
    return a != WLM_NONE ? wlm_node_value(g, a) : 0.0;
}

static int negated(const wlm_graph *g, wlm_node a)
{
    return wlm_node_opcode(g, a) == WLM_NEG;
}

static int commutes(wlm_opcode opcode)
{
    return opcode == WLM_ADD || opcode == WLM_MUL || opcode == WLM_EQ || opcode == WLM_NE || opcode == WLM_AND ||
           opcode == WLM_OR || opcode == WLM_FMA || opcode == WLM_FNMA;
}

static wlm_node simplify_sum(wlm_graph *g, wlm_opcode *opcode, wlm_node *a, wlm_node *b)
{
    if (wlm_node_is(g, *b, 0.0)) return *a;
    if (wlm_node_is(g, *a, 0.0)) return *opcode == WLM_ADD ? *b : wlm_unary(g, WLM_NEG, *b);
    if (negated(g, *b)) { /* a + -b is a - b, a - -b is a + b */
        *b = wlm_node_operand(g, *b, 0);
        *opcode = *opcode == WLM_ADD ? WLM_SUB : WLM_ADD;
    } else if (*opcode == WLM_ADD && negated(g, *a)) {
        wlm_node inner = wlm_node_operand(g, *a, 0);
        *a = *b, *b = inner, *opcode = WLM_SUB;
    }
    return WLM_NONE;
}

static wlm_node simplify_product(wlm_graph *g, wlm_node *a, wlm_node *b)
{
    if (wlm_node_is(g, *b, 1.0)) return *a;
    if (wlm_node_is(g, *a, 1.0)) return *b;
    if (wlm_node_is(g, *b, -1.0)) return wlm_unary(g, WLM_NEG, *a);
    if (wlm_node_is(g, *a, -1.0)) return wlm_unary(g, WLM_NEG, *b);
    if (negated(g, *a) && negated(g, *b)) {
        *a = wlm_node_operand(g, *a, 0), *b = wlm_node_operand(g, *b, 0);
        return WLM_NONE;
    }
    return WLM_NONE;
}

/* Makes a product of a division by a power of two whose inverse is no subnormal number. */
static wlm_node simplify_quotient(wlm_graph *g, wlm_node a, wlm_node b)
{
    if (!constant(g, b)) return WLM_NONE;
    double divisor = wlm_node_value(g, b);
    int exponent;
    if (fabs(frexp(divisor, &exponent)) == 0.5 && isnormal(divisor) && isnormal(1.0 / divisor))
        return wlm_binary(g, WLM_MUL, a, wlm_constant(g, 1.0 / divisor));
    return WLM_NONE;
}

/* Makes a to a whole power by at most 2 log2 |n| squares and products, and one division. */
static wlm_node whole_power(wlm_graph *graph, wlm_node a, int32_t n)
{
    uint32_t left = n < 0 ? 0u - (uint32_t)n : (uint32_t)n;
    wlm_node power = WLM_NONE, square = a;
    for (; left != 0; left >>= 1) {
        if (left & 1) power = power == WLM_NONE ? square : wlm_binary(graph, WLM_MUL, power, square);
        if (left > 1) square = wlm_binary(graph, WLM_MUL, square, square);
    }
    if (power == WLM_NONE) return wlm_constant(graph, 1.0);
    return n > 0 ? power : wlm_binary(graph, WLM_DIV, wlm_constant(graph, 1.0), power);
}

/* Makes products of powers with whole exponents up to 64; beyond, pow is as fast and rounds less. */
static wlm_node simplify_power(wlm_graph *g, wlm_node a, wlm_node b)
{
    if (!constant(g, b)) return WLM_NONE;
    double exponent = wlm_node_value(g, b);
    if (exponent == floor(exponent) && fabs(exponent) <= 64.0) return whole_power(g, a, (int32_t)exponent);
    return WLM_NONE;
}

static wlm_node simplify_select(wlm_graph *g, wlm_node *a, wlm_node *b, wlm_node *c)
{
    if (constant(g, *a)) return wlm_node_value(g, *a) != 0.0 ? *b : *c;
    if (*b == *c) return *b;
    if (wlm_node_opcode(g, *a) == WLM_NOT) {
        wlm_node other = *b;
        *a = wlm_node_operand(g, *a, 0), *b = *c, *c = other;
    }
    return WLM_NONE;
}

static wlm_node simplify_fused(wlm_graph *g, wlm_opcode opcode, wlm_node a, wlm_node b, wlm_node c)
{
    wlm_opcode sum = opcode == WLM_FMA ? WLM_ADD : WLM_SUB;
    if (wlm_node_is(g, a, 1.0)) return wlm_binary(g, sum, c, b);
    if (wlm_node_is(g, b, 1.0)) return wlm_binary(g, sum, c, a);
    if (wlm_node_is(g, c, 0.0)) {
        wlm_node product = wlm_binary(g, WLM_MUL, a, b);
        return opcode == WLM_FMA ? product : wlm_unary(g, WLM_NEG, product);
    }
    return WLM_NONE;
}

static wlm_node by_identity(wlm_graph *g, wlm_opcode *opcode, wlm_node *a, wlm_node *b, wlm_node *c)
{
    switch (*opcode) {
    case WLM_NEG: return negated(g, *a) ? wlm_node_operand(g, *a, 0) : WLM_NONE;
    case WLM_ABS:
        if (negated(g, *a)) *a = wlm_node_operand(g, *a, 0);
        return wlm_node_opcode(g, *a) == WLM_ABS ? *a : WLM_NONE;
    case WLM_ADD:
    case WLM_SUB: return simplify_sum(g, opcode, a, b);
    case WLM_MUL: return simplify_product(g, a, b);
    case WLM_DIV: return simplify_quotient(g, *a, *b);
    case WLM_POW: return simplify_power(g, *a, *b);
    case WLM_MIN:
    case WLM_MAX: return *a == *b ? *a : WLM_NONE;
    case WLM_SELECT: return simplify_select(g, a, b, c);
    case WLM_FMA:
    case WLM_FNMA: return simplify_fused(g, *opcode, *a, *b, *c);
    default: return WLM_NONE;
    }
}

/* Returns the constant, operand or simpler node that opcode(a, b, c) is equal to; else WLM_NONE, and the operation may
 * have been rewritten into an equal one. */
static wlm_node simplify(wlm_graph *graph, wlm_opcode *opcode, wlm_node *a, wlm_node *b, wlm_node *c)
{
    int operands = wlm_opcode_operands(*opcode);
    if (constant(graph, *a) && (operands < 2 || constant(graph, *b)) && (operands < 3 || constant(graph, *c)))
        return wlm_constant(graph,
                            wlm_evaluate(*opcode, value_of(graph, *a), value_of(graph, *b), value_of(graph, *c)));
    wlm_node simple = by_identity(graph, opcode, a, b, c);
    if (simple != WLM_NONE) return simple;
    if (commutes(*opcode) && *a > *b) {
        wlm_node other = *a;
        *a = *b, *b = other;
    }
    return WLM_NONE;
}

wlm_node wlm_make(wlm_graph *graph, wlm_opcode opcode, wlm_node a, wlm_node b, wlm_node c)
{
    int operands = wlm_opcode_operands(opcode);
    if (operands < 3) c = WLM_NONE;
    if (operands < 2) b = WLM_NONE;
    if (wlm_graph_status(graph) != WARPLU_SUCCESS) return 0;
    wlm_node simple = wlm_graph_is_literal(graph) ? WLM_NONE : simplify(graph, &opcode, &a, &b, &c);
    return simple != WLM_NONE ? simple : wlm_graph_add(graph, opcode, a, b, c);
}

wlm_node wlm_unary(wlm_graph *graph, wlm_opcode opcode, wlm_node a)
{
    return wlm_make(graph, opcode, a, WLM_NONE, WLM_NONE);
}

wlm_node wlm_binary(wlm_graph *graph, wlm_opcode opcode, wlm_node a, wlm_node b)
{
    return wlm_make(graph, opcode, a, b, WLM_NONE);
}

wlm_node wlm_ternary(wlm_graph *graph, wlm_opcode opcode, wlm_node a, wlm_node b, wlm_node c)
{
    return wlm_make(graph, opcode, a, b, c);
}
