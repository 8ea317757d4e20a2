/* Ten thousand samples of a circuit at once: how a waveform spreads where resistances and capacitances do. The circuit
 * is that of transient.c, in circuit.c.
 *
 * Each sample draws every resistance and capacitance anew: its nominal value times 1 + spread u, u uniform in [-1, 1).
 * All samples are members of one batch and go through time in step: in each Newton iteration their devices stamp,
 * sample by sample, and one call of warplu_batch_refactor_solve factors and solves for all that have not settled yet. A
 * mask leaves out the others. After each step the 5th, 50th and 95th percentiles of one node's voltage are kept, and
 * written as a table (CSV) or as a picture (SVG).
 *
 * Why so: samples have one pattern, so that one program serves all, eight at a time in the lanes of a CPU's registers
 * or 32 in a warp of a GPU. Where the amplifier saturates the common pivots are weak, in some samples earlier than in
 * others: the batch checks these, refines them, or finds other pivots for them, and the program never asks.
 *
 * Random numbers are by counter (SplitMix64: Steele, Lea, Flood, OOPSLA 2014), so that a sample is the same on every
 * machine, however many there are.
 *
 * Build: cc monte_carlo.c circuit.c options.c plot.c $(pkg-config --cflags --libs warplu) -lm */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <warplu/batch.h>

#include "circuit.h"
#include "options.h"
#include "plot.h"

enum { PERCENTILES = 3 };
static const int percent[PERCENTILES] = {5, 50, 95};

typedef struct arguments {
    double memory, step, spread;
    int samples, mesh, steps, threads, seed;
    int node; /* of probe_names */
    warplu_executor executor;
    const char *csv, *svg;
} arguments;

/* A sample after the other in each array. */
typedef struct monte_carlo {
    const arguments *a;
    circuit c; /* holds one sample at a time: values of elements, states of devices, x and next */
    int count;
    double *element;            /* of each device; 0 where it has no resistance or capacitance */
    double *state;              /* two of each device */
    double *values, *rhs, *x;   /* what the batch is given, and where each sample is */
    double *next;               /* what the batch answers */
    unsigned char *moving;      /* Newton's method has not settled */
    unsigned char *limited;     /* c.limited */
    double *sorted;             /* one number of each sample */
    double *time, *percentiles; /* of each step; the three of a step after those of the step before */
    warplu_batch *batch;
    int64_t calls, systems, refined, repaired;
} monte_carlo;

/* ----------------------------------------------------------------- samples */

static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

/* Uniform in [-1, 1): of a seed, a sample and an element of it. */
static double draw(int seed, int sample, int element)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t x = mix(mix(mix((uint64_t)seed + step) + (uint64_t)sample * step) + (uint64_t)element * step);
    return (double)(x >> 11) * 0x1p-52 - 1.0;
}

/* The sample's numbers into the circuit, whose ground has place 0. */
static void load_sample(monte_carlo *m, int sample)
{
    circuit *c = &m->c;
    for (int k = 0; k < c->count; k++) {
        int64_t place = (int64_t)sample * c->count + k;
        c->devices[k].value = m->element[place];
        memcpy(c->devices[k].state, m->state + 2 * place, sizeof c->devices[k].state);
    }
    memcpy(c->x + 1, m->x + (int64_t)sample * c->n, (size_t)c->n * sizeof *c->x);
}

static void keep_states(monte_carlo *m, int sample)
{
    const circuit *c = &m->c;
    for (int k = 0; k < c->count; k++)
        memcpy(m->state + 2 * ((int64_t)sample * c->count + k), c->devices[k].state, sizeof c->devices[k].state);
}

/* Each begins where the nominal circuit is. */
static void draw_samples(monte_carlo *m)
{
    const circuit *c = &m->c;
    for (int sample = 0; sample < m->count; sample++) {
        double *element = m->element + (int64_t)sample * c->count;
        for (int k = 0; k < c->count; k++)
            element[k] = c->devices[k].value * (1.0 + m->a->spread * draw(m->a->seed, sample, k));
        keep_states(m, sample);
        memcpy(m->x + (int64_t)sample * c->n, c->x + 1, (size_t)c->n * sizeof *c->x);
    }
}

/* ------------------------------------------------------------------- Newton */

