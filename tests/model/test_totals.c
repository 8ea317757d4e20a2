/* Sums over ranges of nodes and instances, in rows and by handles, of both engines and of several members. */
#include "model/engines.h"

static const char text[] = "nodes c[18] { store q = i; sum s }\n"
                           "element e(p)\n  param k = 1\n  p.q += -k*p.q\n  p.s += 2\n  half = p.q/2\nend\n"
                           "use e(c[i]) over i in 0..17\nrun rk4 dt 0.1 to 1 every 0.5\n"
                           "watch c[1].q, sum c[2..4].q, sum e[0..17].half, sum c[3..3].s, c[2..3].q\n";
enum { COLUMNS = 6, ROWS = 3 };

typedef struct rows {
    int count;
    double value[ROWS][COLUMNS];
} rows;

static int take(int64_t member, double t, int32_t count, const double *values, void *user)
{
    (void)member, (void)t;
    rows *r = user;
    CHECK(count == COLUMNS);
    if (r->count < ROWS) memcpy(r->value[r->count], values, sizeof r->value[0]);
    r->count++;
    return 0;
}

static void rows_have_sums(void)
{
    warplu_model *model = parsed(text);
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        warplu_sim_options options = defaults();
        int64_t handle[COLUMNS];
        rows r = {0};
        options.lanes = (warplu_lanes)lanes;
        warplu_sim *sim = made(model, &options);
        for (int k = 0; k < COLUMNS; k++) handle[k] = handle_of(sim, warplu_model_get_watch(model, k));
        CHECK(warplu_sim_watch(sim, handle, COLUMNS, 0.5, take, &r) == WARPLU_SUCCESS);
        CHECK(warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS && r.count == ROWS);
        for (int k = 0; k < ROWS; k++) {
            const double *v = r.value[k], d = v[0];
            CHECK_SAY(fabs(v[1] - 9.0 * d) <= 1e-14 && fabs(v[2] - 76.5 * d) <= 1e-13 && v[3] == 2.0, "%g %g %g", v[1],
                      v[2], v[3]);
            CHECK(fabs(v[4] - 2.0 * d) <= 1e-15 && fabs(v[5] - 3.0 * d) <= 1e-15);
        }
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

static void sums_have_handles(void)
{
    static const char *const varying[] = {"e[1].k"};
    const double k[2] = {0.0, 2.0};
    warplu_model *model = parsed(text);
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        warplu_sim_options options = defaults();
        warplu_handle_kind kind;
        double sum[2], one[2], other[2];
        char name[64];
        options.lanes = (warplu_lanes)lanes, options.members = 2;
        options.varying = varying, options.varying_count = 1;
        warplu_sim *sim = made(model, &options);
        CHECK(warplu_sim_set(sim, handle_of(sim, "e[1].k"), 0, 2, k) == WARPLU_SUCCESS);
        int64_t handle = handle_of(sim, "sum c[1..2].q");
        CHECK(handle_of(sim, "sum c[1..2].q") == handle && handle_of(sim, "sum c[1..3].q") == handle + 1);
        CHECK(warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS);
        CHECK(warplu_sim_get(sim, handle, 0, 2, sum) == WARPLU_SUCCESS);
        CHECK(warplu_sim_get(sim, handle_of(sim, "c[1].q"), 0, 2, one) == WARPLU_SUCCESS);
        CHECK(warplu_sim_get(sim, handle_of(sim, "c[2].q"), 0, 2, other) == WARPLU_SUCCESS);
        CHECK(sum[0] == one[0] + other[0] && sum[1] == one[1] + other[1] && one[0] == 1.0 && one[1] < 0.2);
        CHECK(warplu_sim_get_kind(sim, handle, &kind) == WARPLU_SUCCESS && kind == WARPLU_HANDLE_KIND_DEFINITION);
        CHECK(warplu_sim_get_name(sim, handle, name, sizeof name, NULL) == WARPLU_SUCCESS);
        CHECK(strcmp(name, "sum c[1..2].q") == 0);
        CHECK(warplu_sim_set(sim, handle, 0, 1, sum) == WARPLU_INVALID_ARGUMENT);
        CHECK(strstr(warplu_sim_get_message(sim), "'sum c[1..2].q' is a sum over a range") != NULL);
        CHECK(warplu_sim_get(sim, handle + 2, 0, 1, sum) == WARPLU_INVALID_ARGUMENT);
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

static void what_is_no_range_is_refused(void)
{
    static const struct {
        const char *name, *said;
    } cases[] = {{"sum c[2..18].q", "'sum c[2..18].q': there is no 'c[18].q'"},
                 {"sum c[3..2].q", "'sum c[3..2].q': expected 'sum NAME[FIRST..LAST].QUANTITY'"},
                 {"sum c[2].q", "'sum c[2].q': expected 'sum NAME[FIRST..LAST].QUANTITY'"},
                 {"sum c[-1..2].q", "'sum c[-1..2].q': expected 'sum NAME[FIRST..LAST].QUANTITY'"},
                 {"sum c[0..2", "'sum c[0..2': expected 'sum NAME[FIRST..LAST].QUANTITY'"},
                 {"sum d[0..2].q", "'sum d[0..2].q': there is no 'd[0].q'"}};
    warplu_model *model = parsed(text);
    for (int lanes = WARPLU_LANES_MEMBERS; lanes <= WARPLU_LANES_INSTANCES; lanes++) {
        warplu_sim_options options = defaults();
        options.lanes = (warplu_lanes)lanes;
        warplu_sim *sim = made(model, &options);
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            int64_t handle = 0;
            CHECK(warplu_sim_find(sim, cases[k].name, &handle) == WARPLU_INVALID_ARGUMENT && handle == -1);
            const char *said = warplu_sim_get_message(sim);
            CHECK_SAY(strncmp(said, cases[k].said, strlen(cases[k].said)) == 0, "%s", said);
        }
        warplu_sim_destroy(&sim);
    }
    warplu_model_destroy(&model);
}

int main(void)
{
    RUN(rows_have_sums);
    RUN(sums_have_handles);
    RUN(what_is_no_range_is_refused);
    return check_done();
}
