/* One rule for both engines of libwarpmodel, lanes that are members and lanes that are instances: the same models run,
 * to the same numbers, and the same ones are refused, with the same status. */
#include <math.h>
#include <string.h>

#include "model/engines.h"
#include "support/check.h"

/* Runs to 1 by controlled steps of lanes that are members, and compares a value. */
static void expect_near(const char *text, warplu_method method, const char *name, double exact, double tolerance)
{
    warplu_model *model = parsed(text);
    warplu_sim *sim = NULL;
    char said[512];
    warplu_status status = attempt(model, WARPLU_LANES_MEMBERS, method, 0.0, 1.0, &sim, said);
    CHECK_SAY(status == WARPLU_SUCCESS, "method %d: %d, %s", (int)method, (int)status, said);
    double found = status == WARPLU_SUCCESS ? value_of(sim, name, 0) : (double)NAN;
    CHECK_SAY(fabs(found - exact) <= tolerance, "method %d: %.12g", (int)method, found);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

/* Resistors of a chain end at a ground, and what they bring there goes. */
static void what_is_fixed_takes_what_is_added(void)
{
    static const char text[] = "nodes n { balance v = 1 }\nnodes ground { fixed v = 0 }\n"
                               "element both(a, b)\n  q = a.v - b.v\n"
                               "  a.v += q + ddt(q)\n  b.v += -q - ddt(q)\nend\n"
                               "use both(n, ground)\n";
    expect_alike(text, WARPLU_METHOD_TR_BDF2, 0.0, "n.v", exp(-1.0), 1e-4);
    expect_alike(text, WARPLU_METHOD_RK4, 0.01, "n.v", exp(-1.0), 1e-9);
}

/* Each sum needs the one before: no circle, though it is of one quantity. */
static void sums_may_stand_on_each_other(void)
{
    static const char text[] = "nodes n[3] { sum s }\n"
                               "element first(a)\n  state x = 1\n  x' = -x\n  a.s += x\nend\n"
                               "element next(a, b)\n  b.s += 2*a.s\nend\n"
                               "element last(a)\n  state y = 0\n  y' = a.s\nend\n"
                               "use first(n[0])\nuse next(n[i], n[i + 1]) over i in 0..1\nuse last(n[2])\n";
    char said[512];
    warplu_sim *sim = NULL;
    warplu_model *model = parsed(text);
    expect_alike(text, WARPLU_METHOD_TR_BDF2, 0.0, "last.y", 4.0 * (1.0 - exp(-1.0)), 1e-4);
    CHECK(attempt(model, WARPLU_LANES_MEMBERS, WARPLU_METHOD_RK4, 0.1, 1.0, &sim, said) == WARPLU_SUCCESS);
    warplu_sim_destroy(&sim);
    CHECK(attempt(model, WARPLU_LANES_INSTANCES, WARPLU_METHOD_RK4, 0.1, 1.0, &sim, said) == WARPLU_MODEL_EQUATIONS);
    warplu_model_destroy(&model);
}

/* A sum that stands between two that need it: what computes these leaves it as it is. */
static void sums_may_stand_between_others(void)
{
    static const char text[] = "nodes n { sum a\n sum b\n sum c }\n"
                               "element first(p)\n  state x = 1\n  x' = 0\n  p.b += x\nend\n"
                               "element next(p)\n  p.a += 2*p.b\n  p.c += 3*p.b\nend\n"
                               "element last(p)\n  state y = 0\n  y' = p.a + 10*p.b + 100*p.c\nend\n"
                               "use first(n)\nuse next(n)\nuse last(n)\n";
    expect_alike(text, WARPLU_METHOD_RK4, 0.1, "last.y", 312.0, 1e-9);
    expect_alike(text, WARPLU_METHOD_TR_BDF2, 0.1, "last.y", 312.0, 1e-9);
}

/* Creates by both engines; the status and what is said are the same. */
static void expect_refused(const char *text, warplu_method method, double dt, const char *said)
{
    static char messages[2][512];
    warplu_model *model = parsed_with(text);
    for (int k = 0; k < 2; k++) {
        warplu_sim_options options = defaults();
        warplu_sim *sim = NULL;
        options.lanes = k == 0 ? WARPLU_LANES_MEMBERS : WARPLU_LANES_INSTANCES;
        options.method = method, options.dt = dt;
        last = messages[k];
        CHECK(warplu_sim_create(&sim, model, &options) == WARPLU_MODEL_EQUATIONS && sim == NULL);
        warplu_sim_destroy(&sim);
    }
    CHECK_SAY(strcmp(messages[0], messages[1]) == 0 && strstr(messages[0], said) != NULL, "'%s', '%s'", messages[0],
              messages[1]);
    warplu_model_destroy(&model);
}

/* A voltage source beside a capacitor, and a current source behind a coil: index 2. What follows the rates of others is
 * known at the start. */
static void rates_of_others(void)
{
    static const char beside[] = "element source(p)\n  unknown i = 0\n  0 = p.v - sin(t) - 1\n  p.v += i\nend\n"
                                 "element load(p)\n  p.v += p.v + ddt(p.v)\nend\n"
                                 "nodes n { balance v = 1 }\nuse source(n)\nuse load(n)\n";
    static const char behind[] = "element source(p)\n  p.v += -1 - sin(t)\nend\n"
                                 "element coil(p)\n  state i = 1\n  i' = p.v\n  p.v += i\nend\n"
                                 "nodes n { balance v = 0 }\nuse source(n)\nuse coil(n)\n";
    static const struct {
        warplu_method method;
        double dt, within;
    } run[] = {{WARPLU_METHOD_BACKWARD_EULER, 0.001, 1e-3},
               {WARPLU_METHOD_TRAPEZOIDAL, 0.01, 3e-5},
               {WARPLU_METHOD_TR_BDF2, 0.01, 1e-5},
               {WARPLU_METHOD_TR_BDF2, 0.0, 1e-5}};
    for (size_t k = 0; k < sizeof run / sizeof *run; k++) {
        expect_alike(beside, run[k].method, run[k].dt, "source.i", -1.0 - sin(1.0) - cos(1.0), run[k].within);
        expect_alike(behind, run[k].method, run[k].dt, "n.v", cos(1.0), run[k].within);
    }
    for (warplu_method m = WARPLU_METHOD_BACKWARD_EULER; m <= WARPLU_METHOD_TRAPEZOIDAL; m++) {
        expect_near(beside, m, "source.i", -1.0 - sin(1.0) - cos(1.0), 2e-3);
        expect_near(behind, m, "n.v", cos(1.0), 2e-3);
    }
    expect_refused(beside, WARPLU_METHOD_RODAS4, 0.01, "line 3: rodas4 cannot step source.i");
    expect_refused(behind, WARPLU_METHOD_RODAS4, 0.0, "line 9: rodas4 cannot step n.v");
}

/* A source that starts beside what the capacitor has, and whose slope jumps: its current is told right at once. */
static void rates_that_jump(void)
{
    static const char text[] =
        "element source(p)\n  unknown i = 7\n  0 = p.v - 3 - (t - 0.5)*pulse(0.5, 9)\n  p.v += i\nend\n"
        "element load(p)\n  p.v += 2*p.v + 4*ddt(p.v)\nend\n"
        "nodes n { balance v = 0 }\nuse source(n)\nuse load(n)\n";
    static const struct {
        double until, current;
    } at[] = {{1e-9, -6.0}, {0.4, -6.0}, {0.5, -10.0}, {0.501, -10.002}, {1.0, -11.0}};
    warplu_model *model = parsed(text);
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        warplu_sim_options options = defaults();
        warplu_sim *sim = NULL;
        options.lanes = (warplu_lanes)lanes, options.method = WARPLU_METHOD_TR_BDF2;
        CHECK(warplu_sim_create(&sim, model, &options) == WARPLU_SUCCESS);
        for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
            CHECK_SAY(warplu_sim_run(sim, at[k].until) == WARPLU_SUCCESS, "%s", warplu_sim_get_message(sim));
            double found = value_of(sim, "source.i", 0);
            CHECK_SAY(fabs(found - at[k].current) <= 1e-6, "lanes %d, to %g: %.12g", lanes, at[k].until, found);
        }
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

static int64_t iterations_of(const char *voltage, warplu_lanes lanes)
{
    char text[300], said[512];
    snprintf(text, sizeof text,
             "element source(p)\n  unknown i = 0\n  0 = p.v - %s\n  p.v += i\nend\n"
             "element load(p)\n  p.v += p.v + ddt(p.v)\nend\n"
             "nodes n { balance v = 0 }\nuse source(n)\nuse load(n)\n",
             voltage);
    warplu_model *model = parsed(text);
    warplu_sim *sim = NULL;
    warplu_sim_statistics s = {.size = sizeof s};
    warplu_status status = attempt(model, lanes, WARPLU_METHOD_BACKWARD_EULER, 0.5, 0.5, &sim, said);
    CHECK_SAY(status == WARPLU_SUCCESS && warplu_sim_get_statistics(sim, &s) == WARPLU_SUCCESS, "%s", said);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
    return s.newton_iterations;
}

/* The rate of a line is known from three steps, and of a fourth one that it is; of a root from no number of steps, so
 * that twelve are tried. Each takes two iterations. */
static void rates_without_a_limit(void)
{
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        int64_t line = iterations_of("t", (warplu_lanes)lanes), root = iterations_of("sqrt(t)", (warplu_lanes)lanes);
        CHECK_SAY(root - line == 2 * (12 - 4), "lanes %d: %d and %d iterations", lanes, (int)line, (int)root);
    }
}

