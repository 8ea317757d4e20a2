/* `step`, the length of the step, in what elements say: both engines step and watch it alike, and one method has it. */
#include "model/engines.h"

#include <math.h>

/* x' = -x(1 - step/2) by Euler's method is x (1 - h + h^2/2): of second order. */
static const char second[] = "element cell()\n  state x = 1\n  x' = -x*(1 - step/2)\n  h = step\nend\n"
                             "use cell()\n";
/* A flux whose sums are by the length, node by node; a pulse jumps at 0.3. */
static const char chain[] = "nodes c[20] { store q = i; sum s }\n"
                            "element post(l, r)\n  l.s += step*(r.q - l.q)\nend\n"
                            "element flux(l, r)\n  f = l.s*step - l.q/(1 + step) + pulse(0.3, 0.1)\n"
                            "  l.q += f\n  r.q += -f\nend\n"
                            "use post(c[i], c[i + 1]) over i in 0..18\n"
                            "use flux(c[i], c[i + 1]) over i in 0..18\n";

static void rates_have_the_step_that_is_taken(void)
{
    expect_alike(second, WARPLU_METHOD_EULER, 0.125, "cell.x", pow(1.0 - 0.125 + 0.125 * 0.125 / 2.0, 8.0), 1e-15);
    expect_alike(second, WARPLU_METHOD_EULER, 0.001, "cell.x", exp(-1.0), 1e-7);
    /* 0.3 is no whole number of steps to 1: they are made equal */
    expect_alike(second, WARPLU_METHOD_EULER, 0.3, "cell.x", pow(1.0 - 0.25 + 0.25 * 0.25 / 2.0, 4.0), 1e-15);
}

enum { ROWS = 4, WATCHED = 4 };

typedef struct rows {
    int count;
    double value[ROWS][WATCHED];
} rows;

static int take(int64_t member, double t, int32_t count, const double *values, void *user)
{
    (void)member, (void)t;
    rows *r = user;
    if (r->count < ROWS && count == WATCHED) memcpy(r->value[r->count], values, sizeof r->value[0]);
    r->count++;
    return 0;
}

/* Rows and what is read behind a run have the length of the step before; 0 where a run or what is behind a jump
 * begins. */
static void rows_have_the_step_before(void)
{
    static const char *const names[WATCHED] = {"c[4].q", "c[4].s", "flux[3].f", "flux[18].f"};
    static rows told[2];
    double read[2][2];
    warplu_model *model = parsed(chain);
    for (int k = 0; k < 2; k++) {
        warplu_sim_options options = defaults();
        int64_t handle[WATCHED];
        options.lanes = k == 0 ? WARPLU_LANES_MEMBERS : WARPLU_LANES_INSTANCES;
        options.method = WARPLU_METHOD_EULER, options.dt = 0.04;
        warplu_sim *sim = made(model, &options);
        for (int i = 0; i < WATCHED; i++) handle[i] = handle_of(sim, names[i]);
        told[k] = (rows){0};
        CHECK(warplu_sim_watch(sim, handle, WATCHED, 0.1, take, &told[k]) == WARPLU_SUCCESS);
        CHECK(warplu_sim_run(sim, 0.2) == WARPLU_SUCCESS);
        read[k][0] = value_of(sim, names[1], 0);
        CHECK(warplu_sim_watch(sim, NULL, 0, 0.0, NULL, NULL) == WARPLU_SUCCESS);
        CHECK(warplu_sim_run(sim, 0.3) == WARPLU_SUCCESS);
        read[k][1] = value_of(sim, names[1], 0);
        warplu_sim_destroy(&sim);
    }
    CHECK(told[0].count == 3 && told[1].count == 3);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < WATCHED; i++)
            CHECK_SAY(fabs(told[0].value[k][i] - told[1].value[k][i]) <= 1e-14 * fabs(told[0].value[k][i]),
                      "row %d, %s: %.17g, %.17g", k, names[i], told[0].value[k][i], told[1].value[k][i]);
    for (int k = 0; k < 2; k++) {
        CHECK(told[k].value[0][1] == 0.0 && told[k].value[2][1] != 0.0); /* a run begins */
        CHECK(read[k][0] == told[k].value[2][1] && read[k][1] == 0.0);   /* the pulse is behind its edge */
    }
    warplu_model_destroy(&model);
}

static void other_methods_refuse(void)
{
    static char said[512];
    warplu_model *model = parsed_with(second);
    for (warplu_method m = WARPLU_METHOD_AUTO; m <= WARPLU_METHOD_SSP_RK3; m++)
        for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
            warplu_sim_options options = defaults();
            warplu_sim *sim = NULL;
            if (m == WARPLU_METHOD_EULER || (m == WARPLU_METHOD_SPLIT && lanes == WARPLU_LANES_MEMBERS)) continue;
            options.lanes = (warplu_lanes)lanes, options.method = m, options.dt = 0.1;
            last = said, said[0] = '\0';
            CHECK(warplu_sim_create(&sim, model, &options) == WARPLU_MODEL_EQUATIONS && sim == NULL);
            CHECK_SAY(strncmp(said, "line 3: ", 8) == 0 && strstr(said, "'step' could mean: take euler") != NULL,
                      "method %d: '%s'", (int)m, said);
        }
    last = NULL;
    warplu_model_destroy(&model);
}

int main(void)
{
    RUN(rates_have_the_step_that_is_taken);
    RUN(rows_have_the_step_before);
    RUN(other_methods_refuse);
    return check_done();
}
