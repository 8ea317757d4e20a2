/* Simulations with the executor CUDA by the library's calls, on a driver without a device that runs kernels on the
 * host: the CPU's bits and words, one kernel for all runs, and ends of runs. Machines without a device: in a process of
 * its own, for a driver is opened once. */
#include <warplu/model.h>

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cuda/fake_open.h"
#include "model/method/methods.h"
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
                             "  v' = -v + pulse(g, 0.5, 4) + (if abs(t - 2*g) < 0.05 then 1 else 0)\n"
                             "end\n"
                             "use cell()\n";
static const char events[] = "element cell()\n"
                             "  param g = 1\n"
                             "  state v = 0\n"
                             "  v' = g\n"
                             "  event v - 1: v = 0\n"
                             "end\n"
                             "use cell()\n";
/* A condition, what its jump makes true, one that joins in time, and a probe behind what is not set back. */
static const char rounds[] = "element cell()\n"
                             "  param g = 1\n"
                             "  state v = 0\n"
                             "  state c = 0\n"
                             "  state d = 0\n"
                             "  v' = 1 + 0.1*c\n"
                             "  c' = 0\n"
                             "  d' = cos(4*t*g)\n"
                             "  event v >= g and c < 3: c = c + 1, v = 0\n"
                             "  event c - 0.5: d = d + g\n"
                             "  event d > 0.3: v = v + 0.01\n"
                             "  event t = 0.5: d = -1\n"
                             "  event t - 0.5: v = 0.2\n"
                             "end\n"
                             "use cell()\n";
static const char ball[] = "element cell()\n"
                           "  param g = 1\n"
                           "  state v = 0\n"
                           "  state h = g\n"
                           "  v' = -9.81\n"
                           "  h' = v\n"
                           "  event -h: v = -0.7*v, h = 0\n"
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

static int members = MEMBERS, device;

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
    o.members = members, o.varying = varying, o.varying_count = 1;
    o.executor = executor, o.method = method, o.device = device;
    /* steps in proportion to 1/tolerance, or its root, are many for an interpreter of kernels */
    if (method == WARPLU_METHOD_BACKWARD_EULER) o.relative = o.absolute = 1e-2;
    if (method == WARPLU_METHOD_TRAPEZOIDAL || method == WARPLU_METHOD_TR_BDF2) o.relative = o.absolute = 1e-4;
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
        CHECK(warplu_sim_get_members(cpu, 0, MEMBERS, a, sizeof(warplu_sim_member)) == WARPLU_SUCCESS);
        CHECK(warplu_sim_get_members(gpu, 0, MEMBERS, b, sizeof(warplu_sim_member)) == WARPLU_SUCCESS);
        for (int m = 0; m < MEMBERS; m++) {
            CHECK(a[m].status == b[m].status && memcmp(&a[m].time, &b[m].time, sizeof a[m].time) == 0);
            CHECK(a[m].unknown == b[m].unknown);
            CHECK(memcmp(&x[m], &y[m], sizeof *x) == 0 || (isnan(x[m]) && isnan(y[m])));
        }
    }
    warplu_sim_destroy(&cpu);
    warplu_sim_destroy(&gpu);
    CHECK(fake->alive == 0 && fake->retained == 0 && fake->misuses == 0);
}

/* By every method, each member with pulses of its own, and with events. */
static void what_the_cpu_can_the_device_can(void)
{
    static const char *const texts[] = {cell, varied, events, rounds, ball};
    fake_cuda *fake = fake_open();
    for (int k = 0; k < 5; k++)
        for (wlm_method m = WLM_METHOD_NONE + 1; m < WLM_METHODS; m++) {
            warplu_method method = (warplu_method)m;
            warplu_sim *sim[2];
            double v[2][MEMBERS];
            char why[2][300];
            warplu_status status[2];
            if (!wlm_method_supports(m, WLM_SMALL_ON_DEVICE, 0.0)) continue; /* needs a step */
            for (int g = 0; g < 2; g++) {
                warplu_executor executor = g ? WARPLU_EXECUTOR_CUDA : WARPLU_EXECUTOR_CPU;
                CHECK_SAY(make(texts[k], executor, method, &sim[g]) == WARPLU_SUCCESS, "%s", said);
                CHECK(set_parameters(sim[g], 0.5, 0.25) == WARPLU_SUCCESS);
                status[g] = warplu_sim_run(sim[g], 2.0);
                CHECK_SAY(status[g] == (k == 4 ? WARPLU_MEMBERS_FAILED : WARPLU_SUCCESS), "%s",
                          warplu_sim_get_message(sim[g]));
                snprintf(why[g], sizeof why[g], "%s", k == 4 ? warplu_sim_get_message(sim[g]) : "");
                read_states(sim[g], v[g]);
                warplu_sim_destroy(&sim[g]);
            }
            CHECK_SAY(strcmp(why[0], why[1]) == 0 && (k < 4 || strstr(why[0], "member 0, at t = ") != NULL), "%s, %s",
                      why[0], why[1]);
            CHECK_SAY(memcmp(v[0], v[1], sizeof v[0]) == 0, "text %d, method %d", k, (int)method);
        }
    CHECK(fake->alive == 0 && fake->retained == 0 && fake->misuses == 0);
}

