/* By which rules events happen, in both engines: conditions that become true, rounds of events at one time, two that
 * set one state, events that come ever closer, and times that no run has. What cannot be right is refused by its
 * line. */
#include <math.h>
#include <string.h>

#include "model/api.h"
#include "support/check.h"

#define FOR_BOTH(lanes) for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++)

/* Methods with controlled steps and with fixed ones. */
static const struct {
    warplu_method method;
    double dt;
} ways[] = {{WARPLU_METHOD_RODAS4, 0.0},
            {WARPLU_METHOD_TR_BDF2, 0.0},
            {WARPLU_METHOD_DORMAND_PRINCE, 0.0},
            {WARPLU_METHOD_RK4, 0.01},
            {WARPLU_METHOD_TRAPEZOIDAL, 0.01}};
enum { WAYS = sizeof ways / sizeof *ways };

/* A run to time t, or why there is none. */
typedef struct outcome {
    warplu_sim *sim;
    warplu_status status;
    char why[400];
} outcome;

static void note(warplu_status status, const char *text, void *user)
{
    outcome *o = user;
    (void)status;
    snprintf(o->why, sizeof o->why, "%s", text);
}

static outcome run_way(const char *text, int lanes, int way, double t)
{
    outcome o = {0};
    warplu_model *model = NULL;
    warplu_model_options said;
    warplu_model_init_options(&said);
    said.message = note, said.message_user = &o;
    warplu_sim_options options = defaults();
    o.status = warplu_model_parse(&model, "test.wm", text, (int64_t)strlen(text), &said);
    if (o.status != WARPLU_SUCCESS) return o;
    options.lanes = (warplu_lanes)lanes, options.method = ways[way].method, options.dt = ways[way].dt;
    o.status = warplu_sim_create(&o.sim, model, &options);
    warplu_model_destroy(&model);
    if (o.status == WARPLU_SUCCESS) {
        o.status = warplu_sim_run(o.sim, t);
        snprintf(o.why, sizeof o.why, "%s", warplu_sim_get_message(o.sim));
    }
    return o;
}

static void check_value(const char *text, double t, const char *name, double is, double within)
{
    FOR_BOTH(lanes)
    for (int way = 0; way < WAYS; way++) {
        outcome o = run_way(text, lanes, way, t);
        CHECK_SAY(o.status == WARPLU_SUCCESS, "lanes %d, way %d: %s", lanes, way, o.why);
        if (o.status == WARPLU_SUCCESS)
            CHECK_SAY(fabs(value_of(o.sim, name, 0) - is) <= within, "lanes %d, way %d: %s is %.12g, not %.12g", lanes,
                      way, name, value_of(o.sim, name, 0), is);
        warplu_sim_destroy(&o.sim);
    }
}

static void check_refused(const char *text, double t, warplu_status status, const char *why)
{
    FOR_BOTH(lanes)
    for (int way = 0; way < WAYS; way++) {
        outcome o = run_way(text, lanes, way, t);
        CHECK_SAY(o.status == status && strstr(o.why, why) != NULL, "lanes %d, way %d: %s: %s", lanes, way,
                  warplu_status_name(o.status), o.why);
        warplu_sim_destroy(&o.sim);
    }
}

/* ---------------------------------------------------------------- conditions */

/* x = exp(-t) is below 0.5 from ln 2 on; the others are conditions of the time. */
static void conditions_fire(void)
{
    static const char text[] =
        "element e()\n  state x = 1\n  state at[6] = 0\n  state mode = 0\n  x' = -x\n  mode' = 0\n"
        "  for k in 0..5: at[k]' = 0\n  low = x < 0.5\n"
        "  event low: at[0] = t, mode = 2\n  event not (x >= 0.5): at[1] = t\n"
        "  event t == 0.5: at[2] = t\n  event t - 0.5 >= 0: at[3] = t\n"
        "  event t > 0.2 and (mode = 2 or x < 0.1): at[4] = t\n"
        "  event if x < 0.5 then 1 else 0: at[5] = t\nend\nuse e()\n";
    static const double times[] = {0.69314718056, 0.69314718056, 0.5, 0.5, 0.69314718056, 0.69314718056};
    for (int k = 0; k < 6; k++) {
        char name[16];
        snprintf(name, sizeof name, "e.at[%d]", k);
        check_value(text, 1.0, name, times[k], 2e-4);
    }
}

