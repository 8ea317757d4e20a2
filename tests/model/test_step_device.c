/* Batches on a CUDA device against the CPU's: the same bits, steps and fates, by every one-step method, with pulses and
 * with members that fail. Skipped without a device.
 *
 *     test_step_device [--time MODEL.wm LANES STEPS]    seconds of LANES members, STEPS steps of Euler's method, as
 * JSON */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/driver.h"
#include "model/step/batch.h"
#include "model/step/on_device.h"
#include "model/text/read.h"
#include "support/check.h"

enum { MEMBERS = 200 };

static const char cell[] = "element cell()\n"
                           "  param g = 1\n"
                           "  param stim = 2\n"
                           "  state v = -1\n"
                           "  gate n = 0.1: 1/(1 + exp(-2*v)), 1 + 3*exp(-v*v)\n"
                           "  v' = g*(v - v^3/3) - n + stim*pulse(1, 0.5, 4) + 0.1*sin(t)*ln(2 + v^2)\n"
                           "end\n"
                           "use cell()\n";
/* Members with a large g leave the doubles. */
static const char burst[] = "element burst()\n"
                            "  param g = 1\n"
                            "  state x = 1\n"
                            "  x' = g*x^3\n"
                            "end\n"
                            "use burst()\n";

typedef struct batch {
    wlu_context ctx;
    wlm_model *model;
    wlm_equations *equations;
    int32_t n;
    double *parameter, *cpu, *gpu;
    wlm_fate *cpu_fate, *gpu_fate;
} batch;

static int open_batch(batch *b, const char *text, const char *parameter, int64_t members)
{
    wlu_context_init(&b->ctx, NULL);
    if (wlm_model_parse(&b->ctx, "text", text, (int64_t)strlen(text), &b->model) != WARPLU_SUCCESS) return 0;
    if (wlm_equations_create(&b->ctx, b->model, &parameter, 1, &b->equations) != WARPLU_SUCCESS) return 0;
    b->n = b->equations->n;
    b->parameter = malloc((size_t)members * sizeof(double));
    b->cpu = malloc((size_t)(members * b->n) * sizeof(double));
    b->gpu = malloc((size_t)(members * b->n) * sizeof(double));
    b->cpu_fate = calloc((size_t)members, sizeof(wlm_fate));
    b->gpu_fate = calloc((size_t)members, sizeof(wlm_fate));
    for (int64_t m = 0; m < members; m++) b->parameter[m] = 0.5 + 1.5 * (double)m / (double)members;
    return 1;
}

static void close_batch(batch *b)
{
    wlm_equations_destroy(&b->equations);
    wlm_model_destroy(&b->model);
    free(b->parameter);
    free(b->cpu);
    free(b->gpu);
    free(b->cpu_fate);
    free(b->gpu_fate);
}

static int same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void compare(batch *b, wlm_method method, double step, double t1)
{
    wlm_step_options o = {.method = method, .step = step, .relative = 1e-5, .absolute = 1e-7};
    wlm_stepper *s = NULL;
    CHECK_SAY(wlm_stepper_create(b->equations, &o, &s) == WARPLU_SUCCESS, "%s", b->ctx.last_message);
    if (s == NULL) return;
    wlm_drive d = {.t1 = t1, .parameter = b->parameter, .end = b->cpu, .fate = b->cpu_fate};
    warplu_status cpu = wlm_drive_batch(s, &d, MEMBERS, 1);
    d.end = b->gpu, d.fate = b->gpu_fate;
    warplu_status gpu = wlm_drive_on_device(s, &d, MEMBERS, 0, NULL);
    CHECK_SAY(cpu == gpu, "%s: %d, on the device %d: %s", s->facts->name, (int)cpu, (int)gpu, b->ctx.last_message);
    int wrong = 0;
    for (int64_t m = 0; m < MEMBERS && gpu >= WARPLU_SUCCESS; m++) {
        const wlm_fate *x = &b->cpu_fate[m], *y = &b->gpu_fate[m];
        int alike = x->status == y->status && x->steps == y->steps && x->rejected == y->rejected && same(x->t, y->t);
        for (int32_t i = 0; i < b->n; i++) alike &= same(b->cpu[m * b->n + i], b->gpu[m * b->n + i]);
        if (!alike && wrong++ == 0)
            printf("# member %d: status %d and %d, t %g and %g, steps %d and %d, rejected %d and %d, y %a and %a\n",
                   (int)m, (int)x->status, (int)y->status, x->t, y->t, (int)x->steps, (int)y->steps, (int)x->rejected,
                   (int)y->rejected, b->cpu[m * b->n], b->gpu[m * b->n]);
    }
    CHECK_SAY(wrong == 0, "%s: %d of %d members differ", s->facts->name, wrong, (int)MEMBERS);
    wlm_stepper_destroy(&s);
}

