/* Graphs: folding and identities against plain evaluation, common terms, copies, derivatives against differences of
 * complex steps' kind: every operation, and random expressions. */
#include "model/graph/derive.h"
#include "model/graph/graph.h"

#include <math.h>
#include <string.h>

#include "model/limited.h"
#include "support/check.h"

enum { INPUTS = 4 };

static uint64_t seed = 20261126;

static double uniform(void)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(seed >> 11) / 9007199254740992.0;
}

static wlm_graph *fresh(wlu_context *ctx)
{
    wlm_graph *graph = NULL;
    wlu_context_init(ctx, NULL);
    if (wlm_graph_create(ctx, 0, &graph) != WARPLU_SUCCESS) abort();
    return graph;
}

/* The value of a node, all nodes one after the other. */
static double value(const wlm_graph *g, wlm_node wanted, const double *inputs)
{
    int32_t count = wlm_node_count(g);
    double *v = malloc((size_t)count * sizeof *v), result;
    for (wlm_node node = 0; node < count; node++) {
        wlm_opcode opcode = wlm_node_opcode(g, node);
        double operand[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < wlm_opcode_operands(opcode); k++) operand[k] = v[wlm_node_operand(g, node, k)];
        v[node] = opcode == WLM_CONSTANT ? wlm_node_value(g, node)
                  : opcode == WLM_INPUT  ? inputs[wlm_node_input(g, node)]
                                         : wlm_evaluate(opcode, operand[0], operand[1], operand[2]);
    }
    result = v[wanted];
    free(v);
    return result;
}

static void equal_nodes_are_one(void)
{
    wlu_context ctx;
    wlm_graph *g = fresh(&ctx);
    wlm_node x = wlm_input(g, 0), y = wlm_input(g, 1);
    CHECK(wlm_binary(g, WLM_ADD, x, y) == wlm_binary(g, WLM_ADD, y, x));
    CHECK(wlm_binary(g, WLM_SUB, x, y) != wlm_binary(g, WLM_SUB, y, x));
    CHECK(wlm_unary(g, WLM_EXP, x) == wlm_unary(g, WLM_EXP, x));
    CHECK(wlm_constant(g, 0.0) != wlm_constant(g, -0.0));
    CHECK(wlm_binary(g, WLM_MUL, x, wlm_constant(g, 1.0)) == x);
    CHECK(wlm_node_is(g, wlm_binary(g, WLM_ADD, wlm_constant(g, 2.0), wlm_constant(g, 3.0)), 5.0));
    CHECK(wlm_node_opcode(g, wlm_binary(g, WLM_MUL, x, wlm_constant(g, 0.0))) == WLM_MUL); /* x may be infinite */
    CHECK(wlm_binary(g, WLM_POW, x, wlm_constant(g, 2.0)) == wlm_binary(g, WLM_MUL, x, x));
    wlm_graph_destroy(&g);
    CHECK(g == NULL);
}

static void literal_graphs_keep_what_is_written(void)
{
    wlu_context ctx;
    wlm_graph *g = NULL;
    wlu_context_init(&ctx, NULL);
    CHECK(wlm_graph_create(&ctx, 1, &g) == WARPLU_SUCCESS);
    wlm_node x = wlm_input(g, 0), one = wlm_constant(g, 1.0);
    CHECK(wlm_input(g, 0) == x && wlm_constant(g, 1.0) == one);
    wlm_node sum = wlm_binary(g, WLM_ADD, x, one);
    CHECK(wlm_binary(g, WLM_ADD, x, one) != sum);
    CHECK(wlm_node_opcode(g, wlm_binary(g, WLM_MUL, x, one)) == WLM_MUL);
    CHECK(wlm_node_opcode(g, wlm_binary(g, WLM_ADD, one, one)) == WLM_ADD);
    for (int i = 0; i < 1000; i++) sum = wlm_binary(g, WLM_ADD, sum, sum); /* as the table grows */
    CHECK(wlm_graph_status(g) == WARPLU_SUCCESS && wlm_input(g, 0) == x);
    wlm_graph_destroy(&g);
}

