/* One rule for both engines of libwarpmodel, lanes that are members and lanes that are instances: the same models run,
 * to the same numbers, and the same ones are refused, with the same status. */
#include <math.h>
#include <string.h>

#include "model/api.h"
#include "support/check.h"

static warplu_status attempt(const warplu_model *model, warplu_lanes lanes, warplu_method method, double dt, double t,
                             warplu_sim **sim, char *said)
{
    warplu_sim_options options = defaults();
    options.lanes = lanes, options.method = method, options.dt = dt;
    said[0] = '\0';
    warplu_status status = warplu_sim_create(sim, model, &options);
    if (status == WARPLU_SUCCESS) status = warplu_sim_run(*sim, t);
    if (*sim != NULL) strcpy(said, warplu_sim_get_message(*sim));
    return status;
}

/* Runs to 1 by both engines, and compares a value. */
static void expect_alike(const char *text, warplu_method method, double dt, const char *name, double exact,
                         double tolerance)
{
    warplu_model *model = parsed(text);
    char said[512];
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        warplu_sim *sim = NULL;
        warplu_status status = attempt(model, (warplu_lanes)lanes, method, dt, 1.0, &sim, said);
        CHECK_SAY(status == WARPLU_SUCCESS, "lanes %d, method %d: %d, %s", lanes, (int)method, (int)status, said);
        if (status == WARPLU_SUCCESS) {
            double found = value_of(sim, name, 0);
            CHECK_SAY(fabs(found - exact) <= tolerance, "lanes %d, method %d: %.12g", lanes, (int)method, found);
        }
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

/* Resistors of a chain end at a ground, and what they bring there goes. */
static void what_is_fixed_takes_what_is_added(void)
{
    static const char text[] = "nodes n { balance v = 1 }\nnodes ground { fixed v = 0 }\n"
                               "element both(a, b)\n  q = a.v - b.v\n"
                               "  a.v += q + ddt(q)\n  b.v += -q - ddt(q)\nend\n"
                               "use both(n, ground)\n";
    expect_alike(text, WARPLU_METHOD_TR_BDF2, 0.0, "n.v", exp(-1.0), 1e-4);
    expect_alike(text, WARPLU_METHOD_RK4, 0.01, "n.v", exp(-1.0), 1e-9);
}

/* Each sum needs the one before: no circle, though it is of one quantity. */
static void sums_may_stand_on_each_other(void)
{
    static const char text[] = "nodes n[3] { sum s }\n"
                               "element first(a)\n  state x = 1\n  x' = -x\n  a.s += x\nend\n"
                               "element next(a, b)\n  b.s += 2*a.s\nend\n"
                               "element last(a)\n  state y = 0\n  y' = a.s\nend\n"
                               "use first(n[0])\nuse next(n[i], n[i + 1]) over i in 0..1\nuse last(n[2])\n";
    char said[512];
    warplu_sim *sim = NULL;
    warplu_model *model = parsed(text);
    expect_alike(text, WARPLU_METHOD_TR_BDF2, 0.0, "last.y", 4.0 * (1.0 - exp(-1.0)), 1e-4);
    CHECK(attempt(model, WARPLU_LANES_MEMBERS, WARPLU_METHOD_RK4, 0.1, 1.0, &sim, said) == WARPLU_SUCCESS);
    warplu_sim_destroy(&sim);
    CHECK(attempt(model, WARPLU_LANES_INSTANCES, WARPLU_METHOD_RK4, 0.1, 1.0, &sim, said) == WARPLU_MODEL_EQUATIONS);
    warplu_model_destroy(&model);
}

int main(void)
{
    RUN(what_is_fixed_takes_what_is_added);
    RUN(sums_may_stand_on_each_other);
    return check_done();
}
