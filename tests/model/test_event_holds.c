/* Events that hold an expression at 0, which no step can follow, and events that wait for others of a higher priority
 * while rounding alone keeps them below 0: each happens once, or is refused by its line, in both engines. */
#include <string.h>

#include "support/check.h"

#include "engines.h"

static const struct {
    warplu_method method;
    double dt;
} ways[] = {{WARPLU_METHOD_RODAS4, 0.0},
            {WARPLU_METHOD_TR_BDF2, 0.0},
            {WARPLU_METHOD_DORMAND_PRINCE, 0.0},
            {WARPLU_METHOD_TRAPEZOIDAL, 0.0625},
            {WARPLU_METHOD_BACKWARD_EULER, 0.01}};
enum { WAYS = sizeof ways / sizeof *ways };

/* Whether a run to 8 ends because of the event at this line; 0: it does not end before. */
static void expect_end(const char *text, int line)
{
    warplu_model *model = parsed(text);
    char said[512], why[100];
    snprintf(why, sizeof why, "the event at line %d happens at times that come ever closer", line);
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++)
        for (int way = 0; way < WAYS; way++) {
            warplu_sim *sim = NULL;
            warplu_status status = attempt(model, (warplu_lanes)lanes, ways[way].method, ways[way].dt, 8.0, &sim, said);
            int is_right =
                line == 0 ? status == WARPLU_SUCCESS : status == WARPLU_STEP_TOO_SMALL && strstr(said, why) != NULL;
            CHECK_SAY(is_right, "lanes %d, way %d: %d, %s", lanes, way, (int)status, said);
            warplu_sim_destroy(&sim);
        }
    warplu_model_destroy(&model);
}

/* What passes 1 is set back to 1 and passes it again; what stays at 1, or only passes it, goes on. */
static void test_what_is_held(void)
{
    static const char text[] = "element e()\n  state x = 0\n  discrete stops = 0\n  x' = if stops > 0 then 0 else 0.3\n"
                               "  event x - 1: %s\nend\nuse e()\n";
    static const struct {
        const char *sets;
        int line;
    } cases[] = {{"x = 1", 5}, {"x = 1, stops = 1", 0}, {"stops = 0", 0}, {"x = 0", 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char one[300];
        snprintf(one, sizeof one, text, cases[k].sets);
        expect_end(one, cases[k].line);
    }
}

/* By backward Euler the ball comes to the floor at no speed, and falls within the shortest step behind it. */
static void test_slow_balls(void)
{
    expect_end(
        "element ball()\n  state h = 1\n  state v = 0\n  h' = v\n  v' = -9.81\n  event -h: v = -0.8*v, h = 0\nend\n"
        "use ball()\n",
        6);
}

/* x comes to 0 by rounding before or behind t = 1.125, where another event is; m says which of them sees the other. */
static void test_waiting(void)
{
    static const char text[] = "element e()\n  state x = -0.5625\n  discrete n = 0\n  discrete m = 0\n  x' = 0.5\n"
                               "  event x%s: n = n + 1\n  event t = 1.125%s: m = m + 1 + n, x = x + %s\nend\nuse e()\n";
    static const struct {
        const char *of_x, *of_t, *more;
        double m;
    } cases[] = {{"", " priority 1", "0", 1.0},
                 {"", " priority 1", "0.25", 1.0},
                 {" priority 1", "", "0", 2.0},
                 {" priority 1", "", "1", 2.0},
                 {"", "", "1", 1.0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char one[300];
        snprintf(one, sizeof one, text, cases[k].of_x, cases[k].of_t, cases[k].more);
        warplu_model *model = parsed(one);
        for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++)
            for (int way = 0; way < WAYS; way++) {
                warplu_sim *sim = NULL;
                char said[512];
                CHECK(attempt(model, (warplu_lanes)lanes, ways[way].method, ways[way].dt, 2.0, &sim, said) ==
                      WARPLU_SUCCESS);
                CHECK_SAY(value_of(sim, "e.n", 0) == 1.0 && value_of(sim, "e.m", 0) == cases[k].m,
                          "case %d, lanes %d, way %d: n %g, m %g", (int)k, lanes, way, value_of(sim, "e.n", 0),
                          value_of(sim, "e.m", 0));
                warplu_sim_destroy(&sim);
            }
        warplu_model_destroy(&model);
    }
}

int main(void)
{
    RUN(test_what_is_held);
    RUN(test_slow_balls);
    RUN(test_waiting);
    return check_done();
}