/* A capacity that begins beyond some voltage, which is no edge that parameters say: the current behind it is right
 * where the step across it ends, and rounding of large charges stops no start. */
static void rates_that_jump_unseen(void)
{
    static const char turns[] = "element source(p)\n  unknown i = 0\n  0 = p.v - t\n  p.v += i\nend\n"
                                "element load(p)\n  p.v += ddt(max(p.v - 0.9, 0) + 0.001*p.v)\nend\n"
                                "nodes n { balance v }\nuse source(n)\nuse load(n)\n";
    static const char large[] =
        "element source(p)\n  unknown i = 0\n  0 = p.v - 20*sin(t) - (t - 0.5)*pulse(0.5, 9)\n  p.v += i\nend\n"
        "element load(p)\n  p.v += ddt(1e3*sqrt(1 + p.v^2))\nend\n"
        "nodes n { balance v }\nuse source(n)\nuse load(n)\n";
    const double v = 20.0 * sin(1.0) + 0.5, rate = 1e3 * v / sqrt(1.0 + v * v) * (20.0 * cos(1.0) + 1.0);
    expect_alike(turns, WARPLU_METHOD_TR_BDF2, 0.0, "source.i", -1.001, 1e-5);
    expect_near(turns, WARPLU_METHOD_BACKWARD_EULER, "source.i", -1.001, 1e-3);
    expect_alike(large, WARPLU_METHOD_TR_BDF2, 0.0, "source.i", -rate, 1e-4 * rate);
}

