/* Runs of the paper's table 2: fixed steps of a network of cells, by each of the engines. No test, a measurement.
 *
 *     paper_runs MODEL METHOD STEP STEPS [EVERY [OUT [ENGINE [COPIES]]]]
 *
 * METHOD: euler, rk4 or rush-larsen. Each EVERY steps (10 000) all unknowns are written as a line of numbers to OUT
 * (/dev/null). Prints for each of the first two engines, or the one that is named, CPU seconds of reading, compiling
 * and running:
 *
 *     members    the whole model is one program, whose lanes are members: here there is one
 *     instances  a program for each use, whose lanes are its instances
 *     device     the whole model is one kernel on the first CUDA device, a thread for each of COPIES (1); wall seconds
 *                of the kernel alone, nothing is written
 *
 * and the largest difference of an unknown at the end beside its size. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/step/on_device.h"
#include "model/system/transient.h"
#include "model/text/read.h"

typedef struct request {
    const char *path, *out, *engine; /* engine: NULL: both */
    wlm_method method;
    double step, steps, every;
    int64_t copies;
} request;

/* What an engine has come to. */
typedef struct outcome {
    warplu_status status;
    double seconds;
    int32_t n;
    double *end; /* n; the caller's */
} outcome;

typedef struct writer {
    FILE *out;
    int32_t n;
    double *last; /* n */
} writer;

typedef warplu_status engine_fn(wlu_context *ctx, const wlm_model *model, const request *q, writer *w);

static double cpu_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_row(const writer *w)
{
    for (int32_t i = 0; i < w->n; i++) fprintf(w->out, i + 1 < w->n ? "%.17g," : "%.17g\n", w->last[i]);
}

static warplu_status start_rows(writer *w, int32_t n)
{
    w->n = n;
    w->last = calloc((size_t)n + 1, sizeof *w->last);
    return w->last != NULL ? WARPLU_SUCCESS : WARPLU_OUT_OF_MEMORY;
}

static void take(void *user, int64_t member, int32_t output, double clock, double step, const double *y)
{
    (void)member, (void)output, (void)clock, (void)step;
    writer *w = user;
    memcpy(w->last, y, (size_t)w->n * sizeof *y);
    print_row(w);
}

static warplu_status drive(wlm_stepper *s, const request *q, writer *w)
{
    int32_t outputs = (int32_t)(q->steps / q->every);
    double *time = malloc(((size_t)outputs + 1) * sizeof *time);
    wlm_fate fate;
    warplu_status status = time != NULL ? start_rows(w, s->n) : WARPLU_OUT_OF_MEMORY;
    if (status == WARPLU_SUCCESS) {
        for (int32_t k = 0; k < outputs; k++) time[k] = q->step * q->every * (k + 1);
        wlm_drive d = {.t0 = 0.0,
                       .t1 = q->step * q->steps,
                       .outputs = outputs,
                       .output = time,
                       .row = take,
                       .user = w,
                       .fate = &fate};
        status = wlm_drive_members(s, &d, 0, 1);
    }
    free(time);
    return status;
}

static warplu_status run_members(wlu_context *ctx, const wlm_model *model, const request *q, writer *w)
{
    wlm_equations *e = NULL;
    wlm_stepper *s = NULL;
    wlm_step_options o = {.method = q->method, .step = q->step, .alone = 1, .most = INT64_MAX};
    warplu_status status = wlm_equations_create(ctx, model, NULL, 0, &e);
    if (status == WARPLU_SUCCESS) status = wlm_stepper_create(e, &o, &s);
    if (status == WARPLU_SUCCESS) status = drive(s, q, w);
    wlm_stepper_destroy(&s);
    wlm_equations_destroy(&e);
    return status;
}

static warplu_status run_instances(wlu_context *ctx, const wlm_model *model, const request *q, writer *w)
{
    wlm_transient *s = NULL;
    wlm_transient_options o;
    wlm_transient_options_init(&o);
    o.method = q->method, o.step = q->step;
    warplu_status status = wlm_transient_create(ctx, model, &o, &s);
    if (status == WARPLU_SUCCESS) status = start_rows(w, wlm_transient_layout(s)->n);
    for (double k = q->every; k <= q->steps && status == WARPLU_SUCCESS; k += q->every) {
        status = wlm_transient_run(s, k * q->step);
        if (status == WARPLU_SUCCESS) status = wlm_transient_read(s, WLM_MEMORY_UNKNOWNS, 0, w->n, w->last);
        if (status == WARPLU_SUCCESS) print_row(w);
    }
    wlm_transient_destroy(&s);
    return status;
}

