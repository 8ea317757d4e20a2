/* Networks with the executor CUDA: one system of many instances whose kernel takes whole steps has the CPU's rows byte
 * for byte, its counts and its words. Compiled with FAKE_CUDA_PATH the kernels run on the host, all threads of a launch
 * side by side; else on a device, where there is one. */
#include <warplu/model.h>

#include <math.h>
#include <string.h>

#ifdef FAKE_CUDA_PATH
#include "cuda/fake_open.h"
#endif
#include "support/check.h"

/* Sums in two levels, one of more contributions than a block has; signs; masses that are not 1; states of instances;
 * a pulse's edges; a fixed end; a parameter of each instance; more instances than a thread block has. */
static const char network[] = "element link(a, b, m)\n"
                              "  param k = 1\n"
                              "  f = k*(a.x - b.x)\n"
                              "  a.x += -f\n"
                              "  b.x += f\n"
                              "  m.all += f*f\n"
                              "end\n"
                              "element cell(u, m, p)\n"
                              "  param c = 2\n"
                              "  state w = 0.5\n"
                              "  w' = (u.x - w)/(0.3 + 0.1*m.mean) + pulse(0.2, 0.1, 0.35)\n"
                              "  u.x += c*ddt(u.x)\n"
                              "  u.x += 0.01*p.e - 0.1*w\n"
                              "end\n"
                              "element share(m)\n"
                              "  m.mean += m.all/300\n"
                              "end\n"
                              "nodes u[300] { balance x = sin(i) }\n"
                              "nodes rim { fixed x = 1 }\n"
                              "nodes m { sum all; sum mean }\n"
                              "nodes p { fixed e = 0.25 }\n"
                              "use link(u[i], u[i + 1], m) with k = 1 + 0.01*i over i in 0..298\n"
                              "use link(u[7*i], u[299 - i], m) over i in 0..39\n"
                              "use link(rim, u[0], m)\n"
                              "use cell(u[299 - i], m, p) with c = 1 + 0.5*(i mod 3) over i in 0..299\n"
                              "use share(m)\n"
                              "run rk4 dt 0.01 to 1\n";
/* Gates by Rush and Larsen, and an event of each instance. */
static const char gates[] = "element cell(u)\n"
                            "  param g = 1\n"
                            "  gate n = 0.2: 1/(1 + exp(-u.v)), 0.4 + 0.1*g\n"
                            "  state k = 0\n"
                            "  k' = n\n"
                            "  u.v += ddt(u.v) + n*u.v - g\n"
                            "  event u.v - 0.8: k = k - 1\n"
                            "end\n"
                            "nodes u[20] { balance v = 0.01*i }\n"
                            "use cell(u[i]) with g = 1 + 0.05*i over i in 0..19\n"
                            "run rk4 dt 0.01 to 1\n";
/* Tiles of several thread blocks: a line of more cells than one has, two levels of sums that are one contribution each,
 * wide ends, and a parameter and a state of each cell. */
static const char line[] = "element slope(l, r, f)\n"
                           "  f.d += r.x - l.x\n"
                           "end\n"
                           "element bend(a, b, c)\n"
                           "  c.d += b.d - a.d\n"
                           "end\n"
                           "element cell(u, c, v)\n"
                           "  param k = 0.1\n"
                           "  state w = 0\n"
                           "  w' = u.x - w\n"
                           "  f = k*c.d + 0.01*(w - u.x)\n"
                           "  u.x += f\n"
                           "  v.x += -f\n"
                           "end\n"
                           "nodes u[1500] { store x = sin(0.1*i) }\n"
                           "nodes f[1501] { sum d }\n"
                           "nodes c[1500] { sum d }\n"
                           "nodes rim { fixed x = 0 }\n"
                           "use slope(rim, u[0], f[0])\n"
                           "use slope(u[i], u[i + 1], f[i + 1]) over i in 0..1498\n"
                           "use slope(u[1499], rim, f[1500])\n"
                           "use bend(f[i], f[i + 1], c[i]) over i in 0..1499\n"
                           "use cell(u[i], c[i], u[1499 - i]) with k = 0.1 + 0.0001*i over i in 0..1499\n"
                           "run rk4 dt 0.01 to 1\n";
/* Steps by the least limit of all cells. */
static const char waves[] = "element flux(l, r)\n"
                            "  f = 0.5*(l.x^2/2 + r.x^2/2) - 0.25*(abs(l.x) + abs(r.x))*(r.x - l.x)\n"
                            "  l.x += -f\n"
                            "  r.x += f\n"
                            "  limit 1/(abs(l.x) + abs(r.x) + 0.1)\n"
                            "end\n"
                            "nodes u[600] { store x = 1 + 0.5*sin(0.05*i) }\n"
                            "use flux(u[i], u[(i + 1) mod 600]) over i in 0..599\n"
                            "run ssp-rk2 cfl 0.4 to 1\n";
