/* `limit` and `cfl`: steps of so many times the least limit of all instances, by both engines and every method that
 * takes steps of a given length; and limits that leave no step. */
#include "model/engines.h"

#include <math.h>

/* Steps of 1/16 by the second limit, whose least is that of the last node; the first one bounds nothing. */
#define CHAIN(limit) \
    "nodes c[20] { store q = 1; sum width }\n" \
    "element wide(p, q)\n  p.width += 1/8 + q.q*0\nend\n" \
    "element cell(p)\n  param k = 1\n  limit 1/0.5\n  limit " limit "\n" \
    "  p.q += -k*p.q\n  rate = -k*p.q\nend\n" \
    "use wide(c[i], c[i]) over i in 0..18\nuse wide(c[19], c[0])\n" \
    "use cell(c[i]) with k = 1 + i/19 over i in 0..19\n"
static const char chain[] = CHAIN("p.width/k");
static const char same[] = "element e()\n  param k = 1\n  limit 2^-k\n  state x = 1\n  x' = -x\nend\nuse e()\n";

static warplu_sim *run_to(const warplu_model *model, warplu_sim_options options, double t)
{
    warplu_sim *sim = made(model, &options);
    CHECK_SAY(warplu_sim_run(sim, t) == WARPLU_SUCCESS, "%s", warplu_sim_get_message(sim));
    return sim;
}

/* By half of limits of 1/8 to 1/16 steps are 1/32, to the bit those of dt. */
static void steps_are_by_the_least_limit(void)
{
    warplu_model *model = parsed(chain);
    for (warplu_method m = WARPLU_METHOD_EULER; m <= WARPLU_METHOD_SSP_RK3; m++)
        for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
            warplu_sim_options options = defaults();
            warplu_sim_statistics a = {.size = sizeof a}, b = {.size = sizeof b};
            if (m == WARPLU_METHOD_SPLIT) continue;
            options.lanes = (warplu_lanes)lanes, options.method = m, options.cfl = 0.5;
            warplu_sim *by_limit = run_to(model, options, 1.25);
            options.cfl = 0.0, options.dt = 1.0 / 32.0;
            warplu_sim *by_dt = run_to(model, options, 1.25);
            warplu_sim_get_statistics(by_limit, &a);
            warplu_sim_get_statistics(by_dt, &b);
            CHECK_SAY(a.steps == 40 && b.steps == 40 && a.rejected == 0, "method %d: %d steps", (int)m, (int)a.steps);
            CHECK(value_of(by_limit, "c[19].q", 0) == value_of(by_dt, "c[19].q", 0));
            warplu_sim_destroy(&by_limit);
            warplu_sim_destroy(&by_dt);
        }
    warplu_model_destroy(&model);
}