/* Whatever is simplified has the value of the operation; zeros of either sign are equal. */
static void identities_change_no_value(void)
{
    static const double values[] = {0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -3.25, 1e308, -1e-320, INFINITY, -INFINITY, NAN};
    enum { VALUES = sizeof values / sizeof *values };
    wlu_context ctx;
    for (int opcode = WLM_NEG; opcode < WLM_OPCODES; opcode++) {
        for (int trial = 0; trial < VALUES * VALUES * VALUES; trial++) {
            wlm_graph *g = fresh(&ctx);
            double v[3] = {values[trial % VALUES], values[trial / VALUES % VALUES], values[trial / VALUES / VALUES]};
            for (int as_input = 0; as_input < 8; as_input++) {
                wlm_node operand[3];
                double w[3];
                for (int k = 0; k < 3; k++) {
                    operand[k] = as_input >> k & 1 ? wlm_input(g, k) : wlm_constant(g, v[k]);
                    w[k] = v[k];
                    if (trial % 7 != k && trial % 5 != k) continue;
                    operand[k] = wlm_unary(g, WLM_NEG, operand[k]);
                    w[k] = -v[k];
                }
                wlm_node node = wlm_make(g, (wlm_opcode)opcode, operand[0], operand[1], operand[2]);
                double got = value(g, node, v), want = wlm_evaluate((wlm_opcode)opcode, w[0], w[1], w[2]);
                int close = opcode == WLM_POW && fabs(got - want) <= 1e-13 * fabs(want);
                CHECK_SAY(close || got == want || (isnan(got) && isnan(want)), "%s(%g, %g, %g): %g, not %g",
                          wlm_opcode_text((wlm_opcode)opcode), w[0], w[1], w[2], got, want);
            }
            wlm_graph_destroy(&g);
        }
    }
}

/* A random operation on nodes that are there, its arguments kept where it is smooth and finite. */
static wlm_node invent(wlm_graph *g, const wlm_node *from, int count)
{
    wlm_opcode opcode = (wlm_opcode)(WLM_NEG + (int)(uniform() * (WLM_OPCODES - WLM_NEG)));
    wlm_node a = from[(int)(uniform() * count)], b = from[(int)(uniform() * count)], c = from[(int)(uniform() * count)];
    wlm_node bounded = wlm_unary(g, WLM_TANH, a), one = wlm_constant(g, 1.5);
    wlm_node positive = wlm_binary(g, WLM_ADD, bounded, one);
    switch (opcode) {
    case WLM_SQRT:
    case WLM_RSQRT:
    case WLM_LOG:
    case WLM_LOG10:
    case WLM_POW: return wlm_make(g, opcode, positive, b, c);
    case WLM_EXP:
    case WLM_EXPM1:
    case WLM_TAN: return wlm_make(g, opcode, bounded, b, c);
    case WLM_ASIN:
    case WLM_ACOS:
    case WLM_LOG1P: return wlm_make(g, opcode, wlm_binary(g, WLM_MUL, bounded, wlm_constant(g, 0.9)), b, c);
    case WLM_ATAN2: return wlm_make(g, opcode, a, positive, c);
    case WLM_DIV: return wlm_make(g, opcode, b, positive, c);
    case WLM_SELECT: return wlm_make(g, opcode, wlm_binary(g, WLM_LT, a, b), b, c);
    default: return wlm_make(g, opcode, a, b, c);
    }
}

static void check_derivatives(const wlm_graph *g, const wlm_jacobian *j, const wlm_node *of, const double *inputs)
{
    for (int32_t i = 0; i < j->rows; i++) {
        for (int32_t column = 0; column < j->columns; column++) {
            double step = 1e-5, at[INPUTS], four[4];
            for (int k = 0; k < 4; k++) {
                memcpy(at, inputs, sizeof at);
                at[column] += step * (double[]){-2.0, -1.0, 1.0, 2.0}[k];
                four[k] = value(g, of[i], at);
            }
            double difference = (8.0 * (four[2] - four[1]) - (four[3] - four[0])) / (12.0 * step);
            double coarse = (four[2] - four[1]) / (2.0 * step);
            wlm_node node = wlm_jacobian_at(j, i, column);
            double exact = node == WLM_NONE ? 0.0 : value(g, node, inputs);
            double scale = fmax(fabs(exact), fabs(value(g, of[i], inputs)) + 1.0);
            if (!isfinite(difference) || fabs(difference - coarse) > 1e-4 * scale) continue; /* a jump, or too steep */
            CHECK_SAY(fabs(difference - exact) <= 1e-6 * scale, "row %d column %d: %.12g, differences %.12g", (int)i,
                      (int)column, exact, difference);
        }
    }
}