/* 1 if the call did its work for all samples. */
static int worked(const monte_carlo *m, warplu_status status, const char *call)
{
    warplu_batch_member member;
    if (status == WARPLU_SUCCESS) return 1;
    fprintf(stderr, "%s: %s at %g s: %s: %s\n", m->c.name, call, m->c.time, warplu_status_text(status),
            warplu_batch_get_message(m->batch));
    for (int k = 0; k < m->count && status == WARPLU_MEMBERS_FAILED; k++) {
        if (warplu_batch_get_members(m->batch, k, 1, &member, sizeof member) != WARPLU_SUCCESS) break;
        if (member.status == WARPLU_SUCCESS) continue;
        fprintf(stderr, "%s: the first is sample %d: %s\n", m->c.name, k, warplu_status_text(member.status));
        break;
    }
    return 0;
}

/* All samples that move are linearized where they are. */
static void stamp_samples(monte_carlo *m)
{
    circuit *c = &m->c;
    for (int sample = 0; sample < m->count; sample++) {
        if (!m->moving[sample]) continue;
        load_sample(m, sample);
        circuit_stamp(c);
        memcpy(m->values + (int64_t)sample * c->nnz, c->values + 1, (size_t)c->nnz * sizeof *c->values);
        memcpy(m->rhs + (int64_t)sample * c->n, c->rhs + 1, (size_t)c->n * sizeof *c->rhs);
        m->limited[sample] = c->limited != 0;
        keep_states(m, sample);
    }
}

/* All of these go where the batch says; how many do not settle there. */
static int move_samples(monte_carlo *m)
{
    circuit *c = &m->c;
    size_t bytes = (size_t)c->n * sizeof *c->x;
    int moving = 0;
    for (int sample = 0; sample < m->count; sample++) {
        double *x = m->x + (int64_t)sample * c->n, *next = m->next + (int64_t)sample * c->n;
        if (!m->moving[sample]) continue;
        memcpy(c->x + 1, x, bytes);
        memcpy(c->next + 1, next, bytes);
        c->limited = m->limited[sample];
        m->moving[sample] = !circuit_settled(c);
        moving += m->moving[sample];
        memcpy(x, next, bytes);
    }
    return moving;
}

static int count_call(monte_carlo *m)
{
    warplu_batch_statistics s = {.size = sizeof s};
    if (!worked(m, warplu_batch_get_statistics(m->batch, &s), "statistics")) return 0;
    m->calls++;
    m->systems += s.took_part;
    m->refined += s.refined;
    m->repaired += s.by_other_programs + s.by_own_solvers;
    return 1;
}

/* Newton's method for all samples at c.time. */
static int settle_samples(monte_carlo *m)
{
    memset(m->moving, 1, (size_t)m->count);
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
        stamp_samples(m);
        warplu_status status = warplu_batch_refactor_solve(m->batch, m->values, m->moving, 0, 1, m->rhs, m->next);
        if (!worked(m, status, "refactor and solve") || !count_call(m)) return 0;
        if (move_samples(m) == 0) return 1;
    }
    fprintf(stderr, "%s: no convergence at %g s\n", m->c.name, m->c.time);
    return 0;
}

static void accept_samples(monte_carlo *m)
{
    for (int sample = 0; sample < m->count; sample++) {
        load_sample(m, sample);
        circuit_accept(&m->c);
        keep_states(m, sample);
    }
}

/* --------------------------------------------------------------- percentiles */

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* By nearest rank: the smallest voltage that so many percent of the samples do not exceed. */
static void keep_percentiles(monte_carlo *m, int step)
{
    int node = m->c.probe[m->a->node] - 1;
    for (int k = 0; k < m->count; k++) m->sorted[k] = m->x[(int64_t)k * m->c.n + node];
    qsort(m->sorted, (size_t)m->count, sizeof *m->sorted, ascending);
    m->time[step] = m->c.time;
    for (int p = 0; p < PERCENTILES; p++) {
        int64_t rank = ((int64_t)percent[p] * m->count + 99) / 100;
        m->percentiles[(int64_t)p * (m->a->steps + 1) + step] = m->sorted[rank - 1];
    }
}

static const double *percentile(const monte_carlo *m, int p)
{
    return m->percentiles + (int64_t)p * (m->a->steps + 1);
}

static void write_table(const monte_carlo *m, FILE *file)
{
    fprintf(file, "time,p%d,p%d,p%d\n", percent[0], percent[1], percent[2]);
    for (int k = 0; k <= m->a->steps; k++)
        fprintf(file, "%.17g,%.17g,%.17g,%.17g\n", m->time[k], percentile(m, 0)[k], percentile(m, 1)[k],
                percentile(m, 2)[k]);
}

