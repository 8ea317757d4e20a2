/* Tables of texts: values at and between rows and beyond the ends, derivatives, and runs by both engines whose steps
 * end at rows, all against closed forms. */
#include <math.h>
#include <string.h>

#include "model/api.h"
#include "model/graph/derive.h"
#include "text_check.h"

#define FOR_BOTH(lanes) for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++)

/* An element with x = lookup(f, t). */
static wlm_model *table_of(const char *rows)
{
    char text[2048];
    snprintf(text, sizeof text,
             "table f = {%s\nelement e()\n  state y = 0\n  y' = 0\n  x = lookup(f, t)\nend\nuse e()\n", rows);
    return text_read(text);
}

static double at(const wlm_model *model, double t)
{
    const text_inputs inputs = {.time = t};
    return text_local(model, "x", &inputs);
}

static void expect(const char *rows, double t, double expected)
{
    wlm_model *model = table_of(rows);
    if (model == NULL) return;
    double x = at(model, t);
    CHECK_SAY(fabs(x - expected) <= 4e-16 * fabs(expected) || (isnan(x) && isnan(expected)),
              "{%s at %g: %.17g, expected %.17g", rows, t, x, expected);
    wlm_model_destroy(&model);
}

/* ------------------------------------------------------------------- values */

#define ROWS "0, 1; 1, 3; 3, -1; 3.5, 0.1"

static void rows_are_met(void)
{
    static const double x[] = {0.0, 1.0, 3.0, 3.5}, y[] = {1.0, 3.0, -1.0, 0.1};
    static const char *const tables[] = {ROWS "}",         ROWS "} cubic",      ROWS "} steps",
                                         ROWS ";} linear", ROWS "} beyond nan", ROWS "} cubic beyond linear"};
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        wlm_model *model = table_of(tables[k]);
        for (int i = 0; i < 4; i++) CHECK_SAY(at(model, x[i]) == y[i], "{%s at %g", tables[k], x[i]);
        wlm_model_destroy(&model);
    }
}

static void pieces_are_what_they_are_called(void)
{
    expect(ROWS "}", 0.25, 1.5);
    expect(ROWS "}", 2.5, 0.0);
    expect(ROWS "} steps", 0.999, 1.0);
    expect(ROWS "} steps", 2.999, 3.0);
    expect(ROWS "} steps", 3.4, -1.0);
    /* slopes 9/13 at 1, 5/6 at the end left of it, 0.5 + 0.5 - ... right of it, by hand */
    expect("0, 0; 1, 1; 3, 2} cubic", 0.5, 0.5 + (7.0 / 6.0 - 9.0 / 13.0) / 8.0);
    expect("0, 5; 2, 7} cubic", 0.5, 5.5); /* two rows are a line */
    expect("0, 1; 1, 3; 2, 5; 5, 11} cubic", 4.25, 9.5);
}

static void ends_are_as_they_are_asked_for(void)
{
    double up = INFINITY;
    expect(ROWS "}", -5.0, 1.0);
    expect(ROWS "}", 9.0, 0.1);
    expect(ROWS "} beyond held", -up, 1.0);
    expect(ROWS "} cubic", up, 0.1);
    expect(ROWS "} steps", 1e300, 0.1);
    expect(ROWS "} steps beyond linear", -up, 1.0);
    expect(ROWS "} beyond linear", -2.0, -3.0);
    expect(ROWS "} beyond linear", 4.5, 0.1 + 2.2);
    expect(ROWS "} cubic beyond linear", -2.0, 1.0 - 2.0 * 10.0 / 3.0);
    expect(ROWS "} beyond nan", -1e-300, NAN);
    expect(ROWS "} cubic beyond nan", nextafter(3.5, 4.0), NAN);
    expect(ROWS "} beyond nan", 3.25, 0.1 - 0.55);
    expect(ROWS "}", NAN, NAN);
    expect(ROWS "} steps", NAN, NAN);
}

