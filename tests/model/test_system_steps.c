/* Steps of large systems: against exact solutions, by order, against each other, with pulses and sums; equal bits. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "transients.h"

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
    for (int32_t i = 0; i < N; i++) worst = fmax(worst, fabs(network_value(s, i) - mode(i, N) * exp(-4.0 * rate)));
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
    } cases[] = {{WLM_EULER, 1, 0.01},          {WLM_RK4, 4, 0.02},        {WLM_RUSH_LARSEN, 1, 0.01},
                 {WLM_BACKWARD_EULER, 1, 0.2},  {WLM_TRAPEZOIDAL, 2, 0.4}, {WLM_TR_BDF2, 2, 0.4},
                 {WLM_DORMAND_PRINCE, 5, 0.02}, {WLM_RODAS3, 3, 0.5},      {WLM_RODAS4, 4, 0.5}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double coarse = ladder_error(cases[k].method, cases[k].step);
        double fine = ladder_error(cases[k].method, 0.5 * cases[k].step);
        CHECK_SAY(coarse < 0.01, "case %d: %g", (int)k, coarse);
        if (cases[k].order < 4)
            CHECK_SAY(fabs(log2(coarse / fine) - cases[k].order) < 0.2, "case %d: %g, %g", (int)k, coarse, fine);
    }
    CHECK(ladder_error(WLM_TR_BDF2, 0.0) < 2e-5);
    CHECK(ladder_error(WLM_RODAS3, 0.0) < 2e-5);
    CHECK(ladder_error(WLM_RODAS4, 0.0) < 2e-5);
    CHECK(ladder_error(WLM_DORMAND_PRINCE, 0.0) < 2e-5);
}

/* x' = x cos t, whose solution is exp(sin t): derivatives by time count. */
static double swing_error(wlm_method method, double step)
{
    hand h;
    hand_begin(&h);
    wlm_kind *k = hand_kind(&h, "swing", 0);
    wlm_node x = hand_state(&h, k, "x", 1.0);
    hand_rate(k, hand_op(k, WLM_MUL, x, wlm_unary(k->graph, WLM_COS, hand_time(&h, k))));
    hand_finish_use(&h, hand_use(&h, k, 2));
    wlm_transient *s = begin(&h, method, step);
    run(s, 2.0);
    double error = fabs(network_value(s, 1) - exp(sin(2.0)));
    wlm_transient_destroy(&s);
    hand_end(&h);
    return error;
}

static void test_swing(void)
{
    static const struct {
        wlm_method method;
        double order;
    } cases[] = {{WLM_RK4, 4.0}, {WLM_DORMAND_PRINCE, 5.0}, {WLM_RODAS3, 3.0}, {WLM_RODAS4, 4.0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double coarse = swing_error(cases[k].method, 0.05), fine = swing_error(cases[k].method, 0.025);
        CHECK_SAY(fabs(log2(coarse / fine) - cases[k].order) < 0.4, "case %d: %g, %g", (int)k, coarse, fine);
    }
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
    double y[3];
    CHECK(wlm_transient_read(s, WLM_MEMORY_UNKNOWNS, 0, 3, y) == WARPLU_SUCCESS);
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
    CHECK_SAY(controlled < 1e-6 && steps < 3000 && steps > 20, "%g, %d steps", controlled, (int)steps);
    CHECK(driven_error(WLM_BACKWARD_EULER, 0.01, &steps) < 0.02);
    coarse = driven_error(WLM_RODAS3, 0.1, &steps), fine = driven_error(WLM_RODAS3, 0.05, &steps);
    CHECK_SAY(fabs(log2(coarse / fine) - 3.0) < 0.3, "%g, %g", coarse, fine);
    coarse = driven_error(WLM_RODAS4, 0.1, &steps), fine = driven_error(WLM_RODAS4, 0.05, &steps);
    CHECK_SAY(fabs(log2(coarse / fine) - 4.0) < 0.3, "%g, %g", coarse, fine);
    controlled = driven_error(WLM_RODAS4, 0.0, &steps);
    CHECK_SAY(controlled < 1e-5 && steps < 200 && steps > 5, "%g, %d steps", controlled, (int)steps);
}

/* The cable by all methods with small steps; threads change no bit. */
static double *cable(wlm_method method, double step, double t, int32_t cells, int threads)
{
    hand h;
    hand_begin(&h);
    network_cable(&h, cells, 2.0);
    wlm_transient_options o;
    wlm_transient_options_init(&o);
    o.method = method;
    o.step = step;
    o.threads = threads;
    wlm_transient *s = begin_with(&h, &o);
    run(s, t);
    double *y = malloc(3 * (size_t)cells * sizeof *y);
    CHECK(wlm_transient_read(s, WLM_MEMORY_UNKNOWNS, 0, 3 * cells, y) == WARPLU_SUCCESS);
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
    double *exact = cable(WLM_RK4, 0.002, 2.0, CELLS, 1);
    static const struct {
        wlm_method method;
        int order;
    } cases[] = {{WLM_EULER, 1},   {WLM_RUSH_LARSEN, 1}, {WLM_BACKWARD_EULER, 1}, {WLM_TRAPEZOIDAL, 2},
                 {WLM_TR_BDF2, 2}, {WLM_SPLIT, 1},       {WLM_RODAS3, 3},         {WLM_BOGACKI_SHAMPINE, 3},
                 {WLM_SSP_RK2, 2}, {WLM_SSP_RK3, 3}};
    CHECK(exact[CELLS - 1] > 40.0 && exact[0] < -59.0); /* a wave has come half way */
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        double *coarse = cable(cases[k].method, 0.008, 2.0, CELLS, 1);
        double *fine = cable(cases[k].method, 0.004, 2.0, CELLS, 1);
        double error = distance(coarse, exact, 3 * CELLS), less = distance(fine, exact, 3 * CELLS);
        CHECK_SAY(fabs(log2(error / less) - cases[k].order) < 0.1, "case %d: %g, %g", (int)k, error, less);
        CHECK_SAY(less < (cases[k].order == 1 ? 1.2 : 5e-3), "case %d: %g", (int)k, less);
        free(coarse);
        free(fine);
    }
    double *controlled = cable(WLM_TR_BDF2, 0.0, 2.0, CELLS, 1);
    CHECK_SAY(distance(controlled, exact, 3 * CELLS) < 3e-3, "%g", distance(controlled, exact, 3 * CELLS));
    free(controlled);
    free(exact);
}