/* One member's message names the unknown and its line. */
static void failures_have_the_words_of_the_cpu(void)
{
    static const warplu_method method[] = {WARPLU_METHOD_DORMAND_PRINCE, WARPLU_METHOD_RODAS4, WARPLU_METHOD_TR_BDF2};
    members = 1;
    for (int k = 0; k < 3; k++) {
        warplu_sim *sim[2];
        for (int g = 0; g < 2; g++) {
            CHECK(make(burst, g ? WARPLU_EXECUTOR_CUDA : WARPLU_EXECUTOR_CPU, method[k], &sim[g]) == WARPLU_SUCCESS);
            CHECK(warplu_sim_run(sim[g], 2.0) < 0);
        }
        CHECK_SAY(strstr(warplu_sim_get_message(sim[0]), "most at fault is cell.v (line 4)") != NULL, "%s",
                  warplu_sim_get_message(sim[0]));
        CHECK_SAY(strcmp(warplu_sim_get_message(sim[0]), warplu_sim_get_message(sim[1])) == 0, "'%s', '%s'",
                  warplu_sim_get_message(sim[0]), warplu_sim_get_message(sim[1]));
        warplu_sim_destroy(&sim[0]);
        warplu_sim_destroy(&sim[1]);
    }
    members = MEMBERS;
    CHECK(fake_open()->alive == 0);
}

static int asked;

static int refuse(void *user)
{
    (void)user;
    return ++asked > 3;
}

/* A run is cut into launches, behind each of which the caller is asked; it may be repeated. */
static void a_run_is_cancelled_between_launches(void)
{
    static const char slow[] = "element cell()\n  param g = 1\n  state v = 0\n  v' = g - v\nend\nuse cell()\n"
                               "run euler dt 1e-4\n";
    warplu_model *model = NULL;
    warplu_sim *sim = NULL;
    warplu_sim_options o;
    CHECK(warplu_model_parse(&model, "text", slow, sizeof slow - 1, NULL) == WARPLU_SUCCESS);
    warplu_sim_init_options(&o);
    o.executor = WARPLU_EXECUTOR_CUDA, o.cancel = refuse;
    CHECK(warplu_sim_create(&sim, model, &o) == WARPLU_SUCCESS);
    asked = 0;
    CHECK(warplu_sim_run(sim, 100.0) == WARPLU_CANCELLED);
    CHECK_SAY(asked == 4, "asked %d times", asked);
    asked = -1000000;
    CHECK(warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS);
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
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

/* Numbers and -1 mean what they do for solvers; all calls go to the device that is meant, or are misuses. */
static void devices_have_numbers(void)
{
    fake_cuda *fake = fake_open();
    static const struct {
        int asked, current, meant; /* current: -1: none */
    } cases[] = {{0, 1, 0}, {2, -1, 2}, {-1, 1, 1}, {-1, -1, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        warplu_sim *sim;
        wlu_cu_handle context = NULL, old;
        if (cases[k].current >= 0) {
            CHECK(wlu_cuda.context_retain(&context, cases[k].current) == 0 && wlu_cuda.context_push(context) == 0);
        }
        device = cases[k].asked;
        fake->only = cases[k].meant + 1, fake->calls = 0;
        CHECK_SAY(make(cell, WARPLU_EXECUTOR_CUDA, WARPLU_METHOD_DORMAND_PRINCE, &sim) == WARPLU_SUCCESS, "%s", said);
        fake->only = 0;
        CHECK_SAY(fake->calls > 3, "device %d: %d calls", cases[k].meant, (int)fake->calls);
        if (context != NULL) wlu_cuda.context_pop(&old), wlu_cuda.context_release(cases[k].current);
        CHECK(warplu_sim_run(sim, 1.0) == WARPLU_SUCCESS);
        warplu_sim_destroy(&sim);
    }
    warplu_sim *sim;
    device = FAKE_CUDA_DEVICES;
    CHECK(make(cell, WARPLU_EXECUTOR_CUDA, WARPLU_METHOD_DORMAND_PRINCE, &sim) == WARPLU_NO_DEVICE && sim == NULL);
    CHECK_SAY(strstr(said, "there is no CUDA device 3: the driver has 3, from 0 on") != NULL, "%s", said);
    device = 0;
    CHECK(fake->alive == 0 && fake->retained == 0 && fake->depth == 0 && fake->misuses == 0);
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
    RUN(what_the_cpu_can_the_device_can);
    RUN(failures_have_the_words_of_the_cpu);
    RUN(a_run_is_cancelled_between_launches);
    RUN(a_failed_run_changes_nothing);
    RUN(devices_have_numbers);
    return check_done();
}
