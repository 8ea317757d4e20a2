/* Steps of large systems: against exact solutions, by order, against each other, starts, failures, equal bits. */
#include "model/system/transient.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "networks.h"
#include "support/check.h"

static wlu_context ctx;

static wlm_transient *begin_with(hand *h, const wlm_transient_options *o)
{
    wlm_transient *s = NULL;
    wlu_context_init(&ctx, NULL);
    warplu_status status = wlm_transient_create(&ctx, &h->model, o, &s);
    CHECK_SAY(status == WARPLU_SUCCESS, "%d: %s", (int)status, ctx.last_message);
    if (s == NULL) abort();
    return s;
}

static wlm_transient *begin(hand *h, wlm_method method, double step)
{
    wlm_transient_options o;
    wlm_transient_options_init(&o);
    o.method = method;
    o.step = step;
    return begin_with(h, &o);
}

static void run(wlm_transient *s, double t)
{
    warplu_status status = wlm_transient_run(s, t);
    CHECK_SAY(status == WARPLU_SUCCESS, "%d: %s", (int)status, ctx.last_message);
}

/* The slowest mode of a ladder of n nodes whose last one is tied to ground. */
static double mode(int32_t i, int32_t n)
{
    return cos((i + 0.5) * 3.14159265358979323846 / (2 * n + 1));
}

static double ladder_error(wlm_method method, double step)
{
    enum { N = 40 };
    hand h;
    hand_begin(&h);
    network_ladder(&h, N, 50.0, 2.0);
    for (int32_t i = 0; i < N; i++) h.model.set[0].quantity[0].value[i] = mode(i, N);
    wlm_transient *s = begin(&h, method, step);
    run(s, 4.0);
    double rate = 50.0 / 2.0 * 4.0 * pow(sin(0.5 * 3.14159265358979323846 / (2 * N + 1)), 2.0), worst = 0.0;
    for (int32_t i = 0; i < N; i++)
        worst = fmax(worst, fabs(wlm_transient_values(s)[i] - mode(i, N) * exp(-4.0 * rate)));
    wlm_transient_destroy(&s);
    hand_end(&h);
    return worst;
}

static void test_ladder(void)
{
    static const struct {
        wlm_method method;
        int order;
        double step;
    } cases[] = {{WLM_EULER, 1, 0.01},         {WLM_RK4, 4, 0.02},        {WLM_RUSH_LARSEN, 1, 0.01},
                 {WLM_BACKWARD_EULER, 1, 0.2}, {WLM_TRAPEZOIDAL, 2, 0.4}, {WLM_TR_BDF2, 2, 0.4}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double coarse = ladder_error(cases[k].method, cases[k].step);
        double fine = ladder_error(cases[k].method, 0.5 * cases[k].step);
        CHECK_SAY(coarse < 0.01, "case %d: %g", (int)k, coarse);
        if (cases[k].order < 4)
            CHECK_SAY(fabs(log2(coarse / fine) - cases[k].order) < 0.2, "case %d: %g, %g", (int)k, coarse, fine);
    }
    CHECK(ladder_error(WLM_TR_BDF2, 0.0) < 2e-5);
}

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
    const double *y = wlm_transient_values(s);
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

/* An ideal source that drives a resistor and a capacitor: a zero diagonal, and a known answer. */
static double driven_error(wlm_method method, double step, int64_t *steps)
{
    hand h;
    hand_begin(&h);
    int32_t node = hand_set(&h, "node", 2), ground = hand_set(&h, "ground", 1);
    hand_quantity(&h, node, WLM_BALANCE, "v", 0.0);
    hand_quantity(&h, ground, WLM_FIXED, "v", 0.0);
    wlm_use *use = hand_use(&h, network_source(&h, 1.0, 1), 1);
    hand_bind(&h, use, 0, node, 0, 0);
    hand_bind(&h, use, 1, ground, 0, 0);
    hand_finish_use(&h, use);
    use = hand_use(&h, network_resistor(&h, 1.0), 1);
    hand_bind(&h, use, 0, node, 0, 0);
    hand_bind(&h, use, 1, node, 1, 0);
    hand_finish_use(&h, use);
    use = hand_use(&h, network_capacitor(&h, 0.5), 1);
    hand_bind(&h, use, 0, node, 1, 0);
    hand_finish_use(&h, use);
    wlm_transient *s = begin(&h, method, step);
    run(s, 3.0);
    const double *y = wlm_transient_values(s);
    CHECK(fabs(y[0] - sin(3.0)) < 1e-12);
    /* v' = 2 (sin t - v), v(0) = 0 */
    double exact = (4.0 * sin(3.0) - 2.0 * cos(3.0) + 2.0 * exp(-6.0)) / 5.0;
    CHECK(fabs(y[2] + (y[0] - y[1])) < 1e-9);
    double error = fabs(y[1] - exact);
    wlm_transient_statistics statistics;
    wlm_transient_get_statistics(s, &statistics);
    *steps = statistics.steps;
    wlm_transient_destroy(&s);
    hand_end(&h);
    return error;
}

