/* The strategy `phases`: bytecodes by hand, the same bits as plain evaluation with each switch, order and exactness
 * of steps. */
#include "phases/phases.h"

#include <math.h>

#include "phases_networks.h"
#include "support/golden.h"

static int update;

/* ------------------------------------------------------------------ golden */

/* Two cells of a kind with other numbers, two definitions each, of which the second reads the first alone. */
static void tiny(network *w)
{
    network_begin(w, 2, 1);
    wlm_graph *g = w->eq.graph;
    for (int cell = 0; cell < 2; cell++) {
        wlm_node x = state(w, cell), k = constant(w, 2.0 + cell);
        wlm_node sum = add(w, add(w, add(w, mul(w, mul(w, k, x), x), constant(w, 1.0)), x), wlm_input(g, 0));
        wlm_node a = network_define(w, sum);
        wlm_node slow = wlm_ternary(g, WLM_SELECT, wlm_binary(g, WLM_LT, x, k), unary(w, WLM_EXP, unary(w, WLM_NEG, a)),
                                    constant(w, 0.5));
        w->eq.f[cell] = sub(w, network_define(w, slow), x);
    }
    w->eq.q[1] = mul(w, constant(w, 4.0), state(w, 1)); /* 4 y' = ... */
}

static void compare_text(int bits, const char *name)
{
    network w;
    char *text = NULL;
    size_t bytes = 0;
    tiny(&w);
    wlm_phases *p = network_phases(&w, bits, 0);
    FILE *out = open_memstream(&text, &bytes);
    wlm_phases_disassemble(p, out);
    fclose(out);
    golden_compare(WLU_GOLDEN_DIR, name, text, update);
    free(text);
    wlm_phases_destroy(&w.ctx, &p);
    network_end(&w);
}

static void bytecode_of_a_tiny_model(void)
{
    compare_text(0, "phases_base");
    compare_text(15, "phases_all");
}

/* -------------------------------------------------------------------- bits */

/* All nodes one after the other. */
static void evaluate(const network *w, const double *input, double *value)
{
    const wlm_graph *g = w->eq.graph;
    for (wlm_node node = 0; node < wlm_node_count(g); node++) {
        wlm_opcode opcode = wlm_node_opcode(g, node);
        double a[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < wlm_opcode_operands(opcode); k++) a[k] = value[wlm_node_operand(g, node, k)];
        value[node] = opcode == WLM_CONSTANT ? wlm_node_value(g, node)
                      : opcode == WLM_INPUT  ? input[wlm_node_input(g, node)]
                                             : wlm_evaluate(opcode, a[0], a[1], a[2]);
    }
}

/* Euler's method without bytecode; input: t and states. The definitions' values of the last step stay in value. */
static void plain_euler(const network *w, double *input, double *value, double h, int64_t steps)
{
    double *next = malloc((size_t)(w->eq.n + 1) * sizeof *next);
    for (int64_t k = 0; k < steps; k++) {
        evaluate(w, input, value);
        for (int i = 0; i < w->eq.n; i++) next[1 + i] = input[1 + i] + h * value[w->eq.f[i]];
        next[0] = (double)(k + 1) * h;
        memcpy(input, next, (size_t)(w->eq.n + 1) * sizeof *next);
    }
    evaluate(w, input, value);
    free(next);
}

static int same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void compare_run(network *w, int bits, int stack, const double *input, const double *value, double h,
                        int64_t steps)
{
    wlm_phases *p = network_phases(w, bits, stack);
    wlm_phases_state s;
    CHECK(wlm_phases_state_create(&w->ctx, p, &w->eq, 0.0, NULL, NULL, &s) == WARPLU_SUCCESS);
    CHECK(wlm_phases_run(&w->ctx, p, &s, WLM_EULER, h, steps) == WARPLU_SUCCESS);
    wlm_phases_define(p, &s);
    int wrong = 0;
    for (int i = 0; i <= w->eq.n; i++) wrong += !same(s.array[0][i], input[i]);
    for (int i = 0; i < w->eq.locals; i++) wrong += !same(s.array[0][p->variable[i]], value[w->eq.local[i]]);
    CHECK_SAY(wrong == 0, "switches %d, stack %d: %d of %d values are others", bits, stack, wrong, (int)p->variables);
    wlm_phases_state_free(&w->ctx, &s);
    wlm_phases_destroy(&w->ctx, &p);
}

static void compare_switches(uint64_t seed, int cells, int literal, int64_t steps)
{
    network w;
    network_invent(&w, seed, cells, 8, literal);
    double *input = calloc((size_t)(w.eq.n + 1), sizeof *input);
    double *value = malloc((size_t)wlm_node_count(w.eq.graph) * sizeof *value);
    for (int i = 0; i < w.eq.n; i++) input[1 + i] = wlm_node_value(w.eq.graph, w.eq.initial[i]);
    plain_euler(&w, input, value, 0.01, steps);
    for (int bits = 0; bits < 16; bits++) compare_run(&w, bits, bits % 3 == 0 ? 100 : 12, input, value, 0.01, steps);
    free(input);
    free(value);
    network_end(&w);
}

static void every_switch_keeps_the_bits(void)
{
    compare_switches(20261126, 9, 1, 1000);
    for (uint64_t seed = 1; seed <= 25; seed++)
        if (check_due()) compare_switches(seed, 3 + (int)(5 * seed % 36), seed % 2 != 0, 10);
}

