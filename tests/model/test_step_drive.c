/* The driver: lanes that do not see each other, threads, outputs, pulses, events, and what fails. */
#include "model/step/batch.h"

#include <math.h>

#include "model/stiff.h"
#include "model/limited.h"
#include "support/check.h"

enum { MEMBERS = 150, OUTPUTS = 3 };

typedef struct rows {
    double y[MEMBERS][OUTPUTS][PROBLEM_MOST];
    int count[MEMBERS][OUTPUTS];
    int32_t n;
} rows;

static void take(void *user, int64_t member, int32_t output, double clock, double step, const double *y)
{
    (void)clock, (void)step;
    rows *r = user;
    memcpy(r->y[member][output], y, (size_t)r->n * sizeof *y);
    r->count[member][output]++;
}

static wlm_stepper *stepper_of(const problem *p, wlm_step_options o)
{
    wlm_stepper *s = NULL;
    CHECK_SAY(wlm_stepper_create(&p->e, &o, &s) == WARPLU_SUCCESS, "%s", p->ctx.last_message);
    if (s == NULL) exit(1);
    return s;
}

/* Van der Pol with mu^2 as a parameter. */
static void oscillators(problem *p)
{
    problem_begin(p, 2, 1, (double[]){2.0, 0.0});
    wlm_node mu2 = wlm_input(at, 3);
    p->f[0] = Y(1);
    p->f[1] = mul(mu2, sub(mul(sub(num(1.0), mul(Y(0), Y(0))), Y(1)), Y(0)));
}

/* Members in a crowd, with NaN among them and on several threads, have the bits that each has alone. */
static void check_alone(wlm_method method)
{
    static rows crowd, alone;
    static double parameter[MEMBERS], end[MEMBERS][2], end_alone[MEMBERS][2];
    static wlm_fate fate[MEMBERS], fate_alone[MEMBERS];
    static const double times[OUTPUTS] = {0.0, 0.3, 0.5};
    problem p;
    oscillators(&p);
    for (int m = 0; m < MEMBERS; m++) parameter[m] = m % 7 == 3 ? (double)NAN : 1.0 + m;
    memset(&crowd, 0, sizeof crowd);
    memset(&alone, 0, sizeof alone);
    crowd.n = alone.n = 2;
    wlm_stepper *s = stepper_of(&p, (wlm_step_options){.method = method, .relative = 1e-4, .absolute = 1e-4});
    wlm_drive d = {0.0, 0.5, OUTPUTS, times, parameter, NULL, take, &crowd, end[0], fate, 0};
    CHECK(wlm_drive_batch(s, &d, MEMBERS, 3) == WARPLU_MEMBERS_FAILED);
    d.user = &alone, d.end = end_alone[0], d.fate = fate_alone;
    for (int m = 0; m < MEMBERS; m += 11) {
        CHECK((wlm_drive_members(s, &d, m, 1) == WARPLU_SUCCESS) == (m % 7 != 3));
        CHECK(memcmp(crowd.y[m], alone.y[m], sizeof crowd.y[m]) == 0);
        CHECK(fate[m].steps == fate_alone[m].steps && fate[m].status == fate_alone[m].status);
        if (m % 7 == 3)
            CHECK(isnan(end[m][0]) && fate[m].status == WARPLU_NOT_FINITE && fate[m].t == 0.0);
        else
            CHECK(memcmp(end[m], end_alone[m], sizeof end[m]) == 0 && fate[m].t == 0.5);
    }
    for (int m = 0; m < MEMBERS; m++)
        for (int k = 0; k < OUTPUTS; k++) CHECK(crowd.count[m][k] == (m % 7 != 3));
    wlm_stepper_destroy(&s);
    problem_end(&p);
}

static void members_do_not_see_each_other(void)
{
    check_alone(WLM_RODAS4);
    check_alone(WLM_DORMAND_PRINCE);
    check_alone(WLM_TR_BDF2);
    check_alone(WLM_TRAPEZOIDAL);
}

