/* Conditions of order of the coefficients of all methods (Hairer, Norsett and Wanner, Solving Ordinary Differential
 * Equations I, II.2; II, IV.7), and what methods.def says of them. Orders measured on equations are in
 * test_step_methods.c. */
#include "model/method/methods.h"

#include <math.h>
#include <string.h>

#include "support/check.h"

enum { S = WLM_STAGES_MOST };

static void is(const char *what, double got, double want)
{
    CHECK_SAY(fabs(got - want) <= 4e-14 * (1.0 + fabs(want)), "%s: %.17g, not %.17g", what, got, want);
}

/* Sums over trees, of weights b: the elementary weights up to order 4, and one of order 5 that says that it is met. */
static void conditions(const char *name, int order, int s, const double *b, double alpha[S][S], double beta[S][S])
{
    double a[S] = {0}, v[S] = {0}, sum[12] = {0};
    for (int i = 0; i < s; i++)
        for (int j = 0; j < s; j++) a[i] += alpha[i][j], v[i] += beta[i][j];
    for (int i = 0; i < s; i++) {
        sum[0] += b[i];
        sum[1] += b[i] * v[i];
        sum[2] += b[i] * a[i] * a[i];
        sum[4] += b[i] * a[i] * a[i] * a[i];
        sum[8] += b[i] * a[i] * a[i] * a[i] * a[i];
        for (int j = 0; j < s; j++) {
            sum[3] += b[i] * beta[i][j] * v[j];
            sum[5] += b[i] * a[i] * alpha[i][j] * v[j];
            sum[6] += b[i] * beta[i][j] * a[j] * a[j];
            for (int k = 0; k < s; k++) sum[7] += b[i] * beta[i][j] * beta[j][k] * v[k];
        }
    }
    static const double want[] = {1.0, 0.5, 1.0 / 3.0, 1.0 / 6.0, 0.25, 0.125, 1.0 / 12.0, 1.0 / 24.0, 0.2};
    static const int of_order[] = {1, 2, 3, 3, 4, 4, 4, 4, 5};
    for (int k = 0; k < 9; k++)
        if (of_order[k] <= order) is(name, sum[k], want[k]);
    double missed = 0.0;
    for (int k = 0; k < 9; k++)
        if (of_order[k] == order + 1) missed = fmax(missed, fabs(sum[k] - want[k]));
    CHECK_SAY(missed > 1e-6 || order >= 4, "%s is of a higher order than %d", name, order);
}

static void check_explicit(const char *name, const wlm_explicit *t)
{
    double a[S][S], lower[S];
    for (int i = 0; i < S; i++) {
        double c = 0.0;
        for (int j = 0; j < S; j++) a[i][j] = t->a[i][j], c += t->a[i][j];
        is(name, c, t->c[i]);
        lower[i] = t->b[i] - t->e[i];
    }
    conditions(name, t->order, t->stages, t->b, a, a);
    if (t->lower > 0) conditions(name, t->lower, t->stages, lower, a, a);
    int repeats = t->c[t->stages - 1] == 1.0 && t->b[t->stages - 1] == 0.0;
    for (int j = 0; j < t->stages - 1; j++) repeats &= t->a[t->stages - 1][j] == t->b[j];
    CHECK_SAY(repeats == t->repeats, "%s: the last stage is the next first one: %d", name, repeats);
}

/* Stages as those of a Runge-Kutta method: f at the beginning, at the first one, at the second. Errors that rates of
 * one step tell are the distance to a method of one order more. */
static void check_implicit(const char *name, const wlm_implicit *t)
{
    int s = t->stages + 1;
    double a[S][S] = {{0}}, lower[S] = {0};
    a[1][0] = t->weight, a[1][1] = t->share;
    is(name, t->weight + t->share, t->time);
    if (s == 3) {
        double of_stage = 1.0 + t->of_start;
        a[2][0] = of_stage * t->weight, a[2][1] = of_stage * t->share, a[2][2] = t->share;
        is(name, of_stage * t->time + t->share, 1.0);
    }
    const double *b = a[s - 1];
    conditions(name, t->order, s, b, a, a);
    double ends[S] = {0.5, -0.5}, stages[S] = {t->by / t->over[0], -t->by / t->over[1], t->by / t->over[2]};
    if (t->error == WLM_ERROR_OF_STEPS) return;
    for (int i = 0; i < s; i++) lower[i] = b[i] + (t->error == WLM_ERROR_OF_ENDS ? ends : stages)[i];
    conditions(name, t->order + 1, s, lower, a, a);
}

/* The coefficients without the transformation: gamma_ij = (diag(1 / gamma) - C)^-1, alpha = A Gamma, b = m Gamma. */
static void untransform(const wlm_rosenbrock *t, double gamma[S][S], double alpha[S][S], double *b, double *lower)
{
    int s = t->stages;
    for (int j = 0; j < s; j++)
        for (int i = 0; i < s; i++) {
            double sum = i == j ? 1.0 : 0.0;
            for (int k = j; k < i; k++) sum += t->c[i][k] * gamma[k][j];
            gamma[i][j] = i < j ? 0.0 : t->gamma * sum;
        }
    for (int j = 0; j < s; j++) {
        b[j] = lower[j] = 0.0;
        for (int i = 0; i < s; i++) {
            alpha[i][j] = 0.0;
            for (int k = 0; k < s; k++) alpha[i][j] += t->a[i][k] * gamma[k][j];
            b[j] += t->m[i] * gamma[i][j];
            lower[j] += (t->m[i] - t->e[i]) * gamma[i][j];
        }
    }
}

