/* From file to first step: CPU time of reading a model, of making it ready, and of its first step.
 *
 *     time_first_step TIMES MODEL...
 *
 * Each as its text's `run` says, by each of the engines (paper_runs.c) that takes it: the least of TIMES, and their
 * median in all. A controlled first step ends at the latest a millionth of the run behind its beginning. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/step/drive.h"
#include "model/system/transient.h"
#include "model/text/read.h"

enum { TIMES_MOST = 1000 };

/* Milliseconds since the file was opened. */
typedef struct moments {
    double read, made, stepped;
} moments;

typedef warplu_status engine_fn(wlu_context *ctx, const wlm_model *model, double begin, moments *out);

static double cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double first_time(const wlm_model *model)
{
    return model->run.dt > 0.0 ? model->run.dt : 1e-6 * model->run.to;
}

static warplu_status run_members(wlu_context *ctx, const wlm_model *model, double begin, moments *out)
{
    wlm_equations *e = NULL;
    wlm_stepper *s = NULL;
    wlm_fate fate;
    wlm_step_options o = {.method = model->run.method == WLM_METHOD_NONE ? WLM_RODAS4 : model->run.method,
                          .relative = model->run.relative,
                          .absolute = model->run.absolute,
                          .step = model->run.dt};
    wlm_drive d = {.t1 = first_time(model), .fate = &fate};
    warplu_status status = wlm_equations_create(ctx, model, NULL, 0, &e);
    if (status == WARPLU_SUCCESS) status = wlm_stepper_create(e, &o, &s);
    out->made = cpu_ms() - begin;
    if (status == WARPLU_SUCCESS) status = wlm_drive_members(s, &d, 0, 1);
    out->stepped = cpu_ms() - begin;
    wlm_stepper_destroy(&s);
    wlm_equations_destroy(&e);
    return status;
}

static warplu_status run_instances(wlu_context *ctx, const wlm_model *model, double begin, moments *out)
{
    wlm_transient *s = NULL;
    wlm_transient_options o;
    wlm_transient_options_init(&o);
    o.method = model->run.method == WLM_METHOD_NONE ? WLM_TR_BDF2 : model->run.method;
    o.relative = model->run.relative, o.absolute = model->run.absolute, o.step = model->run.dt;
    warplu_status status = wlm_transient_create(ctx, model, &o, &s);
    out->made = cpu_ms() - begin;
    if (status == WARPLU_SUCCESS) status = wlm_transient_run(s, first_time(model));
    out->stepped = cpu_ms() - begin;
    wlm_transient_destroy(&s);
    return status;
}

static warplu_status run_once(const char *path, engine_fn *engine, moments *out, wlu_context *ctx)
{
    wlm_model *model = NULL;
    wlu_context_init(ctx, NULL);
    double begin = cpu_ms();
    warplu_status status = wlm_model_read(ctx, path, &model);
    out->read = cpu_ms() - begin;
    if (status == WARPLU_SUCCESS) status = engine(ctx, model, begin, out);
    wlm_model_destroy(&model);
    return status;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static void measure(const char *path, const char *name, engine_fn *engine, int times)
{
    wlu_context ctx;
    moments now, least = {INFINITY, INFINITY, INFINITY};
    double all[TIMES_MOST];
    const char *slash = strrchr(path, '/'), *file = slash != NULL ? slash + 1 : path;
    for (int k = 0; k < times; k++) {
        if (run_once(path, engine, &now, &ctx) != WARPLU_SUCCESS) {
            printf("%-24s %-10s %s\n", file, name, ctx.last_message);
            return;
        }
        least.read = fmin(least.read, now.read), least.made = fmin(least.made, now.made);
        least.stepped = fmin(least.stepped, now.stepped);
        all[k] = now.stepped;
    }
    qsort(all, (size_t)times, sizeof *all, ascending);
    printf("%-24s %-10s %9.3f %9.3f %9.3f %9.3f\n", file, name, least.read, least.made, least.stepped, all[times / 2]);
}

int main(int argc, char **argv)
{
    int times = argc > 2 ? atoi(argv[1]) : 0;
    if (times < 1 || times > TIMES_MOST) {
        fprintf(stderr, "usage: time_first_step TIMES MODEL...\n");
        return 2;
    }
    printf("%-24s %-10s %9s %9s %9s %9s   ms\n", "model", "lanes are", "read", "made", "stepped", "median");
    for (int k = 2; k < argc; k++) {
        measure(argv[k], "members", run_members, times);
        measure(argv[k], "instances", run_instances, times);
    }
    return 0;
}
