/* Runs by warplu/model.h: rows, members that fail, cancellation, threads, and memory that ends. */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

#include "api.h"
#include "support/build.h"

enum { ROWS_MOST = 4096, MANY = 200 };

/* Rows as they are told; an end is asked for at row `stop`. */
typedef struct rows {
    int count, stop;
    int64_t member[ROWS_MOST];
    double t[ROWS_MOST], first[ROWS_MOST], second[ROWS_MOST];
} rows;

static int keep(int64_t member, double t, int32_t watched, const double *values, void *user)
{
    rows *r = user;
    if (r->count < ROWS_MOST) {
        r->member[r->count] = member, r->t[r->count] = t, r->first[r->count] = values[0];
        r->second[r->count] = watched > 1 ? values[1] : 0.0;
    }
    return ++r->count == r->stop;
}

static void rows_come_in_order(void)
{
    static rows r;
    warplu_model *model = parsed(decay_text);
    warplu_sim *sim = made(model, NULL);
    warplu_model_destroy(&model); /* the simulation goes on */
    int64_t handles[2] = {handle_of(sim, "cell.twice"), handle_of(sim, "cell.x")};
    r = (rows){0};
    CHECK(warplu_sim_watch(sim, handles, 2, 0.1, keep, &r) == WARPLU_SUCCESS);
    handles[0] = handles[1] = -1; /* they were copied */
    CHECK(warplu_sim_run(sim, 0.3) == WARPLU_SUCCESS);
    CHECK_SAY(r.count == 4 && r.t[0] == 0.0 && r.t[3] == 0.3, "%d rows", r.count);
    CHECK(warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS);
    CHECK_SAY(r.count == 12 && r.t[4] == 0.3 && fabs(r.t[5] - 0.4) < 1e-15, "%d rows", r.count);
    for (int k = 0; k < r.count && k < ROWS_MOST; k++) {
        CHECK(r.member[k] == 0 && r.first[k] == 2.0 * r.second[k]);
        CHECK_SAY(fabs(r.second[k] - exp(-2.0 * r.t[k])) < 3e-6, "t = %g: %g", r.t[k], r.second[k]);
    }
    CHECK(warplu_sim_watch(sim, NULL, 0, 0.0, NULL, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_sim_run(sim, 1.5) == WARPLU_SUCCESS && r.count == 12);
    CHECK(warplu_sim_run(sim, 1.5) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_run(sim, NAN) == WARPLU_INVALID_ARGUMENT && warplu_sim_run(NULL, 2.0) == WARPLU_INVALID_ARGUMENT);
    warplu_sim_destroy(&sim);
}

static void bad_watches_are_refused(void)
{
    warplu_model *model = parsed(decay_text);
    warplu_sim *sim = made(model, NULL);
    int64_t good = handle_of(sim, "cell.x"), bad = 99;
    static rows r;
    r = (rows){0};
    CHECK(warplu_sim_watch(NULL, &good, 1, 0.1, keep, &r) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_watch(sim, &bad, 1, 0.1, keep, &r) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_watch(sim, &good, -1, 0.1, keep, &r) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_watch(sim, &good, 1, 0.0, keep, &r) == WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_watch(sim, &good, 1, 1e-300, keep, &r) == WARPLU_SUCCESS);
    CHECK(warplu_sim_run(sim, 1.0) == WARPLU_OVERFLOW && r.count == 0);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

/* Members 0, 3, 6 ... blow up at 0.5; the others' bits are those of each alone. */
static void members_that_fail_harm_no_other(void)
{
    warplu_model *model = parsed(blow_up_text);
    const char *const varying[] = {"cell.g"};
    warplu_sim_options o = defaults();
    o.varying = varying, o.varying_count = 1, o.members = 70;
    warplu_sim *sim = made(model, &o);
    double g[70], alone = -0.5, x[70];
    for (int k = 0; k < 70; k++) g[k] = k % 3 == 0 ? 2.0 : -0.5;
    CHECK(warplu_sim_set(sim, handle_of(sim, "cell.g"), 0, 70, g) == WARPLU_SUCCESS);
    CHECK(warplu_sim_run(sim, 1.0) == WARPLU_MEMBERS_FAILED);
    CHECK(warplu_sim_run(sim, 2.0) == WARPLU_MEMBERS_FAILED);
    o.members = 1;
    warplu_sim *one = made(model, &o);
    CHECK(warplu_sim_set(one, handle_of(one, "cell.g"), 0, 1, &alone) == WARPLU_SUCCESS);
    CHECK(warplu_sim_run(one, 1.0) == WARPLU_SUCCESS && warplu_sim_run(one, 2.0) == WARPLU_SUCCESS);
    double expected = value_of(one, "cell.x", 0);
    CHECK_SAY(fabs(expected - 0.5) < 1e-5, "%g", expected);
    CHECK(warplu_sim_get(sim, handle_of(sim, "cell.x"), 0, 70, x) == WARPLU_SUCCESS);
    for (int k = 0; k < 70; k++) {
        warplu_sim_member m;
        CHECK(warplu_sim_get_members(sim, k, 1, &m, sizeof(warplu_sim_member)) == WARPLU_SUCCESS);
        int failed = k % 3 == 0;
        CHECK_SAY(failed == (m.status < 0) && failed == isnan(x[k]), "member %d: %d, %g", k, (int)m.status, x[k]);
        if (failed)
            CHECK_SAY(fabs(m.time - 0.5) < 1e-3, "member %d stands at %g", k, m.time);
        else
            CHECK(m.time == 2.0 && x[k] == expected);
    }
    CHECK(warplu_sim_get_members(sim, 69, 2, (warplu_sim_member *)x, sizeof(warplu_sim_member)) ==
          WARPLU_INVALID_ARGUMENT);
    CHECK(warplu_sim_get_members(sim, 0, 1, NULL, sizeof(warplu_sim_member)) == WARPLU_INVALID_ARGUMENT);
    warplu_sim_destroy(&sim);
    warplu_sim_destroy(&one);
    warplu_model_destroy(&model);
}

static void one_member_says_why(void)
{
    warplu_model *model = parsed(blow_up_text);
    warplu_sim *sim = made(model, NULL);
    warplu_status status = warplu_sim_run(sim, 1.0);
    CHECK_SAY(status == WARPLU_STEP_TOO_SMALL || status == WARPLU_NOT_FINITE, "%s", warplu_status_name(status));
    CHECK_SAY(strncmp(warplu_sim_get_message(sim), "at t = 0.5", 10) == 0 ||
                  strncmp(warplu_sim_get_message(sim), "at t = 0.49", 11) == 0,
              "%s", warplu_sim_get_message(sim));
    CHECK(strstr(warplu_sim_get_message(sim), "most at fault is cell.x (line 4)") != NULL);
    warplu_sim_member member;
    CHECK(warplu_sim_get_members(sim, 0, 1, &member, sizeof(warplu_sim_member)) == WARPLU_SUCCESS &&
          member.unknown == handle_of(sim, "cell.x"));
    CHECK(warplu_sim_run(sim, 2.0) == status);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

static int count_down(void *user)
{
    return atomic_fetch_sub((atomic_int *)user, 1) <= 0;
}

static void runs_are_cancelled_and_repeated(void)
{
    static rows r;
    atomic_int left;
    atomic_init(&left, INT32_MAX);
    warplu_model *model = parsed(decay_text);
    warplu_sim_options o = defaults();
    o.cancel = count_down, o.cancel_user = &left;
    warplu_sim *sim = made(model, &o), *whole = made(model, NULL);
    int64_t x = handle_of(sim, "cell.x");
    r = (rows){.stop = 3};
    CHECK(warplu_sim_watch(sim, &x, 1, 0.01, keep, &r) == WARPLU_SUCCESS);
    CHECK(warplu_sim_run(sim, 1.0) == WARPLU_CANCELLED && r.count == 3);
    atomic_store(&left, 2);
    CHECK(warplu_sim_run(sim, 1.0) == WARPLU_CANCELLED);
    CHECK_SAY(value_of(sim, "cell.x", 0) == 1.0, "%g", value_of(sim, "cell.x", 0));
    atomic_store(&left, INT32_MAX);
    r.stop = 0;
    CHECK(warplu_sim_watch(sim, NULL, 0, 0.0, NULL, NULL) == WARPLU_SUCCESS);
    CHECK(warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS && warplu_sim_run(whole, 1.0) == WARPLU_SUCCESS);
    CHECK(value_of(sim, "cell.x", 0) == value_of(whole, "cell.x", 0));
    r = (rows){.stop = 2};
    CHECK(warplu_sim_watch(sim, &x, 1, 1.0, keep, &r) == WARPLU_SUCCESS);
    CHECK(warplu_sim_run(sim, 2.0) == WARPLU_CANCELLED); /* by the last row */
    CHECK(warplu_sim_run(sim, 2.0) == WARPLU_SUCCESS);
    warplu_sim_destroy(&sim);
    warplu_sim_destroy(&whole);
    warplu_model_destroy(&model);
}

static void run_many(const warplu_model *model, int threads, double *x)
{
    const char *const varying[] = {"cell.g"};
    warplu_sim_options o = defaults();
    double g[MANY];
    o.varying = varying, o.varying_count = 1, o.members = MANY, o.threads = threads;
    warplu_sim *sim = made(model, &o);
    for (int k = 0; k < MANY; k++) g[k] = 0.1 + 0.05 * k;
    CHECK(warplu_sim_set(sim, handle_of(sim, "cell.g"), 0, MANY, g) == WARPLU_SUCCESS);
    CHECK(warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS);
    CHECK(warplu_sim_get(sim, handle_of(sim, "cell.x"), 0, MANY, x) == WARPLU_SUCCESS);
    warplu_sim_destroy(&sim);
}

static void threads_change_no_bit(void)
{
    double x[4][MANY];
    warplu_model *model = parsed(decay_text);
    for (int threads = 0; threads < 4; threads++) run_many(model, threads, x[threads]);
    for (int threads = 0; threads < 4; threads++) CHECK(memcmp(x[threads], x[1], sizeof x[1]) == 0);
    for (int k = 0; k < MANY; k++) CHECK(fabs(x[1][k] - exp(-0.1 - 0.05 * k)) < 3e-6);
    warplu_model_destroy(&model);
}

typedef struct task {
    const warplu_model *model;
    double x[MANY];
} task;

static void *work(void *argument)
{
    task *t = argument;
    run_many(t->model, 1, t->x);
    return NULL;
}

static void threads_share_a_model(void)
{
    static task t[2];
    pthread_t thread[2];
    warplu_model *model = parsed(decay_text);
    for (int k = 0; k < 2; k++) {
        t[k].model = model;
        CHECK(pthread_create(&thread[k], NULL, work, &t[k]) == 0);
    }
    for (int k = 0; k < 2; k++) pthread_join(thread[k], NULL);
    CHECK(memcmp(t[0].x, t[1].x, sizeof t[0].x) == 0 && t[0].x[0] > 0.0);
    warplu_model_destroy(&model);
}

/* Reads, makes, watches and runs; the last value, or NaN. */
static double attempt(test_allocator *a, warplu_status *status)
{
    static rows r;
    const char *const varying[] = {"cell.g"}, *const set[] = {"cell.x0"};
    double value = NAN, three = 3.0;
    warplu_model *model = NULL;
    warplu_sim *sim = NULL;
    warplu_model_options options;
    warplu_model_init_options(&options);
    options.allocate = test_allocate, options.release = test_release, options.allocator_user = a;
    warplu_sim_options o = defaults();
    o.members = 2, o.varying = varying, o.varying_count = 1, o.set = set, o.set_value = &three, o.set_count = 1;
    int64_t handle[2];
    r = (rows){0};
    *status = warplu_model_parse(&model, "a.wm", decay_text, (int64_t)sizeof decay_text - 1, &options);
    if (*status == WARPLU_SUCCESS) *status = warplu_sim_create(&sim, model, &o);
    CHECK((sim != NULL) == (*status == WARPLU_SUCCESS));
    if (*status == WARPLU_SUCCESS) *status = warplu_sim_find(sim, "cell.x", &handle[0]);
    if (*status == WARPLU_SUCCESS) *status = warplu_sim_find(sim, "cell.twice", &handle[1]);
    if (*status == WARPLU_SUCCESS) *status = warplu_sim_set(sim, handle[0], 1, 1, &three);
    if (*status == WARPLU_SUCCESS) *status = warplu_sim_watch(sim, handle, 2, 0.25, keep, &r);
    if (*status == WARPLU_SUCCESS) *status = warplu_sim_run(sim, 0.5);
    if (*status == WARPLU_SUCCESS) *status = warplu_sim_get(sim, handle[1], 1, 1, &value);
    if (*status == WARPLU_SUCCESS) CHECK(r.count == 6);
    CHECK(sim == NULL || *status == WARPLU_SUCCESS || warplu_sim_get_message(sim)[0] != '\0');
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
    return value;
}

static void each_allocation_may_fail(void)
{
    test_allocator a = {0};
    warplu_status status;
    double expected = attempt(&a, &status);
    int64_t all = a.calls;
    CHECK_SAY(status == WARPLU_SUCCESS && a.alive == 0 && fabs(expected - 6.0 * exp(-1.0)) < 2e-5, "%g", expected);
    for (int64_t k = 1; k <= all; k++) {
        if (!check_due()) continue;
        a = (test_allocator){.fail_at = k};
        double value = attempt(&a, &status);
        CHECK_SAY(status == WARPLU_OUT_OF_MEMORY || (status == WARPLU_SUCCESS && value == expected), "call %d: %s",
                  (int)k, warplu_status_name(status));
        CHECK_SAY(a.alive == 0, "call %d: %d left", (int)k, (int)a.alive);
    }
    printf("# %d calls\n", (int)all);
}

int main(void)
{
    RUN(rows_come_in_order);
    RUN(bad_watches_are_refused);
    RUN(members_that_fail_harm_no_other);
    RUN(one_member_says_why);
    RUN(runs_are_cancelled_and_repeated);
    RUN(threads_change_no_bit);
    RUN(threads_share_a_model);
    RUN(each_allocation_may_fail);
    return check_done();
}