static void test_driven(void)
{
    int64_t steps;
    double coarse = driven_error(WLM_TRAPEZOIDAL, 0.05, &steps), fine = driven_error(WLM_TRAPEZOIDAL, 0.025, &steps);
    CHECK_SAY(fabs(log2(coarse / fine) - 2.0) < 0.2, "%g, %g", coarse, fine);
    coarse = driven_error(WLM_TR_BDF2, 0.05, &steps), fine = driven_error(WLM_TR_BDF2, 0.025, &steps);
    CHECK_SAY(fabs(log2(coarse / fine) - 2.0) < 0.2, "%g, %g", coarse, fine);
    double controlled = driven_error(WLM_TR_BDF2, 0.0, &steps);
    CHECK_SAY(controlled < 1e-5 && steps < 1000 && steps > 20, "%g, %d steps", controlled, (int)steps);
    CHECK(driven_error(WLM_BACKWARD_EULER, 0.01, &steps) < 0.02);
}

/* The cable by all methods with small steps; threads change no bit. */
static double *cable(wlm_method method, double step, double t, int32_t cells, int threads, int strang)
{
    hand h;
    hand_begin(&h);
    network_cable(&h, cells, 2.0);
    wlm_transient_options o;
    wlm_transient_options_init(&o);
    o.method = method;
    o.step = step;
    o.threads = threads;
    o.strang = strang;
    o.coupling = strang ? WLM_COUPLING_TRAPEZOIDAL : WLM_COUPLING_BACKWARD_EULER;
    wlm_transient *s = begin_with(&h, &o);
    run(s, t);
    double *y = malloc(3 * (size_t)cells * sizeof *y);
    memcpy(y, wlm_transient_values(s), 3 * (size_t)cells * sizeof *y);
    wlm_transient_destroy(&s);
    hand_end(&h);
    return y;
}