/* Limits move with what they are of: h = x/2 while x' = -1, so that x is halved in each step. */
static void steps_follow_limits_that_move(void)
{
    static const char text[] = "element e()\n  state x = 1\n  x' = -1\n  limit x\n  h = step\nend\n"
                               "use e()\nrun euler cfl 0.5 to 0.96875\n";
    warplu_model *model = parsed(text);
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        warplu_sim_options options = defaults();
        warplu_sim_statistics s = {.size = sizeof s};
        options.lanes = (warplu_lanes)lanes;
        warplu_sim *sim = run_to(model, options, 0.96875);
        warplu_sim_get_statistics(sim, &s);
        CHECK(s.steps == 5 && value_of(sim, "e.x", 0) == 0.03125 && value_of(sim, "e.h", 0) == 0.03125);
        warplu_sim_destroy(&sim);
        options.cfl = 0.75; /* in place of the text's */
        sim = run_to(model, options, 0.75 + 0.1875);
        warplu_sim_get_statistics(sim, &s);
        CHECK(s.steps == 2 && value_of(sim, "e.x", 0) == 0.0625);
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

/* Edges, events and outputs are met as by other steps. */
static void stops_are_met(void)
{
    static const char text[] = "element e()\n  state x = 0\n  state n = 0\n  x' = pulse(0.33, 0.01)\n  n' = 1\n"
                               "  limit 0.4\n  event n - 0.7: n = 0\nend\nuse e()\n";
    warplu_model *model = parsed(text);
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        warplu_sim_options options = defaults();
        options.lanes = (warplu_lanes)lanes, options.method = WARPLU_METHOD_EULER, options.cfl = 1.0;
        warplu_sim *sim = run_to(model, options, 1.0);
        CHECK(fabs(value_of(sim, "e.x", 0) - 0.01) <= 1e-12 && fabs(value_of(sim, "e.n", 0) - 0.3) <= 1e-9);
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

static void members_have_steps_of_their_own(void)
{
    static const char *const varying[] = {"e.k"};
    const double k[3] = {2.0, 5.0, 3.0};
    warplu_model *model = parsed(same);
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        warplu_sim_options options = defaults();
        options.lanes = (warplu_lanes)lanes, options.method = WARPLU_METHOD_EULER, options.cfl = 1.0;
        options.members = 3, options.varying = varying, options.varying_count = 1;
        warplu_sim *sim = made(model, &options);
        CHECK(warplu_sim_set(sim, handle_of(sim, "e.k"), 0, 3, k) == WARPLU_SUCCESS);
        CHECK(warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS);
        for (int m = 0; m < 3; m++) {
            double h = pow(2.0, -k[m]), found = value_of(sim, "e.x", m), exact = pow(1.0 - h, 1.0 / h);
            CHECK_SAY(fabs(found - exact) <= 1e-14, "member %d: %.17g, not %.17g", m, found, exact);
        }
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

/* Runs until a limit leaves no step; what is said by both engines. */
static void expect_end(const char *text, warplu_status status, double t, const char *wanted)
{
    char said[512];
    warplu_model *model = parsed(text);
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        warplu_sim_options options = defaults();
        warplu_sim_member member;
        options.lanes = (warplu_lanes)lanes, options.method = WARPLU_METHOD_EULER, options.cfl = 0.5;
        warplu_sim *sim = made(model, &options);
        warplu_status found = warplu_sim_run(sim, 4.0);
        snprintf(said, sizeof said, "%s", warplu_sim_get_message(sim));
        CHECK_SAY(found == status && strcmp(said, wanted) == 0, "lanes %d: %d, '%s'", lanes, (int)found, said);
        CHECK(warplu_sim_get_members(sim, 0, 1, &member, sizeof member) == WARPLU_SUCCESS);
        CHECK(member.status == status && member.unknown == -1 && fabs(member.time - t) < 1e-12);
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

static void limits_may_leave_no_step(void)
{
    expect_end(CHAIN("p.width/k - (if t > 1 and k > 1.5 then 9 else 0)"), WARPLU_STEP_TOO_SMALL, 1.0,
               "at t = 1: cell[10].limit (line 8) leaves no step that is long enough");
    expect_end(CHAIN("sqrt(p.width/k - (if t > 1 and k = 2 then 9 else 0))^2"), WARPLU_NOT_FINITE, 1.0,
               "at t = 1: cell[19].limit (line 8) is no number");
    expect_end(CHAIN("0"), WARPLU_STEP_TOO_SMALL, 0.0,
               "at t = 0: cell[0].limit (line 8) leaves no step that is long enough");
    expect_end("element e()\n  state x = 1\n  x' = -1\n  limit max(x, 0) + 1e-18\nend\nuse e()\n",
               WARPLU_STEP_TOO_SMALL, 1.0, "at t = 1: e.limit (line 4) leaves no step that is long enough");
}

static void refuse(const warplu_model *model, warplu_method method, double dt, double cfl, const char *wanted)
{
    static char said[512];
    warplu_sim_options options = defaults();
    warplu_sim *sim = NULL;
    options.method = method, options.dt = dt, options.cfl = cfl;
    last = said, said[0] = '\0';
    CHECK(warplu_sim_create(&sim, model, &options) == WARPLU_INVALID_ARGUMENT && sim == NULL);
    CHECK_SAY(strstr(said, wanted) != NULL, "'%s'", said);
    last = NULL;
}

static void what_does_not_fit_is_refused(void)
{
    warplu_model *model = parsed_with(chain), *bare = parsed_with(decay_text);
    refuse(model, WARPLU_METHOD_EULER, 0.1, 0.5, "cfl: expected a number from 0, and 0 beside a dt");
    refuse(model, WARPLU_METHOD_EULER, 0.0, -0.5, "cfl: expected a number from 0");
    refuse(model, WARPLU_METHOD_EULER, 0.0, INFINITY, "cfl: expected a number from 0");
    refuse(model, WARPLU_METHOD_SPLIT, 0.0, 0.5, "split takes steps of a fixed length, and no cfl");
    refuse(bare, WARPLU_METHOD_EULER, 0.0, 0.5, "cfl: expected an element with a line 'limit ...'");
    warplu_model_destroy(&model);
    warplu_model_destroy(&bare);
}

int main(void)
{
    RUN(steps_are_by_the_least_limit);
    RUN(steps_follow_limits_that_move);
    RUN(stops_are_met);
    RUN(members_have_steps_of_their_own);
    RUN(limits_may_leave_no_step);
    RUN(what_does_not_fit_is_refused);
    return check_done();
}