/* A node without a capacity until its voltage is above 0.9: its charge is no sum of others' for that. */
static void charges_that_begin(void)
{
    static const char text[] = "element load(p)\n  p.v += p.v - 2*t + ddt(10*max(p.v - 0.9, 0))\nend\n"
                               "nodes n { balance v }\nuse load(n)\n";
    const double exact = -18.0 + 20.0 * exp(-0.055);
    expect_alike(text, WARPLU_METHOD_TR_BDF2, 0.0, "n.v", exact, 1e-5);
    expect_near(text, WARPLU_METHOD_BACKWARD_EULER, "n.v", exact, 1e-3);
    expect_near(text, WARPLU_METHOD_TRAPEZOIDAL, "n.v", exact, 1e-4);
}

/* A circuit in volts and in microvolts: its charges bend on that scale, and depend on each other nowhere. */
static void charges_that_bend_within_little(void)
{
#define LOAD \
    "element load(a, b)\n  a.v += a.v/s + ddt(a.v/s - b.v/s)\n" \
    "  b.v += b.v/s - ddt(a.v/s - b.v/s) + ddt(tanh(b.v/s))\nend\n" \
    "nodes a { balance v = s }\nnodes b { balance v = s/2 }\nuse load(a, b)\n"
    expect_alike("const s = 1\n" LOAD, WARPLU_METHOD_TR_BDF2, 0.01, "b.v", -0.0256488, 1e-4);
    expect_alike("const s = 1e-6\n" LOAD, WARPLU_METHOD_TR_BDF2, 0.01, "b.v", -0.0256488e-6, 1e-10);
}