/* Within a launch threads may come in any order. */
static void run_backwards(const wlm_phases *p, wlm_phases_state *s, double h)
{
    double stack[WLM_PHASES_STACK_MOST];
    for (int32_t k = 0; k < p->phases; k++) {
        int is_ode = k + 1 == p->phases;
        wlm_phases_memory m = {p->index + p->phase[k].first,
                               p->code,
                               p->table,
                               s->array[0],
                               is_ode ? s->array[1] : s->array[0],
                               NULL,
                               NULL,
                               NULL,
                               h,
                               h};
        for (int32_t thread = p->phase[k].threads - 1; thread >= 0; thread--)
            wlm_phases_thread(&m, is_ode ? WLM_ASSIGN_EULER : WLM_ASSIGN_DEFINITION, thread, stack);
    }
}

static void threads_of_a_phase_may_come_in_any_order(void)
{
    for (int bits = 0; bits < 16; bits++) {
        network w;
        wlm_phases_state a, b;
        network_invent(&w, 5 + (uint64_t)bits, 20, 10, 1);
        wlm_phases *p = network_phases(&w, bits, 0);
        CHECK(wlm_phases_state_create(&w.ctx, p, &w.eq, 0.0, NULL, NULL, &a) == WARPLU_SUCCESS);
        CHECK(wlm_phases_state_create(&w.ctx, p, &w.eq, 0.0, NULL, NULL, &b) == WARPLU_SUCCESS);
        CHECK(wlm_phases_run(&w.ctx, p, &a, WLM_EULER, 0.01, 1) == WARPLU_SUCCESS);
        run_backwards(p, &b, 0.01);
        int wrong = 0; /* a's arrays have changed places */
        for (int i = 0; i < p->variables; i++)
            wrong += !same(a.array[0][i], b.array[1][i]) || !same(a.array[1][i], b.array[0][i]);
        CHECK_SAY(wrong == 0, "switches %d: %d values", bits, wrong);
        wlm_phases_state_free(&w.ctx, &a);
        wlm_phases_state_free(&w.ctx, &b);
        wlm_phases_destroy(&w.ctx, &p);
        network_end(&w);
    }
}

/* ------------------------------------------------------------------- steps */

/* x' = -x + cos t and a rotation of y and z: the error at t = 2 by steps of h. */
static double error_at_two(wlm_method method, int bits, int steps)
{
    network w;
    wlm_phases_state s;
    network_begin(&w, 3, 1);
    wlm_node force = network_define(&w, unary(&w, WLM_COS, wlm_input(w.eq.graph, 0)));
    w.eq.f[0] = sub(&w, force, state(&w, 0));
    w.eq.f[1] = unary(&w, WLM_NEG, state(&w, 2));
    w.eq.f[2] = state(&w, 1);
    wlm_phases *p = network_phases(&w, bits, 0);
    double y[3] = {0.5, 1.0, 0.0}, t = 2.0; /* x = (cos t + sin t) / 2 */
    CHECK(wlm_phases_state_create(&w.ctx, p, &w.eq, 0.0, y, NULL, &s) == WARPLU_SUCCESS);
    CHECK(wlm_phases_run(&w.ctx, p, &s, method, t / steps, steps) == WARPLU_SUCCESS);
    double error = fmax(fabs(s.array[0][1] - 0.5 * (cos(t) + sin(t))),
                        fmax(fabs(s.array[0][2] - cos(t)), fabs(s.array[0][3] - sin(t))));
    CHECK(fabs(s.array[0][0] - t) < 1e-14 && s.steps == steps);
    wlm_phases_state_free(&w.ctx, &s);
    wlm_phases_destroy(&w.ctx, &p);
    network_end(&w);
    return error;
}

static void methods_have_their_order(void)
{
    for (int bits = 0; bits < 16; bits++) {
        double euler = log2(error_at_two(WLM_EULER, bits, 400) / error_at_two(WLM_EULER, bits, 800));
        double rk4 = log2(error_at_two(WLM_RK4, bits, 40) / error_at_two(WLM_RK4, bits, 80));
        CHECK_SAY(fabs(euler - 1.0) < 0.1, "%g", euler);
        CHECK_SAY(fabs(rk4 - 4.0) < 0.1, "%g", rk4);
        CHECK(error_at_two(WLM_RK4, bits, 400) < 1e-10);
    }
}

static void other_methods_are_refused(void)
{
    network w;
    wlm_phases_state s = {0};
    network_invent(&w, 3, 2, 3, 1);
    wlm_phases *p = network_phases(&w, 0, 0);
    CHECK(wlm_phases_run(&w.ctx, p, &s, WLM_RODAS3, 0.1, 1) == WARPLU_INVALID_ARGUMENT);
    wlm_phases_destroy(&w.ctx, &p);
    network_end(&w);
}

int main(int argc, char **argv)
{
    update = argc > 1 && strcmp(argv[1], "--update") == 0;
    RUN(bytecode_of_a_tiny_model);
    RUN(every_switch_keeps_the_bits);
    RUN(threads_of_a_phase_may_come_in_any_order);
    RUN(methods_have_their_order);
    RUN(other_methods_are_refused);
    return check_done();
}
