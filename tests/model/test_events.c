/* Events by both engines of libwarpmodel: by sign and in time, at the times where they are, also where runs end and
 * rows are told of; what they set, and what holds behind them. */
#include <math.h>
#include <string.h>

#include "model/api.h"
#include "support/check.h"

static warplu_sim *opened(const char *text, warplu_lanes lanes, warplu_method method, double dt)
{
    warplu_model *model = parsed(text);
    warplu_sim_options options = defaults();
    options.lanes = lanes, options.method = method, options.dt = dt, options.relative = 1e-8, options.absolute = 1e-10;
    warplu_sim *sim = made(model, &options);
    warplu_model_destroy(&model);
    return sim;
}

static void run_to(warplu_sim *sim, double t)
{
    CHECK_SAY(warplu_sim_run(sim, t) == WARPLU_SUCCESS, "%s", warplu_sim_get_message(sim));
}

#define FOR_BOTH(lanes) for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++)

/* Neurons that fire at 1, each by a current of its own: periods ln(i / (i - 1)). */
static void neurons_fire(void)
{
    static const char text[] = "element neuron()\n  param i = 2\n  state v = 0\n  state spikes = 0\n"
                               "  v' = i - v\n  spikes' = 0\n  event v - 1: v = 0, spikes = spikes + 1\nend\n"
                               "use neuron() with i = 1.5 + 0.1*i over i in 0..19\n";
    static const struct {
        warplu_method method;
        double dt, tolerance;
    } cases[] = {{WARPLU_METHOD_RK4, 0.01, 1e-7},
                 {WARPLU_METHOD_TR_BDF2, 0.0, 1e-3},
                 {WARPLU_METHOD_TRAPEZOIDAL, 0.005, 1e-4},
                 {WARPLU_METHOD_EULER, 0.0005, 0.05}};
    FOR_BOTH(lanes)
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        if (!check_due()) continue;
        warplu_sim *sim = opened(text, (warplu_lanes)lanes, cases[k].method, cases[k].dt);
        run_to(sim, 3.0);
        for (int n = 0; n < 20; n++) {
            char name[32];
            double i = 1.5 + 0.1 * n, period = log(i / (i - 1.0)), spikes = floor(3.0 / period);
            double v = i * (1.0 - exp(spikes * period - 3.0));
            snprintf(name, sizeof name, "neuron[%d].spikes", n);
            CHECK_SAY(fabs(value_of(sim, name, 0) - spikes) < 1e-9, "lanes %d, case %d: %s %g", lanes, (int)k, name,
                      value_of(sim, name, 0));
            snprintf(name, sizeof name, "neuron[%d].v", n);
            CHECK_SAY(fabs(value_of(sim, name, 0) - v) < cases[k].tolerance, "lanes %d, case %d: %s %.10g, not %.10g",
                      lanes, (int)k, name, value_of(sim, name, 0), v);
        }
        warplu_sim_destroy(&sim);
    }
}

/* Several events at one time, all with the values before them; at the end of a run; twice none. */
static void times_are_met(void)
{
    static const char text[] = "element e()\n  param at = 1\n  state x = 1\n  state y = 2\n  state z = 0\n"
                               "  x' = 0\n  y' = 0\n  z' = 1\n"
                               "  event t = at: x = y\n  event t = 1: y = x, z = 10\n  event t = 1 + at: z = 0\nend\n"
                               "use e() with at = 1 + i mod 2 over i in 0..3\n";
    static const warplu_method methods[] = {WARPLU_METHOD_RK4, WARPLU_METHOD_TR_BDF2, WARPLU_METHOD_EULER};
    FOR_BOTH(lanes)
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        warplu_sim *sim = opened(text, (warplu_lanes)lanes, methods[k], k == 1 ? 0.0 : 0.3);
        run_to(sim, 1.0);
        CHECK(value_of(sim, "e[0].x", 0) == 2.0 && value_of(sim, "e[0].y", 0) == 1.0 &&
              value_of(sim, "e[0].z", 0) == 10.0);
        CHECK(value_of(sim, "e[1].x", 0) == 1.0 && value_of(sim, "e[3].y", 0) == 1.0);
        run_to(sim, 2.5);
        CHECK(fabs(value_of(sim, "e[2].z", 0) - 0.5) < 1e-12 && fabs(value_of(sim, "e[1].z", 0) - 11.5) < 1e-12);
        CHECK(value_of(sim, "e[1].x", 0) == 1.0 && value_of(sim, "e[0].x", 0) == 2.0);
        run_to(sim, 3.0);
        CHECK(value_of(sim, "e[1].z", 0) == 0.0 && fabs(value_of(sim, "e[0].z", 0) - 1.0) < 1e-12);
        warplu_sim_destroy(&sim);
    }
}

typedef struct rows {
    int count;
    double x[8], u[8];
} rows;

static int take(int64_t member, double t, int32_t watched, const double *values, void *user)
{
    rows *r = user;
    (void)t;
    CHECK(member == 0 && watched == 2 && r->count < 8);
    r->x[r->count] = values[0], r->u[r->count++] = values[1];
    return 0;
}

