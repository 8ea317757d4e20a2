/* Simulations whose lanes are instances, through the calls of warplu/model.h: the same numbers as with lanes that are
 * members, names of all kinds of numbers, definitions, matrices against differences, and what is refused. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/api.h"
#include "support/build.h"
#include "support/check.h"

enum { CELLS = 20 };

/* Cells on a line, a source with an unknown at one end, a sum that all read. */
static const char text[] = "nodes node[20] { balance v = 0\n sum s }\n"
                           "nodes bus[1] { sum all }\n"
                           "element cell(n, b)\n"
                           "  param c = 1\n"
                           "  v = n.v\n"
                           "  leak = 0.1*v + 0.01*v^3\n"
                           "  state w = 0.5\n"
                           "  w' = 0.2*(v - w) - 0.001*b.all\n"
                           "  n.v += leak + w + ddt(c*v)\n"
                           "  b.all += w\n"
                           "  n.s += 2*v\n"
                           "end\n"
                           "element gap(a, b)\n"
                           "  a.v += 2*(a.v - b.v)\n"
                           "  b.v += 2*(b.v - a.v)\n"
                           "end\n"
                           "element source(a)\n"
                           "  unknown i = 0\n"
                           "  want = sin(t)\n"
                           "  for k in 1..2: share[k] = k*want/3\n"
                           "  0 = a.v + 0.5*i - want\n"
                           "  a.v += i\n"
                           "end\n"
                           "use cell(node[i], bus[0]) with c = 1 + i/10 over i in 0..19\n"
                           "use gap(node[i], node[i + 1]) over i in 0..18\n"
                           "use source(node[0])\n"
                           "run tr-bdf2 to 5 rtol 1e-8 atol 1e-10\n";

static warplu_model *read_text(void)
{
    warplu_model *model = NULL;
    CHECK(warplu_model_parse(&model, "line", text, (int64_t)strlen(text), NULL) == WARPLU_SUCCESS);
    return model;
}

static warplu_sim *open_sim(const warplu_model *model, warplu_lanes lanes, warplu_method method)
{
    warplu_sim *sim = NULL;
    warplu_sim_options options;
    warplu_sim_init_options(&options);
    options.lanes = lanes, options.method = method;
    CHECK(warplu_sim_create(&sim, model, &options) == WARPLU_SUCCESS);
    return sim;
}

static double value(warplu_sim *sim, const char *name)
{
    int64_t handle;
    double out = NAN;
    CHECK_SAY(warplu_sim_find(sim, name, &handle) == WARPLU_SUCCESS, "%s", warplu_sim_get_message(sim));
    CHECK(warplu_sim_get(sim, handle, 0, 1, &out) == WARPLU_SUCCESS);
    return out;
}

static void lanes_of_either_kind_agree(void)
{
    static const char *const names[] = {"node[7].v", "cell[7].w", "cell[19].leak",
                                        "source.i",  "cell[3].v", "source.share[2]"};
    warplu_model *model = read_text();
    warplu_sim *large = open_sim(model, WARPLU_LANES_AUTO, WARPLU_METHOD_AUTO);
    warplu_sim *small = open_sim(model, WARPLU_LANES_MEMBERS, WARPLU_METHOD_RODAS4);
    warplu_model_destroy(&model); /* simulations go on */
    warplu_sim_statistics s = {.size = sizeof s};
    CHECK(warplu_sim_get_statistics(large, &s) == WARPLU_SUCCESS && s.lanes_are_members == 0 && s.unknowns > 2 * CELLS);
    CHECK(warplu_sim_get_statistics(small, &s) == WARPLU_SUCCESS && s.lanes_are_members == 1);
    CHECK(warplu_sim_run(large, 5.0) == WARPLU_SUCCESS);
    CHECK_SAY(warplu_sim_run(small, 5.0) == WARPLU_SUCCESS, "%s", warplu_sim_get_message(small));
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        CHECK_SAY(fabs(value(large, names[k]) - value(small, names[k])) < 1e-4, "%s: %.9g and %.9g", names[k],
                  value(large, names[k]), value(small, names[k]));
    double sum = 0.0;
    for (int k = 0; k < CELLS; k++) {
        char name[32];
        snprintf(name, sizeof name, "cell[%d].w", k);
        sum += value(large, name);
    }
    CHECK(fabs(value(large, "bus.all") - sum) < 1e-9 &&
          fabs(value(large, "node[4].s") - 2.0 * value(large, "node[4].v")) < 1e-9);
    warplu_sim_destroy(&large);
    warplu_sim_destroy(&small);
}

