/* What derivatives cost: f alone beside f with its sparse Jacobian, as bytecode.
 *
 *     time_derivatives SECONDS MODEL...
 *
 * Of each model flattened into one graph, its own numbers as parameters: instructions, and ns a lane, the least of
 * many alternating runs over 64 lanes that stand near the initial values, thread time; and their ratios. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "model/exec/exec.h"
#include "model/step/derived.h"
#include "model/text/read.h"

/* Outputs of one way: f, or f and the entries of df/dy. */
typedef struct way {
    wlm_program *program;
    wlm_code *code;
    double *file, ns;
} way;

typedef struct subject {
    wlu_context ctx;
    wlm_model *model;
    wlm_equations *equations;
    wlm_derived *derived;
    way way[2];
} subject;

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static void need(const subject *s, int good)
{
    if (good) return;
    fprintf(stderr, "time_derivatives: %s\n", s->ctx.last_message);
    exit(1);
}

static void set_inputs(const subject *s, double *file)
{
    const wlm_equations *e = s->equations;
    for (int lane = 0; lane < WLM_LANES; lane++) {
        file[lane] = lane;
        for (int32_t i = 0; i < e->n; i++) {
            double part = fmod(0.6180339887498949 * (lane + 17 * i), 1.0);
            file[(1 + i) * WLM_LANES + lane] = wlm_node_value(e->graph, e->initial[i]) * (0.8 + 0.4 * part);
        }
    }
}

static void make_way(subject *s, int number)
{
    const wlm_derived *d = s->derived;
    int32_t entries = number > 0 ? d->j.ptr[d->n] : 0;
    wlm_node *wanted = malloc((size_t)(d->n + entries) * sizeof *wanted);
    need(s, wanted != NULL);
    memcpy(wanted, d->f, (size_t)d->n * sizeof *wanted);
    if (entries > 0) memcpy(wanted + d->n, d->j.node, (size_t)entries * sizeof *wanted);
    way *w = &s->way[number];
    need(s, wlm_program_compile(d->graph, wanted, d->n + entries, 1 + d->n, &w->program) == WARPLU_SUCCESS);
    need(s, wlm_code_create(&s->ctx, w->program, WLM_ISA_BEST, &w->code) == WARPLU_SUCCESS);
    w->file = wlm_file_create(&s->ctx, w->program);
    need(s, w->file != NULL);
    set_inputs(s, w->file);
    w->ns = INFINITY;
    free(wanted);
}

static void time_ways(subject *s, double seconds)
{
    enum { RUNS = 100 };
    double start = now_ns();
    while (now_ns() - start < 1e9 * seconds) {
        for (int k = 0; k < 2; k++) {
            double before = now_ns();
            for (int run = 0; run < RUNS; run++) wlm_run(s->way[k].code, s->way[k].file, WLM_LANES);
            s->way[k].ns = fmin(s->way[k].ns, (now_ns() - before) / (RUNS * WLM_LANES));
        }
    }
}

static void close_subject(subject *s)
{
    for (int k = 0; k < 2; k++) {
        wlm_file_free(&s->ctx, s->way[k].file);
        wlm_code_destroy(&s->ctx, &s->way[k].code);
        wlm_program_destroy(&s->ctx, &s->way[k].program);
    }
    wlm_derived_destroy(&s->derived);
    wlm_equations_destroy(&s->equations);
    wlm_model_destroy(&s->model);
}

static void measure(const char *path, double seconds)
{
    subject s = {.model = NULL};
    const char *slash = strrchr(path, '/');
    wlu_context_init(&s.ctx, NULL);
    need(&s, wlm_model_read(&s.ctx, path, &s.model) == WARPLU_SUCCESS);
    need(&s, wlm_equations_create(&s.ctx, s.model, NULL, 0, &s.equations) == WARPLU_SUCCESS);
    need(&s, wlm_derived_create(s.equations, &s.derived) == WARPLU_SUCCESS);
    for (int k = 0; k < 2; k++) make_way(&s, k);
    time_ways(&s, seconds);
    printf("%-24s %4d %6d %6d %6d %8.2f %9.1f %9.1f %8.2f\n", slash != NULL ? slash + 1 : path, (int)s.derived->n,
           (int)s.derived->j.ptr[s.derived->n], (int)s.way[0].program->instructions,
           (int)s.way[1].program->instructions, (double)s.way[1].program->instructions / s.way[0].program->instructions,
           s.way[0].ns, s.way[1].ns, s.way[1].ns / s.way[0].ns);
    close_subject(&s);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: time_derivatives SECONDS MODEL...\n");
        return 2;
    }
    printf("%-24s %4s %6s %6s %6s %8s %9s %9s %8s\n", "model", "n", "df/dy", "f", "both", "ratio", "f, ns", "both, ns",
           "ratio");
    for (int k = 2; k < argc; k++) measure(argv[k], atof(argv[1]));
    return 0;
}
