/* Simulations with the executor CUDA by the library's calls, on a driver without a device that runs kernels on the
 * host: the CPU's bits, one kernel for all runs, and what is refused. Machines without a device: in a process of its
 * own, for a driver is opened once. */
#include <warplu/model.h>

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/fake_open.h"
#include "support/check.h"

enum { MEMBERS = 5, RUNS = 3 };

static const char cell[] = "element cell()\n"
                           "  param g = 1\n"
                           "  state v = -1\n"
                           "  v' = g*(v - v^3/3) + pulse(1, 0.5, 4)\n"
                           "end\n"
                           "use cell()\n";
static const char varied[] = "element cell()\n"
                             "  param g = 1\n"
                             "  state v = 0\n"
                             "  v' = -v + pulse(g, 0.5, 4)\n"
                             "end\n"
                             "use cell()\n";
static const char events[] = "element cell()\n"
                             "  param g = 1\n"
                             "  state v = 0\n"
                             "  v' = g\n"
                             "  event v - 1: v = 0\n"
                             "end\n"
                             "use cell()\n";
static const char burst[] = "element cell()\n"
                            "  param g = 1\n"
                            "  state v = 1\n"
                            "  v' = g*v^3\n"
                            "end\n"
                            "use cell()\n";

static char said[512];

static void hear(warplu_status status, const char *text, void *user)
{
    (void)status;
    (void)user;
    snprintf(said, sizeof said, "%s", text);
}

static warplu_status make(const char *text, warplu_executor executor, warplu_method method, warplu_sim **sim)
{
    static const char *const varying[] = {"cell.g"};
    warplu_model *model = NULL;
    warplu_model_options of_model;
    warplu_sim_options o;
    warplu_model_init_options(&of_model);
    of_model.message = hear;
    *sim = NULL;
    said[0] = '\0';
    CHECK_SAY(warplu_model_parse(&model, "text", text, (int64_t)strlen(text), &of_model) == WARPLU_SUCCESS, "%s", said);
    warplu_sim_init_options(&o);
    o.members = MEMBERS, o.varying = varying, o.varying_count = 1;
    o.executor = executor, o.method = method;
    warplu_status status = warplu_sim_create(sim, model, &o);
    warplu_model_destroy(&model);
    return status;
}

static warplu_status set_parameters(warplu_sim *sim, double first, double by)
{
    int64_t handle;
    double g[MEMBERS];
    for (int m = 0; m < MEMBERS; m++) g[m] = first + by * m;
    warplu_status status = warplu_sim_find(sim, "cell.g", &handle);
    return status == WARPLU_SUCCESS ? warplu_sim_set(sim, handle, 0, MEMBERS, g) : status;
}

static void read_states(warplu_sim *sim, double v[MEMBERS])
{
    int64_t handle;
    CHECK(warplu_sim_find(sim, "cell.v", &handle) == WARPLU_SUCCESS);
    CHECK(warplu_sim_get(sim, handle, 0, MEMBERS, v) == WARPLU_SUCCESS);
}

typedef struct rows {
    int told;
    double sum[MEMBERS];
} rows;

static int note(int64_t member, double t, int32_t watched, const double *values, void *user)
{
    rows *r = user;
    (void)watched;
    r->told++;
    r->sum[member] += t * values[0];
    return 0;
}

static void watch(warplu_sim *sim, rows *r)
{
    int64_t handle;
    CHECK(warplu_sim_find(sim, "cell.v", &handle) == WARPLU_SUCCESS);
    CHECK(warplu_sim_watch(sim, &handle, 1, 0.5, note, r) == WARPLU_SUCCESS);
}