typedef struct rows {
    int count;
    double t, v, leak;
} rows;

static int take(int64_t member, double t, int32_t watched, const double *values, void *user)
{
    rows *r = user;
    CHECK(member == 0 && watched == 2);
    CHECK(r->count == 0 || t >= r->t); /* the time where a run begins is told of again */
    r->count++;
    r->t = t, r->v = values[0], r->leak = values[1];
    return r->count == 30;
}

static void names_are_found_again(void)
{
    warplu_model *model = read_text();
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        warplu_sim *sim = open_sim(model, (warplu_lanes)lanes, WARPLU_METHOD_TR_BDF2);
        static const char *const names[] = {"node[7].v", "cell[3].w",   "cell[19].leak", "source.i",
                                            "node[4].s", "source.want", "bus.all"};
        for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
            int64_t handle;
            char name[32];
            int32_t line = -1;
            if (warplu_sim_find(sim, names[k], &handle) < 0) continue; /* sums, where lanes are members */
            CHECK(warplu_sim_get_name(sim, handle, name, sizeof name, &line) == WARPLU_SUCCESS);
            CHECK_SAY(strcmp(name, names[k]) == 0, "%s, not %s", name, names[k]);
            CHECK_SAY((line > 0) == (k == 0 || k == 1 || k == 3 || (k >= 4 && line > 0)), "%s: line %d", name,
                      (int)line);
            CHECK(warplu_sim_get_name(sim, handle, name, 4, NULL) == WARPLU_SUCCESS && strlen(name) == 3);
            CHECK(warplu_sim_get_name(sim, handle, name, 0, NULL) == WARPLU_INVALID_ARGUMENT);
        }
        CHECK(warplu_sim_get_name(sim, -1, NULL, 0, NULL) == WARPLU_INVALID_ARGUMENT);
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

