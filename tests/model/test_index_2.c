/* Systems of index 2, by the methods that take it, in both engines: constraints on velocities whose coefficients are 0
 * at the start or pass 0, and a source that nothing ties but a capacitor. Values are SciPy's DOP853 at 1e-12 of the
 * pendulum in angles, and exact ones. */
#include <math.h>

#include "model/engines.h"
#include "support/check.h"

static void expect_all(const char *text, const char *name, double exact)
{
    expect_alike(text, WARPLU_METHOD_TR_BDF2, 0.0, name, exact, 2e-5);
    expect_alike(text, WARPLU_METHOD_TRAPEZOIDAL, 0.001, name, exact, 2e-5);
    expect_alike(text, WARPLU_METHOD_BACKWARD_EULER, 0.0002, name, exact, 2e-3);
}

/* Its rod is level at the start, and y and both velocities are 0 there. */
static void a_pendulum_falls(void)
{
    static const char text[] =
        "element m()\n  state x = 1\n  state y = 0\n  state u = 0\n  state w = 0\n  unknown l = 0\n"
        "  x' = u\n  y' = w\n  u' = -l*x\n  w' = -l*y - 9.81\n  0 = x*u + y*w\nend\nuse m()\n";
    expect_all(text, "m.x", -0.98629175);
    expect_all(text, "m.y", -0.16501085);
}

/* At its lowest point: x, the first coefficient of the constraint, is 0 at the start. */
static void a_pendulum_is_pushed(void)
{
    static const char text[] =
        "element m()\n  state x = 0\n  state y = -1\n  state u = 1\n  state w = 0\n  unknown l = 0\n"
        "  x' = u\n  y' = w\n  u' = -l*x\n  w' = -l*y - 1\n  0 = x*u + y*w\nend\nuse m()\n";
    expect_all(text, "m.x", 0.74982575);
    expect_all(text, "m.y", -0.66163535);
}

static void a_source_floats(void)
{
    static const char text[] =
        "element source(a, b)\n  unknown i = 0\n  0 = a.v - b.v - sin(t)\n  a.v += i\n  b.v += -i\nend\n"
        "element cap(a, b)\n  a.v += ddt(a.v - b.v)\n  b.v += ddt(b.v - a.v)\nend\n"
        "element res(a)\n  a.v += a.v\nend\n"
        "nodes a { balance v }\nnodes b { balance v }\nuse source(a, b)\nuse cap(a, b)\nuse res(a)\n";
    expect_all(text, "a.v", 0.0);
    expect_all(text, "b.v", -sin(1.0));
    expect_all(text, "source.i", -cos(1.0));
}

/* Runs to 1 with these lanes and tolerances, and compares a value. */
static void expect_within(const char *text, warplu_lanes lanes, warplu_method method, double relative, const char *name,
                          double exact, double tolerance)
{
    warplu_model *model = parsed(text);
    warplu_sim_options options = defaults();
    warplu_sim *sim = NULL;
    options.lanes = lanes, options.method = method, options.relative = relative, options.absolute = 0.01 * relative;
    CHECK(warplu_sim_create(&sim, model, &options) == WARPLU_SUCCESS);
    CHECK_SAY(warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS, "lanes %d, %g: %s", (int)lanes, relative,
              warplu_sim_get_message(sim));
    const double found = value_of(sim, name, 0);
    CHECK_SAY(fabs(found - exact) <= tolerance, "lanes %d, %g: %.12g", (int)lanes, relative, found);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

#define PARTS \
    "element source(a, b)\n  param e = 3.771\n  unknown i = 0\n  0 = a.v - b.v - e*sin(3*t)\n" \
    "  a.v += i\n  b.v += -i\nend\n" \
    "element cap(a, b)\n  param c = 0.3\n  a.v += ddt(c*(a.v - b.v))\n  b.v += -ddt(c*(a.v - b.v))\nend\n" \
    "element res(a, b)\n  param r = 4.543\n  a.v += (a.v - b.v)/r\n  b.v += -((a.v - b.v)/r)\nend\n" \
    "element coil(a, b)\n  param l = 0.674\n  state i = 0\n  i' = (a.v - b.v)/l\n  a.v += i\n  b.v += -i\nend\n" \
    "nodes ground { fixed v = 0 }\nnodes n[4] { balance v }\n"

/* Capacitors and sources between nodes that a coil alone ties to the ground. Its current is 0, so that its node rests,
 * and is told by what large currents of the sources leave of each other: nothing, and no rounding. */
static void an_island_has_large_currents(void)
{
    static const char text[] = PARTS "use coil(ground, n[3]) with l = 2.539\nuse cap(n[3], n[0])\n"
                                     "use source(n[3], n[1])\nuse source(n[1], n[0]) with e = 2.749\n"
                                     "use res(n[3], n[1]) with r = 0.226\nuse cap(n[1], n[0]) with c = 3.906\n"
                                     "use res(n[0], n[1]) with r = 0.447\nuse cap(n[2], n[0]) with c = 1.256\n"
                                     "use coil(n[3], n[2])\nuse res(n[0], n[3])\n";
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        expect_within(text, (warplu_lanes)lanes, WARPLU_METHOD_TR_BDF2, 1e-7, "n[3].v", 0.0, 1e-20);
        expect_within(text, (warplu_lanes)lanes, WARPLU_METHOD_TR_BDF2, 1e-7, "n[0].v", -6.52 * sin(3.0), 1e-12);
    }
}

/* What the trapezoidal rule keeps of errors of such unknowns is measured by what was asked for; where it is too much,
 * as beside 0, they are found anew. */
static void the_trapezoidal_rule_goes_on(void)
{
    static const char beside[] = PARTS "use source(n[0], n[1]) with e = 1.012\nuse cap(n[0], n[1])\n"
                                       "use cap(n[1], n[2])\nuse res(n[2], ground)\nuse res(n[0], ground)\n"
                                       "use res(n[3], ground)\n";
    static const char through_0[] = "element source(a)\n  unknown i = 0\n  0 = a.v - sin(3*t)\n  a.v += i\nend\n"
                                    "element load(a)\n  a.v += a.v + ddt(a.v)\nend\n"
                                    "nodes n { balance v }\nuse source(n)\nuse load(n)\n";
    for (int k = 4; k <= 6; k++) {
        const double asked = pow(10.0, -k);
        expect_within(beside, WARPLU_LANES_MEMBERS, WARPLU_METHOD_TRAPEZOIDAL, asked, "source.i", 0.908782911905652,
                      10.0 * asked);
        expect_within(through_0, WARPLU_LANES_MEMBERS, WARPLU_METHOD_TRAPEZOIDAL, asked, "source.i",
                      -sin(3.0) - 3.0 * cos(3.0), 10.0 * asked);
    }
}

int main(void)
{
    RUN(a_pendulum_falls);
    RUN(a_pendulum_is_pushed);
    RUN(a_source_floats);
    RUN(an_island_has_large_currents);
    RUN(the_trapezoidal_rule_goes_on);
    return check_done();
}
