/* How long a population of cells takes, and how exact it is: no test, a measurement.
 *
 *     time_populations MODEL.wm METHOD RELATIVE ABSOLUTE MEMBERS BEATS PARAMETER...
 *
 * Members have the named parameters at 0.8 to 1.2 times their defaults. Prints steps, milliseconds a beat of 1000 and
 * member, instructions of a step, and the largest error of the first unknown over the members' ends and outputs each 1,
 * against rodas4 at 1e-9. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/step/batch.h"
#include "model/text/read.h"

enum { PARAMETERS_MOST = 8, CHECKED = 64 };

typedef struct trace {
    double *v;
    int32_t outputs;
} trace;

static void take(void *user, int64_t member, int32_t output, const double *y)
{
    trace *t = user;
    t->v[member * t->outputs + output] = y[0];
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(const wlu_context *ctx)
{
    fprintf(stderr, "%s\n", ctx->last_message);
    exit(1);
}

static double value_of(const wlm_model *m, const char *name)
{
    for (int32_t u = 0; u < m->uses; u++) {
        const wlm_kind *k = &m->kind[m->use[u].kind];
        size_t length = strlen(k->name);
        for (int32_t p = 0; p < k->parameters; p++)
            if (strncmp(name, k->name, length) == 0 && strcmp(name + length + 1, k->parameter[p].name) == 0)
                return m->use[u].uniform[p];
    }
    return NAN;
}

static wlm_method method_named(const char *name)
{
    for (int m = 1; m < WLM_SPLIT; m++)
        if (wlm_method_of((wlm_method)m) != NULL && strcmp(wlm_method_of((wlm_method)m)->name, name) == 0)
            return (wlm_method)m;
    return WLM_METHOD_NONE;
}

static double run(const wlm_equations *e, wlm_step_options o, wlm_drive d, int64_t members)
{
    wlm_stepper *s = NULL;
    double start = seconds();
    if (wlm_stepper_create(e, &o, &s) != WARPLU_SUCCESS) fail(e->ctx);
    double made = seconds();
    if (s->step.body != NULL)
        printf("step: %d instructions, %d once, %d slots; made in %.2f ms\n", (int)s->step.body->instructions,
               (int)s->step.once->instructions, (int)s->step.body->slots, 1e3 * (made - start));
    if (wlm_drive_batch(s, &d, members, 1) != WARPLU_SUCCESS) fail(e->ctx);
    made = seconds() - made;
    wlm_stepper_destroy(&s);
    return made;
}

int main(int argc, char **argv)
{
    if (argc < 7) return 2;
    wlu_context ctx;
    wlm_model *model = NULL;
    wlm_equations *e = NULL;
    int32_t count = argc - 7 < PARAMETERS_MOST ? argc - 7 : PARAMETERS_MOST;
    int64_t members = atoll(argv[5]), most = members > CHECKED ? members : CHECKED;
    double beats = atof(argv[6]);
    wlu_context_init(&ctx, NULL);
    if (wlm_model_read(&ctx, argv[1], &model) != WARPLU_SUCCESS) fail(&ctx);
    if (wlm_equations_create(&ctx, model, (const char *const *)argv + 7, count, &e) != WARPLU_SUCCESS) fail(&ctx);
    double *parameter = malloc((size_t)(most * count + 1) * sizeof *parameter);
    wlm_fate *fate = malloc((size_t)most * sizeof *fate);
    uint64_t seed = 1;
    for (int64_t i = 0; i < most * count; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        parameter[i] = value_of(model, argv[7 + i % count]) * (0.8 + 0.4 * (double)(seed >> 11) / 9007199254740992.0);
    }
    wlm_step_options o = {.method = method_named(argv[2]), .relative = atof(argv[3]), .absolute = atof(argv[4])};
    wlm_drive d = {.t0 = 0.0, .t1 = 1000.0 * beats, .parameter = parameter, .fate = fate};
    double took = run(e, o, d, members);
    int64_t steps = 0, rejected = 0, longest = 0;
    for (int64_t m = 0; m < members; m++) {
        steps += fate[m].steps, rejected += fate[m].rejected;
        if (fate[m].steps + fate[m].rejected > longest) longest = fate[m].steps + fate[m].rejected;
    }
    printf("%s at %s, %s: %.1f + %.1f steps a beat, at most %.1f; %.4f ms a beat and member; %.0f ns a step of one\n",
           argv[2], argv[3], argv[4], (double)steps / (double)members / beats,
           (double)rejected / (double)members / beats, (double)longest / beats, 1e3 * took / beats / (double)members,
           1e9 * took / (double)(steps + rejected));
    int32_t outputs = (int32_t)(100.0 * beats);
    double *times = malloc((size_t)outputs * sizeof *times), worst[2] = {0.0, 0.0};
    for (int32_t k = 0; k < outputs; k++) times[k] = 10.0 * (k + 1);
    trace exact = {malloc((size_t)outputs * CHECKED * sizeof(double)), outputs}, coarse = exact;
    coarse.v = malloc((size_t)outputs * CHECKED * sizeof(double));
    d.outputs = outputs, d.output = times, d.row = take, d.user = &coarse;
    run(e, o, d, CHECKED);
    d.user = &exact;
    o = (wlm_step_options){.method = WLM_RODAS4, .relative = 1e-9, .absolute = 1e-11};
    run(e, o, d, CHECKED);
    for (int32_t k = 0; k < outputs * CHECKED; k++) {
        double error = fabs(exact.v[k] - coarse.v[k]);
        worst[0] = fmax(worst[0], error), worst[1] += error * error;
    }
    printf("error each 10: at most %.2e, root mean square %.2e\n", worst[0], sqrt(worst[1] / outputs / CHECKED));
    return 0;
}