/* What is true at the start does not become true; what becomes false and true again does. */
static void conditions_fire_when_they_become_true(void)
{
    static const char text[] =
        "element e()\n  state x = 1\n  state y = 0\n  state n = 0\n  x' = -2*pi*y\n  y' = 2*pi*x\n"
        "  n' = 0\n  event x > 0: n = n + 1\nend\nuse e()\n";
    check_value(text, 2.5, "e.n", 2.0, 0.0);
}

static void refuse_text(const char *condition)
{
    char text[400];
    snprintf(text, sizeof text,
             "element e()\n  state x = 0\n  state n = 0\n  x' = 1\n  n' = 0\n  event %s: n = 1\nend\nuse e()\n",
             condition);
    warplu_model *model = NULL;
    warplu_status status = warplu_model_parse(&model, "test.wm", text, (int64_t)strlen(text), NULL);
    CHECK_SAY(status == WARPLU_BAD_FORMAT && model == NULL, "%s: %s", condition, warplu_status_name(status));
    warplu_model_destroy(&model);
}

static void equalities_of_what_moves_are_refused(void)
{
    refuse_text("x = 0.5");
    refuse_text("n = 0 and x == 0.5");
    refuse_text("not (x <> 0.5)");
    refuse_text("2*t = 1");
    static const char text[] = "element e()\n  state n = 0\n  state m = 0\n  n' = 0\n  m' = 0\n  event t = 1: n = 3\n"
                               "  event n = 3: m = 1\n  event floor(t) = 2: m = 5\nend\nuse e()\n";
    check_value(text, 1.5, "e.m", 1.0, 0.0);
    check_value(text, 2.5, "e.m", 5.0, 0.0);
}

/* -------------------------------------------------------------------- rounds */

static void jumps_cause_events(void)
{
    static const char text[] =
        "element e()\n  state x = 0\n  state c = 0\n  state d = 0\n  unknown u = 0\n"
        "  x' = 0\n  c' = 0\n  d' = 0\n  0 = u - 2*x\n"
        "  event t - 1: x = 5\n  event u - 6: c = c + 1\n  event c > 0: d = d + 1, x = 0\nend\nuse e()\n";
    static const char plain[] = "element e()\n  state x = 0\n  state c = 0\n  x' = 0\n  c' = 0\n"
                                "  event t = 1: x = 5\n  event x - 3: c = t\nend\nuse e()\n";
    check_value(plain, 2.0, "e.c", 1.0, 0.0);
    for (int lanes = 0; lanes <= 1; lanes++)
        for (int way = 0; way < 2; way++) {
            outcome o = run_way(text, lanes == 0 ? WARPLU_LANES_MEMBERS : WARPLU_LANES_INSTANCES, way, 2.0);
            CHECK_SAY(o.status == WARPLU_SUCCESS, "%s", o.why);
            CHECK(value_of(o.sim, "e.c", 0) == 1.0 && value_of(o.sim, "e.d", 0) == 1.0);
            CHECK(value_of(o.sim, "e.x", 0) == 0.0 && fabs(value_of(o.sim, "e.u", 0)) < 1e-9);
            warplu_sim_destroy(&o.sim);
        }
}

static void endless_rounds_are_refused(void)
{
    check_refused("element e()\n  state x = 0\n  x' = 0\n  event t = 1: x = 1\n  event x - 0.5: x = 0\n"
                  "  event 0.5 - x: x = 1\nend\nuse e()\n",
                  2.0, WARPLU_MODEL_EQUATIONS, "t = 1: events make each other happen more than 100 times");
}

/* -------------------------------------------------------------- at one time */

static const char at_once[] = "element e()\n  state x = 0\n  state n = 0\n  state m = 0\n  x' = 1\n  n' = 0\n  m' = 0\n"
                              "  event t = 1: n = %s\n  event %s: n = %s\nend\nuse e()\n";

