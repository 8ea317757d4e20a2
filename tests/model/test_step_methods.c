/* Orders of methods measured on smooth equations by fixed steps, explicit time and algebraic rows among them; gates. */
#include "model/step/drive.h"

#include <math.h>

#include "model/problems.h"
#include "support/check.h"

/* y' = A(t) y with a known solution: y0 = cos t e^(sin t), y1 = sin t e^(sin t), stiffness none, time explicit. */
static void smooth(problem *p)
{
    problem_begin(p, 2, 0, (double[]){1.0, 0.0});
    wlm_node t = wlm_input(at, 0), a = wlm_input(at, 1), b = wlm_input(at, 2), c = of(WLM_COS, t);
    p->f[0] = sub(mul(c, a), b);
    p->f[1] = add(mul(c, b), a);
}

static void smooth_solution(double t, double *y)
{
    y[0] = cos(t) * exp(sin(t)), y[1] = sin(t) * exp(sin(t));
}

/* An equation of index 1: y0' = -y0 z, 0 = z - y0 - sin t / 2 - 1, with capacity 2 of y0's charge. */
static void algebraic(problem *p)
{
    problem_begin(p, 2, 0, (double[]){1.0, 2.0});
    wlm_node t = wlm_input(at, 0), y = wlm_input(at, 1), z = wlm_input(at, 2);
    p->q[0] = by(2.0, y);
    p->q[1] = WLM_NONE;
    p->f[0] = by(-2.0, mul(y, z));
    p->f[1] = sub(z, add(y, add(num(1.0), by(0.5, of(WLM_SIN, t)))));
}

/* By rk4 on the reduced equation, 20 000 steps: to rounding. */
static void algebraic_solution(double t, double *y)
{
    int steps = 20000;
    double h = t / steps, v = 1.0;
    for (int k = 0; k < steps; k++) {
        double s[4], w = v, c[4] = {0.0, 0.5, 0.5, 1.0};
        for (int i = 0; i < 4; i++) {
            if (i > 0) w = v + c[i] * h * s[i - 1];
            s[i] = -w * (w + 1.0 + 0.5 * sin((k + c[i]) * h));
        }
        v += h / 6.0 * (s[0] + 2.0 * s[1] + 2.0 * s[2] + s[3]);
    }
    y[0] = v, y[1] = v + 1.0 + 0.5 * sin(t);
}

static double error_of(const problem *p, wlm_method method, double step, double t1, const double *want)
{
    wlm_stepper *s = NULL;
    wlm_fate fate;
    double y[2], worst = 0.0;
    wlm_step_options o = {.method = method, .step = step, .relative = 1e-12, .absolute = 1e-12};
    wlm_drive d = {.t0 = 0.0, .t1 = t1, .end = y, .fate = &fate};
    CHECK_SAY(wlm_stepper_create(&p->e, &o, &s) == WARPLU_SUCCESS, "%s", p->ctx.last_message);
    if (s == NULL) return NAN;
    CHECK_SAY(wlm_drive_members(s, &d, 0, 1) == WARPLU_SUCCESS, "status %d at %g", (int)fate.status, fate.t);
    for (int i = 0; i < 2; i++) worst = fmax(worst, fabs(y[i] - want[i]));
    wlm_stepper_destroy(&s);
    return worst;
}

static void check_order(const problem *p, wlm_method method, const double *want, double order, int first)
{
    double coarse = error_of(p, method, 1.0 / first, 1.0, want);
    double fine = error_of(p, method, 0.5 / first, 1.0, want), measured = log2(coarse / fine);
    printf("# %s: order %.3f\n", wlm_method_of(method)->name, measured);
    CHECK_SAY(fabs(measured - order) <= 0.2, "%s: order %.3f, not %g (errors %g, %g)", wlm_method_of(method)->name,
              measured, order, coarse, fine);
}

/* All that this engine has; the higher the order the longer the steps, so that errors stay above rounding. */
static void methods_have_their_orders(void)
{
    static const int first[] = {0, 128, 32, 64, 32, 16};
    double want[2];
    problem p;
    smooth(&p);
    smooth_solution(1.0, want);
    for (wlm_method m = WLM_METHOD_NONE + 1; m < WLM_METHODS; m++) {
        int order = wlm_method_of(m)->order;
        if (wlm_method_supports(m, WLM_SMALL, 1.0)) check_order(&p, m, want, order, first[order]);
    }
    problem_end(&p);
}

static void algebraic_rows_keep_the_order(void)
{
    double want[2];
    problem p;
    algebraic(&p);
    algebraic_solution(1.0, want);
    check_order(&p, WLM_RODAS3, want, 3, 32);
    check_order(&p, WLM_RODAS4, want, 4, 16);
    check_order(&p, WLM_BACKWARD_EULER, want, 1, 64);
    check_order(&p, WLM_TRAPEZOIDAL, want, 2, 32);
    check_order(&p, WLM_TR_BDF2, want, 2, 32);
    problem_end(&p);
}

/* A gate whose steady value and time constant stay is exact in one step. */
static void gates_are_exact(void)
{
    problem p;
    problem_begin(&p, 2, 0, (double[]){0.25, 0.0});
    p.steady[0] = num(0.75), p.tau[0] = num(2.0);
    p.f[0] = wlm_binary(at, WLM_DIV, sub(p.steady[0], wlm_input(at, 1)), p.tau[0]);
    p.f[1] = num(1.0);
    double want[2] = {0.75 - 0.5 * exp(-0.5), 1.0};
    CHECK(error_of(&p, WLM_RUSH_LARSEN, 1.0, 1.0, want) < 1e-15);
    problem_end(&p);
}

static void expect_refusal(const problem *p, wlm_method method, warplu_status want, const char *said)
{
    wlm_stepper *s = NULL;
    wlm_step_options o = {.method = method, .step = 0.1};
    warplu_status status = wlm_stepper_create(&p->e, &o, &s);
    CHECK_SAY(status == want && s == NULL, "%d", (int)status);
    CHECK_SAY(strstr(p->ctx.last_message, said) != NULL, "%s", p->ctx.last_message);
    wlm_stepper_destroy(&s);
}

static void what_a_method_cannot_step_is_refused(void)
{
    problem p;
    algebraic(&p);
    expect_refusal(&p, WLM_EULER, WARPLU_MODEL_EQUATIONS, "line 11: euler cannot step y1");
    p.q[1] = mul(wlm_input(at, 2), wlm_input(at, 2));
    expect_refusal(&p, WLM_RODAS4, WARPLU_MODEL_EQUATIONS, "line 11: rodas4 cannot step y1");
    expect_refusal(&p, WLM_DORMAND_PRINCE, WARPLU_MODEL_EQUATIONS, "take tr-bdf2");
    p.q[1] = WLM_NONE;
    p.f[1] = wlm_input(at, 1);
    expect_refusal(&p, WLM_RODAS4, WARPLU_MODEL_EQUATIONS, "line 11: rodas4 cannot step y1, which follows the rates");
    p.f[1] = wlm_input(at, 0);
    expect_refusal(&p, WLM_TR_BDF2, WARPLU_MODEL_EQUATIONS, "no equation fixes y0 and y1, which");
    expect_refusal(&p, WLM_METHOD_NONE, WARPLU_INVALID_ARGUMENT, "no method");
    problem_end(&p);
}

int main(void)
{
    RUN(methods_have_their_orders);
    RUN(algebraic_rows_keep_the_order);
    RUN(gates_are_exact);
    RUN(what_a_method_cannot_step_is_refused);
    return check_done();
}
