/* Dense linear systems against exact solutions, of sizes on both sides of what one program holds: every unknown's rate
 * reads every other, y' = g C y with C a symmetric circulant matrix, whose eigenvectors are cosines (Davis, Circulant
 * Matrices, 1979). y starts as the sum of two of them. One member and several, by every family of methods; lanes that
 * are members refuse a factorization that is too large for one program, by name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/api.h"
#include "support/check.h"

enum { MEMBERS = 3, WAVES = 3, TEXT_BYTES = 1 << 16 };
static const double PI = 3.14159265358979323846;
static const double rate[MEMBERS] = {0.5, 1.0, 2.0};

/* Eigenvalues are -2, but -2 + 0.7 of one wave and -2 + 1.1 of three. */
static double coefficient(int j, int n)
{
    const double angle = 2.0 * PI * j / n;
    return (j == 0 ? -2.0 : 0.0) + 2.0 / n * (0.7 * cos(angle) + 1.1 * cos(WAVES * angle));
}

static double exact(int i, int n, double gt)
{
    return exp(-2.0 * gt) + exp((-2.0 + 1.1) * gt) * cos(WAVES * 2.0 * PI * i / n);
}

static warplu_model *model_of(int n)
{
    char *text = malloc(TEXT_BYTES), *at = text;
    at += sprintf(at, "element dense()\n  param g = 1\n  param c[%d] = {", n);
    for (int j = 0; j < n; j++) at += sprintf(at, "%s%.17g", j > 0 ? ", " : "", coefficient(j, n));
    at += sprintf(at, "}\n  state y[%d] = {", n);
    for (int i = 0; i < n; i++) at += sprintf(at, "%s%.17g", i > 0 ? ", " : "", exact(i, n, 0.0));
    at += sprintf(at, "}\n  for i in 0..%d: y[i]' = g*sum(j in 0..%d: c[(j + %d - i) mod %d]*y[j])\n", n - 1, n - 1, n,
                  n);
    sprintf(at, "end\nuse dense()\n");
    warplu_model *model = parsed(text);
    free(text);
    return model;
}

/* Runs members to 1, and compares every unknown. */
static void expect_exact(int n, int members, warplu_method method, double dt, double within, int lanes_are_members)
{
    static const char *const varying[] = {"dense.g"};
    if (!check_due()) return;
    warplu_model *model = model_of(n);
    warplu_sim_options options = defaults();
    options.method = method, options.dt = dt, options.relative = 1e-5, options.absolute = 1e-8;
    if (members > 1) options.members = members, options.varying = varying, options.varying_count = 1;
    warplu_sim *sim = made(model, &options);
    warplu_sim_statistics s = {.size = sizeof s};
    if (members > 1) CHECK(warplu_sim_set(sim, handle_of(sim, "dense.g"), 0, members, rate) == WARPLU_SUCCESS);
    CHECK_SAY(warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS, "n %d, method %d: %s", n, (int)method,
              warplu_sim_get_message(sim));
    CHECK(warplu_sim_get_statistics(sim, &s) == WARPLU_SUCCESS && s.lanes_are_members == lanes_are_members);
    for (int m = 0; m < members; m++) {
        double worst = 0.0, found;
        for (int i = 0; i < n; i++) {
            CHECK(warplu_sim_get(sim, i, m, 1, &found) == WARPLU_SUCCESS);
            worst = fmax(worst, fabs(found - exact(i, n, members > 1 ? rate[m] : 1.0)));
        }
        CHECK_SAY(worst <= within, "n %d, method %d, member %d: %.3g", n, (int)method, m, worst);
    }
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

static void one_member(void)
{
    expect_exact(70, 1, WARPLU_METHOD_AUTO, 0.0, 1e-5, 0);
    expect_exact(70, 1, WARPLU_METHOD_DORMAND_PRINCE, 0.0, 1e-5, 1);
    expect_exact(100, 1, WARPLU_METHOD_RODAS3, 0.0, 2e-5, 0);
    expect_exact(100, 1, WARPLU_METHOD_BACKWARD_EULER, 0.05, 3e-2, 0);
    expect_exact(100, 1, WARPLU_METHOD_TRAPEZOIDAL, 0.05, 2e-3, 0);
    expect_exact(200, 1, WARPLU_METHOD_RODAS4, 0.0, 1e-5, 0);
    expect_exact(200, 1, WARPLU_METHOD_BOGACKI_SHAMPINE, 0.0, 1e-4, 1);
}

static void several_members(void)
{
    expect_exact(60, MEMBERS, WARPLU_METHOD_RODAS4, 0.0, 1e-5, 1);
    expect_exact(70, MEMBERS, WARPLU_METHOD_RODAS4, 0.0, 1e-5, 0);
    expect_exact(70, MEMBERS, WARPLU_METHOD_DORMAND_PRINCE, 0.0, 1e-5, 1);
    expect_exact(100, MEMBERS, WARPLU_METHOD_TR_BDF2, 0.05, 2e-3, 0);
    expect_exact(100, MEMBERS, WARPLU_METHOD_AUTO, 0.0, 1e-5, 0);
}

static char last[512];

static void take_message(warplu_status status, const char *text, void *user)
{
    (void)status, (void)user;
    snprintf(last, sizeof last, "%s", text);
}

/* An attempt that the other engine makes good says nothing; what no engine takes is refused by what stands in the
 * way. */
static void what_is_too_large_is_said_where_nothing_helps(void)
{
    char *text = malloc(TEXT_BYTES);
    warplu_model_options model_options;
    warplu_model_init_options(&model_options);
    model_options.message = take_message;
    sprintf(text, "element dense()\n  param g = 1\n  state y[80] = 1\n"
                  "  for i in 0..79: y[i]' = -g*sum(j in 0..79: y[j])/80\nend\nuse dense()\n");
    warplu_model *model = NULL;
    CHECK(warplu_model_parse(&model, "dense", text, (int64_t)strlen(text), &model_options) == WARPLU_SUCCESS);
    warplu_sim_options options = defaults();
    warplu_sim *sim = NULL;
    options.members = 2;
    CHECK(warplu_sim_create(&sim, model, &options) == WARPLU_SUCCESS && last[0] == '\0');
    warplu_sim_destroy(&sim);
    options.lanes = WARPLU_LANES_MEMBERS;
    CHECK(warplu_sim_create(&sim, model, &options) == WARPLU_PROGRAM_TOO_LARGE && sim == NULL);
    CHECK_SAY(strstr(last, "LU of 80 unknowns") != NULL, "'%s'", last);
    options.lanes = WARPLU_LANES_AUTO, options.method = WARPLU_METHOD_TRAPEZOIDAL, last[0] = '\0';
    CHECK(warplu_sim_create(&sim, model, &options) == WARPLU_PROGRAM_TOO_LARGE && sim == NULL && last[0] != '\0');
    warplu_model_destroy(&model);
    free(text);
}

int main(void)
{
    RUN(one_member);
    RUN(several_members);
    RUN(what_is_too_large_is_said_where_nothing_helps);
    return check_done();
}