/* Voltages that bend more and less: what follows their rates keeps to tolerances, and no step is refused for ever. */
static void rates_that_bend(void)
{
    static const char text[] =
        "element source(p)\n  unknown i = 0\n  0 = p.v - sin(20*t)*exp(-3*(t - 1)^2)\n  p.v += i\nend\n"
        "element load(p)\n  state w = 0\n  w' = 5*(p.v - w)\n"
        "  p.v += p.v + ddt(p.v) + 0.1*(exp(w) - 1)\nend\n"
        "nodes n { balance v }\nuse source(n)\nuse load(n)\n";
    warplu_model *model = parsed(text);
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        warplu_sim_options options = defaults();
        warplu_sim *sim = NULL;
        double worst = 0.0;
        options.lanes = (warplu_lanes)lanes, options.method = WARPLU_METHOD_TR_BDF2;
        CHECK(warplu_sim_create(&sim, model, &options) == WARPLU_SUCCESS);
        for (int k = 1; k <= 40 && worst <= 2e-4; k++) {
            double t = 0.05 * k, e = exp(-3.0 * (t - 1.0) * (t - 1.0)), v = sin(20.0 * t) * e;
            CHECK_SAY(warplu_sim_run(sim, t) == WARPLU_SUCCESS, "%s", warplu_sim_get_message(sim));
            double rate = 20.0 * cos(20.0 * t) * e - 6.0 * (t - 1.0) * v;
            double found = value_of(sim, "source.i", 0), w = value_of(sim, "load.w", 0);
            worst = fmax(worst, fabs(found + v + rate + 0.1 * (exp(w) - 1.0)));
        }
        CHECK_SAY(worst <= 2e-4, "lanes %d: %g", lanes, worst); /* ten tolerances of 20 */
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

/* Runs that end at edges of a pulse, whose times rounding may leave on either side, take no step before them again. */
static void runs_may_end_at_edges(void)
{
    static const double shape[][2] = {{0.47, 0.29}, {0.92, 0.27}, {0.1, 0.1}, {0.33, 0.07}};
    for (size_t k = 0; k < sizeof shape / sizeof *shape; k++) {
        double delay = shape[k][0], period = shape[k][1];
        char text[200];
        snprintf(text, sizeof text, "element e()\n  state x = 0\n  x' = pulse(%.17g, %.17g, %.17g)\nend\nuse e()\n",
                 delay, 0.4 * period, period);
        warplu_model *model = parsed(text);
        for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
            warplu_sim_options options = defaults();
            warplu_sim *sim = NULL;
            options.lanes = (warplu_lanes)lanes, options.method = WARPLU_METHOD_EULER, options.dt = 0.01;
            CHECK(warplu_sim_create(&sim, model, &options) == WARPLU_SUCCESS);
            for (int turn = 1; turn <= 5; turn++) CHECK(warplu_sim_run(sim, delay + turn * period) == WARPLU_SUCCESS);
            CHECK(warplu_sim_run(sim, delay + 5.7 * period) == WARPLU_SUCCESS);
            double found = value_of(sim, "e.x", 0);
            CHECK_SAY(fabs(found - 2.4 * period) <= 1e-12, "lanes %d, period %g: %.12g", lanes, period, found);
            warplu_sim_destroy(&sim);
        }
        warplu_model_destroy(&model);
    }
}