/* Several runs, of which the kernel is compiled once. */
static void runs_have_the_bits_of_the_cpu(void)
{
    fake_cuda *fake = fake_open();
    warplu_sim *cpu, *gpu;
    warplu_sim_statistics of_cpu = {.size = sizeof of_cpu}, of_gpu = {.size = sizeof of_gpu};
    rows on_cpu = {0}, on_gpu = {0};
    fake->texts = 0;
    CHECK(make(cell, WARPLU_EXECUTOR_CPU, WARPLU_METHOD_DORMAND_PRINCE, &cpu) == WARPLU_SUCCESS);
    CHECK_SAY(make(cell, WARPLU_EXECUTOR_CUDA, WARPLU_METHOD_DORMAND_PRINCE, &gpu) == WARPLU_SUCCESS, "%s", said);
    CHECK(set_parameters(cpu, 0.5, 0.25) == WARPLU_SUCCESS && set_parameters(gpu, 0.5, 0.25) == WARPLU_SUCCESS);
    watch(cpu, &on_cpu), watch(gpu, &on_gpu);
    for (int run = 1; run <= RUNS; run++) {
        double x[MEMBERS], y[MEMBERS];
        CHECK(warplu_sim_run(cpu, 2.0 * run) == WARPLU_SUCCESS);
        CHECK_SAY(warplu_sim_run(gpu, 2.0 * run) == WARPLU_SUCCESS, "%s", warplu_sim_get_message(gpu));
        read_states(cpu, x), read_states(gpu, y);
        CHECK(memcmp(x, y, sizeof x) == 0);
    }
    CHECK(on_cpu.told == RUNS * MEMBERS * 5 && memcmp(&on_cpu, &on_gpu, sizeof on_cpu) == 0);
    CHECK(warplu_sim_get_statistics(cpu, &of_cpu) == WARPLU_SUCCESS);
    CHECK(warplu_sim_get_statistics(gpu, &of_gpu) == WARPLU_SUCCESS);
    CHECK(of_cpu.steps == of_gpu.steps && of_cpu.rejected == of_gpu.rejected);
    CHECK_SAY(fake->texts == 1, "%d modules", (int)fake->texts);
    warplu_sim_destroy(&cpu);
    warplu_sim_destroy(&gpu);
    CHECK(fake->alive == 0 && fake->retained == 0 && fake->depth == 0 && fake->misuses == 0);
}

/* Members that have failed are left out by the next run, the others go on as on the CPU. */
static void members_that_fail_are_left_out(void)
{
    fake_cuda *fake = fake_open();
    warplu_sim *cpu, *gpu;
    double x[MEMBERS], y[MEMBERS];
    CHECK(make(burst, WARPLU_EXECUTOR_CPU, WARPLU_METHOD_RODAS4, &cpu) == WARPLU_SUCCESS);
    CHECK(make(burst, WARPLU_EXECUTOR_CUDA, WARPLU_METHOD_RODAS4, &gpu) == WARPLU_SUCCESS);
    CHECK(set_parameters(cpu, 2.0, -0.4) == WARPLU_SUCCESS && set_parameters(gpu, 2.0, -0.4) == WARPLU_SUCCESS);
    for (int run = 1; run <= RUNS; run++) {
        warplu_sim_member a[MEMBERS], b[MEMBERS];
        CHECK(warplu_sim_run(cpu, 0.3 * run) == WARPLU_MEMBERS_FAILED);
        CHECK(warplu_sim_run(gpu, 0.3 * run) == WARPLU_MEMBERS_FAILED);
        read_states(cpu, x), read_states(gpu, y);
        CHECK(warplu_sim_get_members(cpu, 0, MEMBERS, a) == WARPLU_SUCCESS);
        CHECK(warplu_sim_get_members(gpu, 0, MEMBERS, b) == WARPLU_SUCCESS);
        for (int m = 0; m < MEMBERS; m++) {
            CHECK(a[m].status == b[m].status && memcmp(&a[m].time, &b[m].time, sizeof a[m].time) == 0);
            CHECK(memcmp(&x[m], &y[m], sizeof *x) == 0 || (isnan(x[m]) && isnan(y[m])));
        }
    }
    warplu_sim_destroy(&cpu);
    warplu_sim_destroy(&gpu);
    CHECK(fake->alive == 0 && fake->retained == 0 && fake->misuses == 0);
}

static void what_does_not_fit_is_refused(void)
{
    static const struct {
        const char *text;
        warplu_method method;
        const char *words;
    } list[] = {{cell, WARPLU_METHOD_TR_BDF2, "Newton"}, {events, WARPLU_METHOD_RODAS4, "events"}};
    fake_cuda *fake = fake_open();
    warplu_sim *sim;
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) {
        CHECK(make(list[k].text, WARPLU_EXECUTOR_CUDA, list[k].method, &sim) == WARPLU_INVALID_ARGUMENT && sim == NULL);
        CHECK_SAY(strstr(said, list[k].words) != NULL && strstr(said, "CUDA") != NULL, "%s", said);
    }
    CHECK(fake->alive == 0 && fake->retained == 0);
}

