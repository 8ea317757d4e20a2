/* Elements that are made of elements: a part means what its lines would with names of its own, by both engines. */
#include <stdio.h>

#include "model/engines.h"

static const char text[] = "const scale = 2\n"
                           "element leak(q)\n"
                           "  param g = 1; param w[2] = {1, g}; param twice = scale*g\n"
                           "  state x = twice; x' = -g*x\n"
                           "  for k in 0..1: y[k] = w[k]*x\n"
                           "  gate m = 0: 1, 1/g\n"
                           "  i = g*(q.v - 1)\n"
                           "  event t = 0.25*g: m = 0\n"
                           "  q.v += i\n"
                           "end\n"
                           "element pair(a, b)\n"
                           "  param h = 1\n"
                           "  use one = leak(a)\n"
                           "  use two = leak(b) with g = 3*h, w[1] = 7\n"
                           "end\n"
                           "element cell(n[2])\n"
                           "  param x = 5; g = 11\n"
                           "  use p = pair(n[0], n[1]) with h = 2\n"
                           "  for scale in 0..1: use more[scale] = leak(n[0]) with g = scale + 1\n"
                           "  total = p.one.i + p.two.i + sum(k in 0..1: more[k].i)\n"
                           "  rate = p.two.x' + more[1].m'\n"
                           "  seen = p.two.y[1] + x + g\n"
                           "  event t = 0.5: more[0].x = p.one.w[0]\n"
                           "  n[0].v += ddt(n[0].v); n[1].v += ddt(n[1].v)\n"
                           "end\n"
                           "nodes n { balance v = 0 }\nnodes o { balance v = 0 }\n"
                           "use cell(n, n)\n"
                           "use cell(o, o) with p.two.g = 1, more[0].twice = 9\n"
                           "run rodas4 rtol 1e-9 atol 1e-9\nwatch cell[0].p.two.x, cell[1].more[0].y[1], n.v\n";

static void expect(const char *name, double value)
{
    expect_alike(text, WARPLU_METHOD_RODAS4, 0.0, name, value, 1e-6);
}

static void parts_have_names_of_their_own(void)
{
    expect("cell[0].p.one.x", 2 * exp(-1.0));
    expect("cell[0].p.two.x", 12 * exp(-6.0));
    expect("cell[0].p.one.y[1]", 2 * exp(-1.0));
    expect("cell[0].p.two.y[1]", 7 * 12 * exp(-6.0));
    expect("cell[0].seen", 84 * exp(-6.0) + 16);
    expect("cell[0].rate", -72 * exp(-6.0) + 2 * exp(-1.0));
    expect("cell[0].more[1].m", 1 - exp(-1.0));
    expect("cell[0].more[0].x", exp(-0.5));
    expect("cell[0].more[1].x", 4 * exp(-2.0));
}

/* Conductances of 1, 6, 1 and 2, or 1, 1, 1 and 2, to 1, beside charges of 2 v. */
static void parts_have_ports_of_the_element(void)
{
    expect("n.v", 1 - exp(-5.0));
    expect("o.v", 1 - exp(-2.5));
    expect("cell[0].total", -10 * exp(-5.0));
}

static void uses_give_parameters_of_parts(void)
{
    static const char *const names[] = {"cell[0].p.h", "cell[1].p.one.g"};
    static const double values[] = {1.0, 3.0};
    expect("cell[1].p.two.x", 2 * exp(-1.0));
    warplu_model *model = parsed(text);
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        warplu_sim_options options = defaults();
        options.lanes = (warplu_lanes)lanes, options.set = names, options.set_value = values, options.set_count = 2;
        warplu_sim *sim = made(model, &options);
        CHECK(sim != NULL && warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS);
        CHECK(fabs(value_of(sim, "cell[0].p.two.x", 0) - 6 * exp(-3.0)) < 1e-6);
        CHECK(fabs(value_of(sim, "cell[1].p.one.x", 0) - 6 * exp(-3.0)) < 1e-6);
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

/* Elements of two of the one before: too many lines, and of one: too deep, not the end of the stack. */
static void elements_of_elements_are_bounded(void)
{
    enum { ELEMENTS = 1000, LINE = 96 };
    char *many = malloc(ELEMENTS * LINE), said[512];
    for (int twice = 0; twice < 2; twice++) {
        int at = sprintf(many, "element e0()\n  a = t\nend\n");
        for (int k = 1; k < ELEMENTS; k++) {
            at += sprintf(many + at, "element e%d()\n  use a = e%d\n", k, k - 1);
            at += sprintf(many + at, twice ? "  use b = e%d\nend\n" : "end\n", k - 1);
        }
        sprintf(many + at, "use e%d\n", ELEMENTS - 1);
        warplu_model *model = NULL;
        warplu_model_options options;
        warplu_model_init_options(&options);
        options.message = take_message;
        last = said;
        CHECK(warplu_model_parse(&model, "test.wm", many, (int64_t)strlen(many), &options) < 0);
        CHECK_SAY(strstr(said, twice ? "lines of one element" : "nested more than 200 deep") != NULL, "%s", said);
        warplu_model_destroy(&model);
    }
    last = NULL;
    free(many);
}

int main(void)
{
    RUN(parts_have_names_of_their_own);
    RUN(parts_have_ports_of_the_element);
    RUN(uses_give_parameters_of_parts);
    RUN(elements_of_elements_are_bounded);
    return check_done();
}