static void check_rosenbrock(const char *name, const wlm_rosenbrock *t)
{
    double gamma[S][S] = {{0}}, alpha[S][S] = {{0}}, beta[S][S] = {{0}}, b[S], lower[S];
    untransform(t, gamma, alpha, b, lower);
    for (int i = 0; i < t->stages; i++) {
        double a = 0.0, g = 0.0;
        for (int j = 0; j < t->stages; j++) {
            beta[i][j] = alpha[i][j] + gamma[i][j];
            a += alpha[i][j], g += gamma[i][j];
        }
        is(name, a, t->alpha[i]);
        is(name, g, t->sum[i]);
    }
    conditions(name, t->order, t->stages, b, alpha, beta);
    conditions(name, t->lower, t->stages, lower, alpha, beta);
    for (int j = 0; j < t->stages; j++) is("stiffly accurate", beta[t->stages - 1][j], b[j]);
}

static void methods_have_their_orders(void)
{
    for (int m = 1; m < WLM_METHODS; m++) {
        const wlm_method_facts *f = wlm_method_of((wlm_method)m);
        if (f->explicit != NULL) check_explicit(f->name, f->explicit);
        if (f->implicit != NULL) check_implicit(f->name, f->implicit);
        if (f->rosenbrock != NULL) check_rosenbrock(f->name, f->rosenbrock);
    }
}

/* Where a tableau has an error estimate, all engines control steps by it, and else none does. */
static void the_list_is_that_of_the_tableaux(void)
{
    for (int m = 1; m < WLM_METHODS; m++) {
        const wlm_method_facts *f = wlm_method_of((wlm_method)m);
        int order = f->order, lower = -1;
        if (f->explicit != NULL) order = f->explicit->order, lower = f->explicit->lower;
        if (f->implicit != NULL) order = f->implicit->order;
        if (f->rosenbrock != NULL) order = f->rosenbrock->order, lower = f->rosenbrock->lower;
        CHECK_SAY(f->order == order, "%s: order %d, by its tableau %d", f->name, f->order, order);
        for (int e = 0; e < WLM_ENGINES && lower >= 0; e++) {
            int want = lower > 0 ? lower + 1 : WLM_FIXED_STEPS;
            CHECK_SAY(f->estimate[e] == want, "%s, engine %d: %d, by its tableau %d", f->name, e, f->estimate[e], want);
        }
        if (f->implicit != NULL) CHECK(f->estimate[WLM_SMALL] == f->order + 1);
        CHECK(f->estimate[WLM_SMALL] == f->estimate[WLM_SMALL_ON_DEVICE]);
    }
}

static void expect(wlm_method method, wlm_engine engine, double step, const char *refusal)
{
    wlu_context ctx;
    wlu_context_init(&ctx, NULL);
    warplu_status status = wlm_method_check(&ctx, method, engine, step);
    CHECK_SAY(status == (refusal == NULL ? WARPLU_SUCCESS : WARPLU_INVALID_ARGUMENT), "%d, %d: %d", method, engine,
              status);
    CHECK_SAY(refusal == NULL || strcmp(ctx.last_message, refusal) == 0, "%s", ctx.last_message);
}

static void what_an_engine_has_not_is_refused(void)
{
    for (int m = 1; m < WLM_METHODS; m++)
        for (int e = 0; e < WLM_ENGINES; e++)
            if (wlm_method_supports((wlm_method)m, (wlm_engine)e, 0.5)) expect((wlm_method)m, (wlm_engine)e, 0.5, NULL);
    expect(WLM_SPLIT, WLM_SMALL, 0.5, "step: no method 10");
    expect(WLM_SPLIT, WLM_SMALL_ON_DEVICE, 0.5, "step: no method 10");
    expect((wlm_method)99, WLM_LARGE, 0.5, "method 99 has no steps for large systems");
    expect(WLM_METHOD_NONE, WLM_SMALL, 0.0, "step: no method 0");
    expect(WLM_RK4, WLM_SMALL, 0.0, "step: rk4 has no error estimate and needs the length of a step");
    expect(WLM_TRAPEZOIDAL, WLM_SMALL, 0.0, NULL);
    expect(WLM_TRAPEZOIDAL, WLM_LARGE, 0.0, "trapezoidal takes steps of a fixed length above 0");
    expect(WLM_RODAS4, WLM_LARGE, NAN, "rodas4 takes steps of a fixed length above 0");
}

int main(void)
{
    RUN(methods_have_their_orders);
    RUN(the_list_is_that_of_the_tableaux);
    RUN(what_an_engine_has_not_is_refused);
    return check_done();
}
