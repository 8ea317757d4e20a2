/* Conditions of order of the coefficients (Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, II.2;
 * II, IV.7). Orders measured on equations are in test_step_methods.c. */
#include "model/method/tableau.h"

#include <math.h>

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
}

static void explicit_methods_have_their_orders(void)
{
    check_explicit("euler", &wlm_tableau_euler);
    check_explicit("rk4", &wlm_tableau_rk4);
    check_explicit("dormand-prince", &wlm_tableau_dormand_prince);
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

static void rosenbrock_methods_have_their_orders(void)
{
    check_rosenbrock("rodas3", &wlm_tableau_rodas3);
    check_rosenbrock("rodas4", &wlm_tableau_rodas4);
}

int main(void)
{
    RUN(explicit_methods_have_their_orders);
    RUN(rosenbrock_methods_have_their_orders);
    return check_done();
}
