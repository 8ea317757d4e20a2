/* Equations whose values are finite where their derivatives are not, or where a factor of these overflows: powers and
 * roots at 0, quotients by what is infinite. Every method, in lanes that are members and in those that are instances,
 * comes to the known solution. */
#include <math.h>

#include "api.h"

/* x runs from 0 to 1 where the text does not say otherwise; z is compared at t = 1. */
typedef struct problem {
    const char *equations;
    double z;
} problem;

static const problem problems[] = {
    {"state z = 0\n z' = 1 - z^0.36\n", 0.4205030},
    {"state z = 0\n z' = 1 - sqrt(z)\n", 0.4876095},
    {"state z = 0\n z' = t^0.5\n", 2.0 / 3.0},
    {"state z = 0\n z' = asin(1 - t)\n", 0.5707963},
    {"state x = 0\n x' = 1\n state z = 0\n z' = acos(1 - x)\n", 1.0},
    {"state x = 0\n x' = 1\n state z = 0\n z' = exp(-1/x)\n", 0.1484955},
    {"state x = 0\n x' = 1\n state z = 0\n z' = tanh(1/x)\n", 0.9307528},
    {"state x = 0\n x' = 1 - x\n state z = 0\n z' = 1/(1 + (0.5/x)^4) - z\n", 0.2378169},
    {"state x = 0\n x' = 1 - x\n state z = 0\n z' = 1/(1 + 0.5^4/x^4) - z\n", 0.2378169},
    {"state x = 700\n x' = 20\n state z = 0.5\n z' = 1/(1 + exp(x)) - z\n", 0.1839397},
    {"state x = 0\n x' = 1\n state z = 0\n z' = exp(-exp(1000*x - 100))\n", 0.0994228},
};

static void expect(const problem *p, warplu_method method, warplu_lanes lanes)
{
    char text[512];
    snprintf(text, sizeof text, "element m()\n %send\nuse m()\n", p->equations);
    warplu_model *model = parsed(text);
    warplu_sim_options options = defaults();
    int is_first_order = method == WARPLU_METHOD_BACKWARD_EULER;
    options.method = method, options.lanes = lanes;
    options.relative = options.absolute = is_first_order ? 1e-4 : 1e-6;
    if (lanes == WARPLU_LANES_INSTANCES && (is_first_order || method == WARPLU_METHOD_TRAPEZOIDAL)) options.dt = 1e-4;
    warplu_sim *sim = made(model, &options);
    CHECK_SAY(warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS, "%s: method %d, lanes %d: %s", p->equations, (int)method,
              (int)lanes, warplu_sim_get_message(sim));
    double z = value_of(sim, "m.z", 0);
    CHECK_SAY(fabs(z - p->z) < (is_first_order ? 2e-3 : 1e-4), "%s: method %d, lanes %d: %.9g, not %.9g", p->equations,
              (int)method, (int)lanes, z, p->z);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

static void values_go_on(void)
{
    static const warplu_method methods[] = {WARPLU_METHOD_RODAS3,         WARPLU_METHOD_RODAS4,
                                            WARPLU_METHOD_TR_BDF2,        WARPLU_METHOD_TRAPEZOIDAL,
                                            WARPLU_METHOD_BACKWARD_EULER, WARPLU_METHOD_DORMAND_PRINCE};
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++)
        for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
            for (warplu_lanes lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++)
                expect(&problems[k], methods[m], lanes);
}

int main(void)
{
    RUN(values_go_on);
    return check_done();
}
