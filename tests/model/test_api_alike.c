/* One answer to one mistake: calls of warplu/model.h on lanes that are members and on lanes that are instances, their
 * statuses and their words; and what handles are of. */
#include <math.h>

#include "api.h"

/* With a sum, a fixed quantity and a definition; each x = 1/(1 - t). */
static const char text[] = "nodes hub { sum all\n fixed low = -1 }\n"
                           "element cell(h)\n"
                           "  state x = 1\n"
                           "  x' = x^2\n"
                           "  twice = 2*x + 0*h.low\n"
                           "  h.all += x\n"
                           "end\n"
                           "use cell(hub)\n"
                           "run dormand-prince\n";

enum { WORDS = 512 };

static warplu_sim *by(const warplu_model *model, int lanes)
{
    warplu_sim_options options = defaults();
    options.lanes = (warplu_lanes)lanes;
    return made(model, &options);
}

/* What both engines answer a call, and say. */
typedef warplu_status call_fn(warplu_sim *sim);

static void expect(const warplu_model *model, call_fn *call, warplu_status expected, const char *words)
{
    char said[2][WORDS];
    for (int k = 0; k < 2; k++) {
        warplu_sim *sim = by(model, WARPLU_LANES_MEMBERS + k);
        warplu_status status = call(sim);
        snprintf(said[k], WORDS, "%s", warplu_sim_get_message(sim));
        CHECK_SAY(status == expected, "lanes %d: %s, '%s'", k, warplu_status_name(status), said[k]);
        warplu_sim_destroy(&sim);
    }
    CHECK_SAY(strcmp(said[0], said[1]) == 0 && strstr(said[0], words) != NULL, "'%s', '%s'", said[0], said[1]);
}

static warplu_status set_definition(warplu_sim *sim)
{
    return warplu_sim_set(sim, handle_of(sim, "cell.twice"), 0, 1, (double[]){1.0});
}

static warplu_status set_none_of_a_definition(warplu_sim *sim)
{
    return warplu_sim_set(sim, handle_of(sim, "cell.twice"), 0, 0, (double[]){1.0});
}

static warplu_status set_no_number(warplu_sim *sim)
{
    return warplu_sim_set(sim, handle_of(sim, "cell.x"), 0, 1, (double[]){NAN});
}

static int keep(int64_t member, double t, int32_t watched, const double *values, void *user)
{
    (void)member, (void)t, (void)watched, (void)values;
    return ++*(int *)user == 3;
}

static warplu_status watch_every(warplu_sim *sim, double every, double to, int *rows)
{
    int64_t handle = handle_of(sim, "cell.twice");
    CHECK(warplu_sim_watch(sim, &handle, 1, every, keep, rows) == WARPLU_SUCCESS);
    return warplu_sim_run(sim, to);
}

static warplu_status watch_too_often(warplu_sim *sim)
{
    int rows = 0;
    CHECK(warplu_sim_run(sim, 0.1) == WARPLU_SUCCESS);
    warplu_status status = watch_every(sim, 1e-12, 0.5, &rows);
    CHECK(rows == 0 && watch_every(sim, 5e-324, 0.5, &rows) == WARPLU_OVERFLOW && rows == 0);
    CHECK(watch_every(sim, 1e-12, 0.5, &rows) == status);
    return status;
}

static warplu_status end_by_a_row(warplu_sim *sim)
{
    int rows = 0;
    warplu_status status = watch_every(sim, 0.1, 0.5, &rows);
    CHECK(rows == 3);
    return status;
}

static warplu_status run_back(warplu_sim *sim)
{
    CHECK(warplu_sim_run(sim, 0.5) == WARPLU_SUCCESS);
    return warplu_sim_run(sim, 0.5);
}

static warplu_status watch_no_handle(warplu_sim *sim)
{
    int rows = 0;
    int64_t none = 99;
    return warplu_sim_watch(sim, &none, 1, 0.1, keep, &rows);
}

