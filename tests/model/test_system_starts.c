/* Where large systems begin, and where they fail: operating points, conductances, sources, messages, refusals. */
#include <math.h>
#include <string.h>

#include "transients.h"

/* Source, resistor, diode to ground: the point by Newton's method on one number. */
static void add_diodes(hand *h, int32_t branches)
{
    int32_t node = hand_set(h, "node", 2 * branches), ground = hand_set(h, "ground", 1);
    hand_quantity(h, node, WLM_BALANCE, "v", 0.0);
    hand_quantity(h, ground, WLM_FIXED, "v", 0.0);
    wlm_use *use = hand_use(h, network_source(h, 5.0, 0), branches);
    hand_bind(h, use, 0, node, 0, 2);
    hand_bind(h, use, 1, ground, 0, 0);
    hand_finish_use(h, use);
    double *e = hand_values(h, use, "e");
    for (int32_t i = 0; i < branches; i++) e[i] = 0.1 + i;
    use = hand_use(h, network_resistor(h, 1e-3), branches);
    hand_bind(h, use, 0, node, 0, 2);
    hand_bind(h, use, 1, node, 1, 2);
    hand_finish_use(h, use);
    use = hand_use(h, network_diode(h, 1e-14, 0.025), branches);
    hand_bind(h, use, 0, node, 1, 2);
    hand_bind(h, use, 1, ground, 0, 0);
    hand_finish_use(h, use);
}

static double diode_by_hand(double e)
{
    double low = 0.0, high = e;
    for (int k = 0; k < 200; k++) {
        double v = 0.5 * (low + high);
        if (1e-14 * (exp(v / 0.025) - 1.0) > 1e-3 * (e - v))
            high = v;
        else
            low = v;
    }
    return low;
}

static void test_diodes(void)
{
    enum { BRANCHES = 20 };
    hand h;
    hand_begin(&h);
    add_diodes(&h, BRANCHES);
    wlm_transient *s = begin(&h, WLM_BACKWARD_EULER, 1.0);
    run(s, 1.0);
    double y[3 * BRANCHES];
    CHECK(wlm_transient_read(s, WLM_MEMORY_UNKNOWNS, 0, 3 * BRANCHES, y) == WARPLU_SUCCESS);
    for (int32_t i = 0; i < BRANCHES; i++) {
        double v = diode_by_hand(0.1 + i), current = 1e-3 * (0.1 + i - v);
        CHECK_SAY(fabs(y[2 * i + 1] - v) < 1e-9, "%d: %.12g, %.12g", (int)i, y[2 * i + 1], v);
        CHECK(fabs(y[2 * i] - (0.1 + i)) < 1e-12 && fabs(y[2 * BRANCHES + i] + current) < 1e-10);
    }
    wlm_transient_statistics statistics;
    wlm_transient_get_statistics(s, &statistics);
    CHECK(statistics.start_damped > 0 && statistics.start_gmin == 0 && statistics.steps == 1);
    wlm_transient_destroy(&s);
    hand_end(&h);
}

/* ------------------------------------------------------------------ failures */

static void test_no_convergence(void)
{
    hand h;
    hand_begin(&h); /* exp(v) + 1 = 0 has no solution */
    int32_t node = hand_set(&h, "node", 2);
    hand_quantity(&h, node, WLM_BALANCE, "v", 0.0);
    wlm_kind *bad = hand_kind(&h, "bad", 1);
    wlm_node e = wlm_unary(bad->graph, WLM_EXP, hand_port(&h, bad, 0, "v"));
    hand_add(&h, bad, 0, "v", hand_op(bad, WLM_ADD, e, hand_number(bad, 1.0)), WLM_NONE);
    wlm_use *use = hand_use(&h, bad, 2);
    hand_bind(&h, use, 0, node, 0, 1);
    hand_finish_use(&h, use);
    wlm_transient *s = begin(&h, WLM_BACKWARD_EULER, 1.0);
    warplu_status status = wlm_transient_run(s, 1.0);
    CHECK(status == WARPLU_NO_CONVERGENCE || status == WARPLU_SINGULAR);
    CHECK_SAY(strstr(ctx.last_message, "node[") != NULL && strstr(ctx.last_message, "line") != NULL, "%s",
              ctx.last_message);
    wlm_transient_statistics statistics;
    wlm_transient_get_statistics(s, &statistics);
    CHECK(statistics.start_gmin > 0 && statistics.start_sources > 0);
    CHECK(wlm_transient_time(s) == 0.0);
    wlm_transient_destroy(&s);
    hand_end(&h);
}