static void derivatives_are_those_of_differences(void)
{
    enum { MADE = 24, WANTED = 6 };
    wlu_context ctx;
    for (int trial = 0; trial < 400; trial++) {
        wlm_graph *g = fresh(&ctx);
        wlm_node node[INPUTS + MADE];
        double inputs[INPUTS];
        for (int k = 0; k < INPUTS; k++) {
            node[k] = wlm_input(g, k);
            inputs[k] = 2.0 * uniform() - 1.0;
        }
        for (int k = 0; k < MADE; k++) node[INPUTS + k] = invent(g, node, INPUTS + k);
        wlm_jacobian j;
        CHECK(wlm_derive(g, node + INPUTS + MADE - WANTED, WANTED, 0, INPUTS, &j) == WARPLU_SUCCESS);
        check_derivatives(g, &j, node + INPUTS + MADE - WANTED, inputs);
        wlm_jacobian_free(&ctx, &j);
        wlm_graph_destroy(&g);
    }
}

static void absent_entries_are_zero_by_structure(void)
{
    wlu_context ctx;
    wlm_graph *g = fresh(&ctx);
    wlm_node x = wlm_input(g, 1), y = wlm_input(g, 2);
    wlm_node of[2] = {wlm_binary(g, WLM_MUL, x, wlm_unary(g, WLM_FLOOR, y)), WLM_NONE};
    wlm_jacobian j;
    CHECK(wlm_derive(g, of, 2, 1, 2, &j) == WARPLU_SUCCESS);
    CHECK(wlm_jacobian_at(&j, 0, 0) == wlm_unary(g, WLM_FLOOR, y));
    CHECK(wlm_jacobian_at(&j, 0, 1) == WLM_NONE);
    CHECK(j.ptr[2] == j.ptr[1]);
    wlm_jacobian_free(&ctx, &j);
    wlm_graph_destroy(&g);
}

static void copies_replace_inputs(void)
{
    wlu_context ctx, other;
    wlm_graph *g = fresh(&ctx), *to = fresh(&other);
    wlm_node x = wlm_input(g, 0), y = wlm_input(g, 1);
    wlm_node wanted[2] = {wlm_binary(g, WLM_SUB, wlm_unary(g, WLM_SIN, x), y), WLM_NONE}, copy[2];
    wlm_node inputs[2] = {wlm_constant(to, 0.0), WLM_NONE};
    CHECK(wlm_graph_copy(g, to, inputs, 2, wanted, 2, copy) == WARPLU_SUCCESS);
    CHECK(copy[1] == WLM_NONE);
    CHECK(wlm_node_opcode(to, copy[0]) == WLM_NEG && wlm_node_operand(to, copy[0], 0) == wlm_input(to, 1));
    wlm_graph_destroy(&g);
    wlm_graph_destroy(&to);
}

/* Sums leave out what cancels in them, up to signs, open nothing else, and are plain where nothing does. */
static void sums_have_no_rounding_of_what_cancels(void)
{
    wlu_context ctx;
    wlm_graph *g = fresh(&ctx);
    wlm_node x = wlm_input(g, 0), y = wlm_input(g, 1), z = wlm_input(g, 2), out = WLM_NONE;
    wlm_node flow = wlm_binary(g, WLM_DIV, x, wlm_constant(g, 3.0)), d = wlm_binary(g, WLM_SUB, x, y);
    wlm_node large = wlm_binary(g, WLM_MUL, z, d), other = wlm_binary(g, WLM_MUL, z, wlm_binary(g, WLM_SUB, y, x));
    wlm_node a = wlm_binary(g, WLM_ADD, wlm_binary(g, WLM_ADD, d, flow), large),
             minus_flow = wlm_unary(g, WLM_NEG, flow);
    const double one[3] = {1.0, 1.0, 1.0}, by[2] = {2.5, -1.0}, input[3] = {0.3, 0.1, 1e30};
    CHECK(wlm_graph_sum(g, (wlm_node[]){a, minus_flow, other}, one, 3, &out) == WARPLU_SUCCESS && out == d);
    CHECK(wlm_graph_sum(g, (wlm_node[]){large, other}, one, 2, &out) == WARPLU_SUCCESS && wlm_node_is(g, out, 0.0));
    CHECK(wlm_graph_sum(g, (wlm_node[]){flow, d}, by, 2, &out) == WARPLU_SUCCESS);
    CHECK(value(g, out, input) == 2.5 * (input[0] / 3.0) - (input[0] - input[1]));
    CHECK(wlm_graph_sum(g, (wlm_node[]){a}, one, 1, &out) == WARPLU_SUCCESS && out == a);
    wlm_graph_destroy(&g);
}