/* Rows have what is before a jump, the end of a run and the row of the next one what is behind; an unknown follows. */
static void rows_and_unknowns(void)
{
    static const char text[] = "element e()\n  state x = 0\n  unknown u = 7\n  x' = 1\n  0 = u + u^3 - x\n"
                               "  event t = 1: x = 10\n  event x - 11: x = 0\nend\nuse e()\n";
    FOR_BOTH(lanes)
    {
        rows r = {0};
        warplu_sim *sim = opened(text, (warplu_lanes)lanes, WARPLU_METHOD_TR_BDF2, 0.0);
        int64_t handles[2] = {handle_of(sim, "e.x"), handle_of(sim, "e.u")};
        CHECK(warplu_sim_watch(sim, handles, 2, 0.5, take, &r) == WARPLU_SUCCESS);
        run_to(sim, 1.0);
        CHECK_SAY(r.count == 3 && fabs(r.u[0]) < 1e-6 && fabs(r.x[2] - 1.0) < 1e-9, "%d: %g, %g", r.count, r.u[0],
                  r.x[2]);
        CHECK_SAY(fabs(value_of(sim, "e.x", 0) - 10.0) < 1e-9 && fabs(value_of(sim, "e.u", 0) - 2.0) < 1e-6,
                  "%.12g, %.12g", value_of(sim, "e.x", 0), value_of(sim, "e.u", 0));
        run_to(sim, 2.5);
        CHECK(r.count == 7 && fabs(r.x[3] - 10.0) < 1e-9 && fabs(r.u[3] - 2.0) < 1e-6);
        CHECK_SAY(fabs(value_of(sim, "e.x", 0) - 0.5) < 1e-6, "%.12g", value_of(sim, "e.x", 0));
        double u = value_of(sim, "e.u", 0);
        CHECK(fabs(u + u * u * u - 0.5) < 1e-6);
        warplu_sim_destroy(&sim);
    }
}

/* Rises and falls between the ends of one step. */
static void what_is_over_is_not_seen(void)
{
    static const char text[] =
        "element e()\n  state x = 0\n  x' = 0\n  event sin(2*pi*t) - 0.9: x = x + 1\nend\nuse e()\n";
    FOR_BOTH(lanes)
    {
        warplu_sim *sim = opened(text, (warplu_lanes)lanes, WARPLU_METHOD_EULER, 1.0);
        run_to(sim, 4.0);
        CHECK(value_of(sim, "e.x", 0) == 0.0);
        warplu_sim_destroy(&sim);
        sim = opened(text, (warplu_lanes)lanes, WARPLU_METHOD_EULER, 0.05);
        run_to(sim, 4.0);
        CHECK(value_of(sim, "e.x", 0) == 4.0);
        warplu_sim_destroy(&sim);
    }
}

/* Cells count the waves that pass; sums and nodes stand in what is asked. */
static void waves_are_counted(void)
{
    static const char text[] = "nodes n[20] { balance v = 1 - i/10\n sum s }\n"
                               "element cell(n)\n  state w = 0.1\n  state passed = 0\n  state last = 0\n"
                               "  w' = n.v - w\n  passed' = 0\n  last' = 0\n"
                               "  n.v += n.v + w - pulse(0.5, 0.5, 1.5)*3 + ddt(n.v)\n  n.s += 2*n.v\n"
                               "  event n.s - 1: passed = passed + 1, last = t + n.v\nend\n"
                               "element gap(a, b)\n  a.v += a.v - b.v\n  b.v += b.v - a.v\nend\n"
                               "use cell(n[i]) over i in 0..19\nuse gap(n[i], n[i + 1]) over i in 0..18\n";
    warplu_sim *exact = opened(text, WARPLU_LANES_MEMBERS, WARPLU_METHOD_RODAS4, 0.0);
    warplu_sim *explicit = opened(text, WARPLU_LANES_INSTANCES, WARPLU_METHOD_RK4, 0.01);
    warplu_sim *implicit = opened(text, WARPLU_LANES_INSTANCES, WARPLU_METHOD_TR_BDF2, 0.0);
    warplu_sim *sims[] = {exact, explicit, implicit};
    for (int k = 0; k < 3; k++) run_to(sims[k], 4.0);
    for (int k = 0; k < 20; k++) {
        char name[2][32];
        snprintf(name[0], sizeof name[0], "cell[%d].passed", k);
        snprintf(name[1], sizeof name[1], "cell[%d].last", k);
        for (int m = 1; m < 3; m++) {
            CHECK_SAY(value_of(sims[m], name[0], 0) == value_of(exact, name[0], 0), "%d: %s %g", m, name[0],
                      value_of(sims[m], name[0], 0));
            CHECK_SAY(fabs(value_of(sims[m], name[1], 0) - value_of(exact, name[1], 0)) < 1e-4, "%d: %s %g", m, name[1],
                      value_of(sims[m], name[1], 0));
        }
        CHECK(value_of(exact, name[0], 0) >= 1.0);
    }
    for (int k = 0; k < 3; k++) warplu_sim_destroy(&sims[k]);
}

int main(void)
{
    RUN(neurons_fire);
    RUN(times_are_met);
    RUN(rows_and_unknowns);
    RUN(what_is_over_is_not_seen);
    RUN(waves_are_counted);
    return check_done();
}