/* y' = pulse - decay y: on for `width` from 0.1 on, each `period`, which is the lane's parameter. */
static void pulsed(problem *p, double width, double decay)
{
    problem_begin(p, 1, 1, (double[]){0.0});
    wlm_node t = sub(wlm_input(at, 0), num(0.1)), period = wlm_input(at, 2);
    wlm_node turn = of(WLM_FLOOR, wlm_binary(at, WLM_DIV, t, period));
    wlm_node phase = wlm_ternary(at, WLM_FNMA, turn, period, t);
    wlm_node on =
        wlm_binary(at, WLM_AND, wlm_binary(at, WLM_LE, num(0.0), t), wlm_binary(at, WLM_LT, phase, num(width)));
    p->f[0] = sub(by(1000.0, on), by(decay, Y(0)));
    p->pulse[0] = (wlm_pulse){num(0.1), num(width), period, NULL};
    p->e.pulses = 1;
}

static void pulses_are_hit(void)
{
    enum { COUNT = 5 };
    problem p;
    double parameter[COUNT] = {0.7, 1.0, 1.1, 3.0, 0.9}, end[COUNT];
    wlm_fate fate[COUNT];
    pulsed(&p, 1e-3, 1.0);
    static const wlm_method methods[] = {WLM_DORMAND_PRINCE, WLM_RODAS3, WLM_RODAS4, WLM_TR_BDF2};
    for (int k = 0; k < 4; k++) {
        wlm_stepper *s = stepper_of(&p, (wlm_step_options){.method = methods[k], .relative = 1e-7, .absolute = 1e-7});
        wlm_drive d = {.t0 = 0.0, .t1 = 4.0, .parameter = parameter, .end = end, .fate = fate};
        CHECK(wlm_drive_members(s, &d, 0, COUNT) == WARPLU_SUCCESS);
        for (int m = 0; m < COUNT; m++) {
            double want = 0.0;
            for (double edge = 0.1; edge < 4.0; edge += parameter[m])
                want += 1000.0 * (exp(edge + 1e-3 - 4.0) - exp(edge - 4.0));
            CHECK_SAY(fabs(end[m] - want) < (methods[k] == WLM_TR_BDF2 ? 1e-4 : 1e-5), "%s: %.9g, not %.9g",
                      wlm_method_of(methods[k])->name, end[m], want);
        }
        wlm_stepper_destroy(&s);
    }
    problem_end(&p);
}

/* No stage sees what is beyond an edge, so that what is constant between edges is exact. */
static void stages_stay_before_edges(void)
{
    double parameter = 0.5, end;
    wlm_fate fate;
    problem p;
    pulsed(&p, 0.2, 0.0);
    static const wlm_method methods[] = {WLM_EULER,       WLM_RK4,     WLM_BACKWARD_EULER,
                                         WLM_TRAPEZOIDAL, WLM_TR_BDF2, WLM_RODAS4};
    for (int k = 0; k < 6; k++) {
        wlm_stepper *s = stepper_of(&p, (wlm_step_options){.method = methods[k], .step = 0.03});
        wlm_drive d = {.t0 = 0.0, .t1 = 2.0, .parameter = &parameter, .end = &end, .fate = &fate};
        CHECK(wlm_drive_members(s, &d, 0, 1) == WARPLU_SUCCESS);
        CHECK_SAY(fabs(end - 800.0) < 1e-9, "%s: %.12g, not 800", s->facts->name, end);
        wlm_stepper_destroy(&s);
    }
    problem_end(&p);
}

/* A ball that loses a part of its speed at each bounce; and a reset at a time. */
static void events_set_states(void)
{
    enum { COUNT = 3 };
    problem p;
    double parameter[COUNT] = {0.7, 0.8, 0.9}, end[COUNT][3], event_time = 1.25;
    wlm_fate fate[COUNT];
    int32_t speed = 1, counter = 2;
    problem_begin(&p, 3, 1, (double[]){1.0, 0.0, 0.0});
    p.f[0] = Y(1), p.f[1] = num(-9.81), p.f[2] = num(1.0);
    wlm_node bounced = neg(mul(wlm_input(at, 4), Y(1))), zero = num(0.0);
    p.event[0] =
        (wlm_event){.crossing = neg(Y(0)), .at = WLM_NONE, .assignments = 1, .state = &speed, .value = &bounced};
    p.event[1] =
        (wlm_event){.crossing = WLM_NONE, .at = num(event_time), .assignments = 1, .state = &counter, .value = &zero};
    p.e.events = 2;
    static const wlm_method methods[] = {WLM_DORMAND_PRINCE, WLM_RODAS4, WLM_TR_BDF2, WLM_RK4};
    for (int k = 0; k < 4; k++) {
        wlm_step_options o = {
            .method = methods[k], .relative = 1e-9, .absolute = 1e-9, .step = methods[k] == WLM_RK4 ? 0.01 : 0};
        wlm_stepper *s = stepper_of(&p, o);
        wlm_drive d = {.t0 = 0.0, .t1 = 1.5, .parameter = parameter, .end = end[0], .fate = fate};
        CHECK(wlm_drive_members(s, &d, 0, COUNT) == WARPLU_SUCCESS);
        for (int m = 0; m < COUNT; m++) {
            double t = sqrt(2.0 / 9.81), v = 9.81 * t;
            int bounces = 1;
            for (v *= parameter[m]; t + 2.0 * v / 9.81 < 1.5; v *= parameter[m], bounces++) t += 2.0 * v / 9.81;
            double rest = 1.5 - t, want = v * rest - 0.5 * 9.81 * rest * rest;
            CHECK_SAY(fabs(end[m][0] - want) < 1e-7, "%s: height %.10g, not %.10g", wlm_method_of(methods[k])->name,
                      end[m][0], want);
            CHECK(fabs(end[m][2] - 0.25) < 1e-12 && fate[m].events == bounces + 1);
        }
        wlm_stepper_destroy(&s);
    }
    problem_end(&p);
}