/* v^3 = 1 from v = 0, where the matrix is singular: conductances lead there. */
static void test_gmin(void)
{
    hand h;
    hand_begin(&h);
    int32_t node = hand_set(&h, "node", 3);
    hand_quantity(&h, node, WLM_BALANCE, "v", 0.0);
    wlm_kind *k = hand_kind(&h, "cube", 1);
    wlm_node cube = hand_op(k, WLM_POW, hand_port(&h, k, 0, "v"), hand_number(k, 3.0));
    hand_add(&h, k, 0, "v", hand_op(k, WLM_SUB, cube, hand_number(k, 1.0)), WLM_NONE);
    wlm_use *use = hand_use(&h, k, 3);
    hand_bind(&h, use, 0, node, 0, 1);
    hand_finish_use(&h, use);
    wlm_transient *s = begin(&h, WLM_BACKWARD_EULER, 1.0);
    run(s, 1.0);
    for (int32_t i = 0; i < 3; i++) CHECK(fabs(network_value(s, i) - 1.0) < 1e-9);
    wlm_transient_statistics statistics;
    wlm_transient_get_statistics(s, &statistics);
    CHECK(statistics.start_gmin > 0 && statistics.start_sources == 0);
    wlm_transient_destroy(&s);
    hand_end(&h);
}

/* x exp(1 - x) = 1/2 from x = 20, where everything leads away: sources lead there from zero. */
static void test_sources(void)
{
    hand h;
    hand_begin(&h);
    wlm_kind *k = hand_kind(&h, "bump", 0);
    wlm_node x = hand_unknown(&h, k, "x", 20.0);
    wlm_node e = wlm_unary(k->graph, WLM_EXP, hand_op(k, WLM_SUB, hand_number(k, 1.0), x));
    hand_close(&h, k, hand_op(k, WLM_SUB, hand_op(k, WLM_MUL, x, e), hand_number(k, 0.5)));
    hand_use(&h, k, 2);
    wlm_transient *s = begin(&h, WLM_BACKWARD_EULER, 1.0);
    run(s, 1.0);
    double root = network_value(s, 1);
    CHECK_SAY(fabs(root * exp(1.0 - root) - 0.5) < 1e-9 && root < 1.0, "%g", root);
    wlm_transient_statistics statistics;
    wlm_transient_get_statistics(s, &statistics);
    CHECK(statistics.start_sources > 0);
    wlm_transient_destroy(&s);
    hand_end(&h);
}

/* (x - 1)^2 = 0 from 0: Newton's own steps halve the way to a double root, and none is longer than its own. */
static void test_double_root(void)
{
    hand h;
    hand_begin(&h);
    wlm_kind *k = hand_kind(&h, "square", 0);
    wlm_node off = hand_op(k, WLM_SUB, hand_unknown(&h, k, "x", 0.0), hand_number(k, 1.0));
    hand_close(&h, k, hand_op(k, WLM_MUL, off, off));
    hand_use(&h, k, 1);
    wlm_transient *s = begin(&h, WLM_BACKWARD_EULER, 1.0);
    run(s, 1.0);
    wlm_transient_statistics statistics;
    wlm_transient_get_statistics(s, &statistics);
    double halvings = -log2(fabs(network_value(s, 0) - 1.0));
    CHECK_SAY(halvings > 10.0 && (double)statistics.start_damped >= halvings - 2.0, "%g after %d iterations", halvings,
              (int)statistics.start_damped);
    wlm_transient_destroy(&s);
    hand_end(&h);
}

/* x' = x^2 from 1 ends at t = 1. */
static void test_too_small(void)
{
    hand h;
    hand_begin(&h);
    wlm_kind *k = hand_kind(&h, "blow", 0);
    wlm_node x = hand_state(&h, k, "x", 1.0);
    hand_rate(k, hand_op(k, WLM_MUL, x, x));
    hand_use(&h, k, 3);
    wlm_transient *s = begin(&h, WLM_TR_BDF2, 0.0);
    warplu_status status = wlm_transient_run(s, 2.0);
    CHECK_SAY(status == WARPLU_STEP_TOO_SMALL || status == WARPLU_NO_CONVERGENCE || status == WARPLU_NOT_FINITE, "%d",
              status);
    CHECK_SAY(wlm_transient_time(s) > 0.99 && wlm_transient_time(s) < 1.01, "%g", wlm_transient_time(s));
    wlm_transient_destroy(&s);
    s = begin(&h, WLM_EULER, 0.125);
    status = wlm_transient_run(s, 1e4);
    CHECK(status == WARPLU_NOT_FINITE);
    CHECK_SAY(strstr(ctx.last_message, "blow[0].x (line 101, used in line 51)") != NULL, "%s", ctx.last_message);
    wlm_transient_destroy(&s);
    hand_end(&h);
}