static void rows_are_told(void)
{
    warplu_model *model = read_text();
    warplu_sim *sim = open_sim(model, WARPLU_LANES_INSTANCES, WARPLU_METHOD_AUTO);
    int64_t handles[2];
    rows r = {0};
    CHECK(warplu_sim_find(sim, "node[2].v", &handles[0]) == WARPLU_SUCCESS);
    CHECK(warplu_sim_find(sim, "cell[2].leak", &handles[1]) == WARPLU_SUCCESS);
    CHECK(warplu_sim_watch(sim, handles, 2, 0.25, take, &r) == WARPLU_SUCCESS);
    CHECK(warplu_sim_run(sim, 5.0) == WARPLU_SUCCESS && r.count == 21 && r.t == 5.0);
    CHECK(fabs(r.leak - (0.1 * r.v + 0.01 * r.v * r.v * r.v)) < 1e-14);
    CHECK(warplu_sim_run(sim, 9.0) == WARPLU_CANCELLED && r.count == 30); /* the last row of 9 more asks for an end */
    CHECK(warplu_sim_watch(sim, NULL, 0, 0.0, NULL, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_sim_run(sim, 9.0) == WARPLU_SUCCESS);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

/* alpha q + beta f, whose derivatives the matrix is. */
static void combine(warplu_sim *sim, int32_t n, double t, const double *y, double alpha, double beta, double *out)
{
    double *q = malloc((size_t)n * sizeof *q), *f = malloc((size_t)n * sizeof *f);
    CHECK(warplu_sim_evaluate(sim, t, y, 0.0, 0.0, NULL, q, f) == WARPLU_SUCCESS);
    for (int32_t i = 0; i < n; i++) out[i] = alpha * q[i] + beta * f[i];
    free(q);
    free(f);
}

static void matrices_are_derivatives(void)
{
    warplu_model *model = read_text();
    warplu_sim *sim = open_sim(model, WARPLU_LANES_INSTANCES, WARPLU_METHOD_AUTO);
    int32_t n;
    const int32_t *ptr, *idx;
    CHECK(warplu_sim_get_pattern(sim, &n, &ptr, &idx) == WARPLU_SUCCESS && n > 40);
    double *y = malloc((size_t)n * sizeof *y), *values = malloc((size_t)ptr[n] * sizeof *values);
    double *low = malloc((size_t)n * sizeof *low), *high = malloc((size_t)n * sizeof *high);
    for (int32_t i = 0; i < n; i++) y[i] = sin(1.0 + i);
    CHECK(warplu_sim_evaluate(sim, 0.3, y, 2.0, -0.7, values, NULL, NULL) == WARPLU_SUCCESS);
    for (int32_t j = 0; j < n; j++) {
        double keep = y[j], step = 1e-6;
        y[j] = keep + step;
        combine(sim, n, 0.3, y, 2.0, -0.7, high);
        y[j] = keep - step;
        combine(sim, n, 0.3, y, 2.0, -0.7, low);
        y[j] = keep;
        for (int32_t k = ptr[j]; k < ptr[j + 1]; k++) {
            double difference = (high[idx[k]] - low[idx[k]]) / (2.0 * step);
            CHECK_SAY(fabs(values[k] - difference) < 1e-7, "(%d, %d): %g, differences %g", (int)idx[k], (int)j,
                      values[k], difference);
            high[idx[k]] = low[idx[k]] = 0.0;
        }
        for (int32_t i = 0; i < n; i++)
            CHECK_SAY(fabs(high[i] - low[i]) < 1e-12, "(%d, %d) is no entry", (int)i, (int)j);
    }
    free(y);
    free(values);
    free(low);
    free(high);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

static int end(int64_t member, double t, int32_t watched, const double *values, void *user)
{
    (void)t, (void)watched, (void)values, (void)user;
    return member == 1;
}

/* Members have parameters and initial values of their own, as lanes that are members have; what was set stays where a
 * parameter is set behind it. One that fails harms no other; a run that is ended goes on. */
static void several_members(void)
{
    static const char *const varying[] = {"cell.g"};
    const double g[] = {1.0, 2.0, -3.0}, x = 5.0;
    warplu_model *model =
        parsed("element cell()\n  param g = 2\n  param x0 = 1\n  state x = g*x0\n  state y = 1 in 0..9\n"
               "  x' = -g*x\n  y' = -g*y\n  twice = 2*x + g\nend\nuse cell()\n");
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        warplu_sim_options options;
        warplu_sim_init_options(&options);
        options.lanes = (warplu_lanes)lanes, options.members = 3, options.varying = varying, options.varying_count = 1;
        warplu_sim *sim = made(model, &options);
        const int64_t of_x = handle_of(sim, "cell.x"), of_g = handle_of(sim, "cell[0].g");
        warplu_handle_kind kind;
        char name[20];
        warplu_sim_member record[3];
        CHECK(warplu_sim_get_kind(sim, of_g, &kind) == WARPLU_SUCCESS && kind == WARPLU_HANDLE_KIND_PARAMETER);
        CHECK(warplu_sim_get_name(sim, of_g, name, sizeof name, NULL) == WARPLU_SUCCESS && strcmp(name, "cell.g") == 0);
        CHECK(warplu_sim_set(sim, of_x, 1, 1, &x) == WARPLU_SUCCESS);
        CHECK(warplu_sim_set(sim, of_g, 0, 3, g) == WARPLU_SUCCESS);
        CHECK(value_of(sim, "cell.x", 0) == 1.0 && value_of(sim, "cell.x", 1) == 5.0);
        CHECK(value_of(sim, "cell.x", 2) == -3.0 && value_of(sim, "cell.g", 2) == -3.0);
        CHECK(warplu_sim_watch(sim, &of_x, 1, 0.5, end, NULL) == WARPLU_SUCCESS);
        CHECK(warplu_sim_run(sim, 0.5) == WARPLU_CANCELLED);
        CHECK(warplu_sim_watch(sim, NULL, 0, 0.0, NULL, NULL) == WARPLU_SUCCESS);
        CHECK(warplu_sim_run(sim, 1.0) == WARPLU_MEMBERS_FAILED);
        CHECK(warplu_sim_get_members(sim, 0, 3, record, sizeof *record) == WARPLU_SUCCESS);
        CHECK(record[0].status == WARPLU_SUCCESS && record[1].status == WARPLU_SUCCESS);
        CHECK(record[2].status == WARPLU_OUT_OF_RANGE && fabs(record[2].time - log(9.0) / 3.0) < 0.2);
        CHECK(fabs(value_of(sim, "cell.x", 0) - exp(-1.0)) < 1e-5);
        CHECK(fabs(value_of(sim, "cell.x", 1) - 5.0 * exp(-2.0)) < 1e-5);
        CHECK(fabs(value_of(sim, "cell.twice", 1) - 10.0 * exp(-2.0) - 2.0) < 1e-5);
        CHECK(warplu_sim_set(sim, of_g, 0, 1, g) == WARPLU_WRONG_PHASE);
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

static void what_does_not_fit_is_refused(void)
{
    warplu_model *model = read_text();
    warplu_sim *sim = NULL;
    warplu_sim_options options;
    int32_t n;
    const int32_t *ptr, *idx;
    int64_t handle;
    warplu_sim_init_options(&options);
    options.lanes = WARPLU_LANES_INSTANCES, options.executor = WARPLU_EXECUTOR_CUDA;
    CHECK(warplu_sim_create(&sim, model, &options) == WARPLU_INVALID_ARGUMENT && sim == NULL);
    options.executor = WARPLU_EXECUTOR_AUTO;
    options.method = WARPLU_METHOD_BACKWARD_EULER; /* needs a length of steps */
    CHECK(warplu_sim_create(&sim, model, &options) == WARPLU_INVALID_ARGUMENT && sim == NULL);
    options.method = WARPLU_METHOD_RODAS4;
    CHECK(warplu_sim_create(&sim, model, &options) == WARPLU_SUCCESS);
    warplu_sim_destroy(&sim);
    sim = open_sim(model, WARPLU_LANES_MEMBERS, WARPLU_METHOD_TR_BDF2);
    CHECK(warplu_sim_get_pattern(sim, &n, &ptr, &idx) == WARPLU_WRONG_PHASE);
    warplu_sim_destroy(&sim);
    sim = open_sim(model, WARPLU_LANES_INSTANCES, WARPLU_METHOD_AUTO);
    CHECK(warplu_sim_find(sim, "cell[20].w", &handle) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_find(sim, "cell[3].leek", &handle) == WARPLU_INVALID_ARGUMENT && handle == -1);
    CHECK(strstr(warplu_sim_get_message(sim), "(did you mean 'cell.leak'?)") != NULL);
    CHECK(warplu_sim_find(sim, "cell[3].leak", &handle) == WARPLU_SUCCESS);
    CHECK(warplu_sim_set(sim, handle, 0, 1, (double[]){1.0}) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_find(sim, "cell[3].w", &handle) == WARPLU_SUCCESS);
    CHECK(warplu_sim_set(sim, handle, 0, 1, (double[]){NAN}) == WARPLU_NOT_FINITE);
    CHECK(warplu_sim_set(sim, handle, 0, 1, (double[]){4.0}) == WARPLU_SUCCESS && value(sim, "cell[3].w") == 4.0);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

/* A pulse, behind which unknowns are made consistent anew. */
static const char pulsed[] = "nodes node[17] { balance v = 0 }\n"
                             "element cell(n)\n  n.v += n.v + ddt(n.v)\nend\n"
                             "element gap(a, b)\n  a.v += a.v - b.v\n  b.v += b.v - a.v\nend\n"
                             "element source(a)\n  unknown i = 0\n"
                             "  0 = a.v - i - i^3 - pulse(0.5, 0.5)\n  a.v += i\nend\n"
                             "use cell(node[i]) over i in 1..16\n"
                             "use gap(node[i], node[i + 1]) over i in 0..15\n"
                             "use source(node[0])\n"
                             "run tr-bdf2 to 2 rtol 1e-3 atol 1e-5\n";

/* Runs to 2 with call fail_at failing, 0: none, from the run's beginning on; once more where it did. *calls: of the
 * run. */
static double run_twice(int64_t fail_at, int64_t *calls)
{
    warplu_model *model = NULL;
    warplu_sim *sim = NULL;
    warplu_model_options options;
    warplu_sim_member record;
    test_allocator a = {0};
    warplu_model_init_options(&options);
    options.allocate = test_allocate, options.release = test_release, options.allocator_user = &a;
    CHECK(warplu_model_parse(&model, "pulsed", pulsed, (int64_t)strlen(pulsed), &options) == WARPLU_SUCCESS);
    CHECK(warplu_sim_create(&sim, model, NULL) == WARPLU_SUCCESS);
    warplu_model_destroy(&model);
    int64_t before = a.calls;
    if (fail_at > 0) a.fail_at = before + fail_at;
    warplu_status status = warplu_sim_run(sim, 2.0);
    CHECK_SAY(status == WARPLU_SUCCESS || status == WARPLU_OUT_OF_MEMORY, "call %d: %d, %s", (int)fail_at, (int)status,
              warplu_sim_get_message(sim));
    CHECK(warplu_sim_get_members(sim, 0, 1, &record, sizeof(warplu_sim_member)) == WARPLU_SUCCESS &&
          record.status == WARPLU_SUCCESS);
    if (status != WARPLU_SUCCESS) CHECK_SAY(warplu_sim_run(sim, 2.0) == WARPLU_SUCCESS, "call %d", (int)fail_at);
    CHECK(status == WARPLU_SUCCESS || fail_at > 0);
    *calls = a.calls - before;
    double end = value(sim, "node[2].v");
    warplu_sim_destroy(&sim);
    CHECK(a.alive == 0);
    return end;
}

static void runs_short_of_memory_may_be_repeated(void)
{
    int64_t all, calls;
    double end = run_twice(0, &all);
    CHECK(all > 10);
    for (int64_t k = 1; k <= all; k++) {
        if (!check_due()) continue;
        double other = run_twice(k, &calls);
        CHECK_SAY(fabs(other - end) <= 1e-12, "call %d of %d: %.17g, not %.17g", (int)k, (int)all, other, end);
    }
}

/* Of what split couples cells by, the first use alone knows the time: v' = cos t - x, by a method of first order. */
static void couplings_may_know_the_time(void)
{
    static const char driven[] = "element drive(p)\n  p.v += -cos(t)\nend\n"
                                 "element cell(p)\n  state x = 1\n  x' = -x\n  p.v += x + ddt(p.v)\nend\n"
                                 "nodes n { balance v = 0 }\nuse drive(n)\nuse cell(n)\n";
    warplu_model *model = NULL;
    warplu_sim *sim = NULL;
    warplu_sim_options options;
    CHECK(warplu_model_parse(&model, "driven", driven, (int64_t)strlen(driven), NULL) == WARPLU_SUCCESS);
    warplu_sim_init_options(&options);
    options.lanes = WARPLU_LANES_INSTANCES, options.method = WARPLU_METHOD_SPLIT, options.dt = 0.01;
    CHECK(warplu_sim_create(&sim, model, &options) == WARPLU_SUCCESS);
    CHECK(warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS);
    double found = value(sim, "n.v"), exact = sin(1.0) - 1.0 + exp(-1.0);
    CHECK_SAY(fabs(found - exact) <= 0.01, "%.6g, not %.6g", found, exact);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

/* A ladder of resistors at rest: what is left behind the end of a pulse is noise that falls below all numbers. */
static void networks_come_to_rest(void)
{
    static const char ladder[] = "element r(a, b)\n  a.v += a.v - b.v\n  b.v += b.v - a.v\nend\n"
                                 "element leak(a)\n  a.v += a.v\nend\n"
                                 "element drive(a)\n  a.v += -pulse(0.5, 0.2)\nend\n"
                                 "nodes n[50] { balance v }\nuse r(n[i], n[i + 1]) over i in 0..48\n"
                                 "use leak(n[i]) over i in 0..49\nuse drive(n[0])\n";
    warplu_model *model = parsed(ladder);
    for (warplu_method method = WARPLU_METHOD_RODAS3; method <= WARPLU_METHOD_RODAS4; method++) {
        warplu_sim_options options = defaults();
        options.lanes = WARPLU_LANES_INSTANCES, options.method = method;
        warplu_sim *sim = made(model, &options);
        CHECK_SAY(warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS, "%s", warplu_sim_get_message(sim));
        CHECK(fabs(value(sim, "n[0].v")) < 1e-12);
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

int main(void)
{
    RUN(lanes_of_either_kind_agree);
    RUN(names_are_found_again);
    RUN(rows_are_told);
    RUN(matrices_are_derivatives);
    RUN(couplings_may_know_the_time);
    RUN(networks_come_to_rest);
    RUN(several_members);
    RUN(what_does_not_fit_is_refused);
    RUN(runs_short_of_memory_may_be_repeated);
    return check_done();
}