static void two_that_set_one_state(void)
{
    static const char *const others[] = {"t = 1", "t - 1", "x - 1", "1 <= t", "2*x - 2"};
    for (int k = 0; k < 5; k++) {
        char text[400];
        snprintf(text, sizeof text, at_once, "n + 1", others[k], "n + 100");
        check_refused(text, 2.0, WARPLU_MODEL_EQUATIONS,
                      "the events at lines 8 and 9 happen at once, and both set e.n");
        snprintf(text, sizeof text, at_once, "n + 1", others[k], "n + 1");
        check_refused(text, 2.0, WARPLU_MODEL_EQUATIONS, "lines 8 and 9");
        snprintf(text, sizeof text, at_once, "7", others[k], "7");
        check_value(text, 2.0, "e.n", 7.0, 1e-12);
        snprintf(text, sizeof text, at_once, "7", others[k], "if m > 1 then 5 else n");
        check_value(text, 2.0, "e.n", 7.0, 1e-12);
        snprintf(text, sizeof text, at_once, "7", others[k], "if m > 1 then n + 5 else n");
        check_value(text, 2.0, "e.n", 7.0, 1e-12);
        for (int turned = 0; turned < 2; turned++) {
            snprintf(text, sizeof text, at_once, turned ? "1" : "n + 1", others[k], turned ? "n + 1" : "1");
            check_refused(text, 2.0, WARPLU_MODEL_EQUATIONS, "lines 8 and 9");
        }
    }
}

/* Those by sign exchange two states whichever rounding finds first. */
static void signs_at_one_time_are_one_round(void)
{
    check_value("element e()\n  state x = 0\n  state a = 1\n  state b = 2\n  x' = 0.1\n  a' = 0\n  b' = 0\n"
                "  event 10*x - 3: a = b\n  event 7*x - 2.1: b = a\nend\nuse e()\n",
                4.0, "e.b", 1.0, 0.0);
}

/* What joins a timed event, for rounding alone has kept its sign below 0, does not happen once more behind it. */
static void what_joins_happens_once(void)
{
    static const char text[] = "element e()\n  param k = 1\n  state x = 0\n  state n = 0\n  state m = 0\n  x' = 1/k\n"
                               "  n' = 0\n  m' = 0\n  event t = 0.3*k: m = 1\n  event x - 0.3: n = n + 1\nend\n"
                               "use e() with k = 1 + i/7 over i in 0..19\n";
    FOR_BOTH(lanes)
    for (int way = 0; way < WAYS; way++) {
        outcome o = run_way(text, lanes, way, 2.0);
        CHECK_SAY(o.status == WARPLU_SUCCESS, "%s", o.why);
        for (int k = 0; k < 20 && o.status == WARPLU_SUCCESS; k++) {
            char name[16];
            snprintf(name, sizeof name, "e[%d].n", k);
            CHECK_SAY(value_of(o.sim, name, 0) == 1.0, "lanes %d, way %d: %s is %g", lanes, way, name,
                      value_of(o.sim, name, 0));
        }
        warplu_sim_destroy(&o.sim);
    }
}

/* Steps that end at outputs and edges, where a sign rises too, come to an end. */
static void signs_rise_at_stops(void)
{
    check_value(
        "element e()\n  state n = 0\n  state m = 0\n  n' = 0\n  m' = pulse(0.6, 1)\n  event t - 0.3: n = n + 1\n"
        "  event t - 0.6: n = n + 1\n  event t - 0.9: n = n + 1\nend\nuse e()\n",
        0.9, "e.n", 3.0, 0.0);
}

/* ------------------------------------------------------------------- options */

static const char options[] = "element e()\n  state x = 0\n  state n = 0\n  state m = 0\n  x' = 1\n  n' = 0\n  m' = 0\n"
                              "  event %s: %s\n  event %s: %s\nend\nuse e()\n";

static void check_options(const char *first, const char *sets, const char *second, const char *also, double n)
{
    char text[400];
    snprintf(text, sizeof text, options, first, sets, second, also);
    check_value(text, 2.0, "e.n", n, 2e-9);
}

static void refuse_options(const char *first, warplu_status status, const char *why)
{
    char text[400];
    snprintf(text, sizeof text, options, first, "n = 1", "t = 5", "m = 1");
    check_refused(text, 2.0, status, why);
}

