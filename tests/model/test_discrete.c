/* Discrete variables: events alone set them, in both engines and in batches; matrices of small systems have no columns
 * of them. */
#include <math.h>

#include "model/api.h"
#include "model/step/derived.h"
#include "model/text/read.h"

#define FOR_BOTH(lanes) for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++)

/* x rises by `up` to 1 and falls by 2 to 0; turns counts both; each of `seen` has the time of one turn. */
static const char saw[] = "element saw()\n"
                          "  param up = 1\n"
                          "  discrete rises = up > 0\n"
                          "  discrete turns = 0\n"
                          "  discrete seen[2] = {-1, -2}\n"
                          "  state x = 0\n"
                          "  x' = if rises = 1 then up else -2\n"
                          "  event x > 1 and rises = 1: rises = 0, turns = turns + 1, seen[0] = t\n"
                          "  event x < 0 and rises <> 1: rises = 1, turns = turns + 1, seen[1] = t\n"
                          "  twice = 2*turns\n"
                          "end\n"
                          "use saw()\n";

static const warplu_method methods[] = {WARPLU_METHOD_RODAS4, WARPLU_METHOD_TR_BDF2, WARPLU_METHOD_DORMAND_PRINCE};

static void events_alone_set_them(void)
{
    warplu_model *model = parsed(saw);
    FOR_BOTH(lanes)
    for (int k = 0; k < 3; k++) {
        warplu_sim_options options = defaults();
        options.lanes = (warplu_lanes)lanes, options.method = methods[k];
        warplu_sim *sim = made(model, &options);
        CHECK(value_of(sim, "saw.rises", 0) == 1.0 && value_of(sim, "saw.seen[1]", 0) == -2.0);
        CHECK_SAY(warplu_sim_run(sim, 10.25) == WARPLU_SUCCESS, "%s", warplu_sim_get_message(sim));
        CHECK_SAY(value_of(sim, "saw.turns", 0) == 13.0 && value_of(sim, "saw.twice", 0) == 26.0,
                  "lanes %d, method %d: %.17g, %.17g", lanes, k, value_of(sim, "saw.twice", 0),
                  value_of(sim, "saw.turns", 0));
        CHECK_SAY(value_of(sim, "saw.rises", 0) == 0.0 && fabs(value_of(sim, "saw.x", 0) - 0.5) < 1e-7, "%.9g",
                  value_of(sim, "saw.x", 0));
        CHECK(fabs(value_of(sim, "saw.seen[0]", 0) - 10.0) < 1e-7 &&
              fabs(value_of(sim, "saw.seen[1]", 0) - 9.0) < 1e-7);
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

/* Each member turns at times of its own, and may begin elsewhere. */
static void members_have_their_own(void)
{
    static const char *const varying[] = {"saw.up"};
    enum { MEMBERS = 70 };
    double up[MEMBERS], turns[MEMBERS];
    for (int k = 0; k < MEMBERS; k++) up[k] = 0.51 + 0.031 * k, turns[k] = 100.0 * k;
    warplu_model *model = parsed(saw);
    warplu_sim_options options = defaults();
    options.method = WARPLU_METHOD_RODAS3;
    options.members = MEMBERS, options.varying = varying, options.varying_count = 1;
    warplu_sim *sim = made(model, &options);
    CHECK(warplu_sim_set(sim, handle_of(sim, "saw.up"), 0, MEMBERS, up) == WARPLU_SUCCESS);
    CHECK(warplu_sim_set(sim, handle_of(sim, "saw.turns"), 0, MEMBERS, turns) == WARPLU_SUCCESS);
    CHECK(warplu_sim_run(sim, 20.0) == WARPLU_SUCCESS);
    for (int k = 0; k < MEMBERS; k++) {
        double period = 1.0 / up[k] + 0.5, whole = floor(20.0 / period), rest = 20.0 - whole * period;
        double expected = 100.0 * k + 2.0 * whole + (rest > 1.0 / up[k]);
        CHECK_SAY(value_of(sim, "saw.turns", k) == expected, "member %d: %g, not %g", k, value_of(sim, "saw.turns", k),
                  expected);
    }
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

/* Steps do not touch them, not by a rounding: numbers that no weights of methods divide, beside stiff ones. */
static void steps_keep_their_bits(void)
{
    static const char text[] = "element e()\n  discrete a = 0.1\n  discrete b = 1e300/3\n  discrete c = -7e-310\n"
                               "  state d = 13.7\n  d' = 0\n  state x = 1\n  state y = 0\n"
                               "  x' = d*cos(t) - 1000*a*x\n  y' = a*x - y + c\nend\nuse e()\n";
    static const struct {
        warplu_method method;
        double dt;
    } all[] = {{WARPLU_METHOD_EULER, 1e-3},          {WARPLU_METHOD_RK4, 1e-3},
               {WARPLU_METHOD_RUSH_LARSEN, 1e-3},    {WARPLU_METHOD_DORMAND_PRINCE, 0.0},
               {WARPLU_METHOD_TR_BDF2, 0.0},         {WARPLU_METHOD_TR_BDF2, 0.013},
               {WARPLU_METHOD_TRAPEZOIDAL, 0.013},   {WARPLU_METHOD_RODAS3, 0.0},
               {WARPLU_METHOD_RODAS4, 0.0},          {WARPLU_METHOD_BACKWARD_EULER, 0.013},
               {WARPLU_METHOD_BOGACKI_SHAMPINE, 0.0}};
    static const char *const names[] = {"e.a", "e.b", "e.c", "e.d"};
    const double kept[] = {0.1, 1e300 / 3.0, -7e-310, 13.7};
    warplu_model *model = parsed(text);
    FOR_BOTH(lanes)
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        warplu_sim_options options = defaults();
        options.lanes = (warplu_lanes)lanes, options.method = all[k].method, options.dt = all[k].dt;
        warplu_sim *sim = made(model, &options);
        CHECK_SAY(warplu_sim_run(sim, 10.0) == WARPLU_SUCCESS, "%s", warplu_sim_get_message(sim));
        for (int i = 0; i < 4; i++)
            CHECK_SAY(value_of(sim, names[i], 0) == kept[i], "lanes %d, method %d: %s is %.17g", lanes,
                      (int)all[k].method, names[i], value_of(sim, names[i], 0));
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

/* df/dy has a column of x alone, and of states that rest none, whatever they are called. */
static void matrices_have_no_columns_of_them(void)
{
    static const char text[] =
        "element e()\n  discrete n = 2\n  state m = 3\n  state x = 1\n  state y = 1\n  m' = 0\n"
        "  x' = n*m - x*n + y*m\n  y' = n - exp(m*x)\n  event x - 5: n = 1, m = 2\nend\nuse e()\n";
    wlu_context ctx;
    wlm_model *model = NULL;
    wlm_equations *equations = NULL;
    wlm_derived *derived = NULL;
    wlu_context_init(&ctx, NULL);
    CHECK(wlm_model_parse(&ctx, "test.wm", text, (int64_t)strlen(text), 0, &model) == WARPLU_SUCCESS);
    CHECK(wlm_equations_create(&ctx, model, NULL, 0, &equations) == WARPLU_SUCCESS);
    CHECK(wlm_derived_create(equations, &derived) == WARPLU_SUCCESS);
    const wlm_jacobian *j = &derived->j;
    static const int32_t ptr[] = {0, 0, 0, 2, 3}, idx[] = {2, 3, 2};
    for (int32_t i = 0; i <= 4; i++) CHECK_SAY(j->ptr[i] == ptr[i], "row %d begins at %d", i, j->ptr[i]);
    for (int32_t k = 0; k < 3 && k < j->ptr[4]; k++)
        CHECK_SAY(j->idx[k] == idx[k], "entry %d: column %d", k, j->idx[k]);
    wlm_derived_destroy(&derived);
    wlm_equations_destroy(&equations);
    wlm_model_destroy(&model);
}

int main(void)
{
    RUN(events_alone_set_them);
    RUN(members_have_their_own);
    RUN(steps_keep_their_bits);
    RUN(matrices_have_no_columns_of_them);
    return check_done();
}