static void mistakes_have_one_answer(void)
{
    warplu_model *model = parsed(text);
    expect(model, set_definition, WARPLU_INVALID_ARGUMENT, "'cell.twice' is a definition: it cannot be set");
    expect(model, set_none_of_a_definition, WARPLU_INVALID_ARGUMENT, "'cell.twice' is a definition");
    expect(model, set_no_number, WARPLU_NOT_FINITE, "a value of member 0");
    expect(model, watch_too_often, WARPLU_OVERFLOW, "output times from 0.1 to 0.5");
    expect(model, watch_no_handle, WARPLU_INVALID_ARGUMENT, "watching: 99 is no handle");
    expect(model, end_by_a_row, WARPLU_CANCELLED, "cancelled by the caller");
    expect(model, run_back, WARPLU_INVALID_ARGUMENT, "run to t = 0.5: expected a time behind 0.5");
    warplu_model_destroy(&model);
}

static int pass(const char *line, void *user)
{
    (void)line, (void)user;
    return 0;
}

/* What one engine alone has is out of place in the other, by one status. */
static void what_the_other_has_is_a_wrong_phase(void)
{
    warplu_model *model = parsed(text);
    int32_t n;
    const int32_t *ptr, *idx;
    double y = 1.0;
    warplu_sim *members = by(model, WARPLU_LANES_MEMBERS), *instances = by(model, WARPLU_LANES_INSTANCES);
    CHECK(warplu_sim_get_pattern(members, &n, &ptr, &idx) == WARPLU_WRONG_PHASE);
    CHECK(strstr(warplu_sim_get_message(members), "expected lanes that are instances") != NULL);
    CHECK(warplu_sim_evaluate(members, 0.0, &y, 1.0, 1.0, NULL, NULL, &y) == WARPLU_WRONG_PHASE);
    CHECK(warplu_sim_get_pattern(instances, &n, &ptr, &idx) == WARPLU_WRONG_PHASE); /* explicit */
    CHECK(warplu_sim_disassemble(instances, pass, NULL) == WARPLU_WRONG_PHASE);
    CHECK(strstr(warplu_sim_get_message(instances), "expected lanes that are members") != NULL);
    warplu_sim_destroy(&members);
    warplu_sim_destroy(&instances);
    warplu_model_destroy(&model);
}

