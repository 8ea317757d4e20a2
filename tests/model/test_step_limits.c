/* Where members end: ranges and their slack, numbers of steps, the shortest step, states that are zero. */
#include "model/step/drive.h"

#include <math.h>

#include "model/stiff.h"
#include "support/check.h"

enum { MEMBERS = 3 };

/* Three equal members to 1. */
static wlm_fate fate_of(const problem *p, wlm_step_options o)
{
    wlm_fate fate[MEMBERS];
    wlm_stepper *s = NULL;
    if (wlm_stepper_create(&p->e, &o, &s) != WARPLU_SUCCESS) abort();
    wlm_drive d = {.t0 = 0.0, .t1 = 1.0, .fate = fate};
    wlm_drive_members(s, &d, 0, MEMBERS);
    for (int m = 1; m < MEMBERS; m++)
        CHECK(fate[m].status == fate[0].status && fate[m].steps == fate[0].steps && fate[m].t == fate[0].t);
    wlm_stepper_destroy(&s);
    return fate[0];
}

/* A state that stays at y, in a range from 0 to 10: the slack is 0.01 + 0.001 10. */
static void ranges_have_slack(void)
{
    static const struct {
        double y;
        int leaves;
    } cases[] = {{0.0, 0}, {10.0, 0}, {-0.0199, 0}, {10.0199, 0}, {-0.0201, 1}, {10.0201, 1}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        problem p;
        wlm_range range = {0, 0.0, 10.0};
        problem_begin(&p, 1, 0, (double[]){cases[k].y});
        p.f[0] = num(0.0);
        p.e.range = &range, p.e.ranges = 1;
        const wlm_fate fate =
            fate_of(&p, (wlm_step_options){.method = WLM_TR_BDF2, .step = 0.25, .relative = 1e-3, .absolute = 1e-2});
        CHECK_SAY(fate.status == (cases[k].leaves ? WARPLU_OUT_OF_RANGE : WARPLU_SUCCESS), "%g: %d", cases[k].y,
                  (int)fate.status);
        problem_end(&p);
    }
}

/* Of two that are left in one step the first one is told. */
static void the_first_range_is_told(void)
{
    for (int32_t first = 0; first < 2; first++) {
        problem p;
        wlm_range range[2] = {{first, 0.0, 0.5}, {1 - first, 0.0, 0.5}};
        problem_begin(&p, 2, 0, (double[]){0.0, 0.0});
        p.f[0] = p.f[1] = num(1.0);
        p.e.range = range, p.e.ranges = 2;
        const wlm_fate fate = fate_of(&p, (wlm_step_options){.method = WLM_TR_BDF2, .step = 0.25});
        CHECK(fate.status == WARPLU_OUT_OF_RANGE && fate.unknown == first && fate.t == 0.75);
        problem_end(&p);
    }
}

/* Rejected steps count, and the last one may be that in which a member arrives. */
static void steps_are_counted(void)
{
    problem p;
    problem_begin(&p, 2, 0, (double[]){2.0, 0.0});
    p.f[0] = Y(1);
    p.f[1] = by(200.0, sub(mul(sub(num(1.0), mul(Y(0), Y(0))), Y(1)), Y(0)));
    wlm_step_options o = {.method = WLM_RODAS4, .relative = 1e-4, .absolute = 1e-4};
    const wlm_fate free_one = fate_of(&p, o);
    CHECK(free_one.status == WARPLU_SUCCESS && free_one.rejected > 0);
    o.most = free_one.steps + free_one.rejected;
    CHECK(fate_of(&p, o).status == WARPLU_SUCCESS);
    o.most--;
    CHECK(fate_of(&p, o).status == WARPLU_TOO_MANY_STEPS);
    problem_end(&p);
}

/* A root that is there at 0 and near 0.01, where the first step's length is chosen, alone: each step fails, and the
 * next one is a quarter, to 1e-20 of the run or what is given. */
static void the_shortest_step(void)
{
    problem p;
    problem_begin(&p, 1, 0, (double[]){1.0});
    const wlm_node t = wlm_input(at, 0), bump = mul(sub(t, num(0.009)), sub(num(0.011), t));
    p.f[0] = add(num(1.0), of(WLM_SQRT, mul(t, bump)));
    wlm_step_options o = {.method = WLM_DORMAND_PRINCE};
    for (int k = 0; k < 2; k++, o.shortest = 1e-9) {
        const wlm_fate fate = fate_of(&p, o);
        const int least = k == 0 ? 25 : 8, most = k == 0 ? 40 : 15;
        CHECK_SAY(fate.status == WARPLU_NOT_FINITE && fate.rejected >= least && fate.rejected <= most,
                  "%d, %d rejected at %g", (int)fate.status, (int)fate.rejected, fate.t);
    }
    problem_end(&p);
}

static void zeros_are_numbers(void)
{
    static const wlm_method methods[] = {WLM_EULER, WLM_TR_BDF2, WLM_RODAS4};
    for (int k = 0; k < 3; k++) {
        problem p;
        problem_begin(&p, 2, 0, (double[]){0.0, 0.0});
        p.f[0] = Y(1), p.f[1] = neg(Y(0));
        CHECK(fate_of(&p, (wlm_step_options){.method = methods[k], .step = 0.25}).status == WARPLU_SUCCESS);
        problem_end(&p);
    }
}

static void times_ascend(void)
{
    problem p;
    wlm_fate fate;
    wlm_stepper *s = NULL;
    problem_begin(&p, 1, 0, (double[]){1.0});
    p.f[0] = neg(Y(0));
    CHECK(wlm_stepper_create(&p.e, &(wlm_step_options){.method = WLM_RODAS4}, &s) == WARPLU_SUCCESS);
    wlm_drive d = {.t0 = 1.0, .t1 = 1.0, .fate = &fate};
    CHECK(wlm_drive_check(s, &d) == WARPLU_INVALID_ARGUMENT);
    d.t1 = nextafter(1.0, 2.0);
    CHECK(wlm_drive_check(s, &d) == WARPLU_SUCCESS);
    wlm_stepper_destroy(&s);
    problem_end(&p);
}

int main(void)
{
    RUN(ranges_have_slack);
    RUN(the_first_range_is_told);
    RUN(steps_are_counted);
    RUN(the_shortest_step);
    RUN(zeros_are_numbers);
    RUN(times_ascend);
    return check_done();
}