/* A period that no text shows to be none. */
static void periods_that_are_none(void)
{
    static const char text[] =
        "element e()\n  param g = 0\n  state x = 0\n  x' = 1 + pulse(0.1, 0.1, g)\nend\nuse e()\n";
    warplu_model *model = parsed(text);
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        warplu_sim *sim = NULL;
        char said[512];
        warplu_status status = attempt(model, (warplu_lanes)lanes, WARPLU_METHOD_RK4, 0.01, 1.0, &sim, said);
        CHECK_SAY(status == WARPLU_NOT_FINITE, "lanes %d: %d, %s", lanes, (int)status, said);
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

/* The charges of a capacitor between two nodes cancel: by structure this looks like index 2, and is not. */
static void charges_that_cancel(void)
{
    static const char text[] = "element source(p)\n  unknown i = 0\n  0 = p.v - sin(t) - 1\n  p.v += i\nend\n"
                               "element between(a, b)\n  q = 1e-3*(a.v - b.v)\n"
                               "  a.v += ddt(q)\n  b.v += -ddt(q)\nend\n"
                               "element load(p)\n  p.v += 1e-3*p.v\nend\n"
                               "nodes n[2] { balance v = 1 - i }\n"
                               "use source(n[0])\nuse between(n[0], n[1])\nuse load(n[1])\n";
    double v = 0.5 * (sin(1.0) + cos(1.0) - exp(-1.0));
    expect_alike(text, WARPLU_METHOD_TRAPEZOIDAL, 0.01, "n[1].v", v, 1e-5);
    expect_alike(text, WARPLU_METHOD_TR_BDF2, 0.0, "n[1].v", v, 1e-4);
    expect_alike(text, WARPLU_METHOD_BACKWARD_EULER, 0.001, "n[1].v", v, 1e-3);
}

/* Two rows without charges determine two unknowns by numbers that differ: alike ones would leave both open. */
static void rows_that_differ_by_numbers(void)
{
    static const char text[] = "element pair()\n  state x = 1\n  unknown u = 0\n  unknown w = 0\n"
                               "  x' = -u\n  0 = u + w - x\n  0 = u - w\nend\nuse pair()\n";
    expect_alike(text, WARPLU_METHOD_RODAS4, 0.0, "pair.x", exp(-0.5), 1e-5);
}

/* Rows of a chain that share charges: Rosenbrock's methods need each entry of their sums' matrix, which large systems
 * place by search. */
static void charges_along_a_chain(void)
{
    static const char text[] =
        "element between(a, b)\n  q = 0.5*(a.v - b.v)\n  a.v += ddt(q)\n  b.v += -ddt(q)\nend\n"
        "element load(p)\n  param g = 1\n  p.v += g*p.v - sin(t)\nend\n"
        "nodes n[5] { balance v = 0 }\n"
        "use between(n[i + 1], n[i]) over i in 0..3\nuse load(n[i]) with g = 1 + i over i in 0..4\n";
    expect_alike(text, WARPLU_METHOD_RODAS4, 0.0, "n[1].v", 0.46139763, 1e-7);
}

/* Two rows share a charge, of which one has the time beside it: v0 + v1 = -1, and the difference moves. */
static void shared_charges_in_time(void)
{
    static const char text[] = "element between(a, b)\n  a.v += ddt(a.v - b.v + t)\n  b.v += -ddt(a.v - b.v)\nend\n"
                               "element load(p)\n  p.v += p.v\nend\n"
                               "nodes n[2] { balance v = 0 }\n"
                               "use between(n[0], n[1])\nuse load(n[0])\nuse load(n[1])\n";
    expect_alike(text, WARPLU_METHOD_TR_BDF2, 0.0, "n[0].v", 0.5 * exp(-0.5) - 1.0, 1e-5);
    expect_alike(text, WARPLU_METHOD_TRAPEZOIDAL, 0.01, "n[0].v", 0.5 * exp(-0.5) - 1.0, 1e-5);
    /* what time adds cancels in the sum of eight rows, up to rounding of what is far larger then than at t = 0 */
    static const char sums[] = "element between(a, b)\n  param by = 1\n  q = a.v - b.v + by*t\n"
                               "  a.v += ddt(q)\n  b.v += -ddt(q)\nend\n"
                               "element load(p)\n  p.v += 1e6*p.v\nend\n"
                               "nodes n[8] { balance v = 0 }\n"
                               "use between(n[0], n[i]) with by = 333333.7*i over i in 1..7\n"
                               "use load(n[i]) over i in 0..7\n";
    expect_alike(sums, WARPLU_METHOD_TR_BDF2, 0.125, "n[1].v", 0.3333337, 1e-3);
}

/* A charge that knows the time has a rate that f does not show. */
static void charges_in_time(void)
{
    static const char text[] = "element load(p)\n  p.v += p.v + ddt(p.v - sin(t))\nend\n"
                               "nodes n { balance v = 1 }\nuse load(n)\n";
    double v = 0.5 * (cos(1.0) + sin(1.0)) + 0.5 * exp(-1.0); /* v' = cos t - v */
    /* until t = 2 the charge is constant, and its derivative by t is never there */
    static const char by_steps[] = "element load(p)\n  p.u += p.u + ddt(p.u)\n"
                                   "  p.v += p.v + ddt(p.v - floor(0.5*t))\nend\n"
                                   "nodes n { balance u = 1\n balance v = 1 }\nuse load(n)\n";
    expect_alike(text, WARPLU_METHOD_AUTO, 0.01, "n.v", v, 1e-5);
    static const warplu_method methods[] = {WARPLU_METHOD_RODAS4, WARPLU_METHOD_RK4, WARPLU_METHOD_DORMAND_PRINCE};
    for (size_t k = 0; k < 2 * sizeof methods / sizeof *methods; k++)
        for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
            warplu_model *model = parsed(k % 2 ? by_steps : text);
            warplu_sim *sim = NULL;
            char said[512];
            CHECK(attempt(model, (warplu_lanes)lanes, methods[k / 2], 0.01, 1.0, &sim, said) == WARPLU_MODEL_EQUATIONS);
            warplu_sim_destroy(&sim);
            warplu_model_destroy(&model);
        }
}

