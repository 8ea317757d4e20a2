/* Functions that are not defined everywhere, of states that come near the end of what they are defined for by less than
 * the tolerance. A step that would end beyond is made again, shorter, in both engines; what no step can go on from ends
 * the run where it is. */
#include <math.h>

#include "model/engines.h"

/* x' = -a x^1.1 (1 + 0.9 sin 3t), which y follows by a function of x. */
static double exact_x(double a, double t)
{
    return pow(1.0 + 0.1 * a * (t + 0.3 * (1.0 - cos(3.0 * t))), -10.0);
}

static void expect_decay(double a, const char *follows, warplu_method method, warplu_lanes lanes, double tolerance)
{
    char text[400];
    snprintf(text, sizeof text,
             "element m()\n  state x = 1\n  state y = 1\n  x' = -%g*x^1.1*(1 + 0.9*sin(3*t))\n  y' = %s - 10*y^1.1\n"
             "end\nuse m()\n",
             a, follows);
    warplu_model *model = parsed(text);
    warplu_sim_options options = defaults();
    options.method = method, options.lanes = lanes, options.relative = options.absolute = tolerance;
    warplu_sim *sim = made(model, &options);
    CHECK_SAY(warplu_sim_run(sim, 100.0) == WARPLU_SUCCESS, "%s, method %d, lanes %d, %g: %s", follows, (int)method,
              (int)lanes, tolerance, warplu_sim_get_message(sim));
    double x = value_of(sim, "m.x", 0);
    CHECK_SAY(x >= 0.0 && fabs(x - exact_x(a, 100.0)) < tolerance, "%s, method %d, lanes %d, %g: %g", follows,
              (int)method, (int)lanes, tolerance, x);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

static void ends_beyond_are_refused(void)
{
    static const char *const follows[] = {"x^0.25", "sqrt(x)", "0.1 + ln(1 + 1e6*x)", "log1p(1e6*x)"};
    static const warplu_method methods[] = {WARPLU_METHOD_RODAS3, WARPLU_METHOD_RODAS4, WARPLU_METHOD_TR_BDF2};
    static const double speeds[] = {5.0, 50.0}, tolerances[] = {1e-3, 1e-5};
    for (int k = 0; k < 4 * 3 * 2 * 2; k++)
        for (warplu_lanes lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++)
            expect_decay(speeds[k % 2], follows[k / 12], methods[k / 4 % 3], lanes, tolerances[k / 2 % 2]);
}

int main(void)
{
    RUN(ends_beyond_are_refused);
    return check_done();
}