static const char drains[] = "element out(u)\n"
                             "  u.x += -0.5 - 0.01*u.x\n"
                             "end\n"
                             "nodes u[40] { store x = 0.3 + 0.01*i; positive x }\n"
                             "use out(u[39 - i]) over i in 0..39\n"
                             "run rk4 dt 0.01 to 1\n";
static const char bursts[] = "element cell(u)\n"
                             "  u.x += u.x^3\n"
                             "end\n"
                             "nodes u[40] { store x = 1 + 0.01*i }\n"
                             "use cell(u[i]) over i in 0..39\n"
                             "run rk4 dt 0.01 to 1\n";

enum { ROWS = 12, WIDTH = 64 };
typedef struct result {
    warplu_status status;
    char said[512];
    int64_t rows, steps, rejected;
    double number[ROWS][1 + WIDTH];
} result;

static void hear(warplu_status status, const char *text, void *user)
{
    (void)status;
    snprintf(user, 512, "%s", text);
}

static int note(int64_t member, double t, int32_t watched, const double *values, void *user)
{
    result *r = user;
    (void)member;
    if (r->rows == ROWS) return 1;
    r->number[r->rows][0] = t;
    memcpy(&r->number[r->rows++][1], values, (size_t)watched * sizeof *values);
    return 0;
}

/* Watches every seventh of all that can be watched, up to WIDTH of them. */
static void watch(warplu_sim *sim, result *r)
{
    int64_t handle[WIDTH];
    int32_t count = 0;
    char name[64];
    for (int64_t h = 0; count < WIDTH && warplu_sim_get_name(sim, h, name, sizeof name, NULL) == WARPLU_SUCCESS; h += 7)
        handle[count++] = h;
    CHECK(warplu_sim_watch(sim, handle, count, 0.1, note, r) == WARPLU_SUCCESS);
}

static void run(const char *text, warplu_executor executor, warplu_method method, double dt, result *r)
{
    warplu_model *model = NULL;
    warplu_model_options of_model;
    warplu_sim_options o;
    warplu_sim *sim = NULL;
    warplu_sim_statistics counts = {.size = sizeof counts};
    memset(r, 0, sizeof *r);
    warplu_model_init_options(&of_model);
    of_model.message = hear, of_model.message_user = r->said;
    CHECK_SAY(warplu_model_parse(&model, "text", text, (int64_t)strlen(text), &of_model) == WARPLU_SUCCESS, "%s",
              r->said);
    warplu_sim_init_options(&o);
    o.executor = executor, o.method = method, o.dt = dt, o.lanes = WARPLU_LANES_INSTANCES;
    r->status = warplu_sim_create(&sim, model, &o);
    if (r->status == WARPLU_SUCCESS) {
        watch(sim, r);
        r->status = warplu_sim_run(sim, 0.5);
        if (r->status == WARPLU_SUCCESS) r->status = warplu_sim_run(sim, 1.0);
        CHECK(warplu_sim_get_statistics(sim, &counts) == WARPLU_SUCCESS);
        r->steps = counts.steps, r->rejected = counts.rejected;
    }
    warplu_sim_destroy(&sim);
    warplu_model_destroy(&model);
}

static int is_missing(void)
{
    static result r;
    run(bursts, WARPLU_EXECUTOR_CUDA, WARPLU_METHOD_EULER, 0.1, &r);
    return r.status == WARPLU_NO_DEVICE || r.status == WARPLU_NOT_COMPILED;
}

static void compare(const char *text, warplu_method method, double dt, warplu_status expected)
{
    static result host, device;
    run(text, WARPLU_EXECUTOR_CPU, method, dt, &host);
    run(text, WARPLU_EXECUTOR_CUDA, method, dt, &device);
    CHECK_SAY(host.status == expected, "%s: %s", warplu_status_name(host.status), host.said);
    CHECK_SAY(device.status == expected, "%s: %s", warplu_status_name(device.status), device.said);
    CHECK_SAY(strcmp(host.said, device.said) == 0, "'%s' where the CPU says '%s'", device.said, host.said);
    CHECK(host.rows > 1 && host.rows == device.rows && host.steps == device.steps && host.rejected == device.rejected);
    CHECK_SAY(memcmp(host.number, device.number, sizeof host.number) == 0, "method %d, dt %g: other bits", (int)method,
              dt);
}

static void fixed_steps_have_the_bits_of_the_cpu(void)
{
    static const warplu_method method[] = {WARPLU_METHOD_EULER, WARPLU_METHOD_RK4, WARPLU_METHOD_SSP_RK3,
                                           WARPLU_METHOD_DORMAND_PRINCE, WARPLU_METHOD_RUSH_LARSEN};
    if (is_missing()) SKIP("no CUDA device, or a build without CUDA");
    for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
        compare(network, method[k], 0.03, WARPLU_SUCCESS);
        compare(gates, method[k], 0.01, WARPLU_SUCCESS);
        compare(line, method[k], 0.1, WARPLU_SUCCESS);
    }
    compare(waves, WARPLU_METHOD_AUTO, 0.0, WARPLU_SUCCESS);
}