static void periods_repeat(void)
{
    static const char *const tables[] = {"0, 1; 1, 3; 3, -1; 4, 1} periodic", "0, 1; 1, 3; 3, -1; 4, 1} cubic periodic",
                                         "0, 1; 1, 3; 3, -1; 4, 1} periodic steps"};
    for (int k = 0; k < 3; k++) {
        wlm_model *model = table_of(tables[k]);
        for (int i = 0; i < 64; i++)
            for (int turn = -100000; turn <= 100000; turn += 20011)
                CHECK_SAY(at(model, i / 16.0 + 4.0 * turn) == at(model, i / 16.0), "{%s at %g, turn %d", tables[k],
                          i / 16.0, turn);
        wlm_model_destroy(&model);
    }
    expect("-0.05, 2; 0, 4; 0.05, 2} periodic", 0.075, 3.0); /* no whole period, and a begin below 0 */
    expect("-0.05, 2; 0, 4; 0.05, 2} periodic", -0.1, 4.0);
}

/* -------------------------------------------------------------------- files */

static const char path[] = "test_model_tables.csv";

static void write_file(const char *text)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

static void files_have_columns(void)
{
    write_file("t,\"i (mA)\",v\n0,1,10\n\n1,3,20\n 4, 0, 30\n");
    wlm_model *model = text_read("table i from \"test_model_tables.csv\" columns t, \"i (mA)\" cubic\n"
                                 "table f from \"test_model_tables.csv\" columns v, t\n"
                                 "element e()\n  state y = 0\n  y' = 0\n  x = 100*lookup(f, t) + lookup(i, 4)\nend\n"
                                 "use e()\n");
    CHECK(model != NULL && at(model, 25.0) == 250.0);
    wlm_model_destroy(&model);
    write_file("x,y\n0,1\n2,5\n");
    model = text_read("table f from \"test_model_tables.csv\"\nelement e()\n  state y = 0\n  y' = 0\n"
                      "  x = lookup(f, t)\nend\nuse e()\n");
    CHECK(model != NULL && at(model, 0.5) == 2.0);
    wlm_model_destroy(&model);
}

static void refused(const char *file, const char *rest, const char *words)
{
    char text[200];
    wlm_model *model;
    write_file(file);
    snprintf(text, sizeof text, "table f from \"test_model_tables.csv\"%s\n", rest);
    wlu_context_init(&text_ctx, NULL);
    CHECK(wlm_model_parse(&text_ctx, "test.wm", text, (int64_t)strlen(text), 0, &model) == WARPLU_BAD_FORMAT);
    CHECK_SAY(strcmp(text_ctx.last_message, words) == 0, "%s", text_ctx.last_message);
}

static void bad_files_are_refused(void)
{
    refused("x,y,z\n0,1,2\n1,2,3\n", "",
            "test.wm:1:37: error: expected 'columns' and two names, for test_model_tables.csv has 3 columns");
    refused("x\n0\n1\n", "",
            "test.wm:1:37: error: expected 'columns' and two names, for test_model_tables.csv has 1 column");
    refused("x,time\n0,1\n1,2\n", " columns x, tine",
            "test.wm:1:49: error: 'tine' is no column of test_model_tables.csv (did you mean 'time'?)");
    refused("x,y\n0,1\n1,2\n", " columns x",
            "test.wm:1:47: error: expected ',' and the column of values, found the end of the line");
    refused("x,y\n0,1\n1,2\n", " columns 3", "test.wm:1:46: error: expected the name of a column, found '3'");
    refused("x,y\n0,1\n\n\n2,3\n2,4\n", "",
            "test_model_tables.csv:6: error: expected numbers that increase from row to row, found 2");
    refused("x,y\n0,1\n1,3\n2,4\n", " periodic",
            "test_model_tables.csv:4: error: expected a last row with the value of the first one, of a table that is "
            "periodic, found 4");
    refused("x,y\n0,1\n", "", "test.wm:1:7: error: expected at least 2 rows, found 1");
    refused("x,y\n0,1\n1,z\n", "", "test_model_tables.csv:3:3: error: expected a number, found 'z'");
    remove(path);
}

