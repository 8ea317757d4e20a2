/* Models without an unknown: definitions of the time and of parameters, and sums of them. Rows come at output times and
 * have the values, by every method, in each member by its own parameters; there is no engine of instances for them and
 * no device. */
#include <math.h>
#include <string.h>

#include "model/api.h"
#include "support/check.h"

enum { MEMBERS = 3, ROWS = 5 };

static const char text[] = "nodes bus { sum all\n fixed one = 1 }\n"
                           "element clock(b)\n"
                           "  param a = 2\n"
                           "  x = a*t\n"
                           "  late = if t >= 0.5 then 1 else 0\n"
                           "  b.all += x + late\n"
                           "end\n"
                           "use clock(bus)\n"
                           "run rodas4 to 1 every 0.25\n"
                           "watch clock.x\n";

typedef struct rows {
    int count;
    double t[MEMBERS * ROWS], x[MEMBERS * ROWS], late[MEMBERS * ROWS], all[MEMBERS * ROWS];
    int64_t member[MEMBERS * ROWS];
} rows;

static int keep(int64_t member, double t, int32_t watched, const double *values, void *user)
{
    rows *r = user;
    if (r->count == MEMBERS * ROWS || watched != 3) return 1;
    r->t[r->count] = t, r->member[r->count] = member;
    r->x[r->count] = values[0], r->late[r->count] = values[1], r->all[r->count++] = values[2];
    return 0;
}

/* Rows at 0, 0.25 ... 1; at the edge they have what is before it, behind the run's end what is there. */
static void expect_rows(warplu_sim *sim, const double *a, int members)
{
    rows r = {0};
    const int64_t handle[] = {handle_of(sim, "clock.x"), handle_of(sim, "clock.late"), handle_of(sim, "bus.all")};
    int told[MEMBERS] = {0};
    CHECK(warplu_sim_watch(sim, handle, 3, 0.25, keep, &r) == WARPLU_SUCCESS);
    CHECK_SAY(warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS, "%s", warplu_sim_get_message(sim));
    CHECK(r.count == ROWS * members);
    for (int k = 0; k < r.count; k++) {
        const int row = told[r.member[k]]++;
        const double x = 0.25 * row * a[r.member[k]], late = row > 2 ? 1.0 : 0.0;
        CHECK(r.t[k] == 0.25 * row);
        CHECK_SAY(r.x[k] == x || fabs(r.x[k] - x) < 1e-12, "x(%g) is %.17g", r.t[k], r.x[k]);
        CHECK_SAY(r.late[k] == late, "late(%g) is %g", r.t[k], r.late[k]);
        CHECK(r.all[k] == r.x[k] + r.late[k]);
    }
    for (int m = 0; m < members; m++) {
        CHECK(value_of(sim, "clock.x", m) == a[m]);
        CHECK(value_of(sim, "bus.all", m) == a[m] + 1.0);
        CHECK(value_of(sim, "bus.one", m) == 1.0);
    }
}

static void every_method_hands_out_rows(void)
{
    warplu_model *model = parsed(text);
    const double a = 2.0;
    for (int method = WARPLU_METHOD_AUTO; method <= WARPLU_METHOD_SSP_RK3; method++) {
        if (method == WARPLU_METHOD_SPLIT) continue;
        for (int fixed = 0; fixed < 2; fixed++) {
            warplu_sim_options options = defaults();
            options.method = (warplu_method)method, options.dt = fixed ? 0.1 : 0.0;
            const int controlled = method != WARPLU_METHOD_EULER && method != WARPLU_METHOD_RK4 &&
                                   method != WARPLU_METHOD_RUSH_LARSEN && method < WARPLU_METHOD_SSP_RK2;
            if (!fixed && !controlled) continue;
            warplu_sim *sim = made(model, &options);
            expect_rows(sim, &a, 1);
            warplu_sim_destroy(&sim);
        }
    }
    warplu_model_destroy(&model);
}

static void members_have_values_of_their_own(void)
{
    warplu_model *model = parsed(text);
    const char *const varying[] = {"clock.a"};
    const double a[MEMBERS] = {1.0, 3.0, -2.0};
    warplu_sim_options options = defaults();
    options.members = MEMBERS, options.varying = varying, options.varying_count = 1;
    warplu_sim *sim = made(model, &options);
    CHECK(warplu_sim_set(sim, handle_of(sim, "clock.a"), 0, MEMBERS, a) == WARPLU_SUCCESS);
    expect_rows(sim, a, MEMBERS);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

/* Many instances do not make the other engine suit. */
static void many_instances_run_too(void)
{
    warplu_model *model = parsed("element clock()\n  param a = 2\n  x = a*t\nend\n"
                                 "use clock() with a = i over i in 0..99\n");
    warplu_sim *sim = made(model, NULL);
    CHECK(warplu_sim_run(sim, 2.0) == WARPLU_SUCCESS);
    CHECK(value_of(sim, "clock[17].x", 0) == 34.0);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

static void expect_refused(warplu_sim_options *options, warplu_status status)
{
    warplu_model *model = parsed("element clock()\n  x = t\nend\nuse clock()\n");
    warplu_sim *sim = NULL;
    CHECK(warplu_sim_create(&sim, model, options) == status);
    CHECK(sim == NULL);
    warplu_model_destroy(&model);
}

static void others_are_refused(void)
{
    warplu_sim_options options = defaults();
    options.lanes = WARPLU_LANES_INSTANCES;
    expect_refused(&options, WARPLU_MODEL_EQUATIONS);
    options = defaults();
    options.method = WARPLU_METHOD_SPLIT, options.dt = 0.1;
    expect_refused(&options, WARPLU_MODEL_EQUATIONS);
    options = defaults();
    options.executor = WARPLU_EXECUTOR_CUDA;
    expect_refused(&options, WARPLU_INVALID_ARGUMENT);
}

int main(void)
{
    RUN(every_method_hands_out_rows);
    RUN(members_have_values_of_their_own);
    RUN(many_instances_run_too);
    RUN(others_are_refused);
    return check_done();
}