static void test_bits(void)
{
    enum { CELLS = 6000 };
    static const wlm_method methods[] = {WLM_RUSH_LARSEN, WLM_SPLIT, WLM_TR_BDF2, WLM_RODAS4, WLM_DORMAND_PRINCE};
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        double *one = cable(methods[k], 0.02, 0.1, CELLS, 1);
        for (int threads = 2; threads <= 3; threads++) {
            double *other = cable(methods[k], 0.02, 0.1, CELLS, threads);
            CHECK(memcmp(one, other, 3 * CELLS * sizeof *one) == 0);
            free(other);
        }
        free(one);
    }
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
    *k->pulse = (wlm_pulse){hand_number(k, 3.3), hand_number(k, 0.1), WLM_NONE, NULL};
    use = hand_use(&h, k, 1);
    hand_bind(&h, use, 0, node, 0, 0);
    hand_finish_use(&h, use);
    static const wlm_method methods[] = {WLM_TR_BDF2, WLM_RODAS4, WLM_BACKWARD_EULER, WLM_EULER, WLM_RK4};
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++) {
        wlm_transient *s = begin(&h, methods[i], i <= 1 ? 0.0 : 0.7);
        run(s, 10.0);
        CHECK_SAY(fabs(network_value(s, 0) - 0.1) < 1e-12, "%d: %.15g", (int)i, network_value(s, 0));
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

/* Sums are unknowns of implicit methods, which begin with them at what they are. */
static void test_sums(void)
{
    hand h;
    hand_begin(&h);
    network_sums(&h, 0);
    wlm_transient *levels = begin(&h, WLM_RK4, 0.001), *unknowns = begin(&h, WLM_TR_BDF2, 0.0);
    run(levels, 0.3);
    run(unknowns, 0.3);
    CHECK(wlm_transient_layout(levels)->n == 5 && wlm_transient_layout(unknowns)->n == 15);
    for (int32_t i = 0; i < 15; i++) {
        static const char *const names[] = {"x", "first", "second"};
        char name[32];
        double a = 0.0, b = 1.0;
        wlm_memory memory;
        snprintf(name, sizeof name, "n[%d].%s", (int)i % 5, names[i / 5]);
        int32_t at = wlm_layout_find(wlm_transient_layout(levels), name, &memory);
        CHECK(wlm_transient_read(levels, memory, at, 1, &a) == WARPLU_SUCCESS);
        at = wlm_layout_find(wlm_transient_layout(unknowns), name, &memory);
        CHECK(wlm_transient_read(unknowns, memory, at, 1, &b) == WARPLU_SUCCESS);
        CHECK_SAY(fabs(a - b) < 1e-4 * (1.0 + fabs(a)), "%s: %g, %g", name, a, b);
    }
    wlm_transient_destroy(&levels);
    wlm_transient_destroy(&unknowns);
    hand_end(&h);
}

/* The first step is a millionth of the run, whatever the longest one may be, and each is five times as long at most:
 * nine, and two halves of what is left. */
static void test_first_step(void)
{
    hand h;
    wlm_transient_options o;
    wlm_transient_statistics t;
    hand_begin(&h);
    network_ladder(&h, 10, 1.0, 1.0); /* at rest */
    wlm_transient_options_init(&o);
    o.method = WLM_TR_BDF2;
    o.longest = 0.5;
    wlm_transient *s = begin_with(&h, &o);
    run(s, 1.0);
    wlm_transient_get_statistics(s, &t);
    CHECK_SAY(t.steps == 11 && t.rejected == 0, "%d", (int)t.steps);
    wlm_transient_destroy(&s);
    hand_end(&h);
}

int main(void)
{
    RUN(test_ladder);
    RUN(test_swing);
    RUN(test_driven);
    RUN(test_cable);
    RUN(test_bits);
    RUN(test_pulse);
    RUN(test_read);
    RUN(test_sums);
    RUN(test_first_step);
    return check_done();
}