/* Cubic pieces rise where rows do, stay between them, and have slopes that meet. */
static void cubic_pieces_do_not_overshoot(void)
{
    static const double x[] = {-3.0, -2.5, 0.0, 0.1, 4.0, 5.0}, y[] = {0.0, 0.1, 0.2, 7.0, 7.1, 7.1};
    wlm_model *model = table_of("-3, 0; -2.5, 0.1; 0, 0.2; 0.1, 7; 4, 7.1; 5, 7.1} cubic");
    double before = 0.0;
    for (int k = 0; k < 5; k++) {
        for (int i = 0; i <= 200; i++) {
            double value = at(model, x[k] + (x[k + 1] - x[k]) * i / 200.0);
            CHECK_SAY(value >= before - 1e-14 && value >= y[k] - 1e-14 && value <= y[k + 1] + 1e-14, "piece %d", k);
            before = value;
        }
        double low = (at(model, x[k]) - at(model, x[k] - 1e-7)) / 1e-7;
        double high = (at(model, x[k] + 1e-7) - at(model, x[k])) / 1e-7;
        CHECK_SAY(k == 0 || fabs(low - high) < 2e-4 * (1.0 + fabs(low)), "row %d: %g, %g", k, low, high);
    }
    wlm_model_destroy(&model);
}

/* -------------------------------------------------------------- derivatives */

static void derivatives_are_those_of_differences(void)
{
    static const char *const tables[] = {ROWS "}",
                                         ROWS "} cubic",
                                         ROWS "} steps",
                                         ROWS "} cubic beyond linear",
                                         "0, 1; 1, 3; 3, -1; 4, 1} cubic periodic",
                                         ROWS "} beyond linear"};
    for (size_t k = 0; k < sizeof tables / sizeof *tables; k++) {
        wlm_model *model = table_of(tables[k]);
        wlm_kind *kind = &model->kind[0];
        wlm_jacobian first, second;
        wlm_node x = kind->local[0].node;
        CHECK(wlm_derive(kind->graph, &x, 1, 0, kind->leaves, &first) == WARPLU_SUCCESS);
        wlm_node slope = first.ptr[1] > 0 ? first.node[0] : wlm_constant(kind->graph, 0.0);
        CHECK(wlm_derive(kind->graph, &slope, 1, 0, kind->leaves, &second) == WARPLU_SUCCESS);
        wlm_node bend = second.ptr[1] > 0 ? second.node[0] : wlm_constant(kind->graph, 0.0);
        for (double t = -1.97; t < 6.0; t += 0.31) {
            const double h = 1e-4;
            const text_inputs inputs = {.time = t}, low = {.time = t - h}, high = {.time = t + h};
            double by = (at(model, t + h) - at(model, t - h)) / (2.0 * h), is = text_value(kind, slope, &inputs);
            double twice = (text_value(kind, slope, &high) - text_value(kind, slope, &low)) / (2.0 * h);
            CHECK_SAY(fabs(by - is) < 1e-6, "{%s at %g: %.9g, not %.9g", tables[k], t, is, by);
            CHECK_SAY(fabs(twice - text_value(kind, bend, &inputs)) < 1e-6, "{%s at %g: second", tables[k], t);
        }
        wlm_jacobian_free(wlm_graph_context(kind->graph), &first);
        wlm_jacobian_free(wlm_graph_context(kind->graph), &second);
        wlm_model_destroy(&model);
    }
}

/* --------------------------------------------------------------------- runs */