/* x' = 1/sqrt(x) from 0: there is no rate. Newton's method says so, not the solver. */
static void test_infinite_rate(void)
{
    hand h;
    hand_begin(&h);
    wlm_kind *k = hand_kind(&h, "root", 0);
    hand_rate(k, wlm_unary(k->graph, WLM_RSQRT, hand_state(&h, k, "x", 0.0)));
    hand_use(&h, k, 2);
    wlm_transient *s = begin(&h, WLM_BACKWARD_EULER, 0.125);
    CHECK(wlm_transient_run(s, 1.0) == WARPLU_NOT_FINITE);
    CHECK_SAY(strstr(ctx.last_message, "a number is not finite") != NULL, "%s", ctx.last_message);
    wlm_transient_destroy(&s);
    hand_end(&h);
}

static void expect_refused(hand *h, wlm_method method, double step, warplu_status expected, const char *words)
{
    wlm_transient_options o;
    wlm_transient_options_init(&o);
    o.method = method;
    o.step = step;
    wlm_transient *s = NULL;
    wlu_context_init(&ctx, NULL);
    CHECK(wlm_transient_create(&ctx, &h->model, &o, &s) == expected);
    CHECK_SAY(s == NULL && strstr(ctx.last_message, words) != NULL, "%s", ctx.last_message);
    wlm_transient_destroy(&s);
}

static void test_refused(void)
{
    hand h;
    hand_begin(&h);
    add_diodes(&h, 2);
    expect_refused(&h, WLM_EULER, 0.1, WARPLU_MODEL_EQUATIONS, "no rate of change");
    expect_refused(&h, WLM_SPLIT, 0.1, WARPLU_MODEL_EQUATIONS, "which dio is not");
    expect_refused(&h, WLM_BACKWARD_EULER, 0.0, WARPLU_INVALID_ARGUMENT, "fixed length");
    expect_refused(&h, (wlm_method)99, 0.1, WARPLU_INVALID_ARGUMENT, "method");
    hand_end(&h);
    hand_begin(&h); /* a charge that is no line */
    network_ladder(&h, 3, 1.0, 1.0);
    wlm_kind *bent = hand_kind(&h, "bent", 1);
    wlm_node v = hand_port(&h, bent, 0, "v");
    hand_add(&h, bent, 0, "v", WLM_NONE, hand_op(bent, WLM_MUL, v, v));
    wlm_use *one = hand_use(&h, bent, 1);
    hand_bind(&h, one, 0, 0, 1, 0);
    hand_finish_use(&h, one);
    expect_refused(&h, WLM_RODAS4, 0.0, WARPLU_MODEL_EQUATIONS,
                   "rodas4 cannot step node[1].v, whose charge is not linear");
    hand_end(&h);
    hand_begin(&h); /* a charge between two nodes */
    network_ladder(&h, 3, 1.0, 1.0);
    wlm_kind *k = hand_kind(&h, "between", 2);
    wlm_node q = hand_op(k, WLM_SUB, hand_port(&h, k, 0, "v"), hand_port(&h, k, 1, "v"));
    hand_add(&h, k, 0, "v", WLM_NONE, q);
    wlm_use *use = hand_use(&h, k, 1);
    hand_bind(&h, use, 0, 0, 0, 0);
    hand_bind(&h, use, 1, 0, 1, 0);
    hand_finish_use(&h, use);
    expect_refused(&h, WLM_EULER, 0.1, WARPLU_MODEL_EQUATIONS, "not that node's quantity times a constant");
    hand_end(&h);
}

int main(void)
{
    RUN(test_diodes);
    RUN(test_no_convergence);
    RUN(test_gmin);
    RUN(test_sources);
    RUN(test_double_root);
    RUN(test_too_small);
    RUN(test_infinite_rate);
    RUN(test_refused);
    return check_done();
}