static int device_missing(void)
{
    wlu_context ctx;
    int count;
    wlu_context_init(&ctx, NULL);
    return wlu_cuda_open(&ctx, &count) != WARPLU_SUCCESS;
}

static void methods_have_the_bits_of_the_cpu(void)
{
    static const struct {
        wlm_method method;
        double step;
    } list[] = {{WLM_EULER, 0.01}, {WLM_RK4, 0.05},   {WLM_RUSH_LARSEN, 0.02}, {WLM_DORMAND_PRINCE, 0.0},
                {WLM_RODAS3, 0.0}, {WLM_RODAS4, 0.0}, {WLM_RODAS4, 0.1}};
    if (device_missing()) SKIP("no CUDA device");
    batch b = {0};
    CHECK(open_batch(&b, cell, "cell.g", MEMBERS));
    for (size_t k = 0; k < sizeof list / sizeof *list; k++) compare(&b, list[k].method, list[k].step, 13.0);
    close_batch(&b);
}

static void members_fail_alike(void)
{
    if (device_missing()) SKIP("no CUDA device");
    batch b = {0};
    CHECK(open_batch(&b, burst, "burst.g", MEMBERS));
    compare(&b, WLM_DORMAND_PRINCE, 0.0, 0.5);
    compare(&b, WLM_EULER, 0.01, 0.5);
    close_batch(&b);
}

/* LR91 and the like: a population, by steps of 0.01. */
static int time_it(const char *path, int64_t lanes, int64_t steps)
{
    batch b = {0};
    wlm_stepper *s = NULL;
    wlm_device_times times = {0};
    wlm_step_options o = {.method = WLM_EULER, .step = 0.01};
    wlu_context_init(&b.ctx, NULL);
    if (wlm_model_read(&b.ctx, path, &b.model) < 0) return 1;
    if (wlm_equations_create(&b.ctx, b.model, NULL, 0, &b.equations) < 0) return 1;
    if (wlm_stepper_create(b.equations, &o, &s) < 0) return 1;
    b.n = b.equations->n;
    b.gpu = malloc((size_t)(lanes * b.n) * sizeof(double));
    b.cpu = malloc((size_t)(64 * b.n) * sizeof(double));
    b.gpu_fate = calloc((size_t)lanes, sizeof(wlm_fate));
    wlm_drive d = {.t1 = 0.01 * (double)steps, .end = b.gpu, .fate = b.gpu_fate};
    for (int run = 0; run < 3; run++) {
        int64_t begin = wlu_now_ns();
        warplu_status status = wlm_drive_on_device(s, &d, lanes, 0, &times);
        double seconds = (double)(wlu_now_ns() - begin) * 1e-9;
        printf("{\"lanes\": %lld, \"steps\": %lld, \"status\": %d, \"compile_s\": %.4f, \"whole_s\": %.4f, "
               "\"kernel_s\": %.6f, "
               "\"cell_steps_per_s\": %.4g}\n",
               (long long)lanes, (long long)steps, (int)status, times.compile_seconds, seconds, times.run_seconds,
               (double)lanes * (double)steps / times.run_seconds);
    }
    d.end = b.cpu;
    int wrong = 0;
    wlm_drive_batch(s, &d, 64, 1);
    for (int64_t k = 0; k < 64 * b.n && k < lanes * b.n; k++) wrong += !same(b.cpu[k], b.gpu[k]);
    printf("{\"numbers\": %d, \"that_differ_from_the_cpu\": %d}\n", 64 * (int)b.n, wrong);
    return wrong != 0;
}

int main(int argc, char **argv)
{
    if (argc == 5 && strcmp(argv[1], "--time") == 0) return time_it(argv[2], atoll(argv[3]), atoll(argv[4]));
    RUN(methods_have_the_bits_of_the_cpu);
    RUN(members_fail_alike);
    return check_done();
}
