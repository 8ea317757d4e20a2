/* How long a population of cells takes, and how exact it is: no test, a measurement.
 *
 *     time_populations MODEL PARAMETER[,PARAMETER]... MEMBERS BEATS EVERY CHECKED METHOD:RELATIVE:ABSOLUTE...
 *
 * Members have the named parameters at 0.8 to 1.2 times their defaults; all run BEATS times 1000, and hand out the
 * first unknown each EVERY. For each way: steps and rejected ones a beat, the most of one member; CPU milliseconds a
 * beat and member and ns a step of one; and of the first CHECKED members the largest error and its root mean square
 * over all that was handed out, beside rodas4 at 1e-9 (CHECKED 0: not compared). Before it: the last number that the
 * reference's first member handed out, which says whether another program has the same model. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/step/batch.h"
#include "model/text/read.h"

enum { PARAMETERS_MOST = 8, NAMES_BYTES = 512 };

typedef struct population {
    wlu_context ctx;
    wlm_model *model;
    wlm_equations *equations;
    int64_t members, checked;
    int32_t outputs, parameters;
    double beats, *parameter, *time; /* parameter: [member][parameters] */
    double *exact, *v;               /* [member][outputs] */
    wlm_fate *fate;
    char names[NAMES_BYTES]; /* cut into name */
    const char *name[PARAMETERS_MOST];
} population;

typedef struct trace {
    double *v;
    int32_t outputs;
} trace;

static void take(void *user, int64_t member, int32_t output, double clock, double step, const double *y)
{
    (void)clock, (void)step;
    trace *t = user;
    t->v[member * t->outputs + output] = y[0];
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void need(const population *p, int good)
{
    if (good) return;
    fprintf(stderr, "time_populations: %s\n", p->ctx.last_message);
    exit(1);
}

static double value_of(const wlm_model *m, const char *name)
{
    for (int32_t u = 0; u < m->uses; u++) {
        const wlm_kind *k = &m->kind[m->use[u].kind];
        size_t length = strlen(k->name);
        for (int32_t i = 0; i < k->parameters; i++)
            if (strncmp(name, k->name, length) == 0 && strcmp(name + length + 1, k->parameter[i].name) == 0)
                return m->use[u].uniform[i];
    }
    return NAN;
}

static wlm_method method_named(const char *name, size_t length)
{
    for (int m = 1; m < WLM_METHODS; m++) {
        const wlm_method_facts *f = wlm_method_of((wlm_method)m);
        if (strlen(f->name) == length && strncmp(f->name, name, length) == 0) return (wlm_method)m;
    }
    return WLM_METHOD_NONE;
}

static double run(population *p, const wlm_step_options *o, int64_t members, double *v)
{
    wlm_stepper *s = NULL;
    trace t = {v, p->outputs};
    wlm_drive d = {.t1 = 1000.0 * p->beats,
                   .parameter = p->parameter,
                   .fate = p->fate,
                   .outputs = p->outputs,
                   .output = p->time,
                   .row = take,
                   .user = &t};
    double start = seconds();
    need(p, wlm_stepper_create(p->equations, o, &s) == WARPLU_SUCCESS);
    need(p, wlm_drive_batch(s, &d, members, 1) == WARPLU_SUCCESS);
    wlm_stepper_destroy(&s);
    return seconds() - start;
}

/* The multiplicative generator of Knuth's MMIX, seed 1. */
static void draw_parameters(population *p)
{
    uint64_t seed = 1;
    for (int64_t i = 0; i < p->members * p->parameters; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        p->parameter[i] =
            value_of(p->model, p->name[i % p->parameters]) * (0.8 + 0.4 * (double)(seed >> 11) / 9007199254740992.0);
    }
}

static void open_population(population *p, char **argv)
{
    double every = atof(argv[5]);
    memset(p, 0, sizeof *p);
    wlu_context_init(&p->ctx, NULL);
    p->members = atoll(argv[3]), p->beats = atof(argv[4]), p->checked = atoll(argv[6]);
    need(p, p->members > 0 && p->beats > 0.0 && every > 0.0 && p->checked >= 0 && p->checked <= p->members);
    p->outputs = (int32_t)floor(1000.0 * p->beats / every);
    snprintf(p->names, sizeof p->names, "%s", argv[2]);
    for (char *n = strtok(p->names, ","); n != NULL && p->parameters < PARAMETERS_MOST; n = strtok(NULL, ","))
        p->name[p->parameters++] = n;
    need(p, wlm_model_read(&p->ctx, argv[1], &p->model) == WARPLU_SUCCESS);
    need(p, wlm_equations_create(&p->ctx, p->model, p->name, p->parameters, &p->equations) == WARPLU_SUCCESS);
    p->parameter = malloc((size_t)(p->members * p->parameters + 1) * sizeof *p->parameter);
    p->fate = malloc((size_t)p->members * sizeof *p->fate);
    p->time = malloc(((size_t)p->outputs + 1) * sizeof *p->time);
    p->exact = malloc((size_t)(p->checked * p->outputs + 1) * sizeof *p->exact);
    p->v = malloc((size_t)(p->members * p->outputs + 1) * sizeof *p->v);
    need(p, p->parameter != NULL && p->fate != NULL && p->time != NULL && p->exact != NULL && p->v != NULL);
    for (int32_t k = 0; k < p->outputs; k++) p->time[k] = every * (k + 1);
    draw_parameters(p);
}

static void measure(population *p, const char *way)
{
    const char *first = strchr(way, ':'), *second = first != NULL ? strchr(first + 1, ':') : NULL;
    if (second == NULL) need(p, 0);
    wlm_step_options o = {
        .method = method_named(way, (size_t)(first - way)), .relative = atof(first + 1), .absolute = atof(second + 1)};
    double took = run(p, &o, p->members, p->v), most = 0.0, squares = 0.0, steps = 0.0, rejected = 0.0, longest = 0.0;
    for (int64_t m = 0; m < p->members; m++) {
        steps += (double)p->fate[m].steps, rejected += (double)p->fate[m].rejected;
        longest = fmax(longest, (double)(p->fate[m].steps + p->fate[m].rejected));
    }
    int64_t numbers = p->checked * p->outputs;
    for (int64_t k = 0; k < numbers; k++) {
        double error = fabs(p->exact[k] - p->v[k]);
        most = fmax(most, error), squares += error * error;
    }
    double all = p->beats * (double)p->members;
    printf("%-24s %8.1f %8.1f %8.1f %10.5f %8.0f", way, steps / all, rejected / all, longest / p->beats,
           1e3 * took / all, 1e9 * took / (steps + rejected));
    if (numbers > 0) printf(" %9.2e %9.2e", most, sqrt(squares / (double)numbers));
    printf("\n");
}

int main(int argc, char **argv)
{
    population p;
    if (argc < 8) {
        fprintf(stderr, "usage: time_populations MODEL PARAMETER[,PARAMETER]... MEMBERS BEATS EVERY CHECKED "
                        "METHOD:RELATIVE:ABSOLUTE...\n");
        return 2;
    }
    open_population(&p, argv);
    if (p.checked > 0) {
        wlm_step_options o = {.method = WLM_RODAS4, .relative = 1e-9, .absolute = 1e-11};
        run(&p, &o, p.checked, p.exact);
        printf("reference %.9g\n", p.exact[p.outputs - 1]);
    }
    printf("%-24s %8s %8s %8s %10s %8s %9s %9s\n", "way", "steps", "rejected", "most", "ms", "ns", "error", "rms");
    for (int k = 7; k < argc; k++) measure(&p, argv[k]);
    return 0;
}