/* Two events at one time, a third when a sign changes there, a pulse that begins there: none is lost. */
static void events_at_one_time_all_happen(void)
{
    problem p;
    double end[4];
    wlm_fate fate;
    int32_t state[3] = {0, 1, 2};
    problem_begin(&p, 4, 0, (double[]){0.0, 0.0, 0.0, 0.0});
    wlm_node one = num(1.0), since = sub(wlm_input(at, 0), num(0.5));
    p.f[3] = wlm_binary(at, WLM_LE, num(0.0), since);
    for (int k = 0; k < 3; k++) {
        p.f[k] = num(0.0);
        p.event[k] =
            (wlm_event){.crossing = WLM_NONE, .at = num(0.5), .assignments = 1, .state = &state[k], .value = &one};
    }
    p.event[2].crossing = since, p.event[2].at = WLM_NONE;
    p.e.events = 3;
    p.pulse[0] = (wlm_pulse){num(0.5), num(10.0), num(0.0), NULL};
    for (p.e.pulses = 0; p.e.pulses < 2; p.e.pulses++) {
        wlm_stepper *s = stepper_of(&p, (wlm_step_options){.method = WLM_DORMAND_PRINCE});
        wlm_drive d = {.t0 = 0.0, .t1 = 1.0, .end = end, .fate = &fate};
        CHECK(wlm_drive_members(s, &d, 0, 1) == WARPLU_SUCCESS);
        CHECK_SAY(end[0] == 1.0 && end[1] == 1.0 && end[2] == 1.0 && fate.events == 3, "%g %g %g, %d events", end[0],
                  end[1], end[2], (int)fate.events);
        wlm_stepper_destroy(&s);
    }
    problem_end(&p);
}

/* A member that has no step left where its event is leaves nothing of it to the next one in its lane; one that comes to
 * the end with its last step is there. */
static void events_of_failed_members_are_theirs(void)
{
    enum { COUNT = 128, HALF = 64 };
    static double parameter[COUNT];
    static wlm_fate fate[COUNT];
    problem p;
    int32_t state = 0;
    problem_begin(&p, 1, 1, (double[]){0.0});
    wlm_node value = num(7.0);
    p.f[0] = num(1.0);
    p.event[0] =
        (wlm_event){.crossing = WLM_NONE, .at = wlm_input(at, 2), .assignments = 1, .state = &state, .value = &value};
    p.pulse[0] = (wlm_pulse){num(0.5), num(10.0), num(0.0), NULL};
    p.e.events = p.e.pulses = 1;
    for (int m = 0; m < COUNT; m++) parameter[m] = m < HALF ? 1.0 : 100.0;
    wlm_stepper *s = stepper_of(&p, (wlm_step_options){.method = WLM_EULER, .step = 0.5, .most = 2});
    wlm_drive d = {.t0 = 0.0, .t1 = 2.0, .parameter = parameter, .fate = fate};
    CHECK(wlm_drive_members(s, &d, 0, COUNT) == WARPLU_MEMBERS_FAILED);
    CHECK(fate[0].steps == 2 && fate[HALF].steps == 2 && fate[0].t == 1.0);
    for (int m = 0; m < COUNT; m++) CHECK_SAY(fate[m].events == 0, "member %d: %d events", m, (int)fate[m].events);
    d.t1 = 1.0;
    CHECK(wlm_drive_members(s, &d, 0, COUNT) == WARPLU_SUCCESS);
    CHECK(fate[0].events == 1 && fate[HALF].events == 0);
    wlm_stepper_destroy(&s);
    problem_end(&p);
}