/* Methods, and the lengths of fixed steps, which no row is a multiple of; 0 of controlled ones. */
static const struct {
    warplu_method method;
    double dt;
    int order;
} any[] = {{WARPLU_METHOD_RODAS4, 0.0, 4},           {WARPLU_METHOD_RODAS4, 0.7, 4},
           {WARPLU_METHOD_TR_BDF2, 0.0, 2},          {WARPLU_METHOD_TRAPEZOIDAL, 0.7, 2},
           {WARPLU_METHOD_DORMAND_PRINCE, 0.0, 5},   {WARPLU_METHOD_RK4, 0.7, 4},
           {WARPLU_METHOD_BOGACKI_SHAMPINE, 0.0, 3}, {WARPLU_METHOD_EULER, 0.7, 1}};
enum { ANY = sizeof any / sizeof *any };

/* Integrates to `end` by both engines and all methods that are exact where pieces are polynomials of this degree. */
static void expect_integral(int degree, const char *table, const char *input, double end, double exact)
{
    char text[1024];
    snprintf(text, sizeof text,
             "table f = {%s\nelement e()\n  param d = 0.3\n  param s = 2\n  state y = 0\n  y' = %s\nend\nuse e()\n",
             table, input);
    warplu_model *model = parsed(text);
    FOR_BOTH(lanes)
    for (int k = 0; k < ANY; k++) {
        if (any[k].order < degree + 1) continue;
        warplu_sim_options options = defaults();
        options.lanes = (warplu_lanes)lanes, options.method = any[k].method, options.dt = any[k].dt;
        warplu_sim *sim = made(model, &options);
        CHECK_SAY(warplu_sim_run(sim, end) == WARPLU_SUCCESS, "%s", warplu_sim_get_message(sim));
        double y = value_of(sim, "e.y", 0);
        CHECK_SAY(fabs(y - exact) < 1e-11 * fmax(1.0, fabs(exact)), "lanes %d, method %d: {%s, %s: %.15g, not %.15g",
                  lanes, (int)any[k].method, table, input, y, exact);
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

/* The integral over all rows is 4, 2 over the first piece and 2 over the second one, 0 - 0.225 over the third. */
static void steps_end_at_rows(void)
{
    double exact = 2.0 + 2.0 - 0.225;
    expect_integral(1, ROWS "}", "lookup(f, t)", 3.5, exact);
    expect_integral(1, ROWS "}", "lookup(f, t)", 13.5, exact + 1.0);
    expect_integral(1, ROWS "}", "lookup(f, t - d)", 13.5, exact + 0.3 + 9.7 * 0.1);
    expect_integral(1, ROWS "}", "lookup(f, (t - d)/s)", 13.5, 2.0 * exact + 0.3 + (13.2 - 7.0) * 0.1);
    expect_integral(1, ROWS "}", "lookup(f, 5 - s*t)", 10.0, exact / 2.0 + 0.075 + 7.5);
    expect_integral(1, ROWS "}", "if t < 3 then 0 else lookup(f, max(t - 3, 0))", 6.5, exact);
    expect_integral(1, ROWS "}", "lookup(f, t) + lookup(f, t - d)", 3.5, 2.0 * exact + 0.3 - 0.3 * -0.23);
    expect_integral(1, ROWS "} beyond linear", "lookup(f, t)", 4.5, exact + 0.1 + 1.1);
    expect_integral(0, ROWS "} steps", "lookup(f, t)", 13.5, 1.0 + 6.0 - 0.5 + 1.0);
    expect_integral(0, "0, 0; 4, 0; 4.001, 5; 4.002, 0; 9, 0} steps", "lookup(f, t)", 1000.0, 0.005);
    expect_integral(1, "0, 0; 400, 0; 400.1, 5; 400.2, 0; 900, 0}", "lookup(f, t)", 1000.0, 0.5);
}

static void steps_end_at_rows_of_each_period(void)
{
    expect_integral(1, "0, 0; 0.1, 1; 0.2, 0; 5, 0} periodic", "lookup(f, t)", 5000.0, 100.0);
    expect_integral(1, "0, 0; 0.1, 1; 0.2, 0; 5, 0} periodic", "lookup(f, d - t)", 500.0, 10.0);
    expect_integral(1, "-1, 0; 0, 1; 1, 0} periodic", "lookup(f, s*t)", 1000.0, 500.0);
    expect_integral(1, "0, 0; 1, 0; 2, 1; 3, 0} periodic", "lookup(f, t)", 300.0, 100.0);
    expect_integral(0, "0, 0; 0.3, 1; 0.4, 0; 7, 0} periodic steps", "lookup(f, t)", 700.0, 10.0);
}

/* Behind a row steps are as long as before it, for nothing jumps there: one a row, where straight pieces are exact. */
static void rows_cost_a_step_each(void)
{
    enum { COUNT = 500 };
    static char text[40 * COUNT];
    int length = snprintf(text, sizeof text, "table f = {0, 0");
    for (int k = 1; k <= COUNT; k++)
        length += snprintf(text + length, sizeof text - (size_t)length, "; %d, %d", k, k * k % 7);
    snprintf(text + length, sizeof text - (size_t)length,
             "}\nelement e()\n  state y = 0\n  y' = lookup(f, t)\nend\nuse e()\n");
    warplu_model *model = parsed(text);
    FOR_BOTH(lanes)
    for (int k = 0; k < ANY; k++) {
        if (any[k].dt > 0.0) continue;
        warplu_sim_options options = defaults();
        warplu_sim_statistics s = {.size = sizeof s};
        options.lanes = (warplu_lanes)lanes, options.method = any[k].method;
        warplu_sim *sim = made(model, &options);
        CHECK(warplu_sim_run(sim, COUNT) == WARPLU_SUCCESS);
        warplu_sim_get_statistics(sim, &s);
        CHECK_SAY(s.steps >= COUNT - 72 && s.steps + s.rejected < COUNT + 40, "lanes %d, method %d: %d steps", lanes,
                  (int)any[k].method, (int)s.steps);
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

/* Each member has rows at times of its own. */
static void members_have_rows_of_their_own(void)
{
    static const char text[] =
        "table f = {0, 0; 1, 1; 2, 0}\n"
        "element e()\n  param d = 0\n  state y = 0\n  y' = lookup(f, t - d)*(t - d)\nend\nuse e()\n";
    static const char *const varying[] = {"e.d"};
    double d[70];
    for (int k = 0; k < 70; k++) d[k] = 0.173 * k;
    warplu_model *model = parsed(text);
    warplu_sim_options options = defaults();
    options.method = WARPLU_METHOD_RODAS4, options.members = 70, options.varying_count = 1, options.varying = varying;
    warplu_sim *sim = made(model, &options);
    CHECK(warplu_sim_set(sim, handle_of(sim, "e.d"), 0, 70, d) == WARPLU_SUCCESS);
    CHECK(warplu_sim_run(sim, 20.0) == WARPLU_SUCCESS);
    for (int k = 0; k < 70; k++) CHECK_SAY(fabs(value_of(sim, "e.y", k) - 1.0) < 1e-10, "member %d", k);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

/* y' = -y by a table, where the slope is what implicit methods see; and a node's quantity. */
static void unknowns_may_be_looked_up(void)
{
    static const char text[] = "table f = {-10, 10; 0, 0; 1, -1; 10, -10} beyond linear\n"
                               "table g = {-1, -1; 1, 1} cubic beyond linear\n"
                               "element e(p)\n  state y = 12\n  y' = lookup(f, y)\n"
                               "  p.v += lookup(g, p.v) - y\nend\n"
                               "nodes n { balance v }\nuse e(n)\nrun rodas4 to 1 rtol 1e-8\n";
    warplu_model *model = parsed(text);
    static const warplu_method methods[] = {WARPLU_METHOD_RODAS4, WARPLU_METHOD_RODAS3};
    FOR_BOTH(lanes)
    for (int k = 0; k < 2; k++) {
        warplu_sim_options options = defaults();
        options.lanes = (warplu_lanes)lanes, options.method = methods[k];
        warplu_sim *sim = made(model, &options);
        CHECK_SAY(warplu_sim_run(sim, 5.0) == WARPLU_SUCCESS, "%s", warplu_sim_get_message(sim));
        double exact = 12.0 * exp(-5.0);
        CHECK_SAY(fabs(value_of(sim, "e.y", 0) - exact) < 1e-6, "%.9g", value_of(sim, "e.y", 0));
        CHECK_SAY(fabs(value_of(sim, "n.v", 0) - exact) < 1e-6, "%.9g", value_of(sim, "n.v", 0));
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

/* Functions, rules of parameters and conditions of constants look up as all else does. */
static void whatever_is_said_may_look_up(void)
{
    warplu_model *model = parsed("table f = {0, 1; 1, 3; 2, 0}\nfunction g(x) = 2*lookup(f, x) + lookup(f, 2*x)\n"
                                 "element e()\n  param a = 0.5\n  param b = lookup(f, a)\n  param c[2] = {g(0.5), b}\n"
                                 "  state y = g(a)\n  y' = (if lookup(f, 2) = 0 then g(t) else no_such_name) + c[1]\n"
                                 "  sums = sum(i in 0..2: lookup(f, i))\nend\nuse e() with a = 0.25\n"
                                 "run rodas4 to 1\n");
    FOR_BOTH(lanes)
    {
        warplu_sim_options options = defaults();
        options.lanes = (warplu_lanes)lanes;
        warplu_sim *sim = made(model, &options);
        CHECK(value_of(sim, "e.y", 0) == 5.0 && value_of(sim, "e.sums", 0) == 4.0);
        CHECK(warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS);
        /* 2*2 + (2 + 1.5)/2 of the functions, 1.5 of c */
        CHECK_SAY(fabs(value_of(sim, "e.y", 0) - (5.0 + 4.0 + 1.75 + 1.5)) < 1e-11, "%.15g", value_of(sim, "e.y", 0));
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

/* A table outlives the model that a simulation was made of. */
static void simulations_keep_tables(void)
{
    warplu_model *model = parsed("table f = {0, 1; 1, 3}\nconst c = lookup(f, 0.5)\n"
                                 "element e()\n  param k = lookup(f, 0)*c\n  state y = lookup(f, k - 1)\n"
                                 "  y' = lookup(f, y)\nend\nuse e() with k = lookup(f, 0.25)\nrun rk4 dt 0.1 to 1\n");
    FOR_BOTH(lanes)
    {
        warplu_sim_options options = defaults();
        options.lanes = (warplu_lanes)lanes;
        warplu_sim *sim = made(model, &options);
        if (lanes == WARPLU_LANES_INSTANCES) warplu_model_destroy(&model);
        CHECK(warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS);
        CHECK_SAY(fabs(value_of(sim, "e.y", 0) - 5.0) < 1e-12, "%.9g", value_of(sim, "e.y", 0));
        warplu_sim_destroy(&sim);
    }
}

int main(void)
{
    RUN(rows_are_met);
    RUN(pieces_are_what_they_are_called);
    RUN(ends_are_as_they_are_asked_for);
    RUN(periods_repeat);
    RUN(cubic_pieces_do_not_overshoot);
    RUN(files_have_columns);
    RUN(bad_files_are_refused);
    RUN(derivatives_are_those_of_differences);
    RUN(steps_end_at_rows);
    RUN(steps_end_at_rows_of_each_period);
    RUN(rows_cost_a_step_each);
    RUN(members_have_rows_of_their_own);
    RUN(unknowns_may_be_looked_up);
    RUN(whatever_is_said_may_look_up);
    RUN(simulations_keep_tables);
    return check_done();
}