static warplu_status build(wlu_context *ctx)
{
    wlm_graph *g = NULL;
    warplu_status status = wlm_graph_create(ctx, 0, &g);
    if (status != WARPLU_SUCCESS) return status;
    wlm_node x = wlm_input(g, 0), minus_x = wlm_unary(g, WLM_NEG, x), sum = x;
    for (int i = 1; i < 200; i++) sum = wlm_binary(g, WLM_MUL, sum, wlm_unary(g, WLM_SIN, wlm_input(g, i)));
    status = wlm_graph_status(g);
    CHECK(wlm_unary(g, WLM_NEG, minus_x) == (status == WARPLU_SUCCESS ? x : 0)); /* node 0 of a graph that failed */
    wlm_jacobian j = {0};
    if (status == WARPLU_SUCCESS) status = wlm_derive(g, &sum, 1, 0, 200, &j);
    if (status == WARPLU_SUCCESS) status = wlm_graph_sum(g, (wlm_node[]){sum, x}, (double[]){1.0, 2.0}, 2, &sum);
    wlm_jacobian_free(ctx, &j);
    wlm_graph_destroy(&g);
    return status;
}

/* Around -1, 0 and 1 an operation that is called smooth has no two finite values far apart. */
static void smooth_operations_do_not_jump(void)
{
    for (int opcode = WLM_NEG; opcode < WLM_OPCODES; opcode++) {
        if (wlm_opcode_course((wlm_opcode)opcode) != WLM_COURSE_SMOOTH) continue;
        for (int point = 0; point < 27; point++) {
            double at[3] = {point % 3 - 1, point / 3 % 3 - 1, point / 9 - 1};
            for (int k = 0; k < wlm_opcode_operands((wlm_opcode)opcode); k++) {
                double below[3], above[3], change = 1e-9;
                for (int i = 0; i < 3; i++) below[i] = above[i] = at[i];
                below[k] -= change, above[k] += change;
                double low = wlm_evaluate((wlm_opcode)opcode, below[0], below[1], below[2]);
                double high = wlm_evaluate((wlm_opcode)opcode, above[0], above[1], above[2]);
                if (!(fabs(low) < 1e3) || !(fabs(high) < 1e3)) continue; /* a pole, or no value */
                CHECK_SAY(fabs(high - low) < 1e-3, "%s", wlm_opcode_text((wlm_opcode)opcode));
            }
        }
    }
    CHECK(wlm_opcode_course(WLM_ATAN2) == WLM_COURSE_JUMPS && wlm_opcode_course(WLM_ATAN) == WLM_COURSE_SMOOTH);
}

static void every_allocation_may_fail(void)
{
    int64_t k = 0;
    for (; k < 1000; k++) {
        wlu_context ctx;
        wlu_context_init(&ctx, NULL);
        limit(&ctx);
        left = k;
        warplu_status status = build(&ctx);
        if (status == WARPLU_SUCCESS) break;
        CHECK(status == WARPLU_OUT_OF_MEMORY);
    }
    CHECK(k > 5 && k < 1000);
}

int main(void)
{
    printf("# seed %llu\n", (unsigned long long)seed);
    RUN(equal_nodes_are_one);
    RUN(literal_graphs_keep_what_is_written);
    RUN(identities_change_no_value);
    RUN(derivatives_are_those_of_differences);
    RUN(absent_entries_are_zero_by_structure);
    RUN(copies_replace_inputs);
    RUN(sums_have_no_rounding_of_what_cancels);
    RUN(smooth_operations_do_not_jump);
    RUN(every_allocation_may_fail);
    return check_done();
}