static double distance(const double *a, const double *b, int32_t n)
{
    double worst = 0.0;
    for (int32_t i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

static void test_cable(void)
{
    enum { CELLS = 50 };
    double *exact = cable(WLM_RK4, 0.002, 2.0, CELLS, 1, 0);
    static const struct {
        wlm_method method;
        int order, strang;
    } cases[] = {{WLM_EULER, 1, 0},   {WLM_RUSH_LARSEN, 1, 0}, {WLM_BACKWARD_EULER, 1, 0}, {WLM_TRAPEZOIDAL, 2, 0},
                 {WLM_TR_BDF2, 2, 0}, {WLM_SPLIT, 1, 0},       {WLM_SPLIT, 1, 1}};
    CHECK(exact[CELLS - 1] > 40.0 && exact[0] < -59.0); /* a wave has come half way */
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double *coarse = cable(cases[k].method, 0.008, 2.0, CELLS, 1, cases[k].strang);
        double *fine = cable(cases[k].method, 0.004, 2.0, CELLS, 1, cases[k].strang);
        double error = distance(coarse, exact, 3 * CELLS), less = distance(fine, exact, 3 * CELLS);
        CHECK_SAY(fabs(log2(error / less) - cases[k].order) < 0.1, "case %d: %g, %g", (int)k, error, less);
        CHECK_SAY(less < (cases[k].order == 1 ? 1.2 : 5e-3), "case %d: %g", (int)k, less);
        free(coarse);
        free(fine);
    }
    double *controlled = cable(WLM_TR_BDF2, 0.0, 2.0, CELLS, 1, 0);
    CHECK_SAY(distance(controlled, exact, 3 * CELLS) < 3e-3, "%g", distance(controlled, exact, 3 * CELLS));
    free(controlled);
    free(exact);
}

static void test_bits(void)
{
    enum { CELLS = 6000 };
    static const wlm_method methods[] = {WLM_RUSH_LARSEN, WLM_SPLIT, WLM_TR_BDF2};
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        double *one = cable(methods[k], 0.02, 0.1, CELLS, 1, 0);
        for (int threads = 2; threads <= 3; threads++) {
            double *other = cable(methods[k], 0.02, 0.1, CELLS, threads, 0);
            CHECK(memcmp(one, other, 3 * CELLS * sizeof *one) == 0);
            free(other);
        }
        free(one);
    }
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
    wlm_node cube = wlm_whole_power(k->graph, hand_port(&h, k, 0, "v"), 3);
    hand_add(&h, k, 0, "v", hand_op(k, WLM_SUB, cube, hand_number(k, 1.0)), WLM_NONE);
    wlm_use *use = hand_use(&h, k, 3);
    hand_bind(&h, use, 0, node, 0, 1);
    hand_finish_use(&h, use);
    wlm_transient *s = begin(&h, WLM_BACKWARD_EULER, 1.0);
    run(s, 1.0);
    for (int32_t i = 0; i < 3; i++) CHECK(fabs(wlm_transient_values(s)[i] - 1.0) < 1e-9);
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
    double root = wlm_transient_values(s)[1];
    CHECK_SAY(fabs(root * exp(1.0 - root) - 0.5) < 1e-9 && root < 1.0, "%g", root);
    wlm_transient_statistics statistics;
    wlm_transient_get_statistics(s, &statistics);
    CHECK(statistics.start_sources > 0);
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
    expect_refused(&h, WLM_RODAS4, 0.0, WARPLU_INVALID_ARGUMENT, "method");
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

/* A current pulse into a capacitor: the charge that it brings, to rounding, though steps could be longer than it. */
static void test_pulse(void)
{
    hand h;
    hand_begin(&h);
    int32_t node = hand_set(&h, "node", 1);
    hand_quantity(&h, node, WLM_BALANCE, "v", 0.0);
    wlm_use *use = hand_use(&h, network_capacitor(&h, 1.0), 1);
    hand_bind(&h, use, 0, node, 0, 0);
    hand_finish_use(&h, use);
    wlm_kind *k = hand_kind(&h, "pulse", 1);
    wlm_node t = hand_time(&h, k), up = hand_op(k, WLM_LE, hand_number(k, 3.3), t),
             down = hand_op(k, WLM_LT, t, hand_number(k, 3.4));
    hand_add(&h, k, 0, "v", wlm_unary(k->graph, WLM_NEG, hand_op(k, WLM_AND, up, down)), WLM_NONE);
    k->pulses = 1;
    k->pulse = hand_room(&h, sizeof *k->pulse);
    *k->pulse = (wlm_pulse){hand_number(k, 3.3), hand_number(k, 0.1), WLM_NONE};
    use = hand_use(&h, k, 1);
    hand_bind(&h, use, 0, node, 0, 0);
    hand_finish_use(&h, use);
    static const wlm_method methods[] = {WLM_TR_BDF2, WLM_BACKWARD_EULER, WLM_EULER, WLM_RK4};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        wlm_transient *s = begin(&h, methods[i], i == 0 ? 0.0 : 0.7);
        run(s, 10.0);
        CHECK_SAY(fabs(wlm_transient_values(s)[0] - 0.1) < 1e-12, "%d: %.15g", (int)i, wlm_transient_values(s)[0]);
        wlm_transient_destroy(&s);
    }
    hand_end(&h);
}

/* Sums are those of the present state. */
static void test_read(void)
{
    hand h;
    hand_begin(&h);
    network_sums(&h, 0);
    wlm_transient *s = begin(&h, WLM_RK4, 0.01);
    run(s, 0.3);
    wlm_memory memory;
    int32_t at = wlm_layout_find(wlm_transient_layout(s), "n[1].first", &memory);
    double first = 0.0, x[5], expected = 0.0;
    CHECK(wlm_transient_read(s, memory, at, 1, &first) == WARPLU_SUCCESS && memory == WLM_MEMORY_SUMS);
    CHECK(wlm_transient_read(s, WLM_MEMORY_UNKNOWNS, 0, 5, x) == WARPLU_SUCCESS);
    for (int i = 1; i < 10; i += 5) expected += x[(3 * i + 1) % 5];
    CHECK_SAY(first == expected && expected != 2.0, "%g, %g", first, expected);
    CHECK(wlm_transient_read(s, WLM_MEMORY_SUMS, 9, 2, x) == WARPLU_INVALID_ARGUMENT);
    wlm_transient_destroy(&s);
    hand_end(&h);
}

int main(void)
{
    RUN(test_ladder);
    RUN(test_diodes);
    RUN(test_driven);
    RUN(test_cable);
    RUN(test_bits);
    RUN(test_no_convergence);
    RUN(test_gmin);
    RUN(test_sources);
    RUN(test_too_small);
    RUN(test_refused);
    RUN(test_pulse);
    RUN(test_read);
    return check_done();
}
