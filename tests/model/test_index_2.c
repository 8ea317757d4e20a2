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

int main(void)
{
    RUN(a_pendulum_falls);
    RUN(a_pendulum_is_pushed);
    RUN(a_source_floats);
    return check_done();
}