static void signs_fall(void)
{
    check_options("1 - x falling", "n = 1", "t = 1.5", "m = 1", 1.0);
    check_options("x < 1 falling", "n = 1", "t = 1.5", "m = 1", 1.0);
    check_options("x - 1 falling", "n = 1", "t = 1.5", "x = 0", 1.0);
    refuse_options("t = 1 falling", WARPLU_BAD_FORMAT, "no 'falling'");
}

static void events_happen_at_the_start(void)
{
    check_options("x < 1 initially", "n = n + 1", "t = 1.5", "m = 1", 1.0);
    check_options("x < 1", "n = n + 1", "t = 1.5", "m = 1", 0.0);
    check_options("1 - x initially", "m = 1", "m - 1", "n = 7", 7.0);
    refuse_options("t = 1 initially", WARPLU_BAD_FORMAT, "no 'initially'");
}

/* A run that goes on does not begin again, and what waits stays. */
static void runs_go_on(void)
{
    static const char text[] = "element e()\n  state n = 0\n  state m = 0\n  n' = 0\n  m' = 0\n"
                               "  event t < 9 initially: n = n + 1\n  event t = 0.5 delay 1: m = t\nend\nuse e()\n";
    FOR_BOTH(lanes)
    for (int way = 0; way < WAYS; way++) {
        outcome o = run_way(text, lanes, way, 0.75);
        CHECK_SAY(o.status == WARPLU_SUCCESS && value_of(o.sim, "e.m", 0) == 0.0, "%s", o.why);
        CHECK(warplu_sim_run(o.sim, 1.0) == WARPLU_SUCCESS && warplu_sim_run(o.sim, 2.0) == WARPLU_SUCCESS);
        CHECK_SAY(value_of(o.sim, "e.n", 0) == 1.0 && value_of(o.sim, "e.m", 0) == 0.5, "lanes %d, way %d: %g, %g",
                  lanes, way, value_of(o.sim, "e.n", 0), value_of(o.sim, "e.m", 0));
        warplu_sim_destroy(&o.sim);
    }
}

static void higher_priorities_come_first(void)
{
    check_options("t = 1 priority 1", "n = n + 1", "t = 1 priority 2", "n = 10*n + 5", 6.0);
    check_options("t = 1 priority 1", "n = n + 1", "t = 1 priority 0", "n = 10*n + 5", 15.0);
    check_options("t = 1", "n = n + 1", "t = 1 priority -1", "n = 10*n + 5", 15.0);
    refuse_options("t = 1 priority x", WARPLU_BAD_FORMAT, "priority");
    refuse_options("t = 1 priority 1 priority 2", WARPLU_BAD_FORMAT, "the event has 'priority' already");
}

static void delayed_values_are_kept_or_late(void)
{
    check_options("x - 0.5 delay 1", "n = x", "t = 1", "m = 1", 0.5);
    check_options("x - 0.5 delay 1 late", "n = x", "t = 1", "m = 1", 1.5);
    check_options("x - 0.5 delay 2", "n = x", "t = 1", "m = 1", 0.0);
    refuse_options("x - 0.5 delay 0", WARPLU_MODEL_EQUATIONS, "the delay of the event at line 8 is no number above 0");
    refuse_options("x - 0.5 delay 0/m", WARPLU_MODEL_EQUATIONS, "no number above 0");
    refuse_options("x - 0.5 delay 1/m", WARPLU_MODEL_EQUATIONS, "no number above 0");
}

/* Of a clock whose ticks are 0.125 apart a delay of 0.99 has eight that wait, and one of 1.01 has nine. */
static void eight_wait(void)
{
    check_options("x - 0.125 delay 0.99 late", "n = n + 1", "x - 0.125", "x = 0", 8.0);
    char text[400];
    snprintf(text, sizeof text, options, "x - 0.125 delay 1.01", "n = n + 1", "x - 0.125", "x = 0");
    check_refused(text, 2.0, WARPLU_MODEL_EQUATIONS, "more than 8 of the event at line 8 wait");
}

/* -------------------------------------------------------------- ever closer */

static const char ball[] = "element ball()\n  state h = 1\n  state v = 0\n  h' = v\n  v' = -9.81\n"
                           "  event %s: v = -%s*v%s\nend\nuse ball()\n";