/* A run that failed is told of again, whatever was said in between; its time has passed. */
static void failures_are_told_of_again(void)
{
    warplu_model *model = parsed(text);
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        char said[WORDS];
        int64_t handle;
        warplu_sim_member before, after;
        warplu_sim *sim = by(model, lanes);
        warplu_status status = warplu_sim_run(sim, 2.0);
        CHECK_SAY(status == WARPLU_STEP_TOO_SMALL || status == WARPLU_NOT_FINITE, "lanes %d: %d", lanes, (int)status);
        snprintf(said, sizeof said, "%s", warplu_sim_get_message(sim));
        CHECK(warplu_sim_get_members(sim, 0, 1, &before, sizeof before) == WARPLU_SUCCESS && before.status == status);
        CHECK(warplu_sim_find(sim, "cell.z", &handle) == WARPLU_INVALID_ARGUMENT);
        CHECK(warplu_sim_run(sim, 3.0) == status);
        CHECK_SAY(strcmp(said, warplu_sim_get_message(sim)) == 0, "lanes %d: '%s', '%s'", lanes, said,
                  warplu_sim_get_message(sim));
        CHECK(warplu_sim_run(sim, 2.0) == WARPLU_INVALID_ARGUMENT && warplu_sim_run(sim, 4.0) == status);
        CHECK(warplu_sim_get_members(sim, 0, 1, &after, sizeof after) == WARPLU_SUCCESS);
        CHECK(after.status == status && after.time == before.time && fabs(after.time - 1.0) < 1e-3);
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

/* Names that are none are told of with what there is to name. */
static void names_that_are_none(void)
{
    warplu_model *model = parsed(text);
    static const char words[] =
        "'cell.twize' is no unknown, sum, fixed quantity, definition or varying parameter: expected SET[I].QUANTITY or "
        "KIND[I].NAME (did you mean 'cell.twice'?)";
    for (int k = 0; k < 2; k++) {
        int64_t handle = 7;
        warplu_sim *sim = by(model, WARPLU_LANES_MEMBERS + k);
        CHECK(warplu_sim_find(sim, "cell.twize", &handle) == WARPLU_INVALID_ARGUMENT && handle == -1);
        CHECK_SAY(strcmp(warplu_sim_get_message(sim), words) == 0, "'%s'", warplu_sim_get_message(sim));
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

static void expect_kind(warplu_sim *sim, const char *name, warplu_handle_kind expected)
{
    warplu_handle_kind kind = (warplu_handle_kind)-1;
    int64_t handle = handle_of(sim, name);
    double value;
    CHECK_SAY(warplu_sim_get_kind(sim, handle, &kind) == WARPLU_SUCCESS && kind == expected, "%s: %d", name, (int)kind);
    int may_be_set = kind == WARPLU_HANDLE_KIND_UNKNOWN || kind == WARPLU_HANDLE_KIND_PARAMETER;
    CHECK(warplu_sim_get(sim, handle, 0, 1, &value) == WARPLU_SUCCESS);
    CHECK((warplu_sim_set(sim, handle, 0, 1, &value) == WARPLU_SUCCESS) == may_be_set);
}

/* The numbers of handles that there are, of each kind, and nothing else. */
static void expect_counts(warplu_sim *sim, int32_t unknowns, int32_t all)
{
    warplu_handle_kind kind;
    int32_t found = 0, handle = 0;
    for (; warplu_sim_get_kind(sim, handle, &kind) == WARPLU_SUCCESS; handle++)
        found += kind == WARPLU_HANDLE_KIND_UNKNOWN;
    CHECK_SAY(found == unknowns && handle == all, "%d of %d", (int)found, (int)handle);
    CHECK(warplu_sim_get_kind(sim, -1, &kind) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_get_kind(sim, 0, NULL) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_get_kind(NULL, 0, &kind) == WARPLU_INVALID_ARGUMENT);
}

/* Sums are unknowns where lanes are instances and a matrix is. */
static void handles_have_kinds(void)
{
    static const char *const varying[] = {"cell.g"};
    static const char with_parameter[] = "element cell()\n  param g = 1\n  state x = g\n  x' = -x\n  d = 2*x\nend\n"
                                         "use cell()\n";
    warplu_model *model = parsed(text), *other = parsed(with_parameter);
    warplu_sim_options o = defaults();
    o.varying = varying, o.varying_count = 1, o.lanes = WARPLU_LANES_MEMBERS;
    warplu_sim *sim = made(other, &o);
    expect_kind(sim, "cell.x", WARPLU_HANDLE_KIND_UNKNOWN);
    expect_kind(sim, "cell.d", WARPLU_HANDLE_KIND_DEFINITION);
    expect_kind(sim, "cell.g", WARPLU_HANDLE_KIND_PARAMETER);
    expect_counts(sim, 1, 3);
    warplu_sim_destroy(&sim);
    sim = by(model, WARPLU_LANES_MEMBERS);
    expect_kind(sim, "hub.all", WARPLU_HANDLE_KIND_SUM);
    expect_kind(sim, "hub.low", WARPLU_HANDLE_KIND_FIXED);
    expect_counts(sim, 1, 4);
    warplu_sim_destroy(&sim);
    for (int implicit = 0; implicit < 2; implicit++) {
        o = defaults();
        o.lanes = WARPLU_LANES_INSTANCES;
        o.method = implicit ? WARPLU_METHOD_RODAS4 : WARPLU_METHOD_DORMAND_PRINCE;
        sim = made(model, &o);
        expect_kind(sim, "cell.x", WARPLU_HANDLE_KIND_UNKNOWN);
        expect_kind(sim, "hub.all", implicit ? WARPLU_HANDLE_KIND_UNKNOWN : WARPLU_HANDLE_KIND_SUM);
        expect_kind(sim, "hub.low", WARPLU_HANDLE_KIND_FIXED);
        expect_kind(sim, "cell.twice", WARPLU_HANDLE_KIND_DEFINITION);
        expect_counts(sim, 1 + implicit, 4);
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
    warplu_model_destroy(&other);
}

/* Sums, one of another, and what is computed from them follow a value that is set, before the first run and behind
 * one; rows that are told have them too. */
static void sums_follow_what_is_set(void)
{
    static const char chained[] = "nodes hub { sum all\n sum more\n fixed low = 3 }\n"
                                  "element cell(h)\n  state x = 1\n  x' = -x\n  h.all += 2*x\n  h.more += h.all + x\n"
                                  "  seen = h.more + h.low\nend\n"
                                  "use cell(hub)\n";
    warplu_model *model = parsed(chained);
    for (int k = 0; k < 4; k++) {
        warplu_sim_options o = defaults();
        o.lanes = k < 2 ? WARPLU_LANES_MEMBERS : WARPLU_LANES_INSTANCES;
        o.method = k % 2 == 0 ? WARPLU_METHOD_RODAS4 : WARPLU_METHOD_DORMAND_PRINCE;
        warplu_sim *sim = made(model, &o);
        CHECK_SAY(value_of(sim, "hub.all", 0) == 2.0 && value_of(sim, "cell.seen", 0) == 6.0, "%d", k);
        for (int again = 0; again < 2; again++) {
            CHECK(warplu_sim_set(sim, handle_of(sim, "cell.x"), 0, 1, (double[]){5.0}) == WARPLU_SUCCESS);
            CHECK_SAY(value_of(sim, "hub.all", 0) == 10.0 && value_of(sim, "hub.more", 0) == 15.0, "%d", k);
            CHECK_SAY(value_of(sim, "cell.seen", 0) == 18.0 && value_of(sim, "hub.low", 0) == 3.0, "%d", k);
            CHECK(warplu_sim_run(sim, again + 1.0) == WARPLU_SUCCESS);
            CHECK_SAY(fabs(value_of(sim, "hub.more", 0) - 15.0 * exp(-1.0)) < 1e-4, "%d", k);
        }
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

static int keep_last(int64_t member, double t, int32_t watched, const double *values, void *user)
{
    (void)member, (void)t;
    memcpy(user, values, (size_t)watched * sizeof *values);
    return 0;
}

static void sums_and_fixed_quantities_are_watched(void)
{
    warplu_model *model = parsed(text);
    for (int k = 0; k < 2; k++) {
        warplu_sim *sim = by(model, WARPLU_LANES_MEMBERS + k);
        int64_t of[4] = {handle_of(sim, "hub.low"), handle_of(sim, "cell.twice"), handle_of(sim, "cell.x"),
                         handle_of(sim, "hub.all")};
        double row[4] = {0};
        CHECK(warplu_sim_watch(sim, of, 4, 0.25, keep_last, row) == WARPLU_SUCCESS);
        CHECK(warplu_sim_run(sim, 0.5) == WARPLU_SUCCESS);
        CHECK(row[0] == -1.0 && row[1] == 2.0 * row[2] && row[3] == row[2] && fabs(row[2] - 2.0) < 1e-4);
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

/* The least number of steps that does is enough, one less is not, in controlled and in fixed steps. */
static void steps_are_allowed(void)
{
    warplu_model *model = parsed(text);
    for (int k = 0; k < 4; k++) {
        warplu_sim_options o = defaults();
        o.lanes = k < 2 ? WARPLU_LANES_MEMBERS : WARPLU_LANES_INSTANCES;
        o.dt = k % 2 == 0 ? 0.0 : 0.125;
        warplu_sim_statistics s = {.size = sizeof s};
        warplu_sim *sim = made(model, &o);
        CHECK(warplu_sim_run(sim, 0.5) == WARPLU_SUCCESS && warplu_sim_get_statistics(sim, &s) == WARPLU_SUCCESS);
        warplu_sim_destroy(&sim);
        for (int less = 0; less < 2; less++) {
            o.steps = s.steps + s.rejected - less;
            sim = made(model, &o);
            CHECK(warplu_sim_run(sim, 0.5) == (less ? WARPLU_TOO_MANY_STEPS : WARPLU_SUCCESS));
            CHECK(!less || strstr(warplu_sim_get_message(sim), "the option steps (--steps) allows more") != NULL);
            /* each run counts anew */
            CHECK(warplu_sim_run(sim, 0.5 + 1e-9) == (less ? WARPLU_TOO_MANY_STEPS : WARPLU_SUCCESS));
            warplu_sim_destroy(&sim);
        }
    }
    warplu_model_destroy(&model);
}

int main(void)
{
    RUN(mistakes_have_one_answer);
    RUN(what_the_other_has_is_a_wrong_phase);
    RUN(failures_are_told_of_again);
    RUN(names_that_are_none);
    RUN(handles_have_kinds);
    RUN(sums_follow_what_is_set);
    RUN(sums_and_fixed_quantities_are_watched);
    RUN(steps_are_allowed);
    return check_done();
}