static void controlled_steps_have_the_bits_of_the_cpu(void)
{
    static const warplu_method method[] = {WARPLU_METHOD_DORMAND_PRINCE, WARPLU_METHOD_BOGACKI_SHAMPINE};
    if (is_missing()) SKIP("no CUDA device, or a build without CUDA");
    for (size_t k = 0; k < sizeof method / sizeof *method; k++) {
        compare(network, method[k], 0.0, WARPLU_SUCCESS);
        compare(gates, method[k], 0.0, WARPLU_SUCCESS);
    }
}

static void failures_have_the_words_of_the_cpu(void)
{
    if (is_missing()) SKIP("no CUDA device, or a build without CUDA");
    compare(bursts, WARPLU_METHOD_EULER, 0.05, WARPLU_NOT_FINITE);
    compare(drains, WARPLU_METHOD_RK4, 0.01, WARPLU_OUT_OF_RANGE);
    compare(drains, WARPLU_METHOD_BOGACKI_SHAMPINE, 0.0, WARPLU_OUT_OF_RANGE);
    compare(bursts, WARPLU_METHOD_BOGACKI_SHAMPINE, 0.0, WARPLU_NOT_FINITE);
}

static void implicit_methods_are_refused_by_name(void)
{
    static result r;
    if (is_missing()) SKIP("no CUDA device, or a build without CUDA");
    run(network, WARPLU_EXECUTOR_CUDA, WARPLU_METHOD_BACKWARD_EULER, 0.1, &r);
    CHECK(r.status == WARPLU_INVALID_ARGUMENT && strstr(r.said, "backward-euler") != NULL);
}

#ifdef FAKE_CUDA_PATH
static void read_all(warplu_sim *sim, double value[WIDTH])
{
    for (int64_t h = 0; h < WIDTH; h++) CHECK(warplu_sim_get(sim, h, 0, 1, &value[h]) == WARPLU_SUCCESS);
}

/* Each call of the driver fails in turn: the run behind it has the states of the CPU. dt 0: steps are controlled. */
static void fail_at_each_call(warplu_method method, double dt)
{
    fake_cuda *fake = fake_open();
    warplu_model *model = NULL;
    warplu_sim_options o;
    warplu_sim *cpu = NULL, *gpu = NULL;
    double x[WIDTH], y[WIDTH];
    CHECK(warplu_model_parse(&model, "text", waves, (int64_t)strlen(waves), NULL) == WARPLU_SUCCESS);
    warplu_sim_init_options(&o);
    o.method = method, o.dt = dt, o.lanes = WARPLU_LANES_INSTANCES, o.executor = WARPLU_EXECUTOR_CPU;
    CHECK(warplu_sim_create(&cpu, model, &o) == WARPLU_SUCCESS);
    o.executor = WARPLU_EXECUTOR_CUDA;
    CHECK(warplu_sim_create(&gpu, model, &o) == WARPLU_SUCCESS);
    for (int run = 1; run <= 2; run++) {
        int64_t k = 1, reached = 1;
        for (; reached && k < 200; k++) {
            fake->calls = 0, fake->fail_at = k, fake->failure = 999;
            warplu_status status = warplu_sim_run(gpu, 0.2 * run);
            reached = fake->calls >= k;
            fake->fail_at = 0;
            CHECK(status == (reached ? WARPLU_DEVICE_FAILED : WARPLU_SUCCESS));
        }
        CHECK(k > 5 && k < 200 && warplu_sim_run(cpu, 0.2 * run) == WARPLU_SUCCESS);
        read_all(cpu, x), read_all(gpu, y);
        CHECK_SAY(memcmp(x, y, sizeof x) == 0, "run %d of method %d: other bits", run, (int)method);
    }
    warplu_sim_destroy(&cpu);
    warplu_sim_destroy(&gpu);
    warplu_model_destroy(&model);
    CHECK(fake->alive == 0 && fake->depth == 0 && fake->misuses == 0);
}

static void a_failed_run_changes_nothing(void)
{
    fail_at_each_call(WARPLU_METHOD_RK4, 0.1);
    fail_at_each_call(WARPLU_METHOD_DORMAND_PRINCE, 0.0);
}
#endif

int main(void)
{
#ifdef FAKE_CUDA_PATH
    fake_open();
    RUN(a_failed_run_changes_nothing);
#endif
    RUN(fixed_steps_have_the_bits_of_the_cpu);
    RUN(controlled_steps_have_the_bits_of_the_cpu);
    RUN(failures_have_the_words_of_the_cpu);
    RUN(implicit_methods_are_refused_by_name);
    return check_done();
}