/* What is at fault does not depend on who stood in the lane before, and where only the number of steps ends it is
 * nothing. */
static void what_is_at_fault(void)
{
    enum { COUNT = 200 };
    static double parameter[COUNT];
    static wlm_fate crowd[COUNT], alone[COUNT];
    problem p;
    problem_begin(&p, 3, 1, (double[]){1.0, 1.0, 0.7}); /* 0 = z^2 + g has no solution for g above 0 */
    p.q[2] = WLM_NONE;
    p.f[0] = neg(Y(0)), p.f[1] = mul(Y(1), Y(1));
    p.f[2] = add(mul(Y(2), Y(2)), wlm_input(at, 4));
    for (int m = 0; m < COUNT; m++) parameter[m] = m % 3 == 0 ? 1.0 : -1.0;
    wlm_stepper *s = stepper_of(&p, (wlm_step_options){.method = WLM_RODAS4});
    wlm_drive d = {.t0 = 0.0, .t1 = 2.0, .parameter = parameter, .fate = crowd};
    CHECK(wlm_drive_members(s, &d, 0, COUNT) == WARPLU_MEMBERS_FAILED);
    d.fate = alone;
    for (int m = 0; m < COUNT; m++) {
        if (!check_due()) continue;
        CHECK(wlm_drive_members(s, &d, m, 1) == WARPLU_MEMBERS_FAILED);
        CHECK_SAY(crowd[m].unknown == alone[m].unknown && crowd[m].unknown == (m % 3 == 0 ? 2 : 1),
                  "member %d: status %d, unknown %d, alone %d", m, (int)crowd[m].status, (int)crowd[m].unknown,
                  (int)alone[m].unknown);
    }
    wlm_stepper_destroy(&s);
    s = stepper_of(&p, (wlm_step_options){.method = WLM_RODAS4, .most = 5});
    CHECK(wlm_drive_members(s, &d, 1, 1) == WARPLU_MEMBERS_FAILED && alone[1].steps == 5 && alone[1].unknown == -1);
    wlm_stepper_destroy(&s);
    problem_end(&p);
}

static void expect_end(const problem *p, wlm_step_options o, warplu_status want, double from, double to)
{
    wlm_fate fate;
    double end[PROBLEM_MOST];
    wlm_stepper *s = stepper_of(p, o);
    wlm_drive d = {.t0 = 0.0, .t1 = 2.0, .end = end, .fate = &fate};
    CHECK(wlm_drive_members(s, &d, 0, 1) == WARPLU_MEMBERS_FAILED);
    CHECK_SAY((fate.status == want || (want == WARPLU_STEP_TOO_SMALL && fate.status == WARPLU_NOT_FINITE)) &&
                  fate.t >= from && fate.t <= to,
              "%s: status %d at %.9g", s->facts->name, (int)fate.status, fate.t);
    CHECK(isnan(end[0]));
    wlm_stepper_destroy(&s);
}

static void failures_have_their_status(void)
{
    problem p;
    problem_begin(&p, 1, 0, (double[]){1.0}); /* y' = y^2 has a pole at 1 */
    p.f[0] = mul(Y(0), Y(0));
    static const wlm_method methods[] = {WLM_DORMAND_PRINCE, WLM_RODAS3, WLM_RODAS4, WLM_TR_BDF2, WLM_TRAPEZOIDAL};
    for (int k = 0; k < 5; k++)
        expect_end(&p, (wlm_step_options){.method = methods[k]}, WARPLU_STEP_TOO_SMALL, 0.99, 1.01);
    expect_end(&p, (wlm_step_options){.method = WLM_RK4, .step = 0.1}, WARPLU_NOT_FINITE, 1.0, 2.0);
    expect_end(&p, (wlm_step_options){.method = WLM_BACKWARD_EULER, .step = 0.9}, WARPLU_NO_CONVERGENCE, 0.0, 1.0);
    expect_end(&p, (wlm_step_options){.method = WLM_RODAS4, .most = 5}, WARPLU_TOO_MANY_STEPS, 0.0, 1.0);
    problem_end(&p);
    problem_begin(&p, 1, 0, (double[]){1.0}); /* sqrt of what becomes negative at 1 */
    p.f[0] = sub(by(0.0, of(WLM_SQRT, Y(0))), num(1.0));
    expect_end(&p, (wlm_step_options){.method = WLM_RODAS4}, WARPLU_NOT_FINITE, 0.9, 1.01);
    problem_end(&p);
    problem_begin(&p, 2, 0, (double[]){1.0, 0.0}); /* 0 = z^2 + 1 has no solution; 0 = 0 z + y a zero pivot */
    p.q[1] = WLM_NONE;
    p.f[0] = neg(Y(0));
    p.f[1] = add(mul(Y(1), Y(1)), Y(0));
    expect_end(&p, (wlm_step_options){.method = WLM_TR_BDF2}, WARPLU_SINGULAR, 0.0, 0.0);
    p.initial[1] = num(0.7);
    expect_end(&p, (wlm_step_options){.method = WLM_RODAS4}, WARPLU_NO_CONVERGENCE, 0.0, 0.0);
    problem_end(&p);
}