/* Pulses of members show when a run begins: nothing has begun, and parameters may be set so that they fit. */
static void pulses_that_differ_are_refused(void)
{
    warplu_sim *sim;
    double before[MEMBERS], after[MEMBERS];
    CHECK(make(varied, WARPLU_EXECUTOR_CUDA, WARPLU_METHOD_DORMAND_PRINCE, &sim) == WARPLU_SUCCESS);
    CHECK(set_parameters(sim, 0.5, 0.25) == WARPLU_SUCCESS);
    read_states(sim, before);
    CHECK(warplu_sim_run(sim, 2.0) == WARPLU_INVALID_ARGUMENT);
    CHECK_SAY(strstr(warplu_sim_get_message(sim), "pulses that differ") != NULL, "%s", warplu_sim_get_message(sim));
    read_states(sim, after);
    CHECK(memcmp(before, after, sizeof before) == 0);
    CHECK(set_parameters(sim, 0.5, 0.0) == WARPLU_SUCCESS && warplu_sim_run(sim, 2.0) == WARPLU_SUCCESS);
    CHECK(set_parameters(sim, 0.5, 0.0) == WARPLU_WRONG_PHASE);
    warplu_sim_destroy(&sim);
    CHECK(fake_open()->alive == 0);
}

/* A run that the device fails can be repeated, from where the simulation stands. */
static void a_failed_run_changes_nothing(void)
{
    fake_cuda *fake = fake_open();
    warplu_sim *cpu, *gpu;
    double x[MEMBERS], y[MEMBERS];
    CHECK(make(cell, WARPLU_EXECUTOR_CPU, WARPLU_METHOD_RODAS4, &cpu) == WARPLU_SUCCESS);
    CHECK(make(cell, WARPLU_EXECUTOR_CUDA, WARPLU_METHOD_RODAS4, &gpu) == WARPLU_SUCCESS);
    int64_t k = 1, reached = 1;
    for (; reached && k < 200; k++) {
        fake->calls = 0, fake->fail_at = k, fake->failure = 999;
        warplu_status status = warplu_sim_run(gpu, 2.0);
        reached = fake->calls >= k;
        fake->fail_at = 0;
        CHECK(status == (reached ? WARPLU_DEVICE_FAILED : WARPLU_SUCCESS));
    }
    CHECK(k > 30 && k < 200 && warplu_sim_run(cpu, 2.0) == WARPLU_SUCCESS);
    read_states(cpu, x), read_states(gpu, y);
    CHECK(memcmp(x, y, sizeof x) == 0);
    warplu_sim_destroy(&cpu);
    warplu_sim_destroy(&gpu);
    CHECK(fake->alive == 0 && fake->depth == 0 && fake->misuses == 0);
}

static void a_machine_without_a_device(void)
{
    int ended = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        warplu_sim *sim;
        setenv("WARPLU_LIBCUDA", "/no/such/libcuda.so.1", 1);
        warplu_status status = make(cell, WARPLU_EXECUTOR_CUDA, WARPLU_METHOD_RODAS4, &sim);
        int right = status == WARPLU_NO_DEVICE && sim == NULL && strstr(said, "/no/such/libcuda.so.1") != NULL;
        if (!right) printf("# %s, '%s'\n", warplu_status_name(status), said);
        fflush(stdout);
        _exit(!right);
    }
    CHECK(child > 0 && waitpid(child, &ended, 0) == child);
    CHECK(WIFEXITED(ended) && WEXITSTATUS(ended) == 0);
}

int main(void)
{
    RUN(a_machine_without_a_device);
    fake_open();
    RUN(runs_have_the_bits_of_the_cpu);
    RUN(members_that_fail_are_left_out);
    RUN(what_does_not_fit_is_refused);
    RUN(pulses_that_differ_are_refused);
    RUN(a_failed_run_changes_nothing);
    return check_done();
}