/* A position that is given, and the force that holds it there. */
static void rates_of_rates(void)
{
    static const char text[] = "element mass()\n  state x = 0\n  state v = 1\n  unknown f = 0\n"
                               "  x' = v\n  v' = f\n  0 = x - sin(t)\nend\nuse mass()\n";
    expect_refused(text, WARPLU_METHOD_BACKWARD_EULER, 0.01,
                   "line 7: no method steps mass.f, which follows the rates of the rates of mass.x, for");
    /* a rod's length binds both places of its end, beside an element that is nobody's fault */
    static const char rod[] = "element cell()\n  state x = 1\n  x' = -x\nend\n"
                              "element rod()\n  state x = 1\n  state y = 0\n  state u = 0\n  state w = 0\n"
                              "  unknown l = 0\n  x' = u\n  y' = w\n  u' = -l*x\n  w' = -l*y - 9.81\n"
                              "  0 = x^2 + y^2 - 1\nend\nuse cell()\nuse rod()\n";
    expect_refused(rod, WARPLU_METHOD_TR_BDF2, 0.0,
                   "line 15: no method steps rod.l, which follows the rates of the rates of rod.x and rod.y, for");
}

/* Nothing ties these nodes but capacitors and a source: what is left of their resistances is rounding alone. */
static void nets_that_float(void)
{
    static const char text[] =
        "element source(a, b)\n  unknown i = 0\n  0 = a.v - b.v - sin(t)\n  a.v += i\n  b.v += -i\nend\n"
        "element cap(a, b)\n  param c = 0.798\n  a.v += ddt(c*(a.v - b.v))\n  b.v += -ddt(c*(a.v - b.v))\nend\n"
        "element res(a, b)\n  param r = 1.291\n  a.v += (a.v - b.v)/r\n  b.v += -(a.v - b.v)/r\nend\n"
        "nodes n[4] { balance v }\nuse res(n[3], n[0])\nuse res(n[2], n[0]) with r = 1.615\n"
        "use cap(n[0], n[1]) with c = 1.169\nuse cap(n[0], n[2]) with c = 4.909\nuse source(n[3], n[2])\n"
        "use cap(n[3], n[0])\nuse res(n[2], n[0]) with r = 0.276\n";
    expect_refused(text, WARPLU_METHOD_TR_BDF2, 0.0,
                   "no equation fixes n[0].v, n[1].v, n[2].v and n[3].v, which may all move together");
}

/* States that leave their ranges end a run, at an accepted step, where both engines say which. */
static void ranges_are_watched(void)
{
    static const char text[] = "element e()\n  param to = 1\n  state low = 1 in 0..2\n  state x = 0 in -1..1.5\n"
                               "  low' = -low\n  x' = to\nend\nuse e() with to = 1 + i over i in 0..1\n";
    static const warplu_method methods[] = {WARPLU_METHOD_RODAS4, WARPLU_METHOD_EULER, WARPLU_METHOD_BACKWARD_EULER};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
            warplu_model *model = parsed(text);
            warplu_sim *sim = NULL;
            warplu_sim_member record;
            char said[512];
            CHECK(attempt(model, (warplu_lanes)lanes, methods[k], 0.125, 0.75, &sim, said) == WARPLU_SUCCESS);
            CHECK(warplu_sim_run(sim, 1.25) == WARPLU_OUT_OF_RANGE);
            CHECK_SAY(strstr(warplu_sim_get_message(sim), "e[1].x") != NULL &&
                          strstr(warplu_sim_get_message(sim), "line 6") != NULL,
                      "%s", warplu_sim_get_message(sim));
            CHECK(warplu_sim_get_members(sim, 0, 1, &record, sizeof(warplu_sim_member)) == WARPLU_SUCCESS);
            CHECK_SAY(record.status == WARPLU_OUT_OF_RANGE && record.time > 0.75 && record.time < (k == 1 ? 1.3 : 0.9),
                      "%g", record.time);
            CHECK(warplu_sim_run(sim, 3.0) < 0);
            warplu_sim_destroy(&sim);
            warplu_model_destroy(&model);
        }
}