static warplu_status run_device(wlu_context *ctx, const wlm_model *model, const request *q, double *seconds)
{
    wlm_equations *e = NULL;
    wlm_stepper *s = NULL;
    wlm_device_lanes *device = NULL;
    wlm_step_options o = {.method = q->method, .step = q->step, .most = UINT32_MAX};
    wlm_drive d = {.t1 = q->step * q->steps, .fate = calloc((size_t)q->copies, sizeof(wlm_fate))};
    warplu_status status = wlm_equations_create(ctx, model, NULL, 0, &e);
    if (status == WARPLU_SUCCESS && d.fate == NULL) status = wlu_fail_memory(ctx, "copies");
    if (status == WARPLU_SUCCESS) status = wlm_stepper_create(e, &o, &s);
    if (status == WARPLU_SUCCESS) status = wlm_device_of_stepper(s, 0, &device);
    if (status == WARPLU_SUCCESS) status = wlm_drive_on_device(s, &d, q->copies, device);
    if (status == WARPLU_SUCCESS) *seconds = wlm_device_times_of(device).run_seconds;
    wlm_device_destroy(&device);
    wlm_stepper_destroy(&s);
    wlm_equations_destroy(&e);
    free(d.fate);
    return status;
}

/* The device's engine: no more than its time. */
static int measure_device(const request *q)
{
    wlu_context ctx;
    wlm_model *model = NULL;
    double seconds = 0.0;
    wlu_context_init(&ctx, NULL);
    warplu_status status = wlm_model_read(&ctx, q->path, &model);
    if (status == WARPLU_SUCCESS) status = run_device(&ctx, model, q, &seconds);
    wlm_model_destroy(&model);
    if (status == WARPLU_SUCCESS)
        printf("%-10s %.4f s, %.4f us a step of %lld copies\n", "device", seconds, 1e6 * seconds / q->steps,
               (long long)q->copies);
    else
        printf("%-10s %s\n", "device", ctx.last_message);
    return status != WARPLU_SUCCESS;
}

static outcome measure(engine_fn *engine, const char *name, const request *q)
{
    wlu_context ctx;
    wlm_model *model = NULL;
    if (q->engine != NULL && strcmp(q->engine, name) != 0) return (outcome){.status = WARPLU_SUCCESS};
    writer w = {.out = fopen(q->out, "w")};
    double begin = cpu_seconds();
    wlu_context_init(&ctx, NULL);
    outcome o = {.status = w.out != NULL ? wlm_model_read(&ctx, q->path, &model) : WARPLU_CANNOT_OPEN};
    if (o.status == WARPLU_SUCCESS) o.status = engine(&ctx, model, q, &w);
    o.seconds = cpu_seconds() - begin, o.n = w.n, o.end = w.last;
    if (w.out != NULL) fclose(w.out);
    wlm_model_destroy(&model);
    if (o.status == WARPLU_SUCCESS)
        printf("%-10s %.4f s, %.4f us a step of %d unknowns\n", name, o.seconds, 1e6 * o.seconds / q->steps, (int)o.n);
    else
        printf("%-10s %s\n", name, ctx.last_message);
    return o;
}

/* The engines may number unknowns differently: the sorted values are compared. */
static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static int compare(outcome *a, outcome *b)
{
    double most = 0.0;
    if (a->status != WARPLU_SUCCESS || b->status != WARPLU_SUCCESS) return 1;
    if (a->end == NULL || b->end == NULL) return 0;
    if (a->n != b->n) return 1;
    qsort(a->end, (size_t)a->n, sizeof *a->end, ascending);
    qsort(b->end, (size_t)b->n, sizeof *b->end, ascending);
    for (int32_t i = 0; i < a->n; i++) most = fmax(most, fabs(a->end[i] - b->end[i]) / (1.0 + fabs(a->end[i])));
    printf("%-10s %.1e\n", "difference", most);
    return 0;
}

static wlm_method method_named(const char *name)
{
    static const wlm_method known[] = {WLM_EULER, WLM_RK4, WLM_RUSH_LARSEN};
    for (int k = 0; k < 3; k++)
        if (strcmp(wlm_method_of(known[k])->name, name) == 0) return known[k];
    return WLM_METHOD_NONE;
}

int main(int argc, char **argv)
{
    request q = {.every = 10000.0, .out = "/dev/null", .copies = 1};
    if (argc > 4) {
        q.path = argv[1], q.method = method_named(argv[2]), q.step = atof(argv[3]), q.steps = floor(atof(argv[4]));
        if (argc > 5) q.every = floor(atof(argv[5]));
        if (argc > 6) q.out = argv[6];
        if (argc > 7) q.engine = argv[7];
        if (argc > 8) q.copies = atoll(argv[8]);
    }
    if (q.method == WLM_METHOD_NONE || !(q.step > 0.0) || q.copies < 1 ||
        !(q.every >= 1.0 && q.steps >= q.every && q.steps < 1e9)) {
        fprintf(stderr, "usage: paper_runs MODEL euler|rk4|rush-larsen STEP STEPS [EVERY [OUT [ENGINE [COPIES]]]]\n");
        return 2;
    }
    if (q.engine != NULL && strcmp(q.engine, "device") == 0) return measure_device(&q);
    outcome members = measure(run_members, "members", &q), instances = measure(run_instances, "instances", &q);
    int differ = compare(&members, &instances);
    free(members.end);
    free(instances.end);
    return differ;
}