static void write_picture(const monte_carlo *m, FILE *file)
{
    char title[128];
    snprintf(title, sizeof title, "Voltage of node %s: %d samples, elements off by at most %g %%",
             probe_names[m->a->node], m->count, 100.0 * m->a->spread);
    plot p = {.title = title,
              .line = "median",
              .band = "5 % to 95 % of the samples",
              .count = m->a->steps + 1,
              .time = m->time,
              .low = percentile(m, 0),
              .middle = percentile(m, 1),
              .high = percentile(m, 2)};
    plot_write(&p, file);
}

/* -------------------------------------------------------------------- run */

static void *zeros(const monte_carlo *m, int64_t count, size_t size)
{
    void *memory = calloc((size_t)count, size);
    if (memory == NULL) fprintf(stderr, "%s: out of memory\n", m->c.name);
    return memory;
}

static int make_room(monte_carlo *m)
{
    const circuit *c = &m->c;
    int64_t count = m->count, points = m->a->steps + 1;
    return (m->element = zeros(m, count * c->count, sizeof(double))) != NULL &&
           (m->state = zeros(m, count * c->count * 2, sizeof(double))) != NULL &&
           (m->values = zeros(m, count * c->nnz, sizeof(double))) != NULL &&
           (m->rhs = zeros(m, count * c->n, sizeof(double))) != NULL &&
           (m->x = zeros(m, count * c->n, sizeof(double))) != NULL &&
           (m->next = zeros(m, count * c->n, sizeof(double))) != NULL && (m->moving = zeros(m, count, 1)) != NULL &&
           (m->limited = zeros(m, count, 1)) != NULL && (m->sorted = zeros(m, count, sizeof(double))) != NULL &&
           (m->time = zeros(m, points, sizeof(double))) != NULL &&
           (m->percentiles = zeros(m, points * PERCENTILES, sizeof(double))) != NULL;
}

/* Over the nominal circuit's pivots. */
static int make_batch(monte_carlo *m)
{
    warplu_batch_options options;
    warplu_batch_init_options(&options);
    options.executor = m->a->executor;
    options.threads = m->a->threads;
    return circuit_worked(&m->c, warplu_batch_create(&m->batch, m->c.solver, m->count, &options), "batch");
}

static int run(monte_carlo *m)
{
    if (!circuit_operating_point(&m->c) || !make_room(m) || !make_batch(m)) return 0;
    draw_samples(m);
    for (int k = 0; k <= m->a->steps; k++) {
        m->c.time = k * m->a->step;
        m->c.step = k > 0 ? m->a->step : 0.0; /* first the operating points */
        if (!settle_samples(m)) return 0;
        accept_samples(m);
        keep_percentiles(m, k);
    }
    return 1;
}

static void finish(monte_carlo *m)
{
    warplu_batch_destroy(&m->batch);
    circuit_dismantle(&m->c);
    free(m->element);
    free(m->state);
    free(m->values);
    free(m->rhs);
    free(m->x);
    free(m->next);
    free(m->moving);
    free(m->limited);
    free(m->sorted);
    free(m->time);
    free(m->percentiles);
}

static void report(const monte_carlo *m)
{
    const arguments *a = m->a;
    printf("%d steps: %lld calls for %lld systems, %lld of them refined, %lld by other pivots than the common ones\n",
           a->steps, (long long)m->calls, (long long)m->systems, (long long)m->refined, (long long)m->repaired);
    printf("at the end: %s", probe_names[a->node]);
    for (int p = 0; p < PERCENTILES; p++)
        printf("%s %d %% %.4f V", p > 0 ? "," : "", percent[p], percentile(m, p)[a->steps]);
    printf("\n");
}

/* ------------------------------------------------------------- the program */

