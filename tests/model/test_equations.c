/* Models as one graph: numbers and names of unknowns, rows of every kind of quantity, parameters of lanes, sums in
 * order and events and pulses, failing allocations. */
#include "model/equations/equations.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/text/read.h"
#include "model/limited.h"
#include "support/check.h"

static const char circuit[] = "element source(p)\n"
                              "  param e = 5\n"
                              "  param start = 1\n"
                              "  unknown i = 0.5\n"
                              "  drive = e*pulse(start, 2, 10)\n"
                              "  0 = p.v - drive\n"
                              "  p.v += i\n"
                              "end\n"
                              "element rc(a, b)\n"
                              "  param r = 2\n"
                              "  param c = 3\n"
                              "  a.v += (a.v - b.v)/r\n"
                              "  b.v += (b.v - a.v)/r + ddt(c*b.v)\n"
                              "end\n"
                              "nodes node[3] { balance v = 1 }\n"
                              "use source(node[0])\n"
                              "use rc(node[i], node[i + 1]) over i in 0..1\n";

static wlm_equations *equations_of(wlu_context *ctx, const char *text, const char *const *lane, int32_t lanes)
{
    wlm_model *model = NULL;
    wlm_equations *e = NULL;
    CHECK_SAY(wlm_model_parse(ctx, "test", text, (int64_t)strlen(text), 0, &model) == WARPLU_SUCCESS, "%s",
              ctx->last_message);
    if (model == NULL) return NULL;
    CHECK_SAY(wlm_equations_create(ctx, model, lane, lanes, &e) == WARPLU_SUCCESS, "%s", ctx->last_message);
    wlm_model_destroy(&model);
    return e;
}

/* The value of a node, all nodes one after the other. */
static double value(const wlm_equations *e, wlm_node wanted, const double *inputs)
{
    int32_t count = wlm_node_count(e->graph);
    double *v = malloc((size_t)count * sizeof *v);
    for (wlm_node node = 0; node < count; node++) {
        wlm_opcode opcode = wlm_node_opcode(e->graph, node);
        double operand[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < wlm_opcode_operands(opcode); k++) operand[k] = v[wlm_node_operand(e->graph, node, k)];
        v[node] = opcode == WLM_CONSTANT ? wlm_node_value(e->graph, node)
                  : opcode == WLM_INPUT  ? inputs[wlm_node_input(e->graph, node)]
                                         : wlm_evaluate(opcode, operand[0], operand[1], operand[2]);
    }
    double result = v[wanted];
    free(v);
    return result;
}

static int32_t row_named(const wlm_equations *e, const char *name)
{
    for (int32_t i = 0; i < e->n; i++)
        if (strcmp(e->name[i], name) == 0) return i;
    CHECK_SAY(0, "no %s", name);
    return 0;
}

static void expect(const wlm_equations *e, wlm_node node, const double *inputs, double want)
{
    double got = node == WLM_NONE ? NAN : value(e, node, inputs);
    CHECK_SAY(fabs(got - want) < 1e-12, "%.17g, not %.17g", got, want);
}

static void balances_have_charges_and_flows(void)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    wlm_equations *e = equations_of(&ctx, circuit, (const char *const[]){"rc[1].c", "source.e"}, 2);
    if (e == NULL) return;
    /* t, node 0 to 2, the source's current, the parameters */
    double in[] = {1.5, 5.0, 3.0, 2.0, 0.25, 30.0, 6.0};
    CHECK(e->n == 4 && e->lane_parameters == 2 && e->pulses == 1 && e->events == 0);
    CHECK(strcmp(e->name[0], "node[0].v") == 0 && strcmp(e->name[3], "source.i") == 0);
    CHECK(e->q[0] == WLM_NONE && e->q[3] == WLM_NONE);
    expect(e, e->f[0], in, -(0.25 + (5.0 - 3.0) / 2.0));
    expect(e, e->f[1], in, -((3.0 - 5.0) / 2.0 + (3.0 - 2.0) / 2.0));
    expect(e, e->q[1], in, 3.0 * 3.0);
    expect(e, e->q[2], in, 30.0 * 2.0);
    expect(e, e->f[3], in, 5.0 - 6.0);
    expect(e, e->initial[0], in, 1.0);
    expect(e, e->initial[3], in, 0.5);
    expect(e, e->pulse[0].delay, in, 1.0);
    expect(e, e->pulse[0].width, in, 2.0);
    expect(e, e->pulse[0].period, in, 10.0);
    CHECK(e->place[3].line == 6 && e->locals == 1 && strcmp(e->local_name[0], "source.drive") == 0);
    expect(e, e->local[0], in, 6.0);
    wlm_equations_destroy(&e);
    CHECK(e == NULL);
}

