/* The paper's interpreter counted and measured: what its tables 1, 4 and 5 count of models, and how long steps take
 * by its switches, added one after the other as in figure 8.
 *     build/benchmarks/model/phases examples/models/{luo_rudy_1991,wang_buzsaki,half_centre,ring,line}.wm
 *     build/benchmarks/model/phases --executor cuda --steps 100000 --json MODEL.wm ...
 *
 * --executor reference or cuda: steps are timed, wall time of N steps without transfers, the median with the
 * shortest and the longest of R runs. --method euler or rk4; --dt H (0.01); --steps N (1000); --repeat R (3);
 * --stack N (32): of bytecodes; --switches NAME: Base, Reorder, Redundant, Unify or Merge is timed alone;
 * --compare: the values at the end with the reference's, how many have other bits.
 *
 * Exit status 1 where a model cannot be read, counted or run, or there is no device; 2 for a wrong call. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "phases/read.h"
#include "phases_count.h"

enum { MODELS_MOST = 64, REPEATS_MOST = 100, TO_WARM_UP = 10 };

static const char *executor = "none", *method_name = "euler", *only; /* only: of the switches; NULL: all */
static int repeats = 3, as_json, compares;
static int32_t stack_most = WLM_PHASES_STACK;
static int64_t steps = 1000;
static double dt = 0.01;

static int failed(warplu_status status, const phases_model *m)
{
    if (status >= 0) return 0;
    fprintf(stderr, "%s: %s\n", m->path, m->ctx.last_message);
    return 1;
}

/* ------------------------------------------------------------------- count */

static void name_model(phases_model *m)
{
    const char *slash = strrchr(m->path, '/'), *name = slash != NULL ? slash + 1 : m->path;
    snprintf(m->name, sizeof m->name, "%s", name);
    char *dot = strrchr(m->name, '.');
    if (dot != NULL) *dot = '\0';
}

/* The deepest stack where `most` may be used; 0 where that is not enough. */
static int32_t stack_of(phases_model *m, int32_t most)
{
    wlm_phases *p;
    wlm_phases_options options = phases_options(PHASES_BASE, most);
    if (wlm_phases_create(&m->ctx, m->equations, &options, &p) != WARPLU_SUCCESS) return 0;
    int32_t stack = p->stack;
    wlm_phases_destroy(&m->ctx, &p);
    return stack;
}

static int count_model(phases_model *m)
{
    wlu_context_init(&m->ctx, NULL);
    name_model(m);
    if (failed(wlm_phases_read(&m->ctx, m->path, &m->equations), m)) return 0;
    for (int c = 0; c < PHASES_CONFIGURATIONS; c++) {
        wlm_phases_options options = phases_options(c, stack_most);
        m->time[c].other_bits = -1;
        if (failed(wlm_phases_create(&m->ctx, m->equations, &options, &m->of[c]), m)) return 0;
    }
    m->stack_unsplit = stack_of(m, WLM_PHASES_STACK_MOST);
    for (int32_t most = 1; m->stack_least == 0 && most <= stack_most; most++) m->stack_least = stack_of(m, most);
    return 1;
}

static void release(phases_model *m)
{
    for (int c = 0; c < PHASES_CONFIGURATIONS; c++) wlm_phases_destroy(&m->ctx, &m->of[c]);
    wlm_equations_destroy(&m->equations);
}

/* ------------------------------------------------------------------- times */

static wlm_method method(void)
{
    return strcmp(method_name, "rk4") == 0 ? WLM_RK4 : WLM_EULER;
}