static void usage(FILE *file)
{
    fprintf(file,
            "usage: monte_carlo [--samples N] [--spread P] [--seed S] [--node NAME] [--on host|device] [--threads N]\n"
            "                   [--method be|trap] [--mesh N] [--steps N] [--step SECONDS] [--csv FILE] [--svg FILE]\n"
            "  --samples  circuits that are simulated (10000)\n"
            "  --spread   resistances and capacitances are off by at most so much, 0 to 0.9 (0.2)\n"
            "  --seed     of their random numbers, 1 to %d (7)\n"
            "  --node     corner, far, first, last or sensor (last)\n"
            "  --on       the processor, or a GPU (host)\n"
            "  --threads  of the processor that share the samples (1)\n"
            "  --method   backward Euler or the trapezoidal rule (trap)\n"
            "  --mesh     nodes along an edge of the mesh, 1 to %d (8)\n"
            "  --steps    time steps (250)\n"
            "  --step     length of one (2e-11)\n"
            "  --csv      write time and the 5th, 50th and 95th percentiles of the node's voltage\n"
            "  --svg      draw them\n",
            INT_MAX, MOST_MESH);
}

static int read_place(const char *text, warplu_executor *executor)
{
    *executor = strcmp(text, "device") == 0 ? WARPLU_EXECUTOR_CUDA : WARPLU_EXECUTOR_AUTO;
    return *executor == WARPLU_EXECUTOR_CUDA || strcmp(text, "host") == 0;
}

static int read_node(const char *text, int *node)
{
    for (*node = 0; *node < PROBES; ++*node)
        if (strcmp(text, probe_names[*node]) == 0) return 1;
    return 0;
}

static int read_spread(const char *text, double *spread)
{
    *spread = strcmp(text, "0") == 0 ? 0.0 : positive(text);
    return (*spread > 0.0 || strcmp(text, "0") == 0) && *spread <= 0.9;
}

/* 1 if the option is known and its value makes sense. */
static int read_option(void *into, const char *option, const char *value)
{
    arguments *a = into;
    if (strcmp(option, "--samples") == 0) return (a->samples = whole(value, INT_MAX)) > 0;
    if (strcmp(option, "--spread") == 0) return read_spread(value, &a->spread);
    if (strcmp(option, "--seed") == 0) return (a->seed = whole(value, INT_MAX)) > 0;
    if (strcmp(option, "--node") == 0) return read_node(value, &a->node);
    if (strcmp(option, "--threads") == 0) return (a->threads = whole(value, 1024)) > 0;
    if (strcmp(option, "--method") == 0) return read_method(value, &a->memory);
    if (strcmp(option, "--mesh") == 0) return (a->mesh = whole(value, MOST_MESH)) > 0;
    if (strcmp(option, "--steps") == 0) return (a->steps = whole(value, INT_MAX - 1)) > 0;
    if (strcmp(option, "--step") == 0) return (a->step = positive(value)) > 0.0;
    if (strcmp(option, "--csv") == 0) return (a->csv = value)[0] != '\0';
    if (strcmp(option, "--svg") == 0) return (a->svg = value)[0] != '\0';
    return strcmp(option, "--on") == 0 && read_place(value, &a->executor);
}

static int simulate(const arguments *a)
{
    monte_carlo m = {.a = a,
                     .count = a->samples,
                     .c = {.name = "monte_carlo", .memory = a->memory, .growth = 1.0, .backward_error = -1.0}};
    FILE *csv = NULL, *svg = NULL;
    int done = circuit_prepare(&m.c, a->mesh) && open_file(m.c.name, a->csv, &csv) && open_file(m.c.name, a->svg, &svg);
    if (done) {
        printf("mesh %d by %d: %d unknowns, %d entries, %s, %d samples on the %s\n", a->mesh, a->mesh, (int)m.c.n,
               (int)m.c.nnz, a->memory > 0.0 ? "trapezoidal rule" : "backward Euler", a->samples,
               a->executor == WARPLU_EXECUTOR_CUDA ? "device" : "host");
        done = run(&m);
    }
    if (done && csv != NULL) write_table(&m, csv);
    if (done && svg != NULL) write_picture(&m, svg);
    done &= close_file(m.c.name, a->csv, csv) & close_file(m.c.name, a->svg, svg);
    if (done) report(&m);
    finish(&m);
    return done;
}

int main(int argc, char **argv)
{
    arguments a = {.memory = 1.0,
                   .step = 2e-11,
                   .spread = 0.2,
                   .samples = 10000,
                   .mesh = 8,
                   .steps = 250,
                   .threads = 1,
                   .seed = 7,
                   .node = 3,
                   .executor = WARPLU_EXECUTOR_AUTO};
    int code = read_arguments(argc, argv, read_option, &a, usage);
    return code >= 0 ? code : simulate(&a) ? 0 : 1;
}