/* Bounces accumulate at sqrt(2/9.81) (1 + 2e/(1 - e)); before, the ball is where it is. */
static void balls_do_not_fall_through(void)
{
    static const char *const floors[] = {"-h", "h <= 0", "h < 0"};
    static const char *const kept[] = {"0.8", "0.3", "0.02"};
    for (int k = 0; k < 3; k++)
        for (int m = 0; m < 3; m++) {
            char text[300];
            snprintf(text, sizeof text, ball, floors[k], kept[m], ", h = 0");
            check_refused(text, 5.0, WARPLU_STEP_TOO_SMALL,
                          "the event at line 6 happens at times that come ever closer");
        }
    char text[300];
    snprintf(text, sizeof text, ball, "-h", "0.8", ", h = 0");
    check_value(text, 4.0, "ball.h", 7.7675e-5, 1e-6);
}

static void what_stops_in_time_is_right(void)
{
    check_value("element ball()\n  state h = 1\n  state v = 0\n  state rests = 0\n  h' = v\n  rests' = 0\n"
                "  v' = if rests > 0 then 0 else -9.81\n"
                "  event -h: v = if v > -0.01 then 0 else -0.8*v, h = 0, rests = v > -0.01\nend\nuse ball()\n",
                5.0, "ball.h", 0.0, 0.0);
    check_value("element e()\n  state x = 0\n  state c = 0\n  x' = cos(t)\n  c' = 0\n  event x - 0.5: c = c + "
                "1\nend\nuse e()\n",
                20.0, "e.c", 4.0, 0.0);
}

static void relays_without_hysteresis_are_refused(void)
{
    check_refused("element e()\n  state x = -0.5\n  state u = 1\n  x' = u\n  u' = 0\n  event x: u = -1\n"
                  "  event -x: u = 1\nend\nuse e()\n",
                  2.0, WARPLU_STEP_TOO_SMALL, "come ever closer");
}

/* ---------------------------------------------------------------------- time */

static void times_are_behind_the_start(void)
{
    static const char *const times[] = {"0", "-1", "0/0", "k - 1"};
    for (int k = 0; k < 4; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "element e()\n  param k = 1\n  state n = 0\n  n' = 0\n  event t = %s: n = 1\nend\nuse e()\n",
                 times[k]);
        check_refused(text, 2.0, WARPLU_MODEL_EQUATIONS, "the time of the event at line 5 is not behind the start");
    }
    check_value("element e()\n  state n = 0\n  n' = 0\n  event t = 1/0: n = 1\n  event t == 1: n = 2\nend\nuse e()\n",
                2.0, "e.n", 2.0, 0.0);
}

/* At 0 times have no rounding that would end a search. What time alone makes true there is true at once. */
static void what_rises_behind_the_start_happens(void)
{
    static const char states[] = "element e()\n  param a = 0\n  state n = 0\n  state at = -1\n  state x = 0\n  n' = 0\n"
                                 "  at' = 0\n  x' = 1\n  time = t + a\n",
                      *const events[] = {"x > 0", "x^3 > 0", "time > a", "time > a and x >= 0"};
    char text[512];
    for (int k = 0; k < 4; k++) {
        snprintf(text, sizeof text, "%s  event %s: n = n + 1, at = t\nend\nuse e()\n", states, events[k]);
        check_value(text, 1.0, "e.n", 1.0, 0.0);
        check_value(text, 1.0, "e.at", 0.0, k < 2 ? 1e-20 : 0.0);
    }
}

int main(void)
{
    RUN(conditions_fire);
    RUN(conditions_fire_when_they_become_true);
    RUN(equalities_of_what_moves_are_refused);
    RUN(jumps_cause_events);
    RUN(endless_rounds_are_refused);
    RUN(two_that_set_one_state);
    RUN(signs_at_one_time_are_one_round);
    RUN(what_joins_happens_once);
    RUN(signs_rise_at_stops);
    RUN(signs_fall);
    RUN(events_happen_at_the_start);
    RUN(runs_go_on);
    RUN(higher_priorities_come_first);
    RUN(delayed_values_are_kept_or_late);
    RUN(eight_wait);
    RUN(balls_do_not_fall_through);
    RUN(what_stops_in_time_is_right);
    RUN(relays_without_hysteresis_are_refused);
    RUN(times_are_behind_the_start);
    RUN(what_rises_behind_the_start_happens);
    return check_done();
}
