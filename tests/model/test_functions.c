/* Functions of a text: calls mean what their expressions would in their place, in values, derivatives and edges, by
 * both engines; and none makes reading too deep or too long. */
#include "text_check.h"

#include <stdio.h>

#include "model/engines.h"

static const char functions[] = "const two = 2\n"
                                "table rows = {0, 1; 10, 21}\n"
                                "function square(x) = x*x\n"
                                "function curve(x) = 2*lookup(rows, square(x)/2)\n"
                                "function hill(x, k, n) = x^n/(square(k) + x^n)\n"
                                "function geometric(q, n) = sum(i in 0..n: q^i)\n"
                                "function either(n, x) = if n = 1 then x else 1/0*x\n"
                                "function scaled(x) = two*x\n"
                                "function norm(x, y)\n"
                                "  xx = square(x); yy = square(y)\n"
                                "\n"
                                "  norm = sqrt(xx + yy)\n"
                                "end\n"
                                "function window(x, from, to) = if x >= from and x < to then 1 else 0\n"
                                "function twice(at) = 2*pulse(at, 0.25)\n";

/* An expression of p.v = 2, t = 5, the parameters a = 7 and two = 3, and the index i = 4. */
static void expect(const char *expression, double expected)
{
    static const double port = 2.0;
    const text_inputs inputs = {.time = 5.0, .port = &port};
    char text[2048];
    snprintf(text, sizeof text,
             "%selement e(p)\nparam a = 7; param two = 3; v = p.v; x0[0] = 4\n"
             "for i in 4..4: x[i] = %s\nend\nnodes n { fixed v = 2 }\nuse e(n)\n",
             functions, expression);
    wlm_model *model = text_read(text);
    if (model == NULL) return;
    double value = text_local(model, "x[4]", &inputs);
    CHECK_SAY(fabs(value - expected) <= 4e-16 * fabs(expected), "%s: %.17g, expected %.17g", expression, value,
              expected);
    wlm_model_destroy(&model);
}

static void calls_have_the_values_of_expressions(void)
{
    expect("square(p.v + 1)", 9);
    expect("hill(p.v, 3, 2)", 4.0 / 13.0);
    expect("norm(p.v, square(a))", sqrt(4 + 2401));
    expect("square(square(square(v)))", 256);
    expect("max(square(v), scaled(a))", 14);
    expect("curve(p.v) + curve(4)", 10 + 34);
}

/* Arguments that are constants are so within, and names around a call mean nothing there. */
static void functions_have_names_of_their_own(void)
{
    expect("geometric(p.v, 3)", 15);
    expect("geometric(p.v, i)", 31);
    expect("either(1, v)", 2);
    expect("scaled(two)", 6);
    expect("geometric(i, 2)", 21);
    expect("sum(i in 1..2: geometric(i, i))", 2 + 7);
    expect("norm(2*i - v - 3, x0[square(2) - 4])", 5);
}

static void numbers_may_be_calls(void)
{
    wlm_model *m = text_read("function square(x) = x*x\nconst four = square(2)\nelement e()\nparam a = square(3)\n"
                             "state y[square(2)] = square(a)\nfor i in 0..square(2) - 1: y[i]' = 0\nend\n"
                             "use e with a = square(i) over i in 0..four\n");
    if (m == NULL) return;
    CHECK(m->kind[0].parameter[0].value == 9.0 && m->kind[0].states == 4);
    CHECK(m->use[0].count == 5 && m->use[0].parameter[0][4] == 16.0);
    wlm_model_destroy(&m);
}

/* Logistic growth from 1/2, whose rate is a call of a call: derivatives go through. */
static void derivatives_go_through(void)
{
    static const char text[] = "function less(x) = 1 - x\nfunction growth(x, r)\n  s = less(x)\n  growth = r*x*s\nend\n"
                               "element e()\nparam r = 3\nstate x = 0.5\nx' = growth(x, r)\nend\nuse e()\n"
                               "run rodas4 rtol 1e-9 atol 1e-9\n";
    expect_alike(text, WARPLU_METHOD_RODAS4, 0.0, "e.x", 1 / (1 + exp(-3.0)), 1e-8);
    expect_alike(text, WARPLU_METHOD_DORMAND_PRINCE, 0.0, "e.x", 1 / (1 + exp(-3.0)), 1e-8);
    expect_alike(text, WARPLU_METHOD_TRAPEZOIDAL, 1.0 / 1024, "e.x", 1 / (1 + exp(-3.0)), 1e-6);
}

/* Integrals of what jumps within functions are exact, for steps end there. */
static void edges_go_through(void)
{
    char text[2048];
    snprintf(text, sizeof text,
             "%selement e()\nparam a = 0.3\nstate x = 0\nstate y = 0\nx' = scaled(window(t, a, a + 0.13))\n"
             "y' = twice(a) + window(t - 0.5*floor(2*t), 0.1, 0.2)\nend\nuse e()\nrun euler dt 0.07\n",
             functions);
    expect_alike(text, WARPLU_METHOD_EULER, 0.07, "e.x", 0.26, 1e-12);
    expect_alike(text, WARPLU_METHOD_EULER, 0.07, "e.y", 0.5 + 0.2, 1e-12);
    expect_alike(text, WARPLU_METHOD_TR_BDF2, 0.0, "e.x", 0.26, 1e-12);
}

static void refused(const char *text, warplu_status expected, const char *message)
{
    wlm_model *model;
    wlu_context_init(&text_ctx, NULL);
    warplu_status status = wlm_model_parse(&text_ctx, "test.wm", text, (int64_t)strlen(text), 0, &model);
    CHECK_SAY(status == expected && strstr(text_ctx.last_message, message) != NULL, "%s", text_ctx.last_message);
    wlm_model_destroy(&model);
}

/* f0(x) = x, f1(x) = f0(x), or that twice, and so on. */
static void nest(char *text, int count, int doubles)
{
    int at = sprintf(text, "function f0(x) = x\n");
    for (int k = 1; k < count; k++) {
        at += sprintf(text + at, "function f%d(x) = f%d(x)", k, k - 1);
        if (doubles) at += sprintf(text + at, " + f%d(x)", k - 1);
        at += sprintf(text + at, "\n");
    }
    sprintf(text + at, "element e()\ny = f%d(t)\nend\nuse e\n", count - 1);
}

/* Chains of functions are bounded in depth and in operations, not by the stack. */
static void functions_of_functions_are_bounded(void)
{
    enum { TEXT = 1 << 16 };
    char *text = malloc(TEXT);
    nest(text, 190, 0);
    wlm_model *m = text_read(text);
    CHECK(m != NULL && text_local(m, "y", &(text_inputs){.time = 5.0}) == 5.0);
    wlm_model_destroy(&m);
    nest(text, 1000, 0);
    refused(text, WARPLU_BAD_FORMAT, "nested more than 200 deep");
    nest(text, 60, 1);
    refused(text, WARPLU_OVERFLOW, "operations here");
    free(text);
}

int main(void)
{
    RUN(calls_have_the_values_of_expressions);
    RUN(functions_have_names_of_their_own);
    RUN(numbers_may_be_calls);
    RUN(derivatives_go_through);
    RUN(edges_go_through);
    RUN(functions_of_functions_are_bounded);
    return check_done();
}