static void bad_arguments_are_refused(void)
{
    problem p;
    wlm_fate fate;
    robertson(&p);
    wlm_stepper *s = stepper_of(&p, (wlm_step_options){.method = WLM_RODAS4});
    wlm_drive d = {.t0 = 1.0, .t1 = 1.0, .fate = &fate};
    CHECK(wlm_drive_members(s, &d, 0, 1) == WARPLU_INVALID_ARGUMENT);
    double times[2] = {0.5, 0.25};
    d.t0 = 0.0, d.fate = NULL;
    CHECK(wlm_drive_members(s, &d, 0, 1) == WARPLU_INVALID_ARGUMENT);
    d.fate = &fate, d.outputs = 2, d.output = times;
    CHECK(wlm_drive_members(s, &d, 0, 1) == WARPLU_INVALID_ARGUMENT);
    CHECK(strstr(p.ctx.last_message, "output time 1") != NULL);
    wlm_stepper_destroy(&s);
    wlm_step_options wrong[] = {{.method = WLM_EULER},
                                {.method = WLM_RODAS4, .relative = -1.0},
                                {.method = WLM_SPLIT},
                                {.method = WLM_RK4, .step = (double)NAN}};
    for (int k = 0; k < 4; k++) CHECK(wlm_stepper_create(&p.e, &wrong[k], &s) == WARPLU_INVALID_ARGUMENT && s == NULL);
    problem_end(&p);
}

static warplu_status make_and_run(const problem *p, wlm_method method)
{
    wlm_stepper *s = NULL;
    wlm_fate fate[MEMBERS];
    double parameter[MEMBERS];
    wlm_step_options o = {.method = method, .relative = 1e-3, .absolute = 1e-3};
    for (int m = 0; m < MEMBERS; m++) parameter[m] = 1.0;
    warplu_status status = wlm_stepper_create(&p->e, &o, &s);
    wlm_drive d = {.t0 = 0.0, .t1 = 0.01, .parameter = parameter, .fate = fate};
    if (status == WARPLU_SUCCESS) status = wlm_drive_batch(s, &d, MEMBERS, 1);
    wlm_stepper_destroy(&s);
    return status;
}

static void every_allocation_may_fail(void)
{
    static const wlm_method methods[] = {WLM_RODAS4, WLM_TR_BDF2};
    problem p;
    oscillators(&p);
    limit(&p.ctx);
    for (int k = 0; k < 2; k++) {
        for (left = 0;; left++) {
            int64_t allowed = left;
            warplu_status status = make_and_run(&p, methods[k]);
            left = allowed;
            if (status == WARPLU_SUCCESS) break;
            CHECK_SAY(status == WARPLU_OUT_OF_MEMORY, "%d after %d", (int)status, (int)allowed);
            if (allowed > 2000) break;
        }
        CHECK(left > 50 && left < 2000);
    }
    left = INT64_MAX;
    problem_end(&p);
}

int main(void)
{
    RUN(members_do_not_see_each_other);
    RUN(pulses_are_hit);
    RUN(stages_stay_before_edges);
    RUN(events_set_states);
    RUN(events_at_one_time_all_happen);
    RUN(events_of_failed_members_are_theirs);
    RUN(what_is_at_fault);
    RUN(failures_have_their_status);
    RUN(bad_arguments_are_refused);
    RUN(every_allocation_may_fail);
    return check_done();
}