static int compare_seconds(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static warplu_status run(phases_model *m, const wlm_phases *p, wlm_phases_state *s, wlm_phases_device *d, int64_t count)
{
    return d != NULL ? wlm_phases_device_run(d, method(), dt, count)
                     : wlm_phases_run(&m->ctx, p, s, method(), dt, count);
}

static int64_t count_other_bits(const wlm_phases *p, const wlm_phases_state *a, const wlm_phases_state *b)
{
    int64_t other = 0;
    for (int32_t i = 0; i <= p->states; i++)
        other += memcmp(&a->array[0][i], &b->array[0][i], sizeof(double)) != 0 &&
                 !(isnan(a->array[0][i]) && isnan(b->array[0][i]));
    return other;
}

/* As many steps as were made on the device, by the reference. */
static warplu_status compare(phases_model *m, const wlm_phases *p, const wlm_phases_state *fetched, phases_time *time)
{
    wlm_phases_state s;
    warplu_status status = wlm_phases_state_create(&m->ctx, p, m->equations, 0.0, NULL, NULL, &s);
    if (status == WARPLU_SUCCESS) status = wlm_phases_run(&m->ctx, p, &s, method(), dt, fetched->steps);
    if (status == WARPLU_SUCCESS) time->other_bits = count_other_bits(p, &s, fetched);
    wlm_phases_state_free(&m->ctx, &s);
    return status;
}

static warplu_status measure(phases_model *m, const wlm_phases *p, wlm_phases_state *s, wlm_phases_device *d,
                             phases_time *time)
{
    double seconds[REPEATS_MOST];
    warplu_status status = run(m, p, s, d, TO_WARM_UP);
    for (int k = 0; k < repeats && status == WARPLU_SUCCESS; k++) {
        int64_t begin = wlu_now_ns();
        status = run(m, p, s, d, steps);
        seconds[k] = 1e-9 * (double)(wlu_now_ns() - begin);
    }
    if (status != WARPLU_SUCCESS) return status;
    qsort(seconds, (size_t)repeats, sizeof *seconds, compare_seconds);
    time->median_s = seconds[repeats / 2];
    time->least_s = seconds[0];
    time->most_s = seconds[repeats - 1];
    if (d == NULL || !compares) return status;
    status = wlm_phases_device_fetch(d, s);
    return status == WARPLU_SUCCESS ? compare(m, p, s, time) : status;
}

static int time_model(phases_model *m)
{
    int on_device = strcmp(executor, "cuda") == 0;
    for (int c = 0; c < PHASES_CONFIGURATIONS; c++) {
        wlm_phases_state s;
        wlm_phases_device *d = NULL;
        if (only != NULL && strcmp(only, phases_configuration[c]) != 0) continue;
        warplu_status status = wlm_phases_state_create(&m->ctx, m->of[c], m->equations, 0.0, NULL, NULL, &s);
        if (status == WARPLU_SUCCESS && on_device) status = wlm_phases_device_create(&m->ctx, m->of[c], &s, &d);
        if (status == WARPLU_SUCCESS) status = measure(m, m->of[c], &s, d, &m->time[c]);
        wlm_phases_device_destroy(&d);
        wlm_phases_state_free(&m->ctx, &s);
        if (failed(status, m)) return 0;
    }
    return 1;
}

static void print_times(const phases_model *m, int models)
{
    printf("microseconds a step by %s, %s\n  %-16s", method_name, executor, "");
    for (int c = 0; c < PHASES_CONFIGURATIONS; c++) printf(" %9s", phases_configuration[c]);
    printf("\n");
    for (int k = 0; k < models; k++) {
        printf("  %-16s", m[k].name);
        for (int c = 0; c < PHASES_CONFIGURATIONS; c++) printf(" %9.2f", 1e6 * m[k].time[c].median_s / (double)steps);
        printf("\n");
    }
}

/* -------------------------------------------------------------------- main */

static int usage(void)
{
    fprintf(stderr, "usage: phases [--executor reference|cuda] [--method euler|rk4] [--dt H] [--steps N] [--repeat R] "
                    "[--stack N] [--switches NAME] [--compare] [--json] MODEL.wm ...\n");
    return 2;
}

static int is_configuration(const char *name)
{
    int c = 0;
    while (c < PHASES_CONFIGURATIONS && strcmp(name, phases_configuration[c]) != 0) c++;
    return c < PHASES_CONFIGURATIONS;
}

/* 1 where argv[*k] is an option, with its value behind; 0: a file; -1: wrong. */
static int take_option(int argc, char **argv, int *k)
{
    const char *option = argv[*k];
    if (strncmp(option, "--", 2) != 0) return 0;
    if (strcmp(option, "--json") == 0) return as_json = 1;
    if (strcmp(option, "--compare") == 0) return compares = 1;
    if (++*k >= argc) return -1;
    const char *value = argv[*k];
    if (strcmp(option, "--executor") == 0)
        return executor = value, strcmp(value, "reference") && strcmp(value, "cuda") ? -1 : 1;
    if (strcmp(option, "--method") == 0)
        return method_name = value, strcmp(value, "euler") && strcmp(value, "rk4") ? -1 : 1;
    if (strcmp(option, "--switches") == 0) return only = value, is_configuration(value) ? 1 : -1;
    if (strcmp(option, "--dt") == 0) return dt = atof(value), dt > 0.0 ? 1 : -1;
    if (strcmp(option, "--steps") == 0) return steps = atoll(value), steps > 0 ? 1 : -1;
    if (strcmp(option, "--repeat") == 0) return repeats = atoi(value), repeats > 0 && repeats <= REPEATS_MOST ? 1 : -1;
    if (strcmp(option, "--stack") == 0) return stack_most = atoi(value), stack_most > 0 ? 1 : -1;
    return -1;
}

int main(int argc, char **argv)
{
    static phases_model model[MODELS_MOST];
    int models = 0, right = 1;
    for (int k = 1; k < argc; k++) {
        int taken = take_option(argc, argv, &k);
        if (taken < 0 || models == MODELS_MOST) return usage();
        if (taken == 0) model[models++].path = argv[k];
    }
    if (models == 0) return usage();
    int times = strcmp(executor, "none") != 0;
    for (int k = 0; k < models && right; k++) right = count_model(&model[k]) && (!times || time_model(&model[k]));
    if (right && as_json) phases_print_json(model, models, executor, method_name, steps);
    if (right && !as_json) phases_print_tables(model, models);
    if (right && !as_json && times) print_times(model, models);
    for (int k = 0; k < models; k++) release(&model[k]);
    return !right;
}