static void stores_states_and_gates_have_their_rows(void)
{
    static const char text[] = "element leak(n)\n"
                               "  param k = 2\n"
                               "  state x = 0.25*k\n"
                               "  gate m = 0.5: 1/(1 + exp(-n.s)), 4\n"
                               "  x' = n.s - x + m\n"
                               "  n.s += k*x\n"
                               "  event t = 3: x = 7*k\n"
                               "end\n"
                               "nodes bank[2] { store s = 4 }\n"
                               "use leak(bank[1]) over i in 0..1\n";
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    wlm_equations *e = equations_of(&ctx, text, (const char *const[]){"leak.k"}, 1);
    if (e == NULL) return;
    double in[] = {0.0, 1.0, 2.0, 10.0, 0.5, 20.0, 0.75, 3.0};
    int32_t x1 = row_named(e, "leak[1].x"), m1 = row_named(e, "leak[1].m"), s1 = row_named(e, "bank[1].s");
    double y[2] = {in[1 + x1], in[1 + m1]};
    CHECK(e->n == 6 && e->events == 2 && e->event[1].state[0] == x1 && e->event[1].crossing == WLM_NONE);
    expect(e, e->q[s1], in, in[1 + s1]);
    expect(e, e->f[s1], in, 3.0 * (in[1 + row_named(e, "leak[0].x")] + y[0]));
    expect(e, e->f[row_named(e, "bank[0].s")], in, 0.0);
    expect(e, e->f[x1], in, in[1 + s1] - y[0] + y[1]);
    expect(e, e->steady[m1], in, 1.0 / (1.0 + exp(-in[1 + s1])));
    expect(e, e->tau[m1], in, 4.0);
    CHECK(e->steady[x1] == WLM_NONE && e->tau[x1] == WLM_NONE);
    expect(e, e->initial[x1], in, 0.75);
    expect(e, e->event[1].at, in, 3.0);
    expect(e, e->event[1].value[0], in, 21.0);
    wlm_equations_destroy(&e);
}

static const char sums[] = "element a(n)\n  state x = 1\n  x' = n.total\n  n.total += x\nend\n"
                           "element link(p, q)\n  q.total += 10*p.total\nend\n"
                           "nodes n[3] { sum total }\n"
                           "use a(n[i]) over i in 0..2\n"
                           "use link(n[i], n[i + 1]) over i in 0..1\n";

static void sums_are_made_in_the_order_of_need(void)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    wlm_equations *e = equations_of(&ctx, sums, NULL, 0);
    if (e == NULL) return;
    double in[] = {0.0, 1.0, 2.0, 3.0};
    expect(e, e->f[0], in, 1.0);
    expect(e, e->f[1], in, 12.0);
    expect(e, e->f[2], in, 123.0);
    wlm_equations_destroy(&e);
}

static void expect_failure(const char *text, const char *lane, warplu_status want, const char *said)
{
    wlu_context ctx;
    wlm_model *model = NULL;
    wlm_equations *e = NULL;
    wlu_context_init(&ctx, NULL);
    warplu_status status = wlm_model_parse(&ctx, "test", text, (int64_t)strlen(text), 0, &model);
    if (status == WARPLU_SUCCESS) status = wlm_equations_create(&ctx, model, &lane, lane != NULL, &e);
    CHECK_SAY(status == want && strstr(ctx.last_message, said) != NULL && e == NULL, "%d: %s", (int)status,
              ctx.last_message);
    wlm_equations_destroy(&e);
    wlm_model_destroy(&model);
}

static void failures_have_their_status(void)
{
    expect_failure(circuit, "rc.q", WARPLU_INVALID_ARGUMENT, "'rc.q' is no parameter");
    expect_failure(circuit, "rc[2].c", WARPLU_INVALID_ARGUMENT, "'rc[2].c' is no parameter");
    expect_failure(circuit, "rc", WARPLU_INVALID_ARGUMENT, "no parameter");
}

static void every_allocation_may_fail(void)
{
    wlu_context ctx;
    wlm_model *model = NULL;
    wlu_context_init(&ctx, NULL);
    CHECK(wlm_model_parse(&ctx, "test", circuit, (int64_t)strlen(circuit), 0, &model) == WARPLU_SUCCESS);
    int64_t k = 0;
    for (; k < 2000 && model != NULL; k++) {
        wlm_equations *e = NULL;
        wlu_context short_of;
        const char *lane = "rc.c";
        wlu_context_init(&short_of, NULL);
        limit(&short_of);
        left = k;
        warplu_status status = wlm_equations_create(&short_of, model, &lane, 1, &e);
        wlm_equations_destroy(&e);
        if (status == WARPLU_SUCCESS) break;
        CHECK(status == WARPLU_OUT_OF_MEMORY);
    }
    CHECK_SAY(k > 10 && k < 2000, "%d", (int)k);
    wlm_model_destroy(&model);
}

int main(void)
{
    RUN(balances_have_charges_and_flows);
    RUN(stores_states_and_gates_have_their_rows);
    RUN(sums_are_made_in_the_order_of_need);
    RUN(failures_have_their_status);
    RUN(every_allocation_may_fail);
    return check_done();
}