/* What has to stay above 0 ends a run at the first step behind which it has not, whatever the method. */
static void what_is_positive_stays_so(void)
{
    static const char text[] = "nodes c[18] { store r[2] = 1; balance v = 2; positive r[1], v }\n"
                               "element e(p)\n  param k = 1\n  p.r[1] += -k\n  p.r[0] += -9\n  p.v += ddt(p.v)\nend\n"
                               "use e(c[i]) with k = if i = 11 then 1 else 0.5 over i in 0..17\n";
    static const warplu_method methods[] = {WARPLU_METHOD_EULER, WARPLU_METHOD_SSP_RK3, WARPLU_METHOD_BACKWARD_EULER};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
            warplu_model *model = parsed(text);
            warplu_sim *sim = NULL;
            warplu_sim_member record;
            char said[512];
            CHECK(attempt(model, (warplu_lanes)lanes, methods[k], 0.125, 4.0, &sim, said) == WARPLU_OUT_OF_RANGE);
            CHECK_SAY(strstr(said, "c[11].r[1] (line 1)") != NULL, "%s", said);
            CHECK(warplu_sim_get_members(sim, 0, 1, &record, sizeof(warplu_sim_member)) == WARPLU_SUCCESS);
            CHECK_SAY(record.status == WARPLU_OUT_OF_RANGE && record.time == 1.0, "%g", record.time);
            warplu_sim_destroy(&sim);
            warplu_model_destroy(&model);
        }
}

/* A bound that is approached is not left, up to the tolerances; of several members one ends. */
static void bounds_are_approached(void)
{
    static const char text[] = "element e()\n  param rate = 1\n  state x = 1 in 0..1\n  x' = -rate*x\nend\nuse e()\n";
    static const char *const varying[] = {"e.rate"};
    warplu_model *model = parsed(text);
    warplu_sim_options options = defaults();
    warplu_sim_member record[2];
    options.members = 2, options.varying = varying, options.varying_count = 1;
    warplu_sim *sim = made(model, &options);
    double rates[] = {1e3, -1.0};
    CHECK(warplu_sim_set(sim, handle_of(sim, "e.rate"), 0, 2, rates) == WARPLU_SUCCESS);
    CHECK(warplu_sim_run(sim, 10.0) == WARPLU_MEMBERS_FAILED);
    CHECK(warplu_sim_get_members(sim, 0, 2, record, sizeof(warplu_sim_member)) == WARPLU_SUCCESS);
    CHECK(record[0].status == WARPLU_SUCCESS && record[1].status == WARPLU_OUT_OF_RANGE && record[1].unknown == 0);
    CHECK(fabs(value_of(sim, "e.x", 0)) < 1e-6);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

int main(void)
{
    RUN(what_is_fixed_takes_what_is_added);
    RUN(sums_may_stand_on_each_other);
    RUN(sums_may_stand_between_others);
    RUN(rates_of_others);
    RUN(rates_that_jump);
    RUN(rates_without_a_limit);
    RUN(rates_that_jump_unseen);
    RUN(charges_that_begin);
    RUN(charges_that_bend_within_little);
    RUN(rates_that_bend);
    RUN(runs_may_end_at_edges);
    RUN(periods_that_are_none);
    RUN(charges_that_cancel);
    RUN(rows_that_differ_by_numbers);
    RUN(charges_along_a_chain);
    RUN(shared_charges_in_time);
    RUN(charges_in_time);
    RUN(rates_of_rates);
    RUN(nets_that_float);
    RUN(ranges_are_watched);
    RUN(what_is_positive_stays_so);
    RUN(bounds_are_approached);
    return check_done();
}
