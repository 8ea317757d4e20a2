/* Vectors, a launch each: the method of Tominaga and Maekawa as they published it, and the strategy `levels` on
 * compiled programs. What their table 4 shows, and what a level costs.
 *
 *     build/benchmarks/levels/levels [--repeat N] [--ordering NAME] [--no-btf] [--json] A.mtx B.mtx.gz ...
 *
 * scalar: MSUB and DIV of factorization and substitution, one stream, in double and in single precision; wall time from
 * the first launch to the end of the wait, values in place. refactor, solve: of warplu with values and right-hand side
 * on the device, loads, guards and verdict within. Each with vectors of one opcode (split) and with mixed ones
 * (unsplit), by launches one after the other and as one graph. Medians with the shortest and the longest of N (21)
 * calls. Table 5, warp execution efficiency, takes the profiler:
 *
 *     ncu --kernel-name regex:scalar_double --metrics smsp__thread_inst_executed_per_inst_executed.ratio --csv \
 *         build/benchmarks/levels/levels --repeat 1 --launches A.mtx
 *
 * divided by 32 lanes; --launches leaves graphs out.
 *
 * Exit status 1 where a replay has not the bits of the records one after the other, or a matrix cannot be read or
 * factored, or there is no device. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/levels/launch.h"
#include "solver/solver.h"
#include "base/clock.h"
#include <warplu/device.h>
#include <warplu/matrix_market.h>
#include "replay.h"

enum { REPEATS = 21, REPEATS_MOST = 10000 };

static const char *const orderings[] = {"auto", "natural", "amd", "colamd", "metis"};
static int repeats = REPEATS, as_json, launches_only, rows, no_btf;
static warplu_ordering ordering = WARPLU_ORDERING_AUTO;

static warplu_options options_for(warplu_executor executor)
{
    warplu_options o;
    warplu_init_options(&o);
    o.executor = executor;
    o.ordering = ordering;
    o.btf = !no_btf;
    return o;
}

typedef struct row {
    const char *matrix, *what, *precision;
    int split, graph;
    int64_t records, vectors, longest;
    replay_times time;
} row;

static void print_row(const row *r)
{
    const char *vectors = r->split ? "split" : "unsplit", *by = r->graph ? "graph" : "launches";
    double us = 1e3 * r->time.median_ms / (double)(r->vectors > 0 ? r->vectors : 1);
    if (as_json)
        printf(
            "%s{\"matrix\": \"%s\", \"what\": \"%s\", \"precision\": \"%s\", \"vectors_are\": \"%s\", \"by\": \"%s\", "
            "\"records\": %lld, \"vectors\": %lld, \"longest\": %lld, \"ms\": {\"median\": %.6f, \"min\": %.6f, "
            "\"max\": %.6f}, "
            "\"us_per_vector\": %.4f, \"same_bits\": %s}",
            rows > 0 ? ",\n " : "[", r->matrix, r->what, r->precision, vectors, by, (long long)r->records,
            (long long)r->vectors, (long long)r->longest, r->time.median_ms, r->time.least_ms, r->time.most_ms, us,
            r->time.same_bits ? "true" : "false");
    else
        printf("%-20s %-9s %-7s %-8s %-9s %10lld %8lld %8lld %10.4f %10.4f %10.4f %9.3f %s\n", r->matrix, r->what,
               r->precision, vectors, by, (long long)r->records, (long long)r->vectors, (long long)r->longest,
               r->time.median_ms, r->time.least_ms, r->time.most_ms, us, r->time.same_bits ? "same" : "OTHER BITS");
    fflush(stdout);
    rows++;
}

/* ------------------------------------------------------------------ scalar */

static int scalar_rows(wlu_context *ctx, const replay_kernels *kernels, const char *name, const warplu_solver *s,
                       const double *entries)
{
    int done = 1, right = 1;
    for (int split = 0; split <= 1 && done; split++) {
        scalar_program p;
        if (scalar_create(ctx, s->analysis->a, wlu_solver_pivots(s), entries, split, &p) < 0) return 0;
        for (int form = 0; form < 4 && done; form++) {
            int single = form / 2, graph = form % 2;
            row r = {.matrix = name,
                     .what = "scalar",
                     .precision = single ? "single" : "double",
                     .split = split,
                     .graph = graph,
                     .records = p.nrecords,
                     .vectors = p.nvectors,
                     .longest = p.longest};
            if (graph && launches_only) continue;
            done = replay_time(ctx, kernels, &p, single, graph, repeats, &r.time) >= 0;
            if (done) print_row(&r);
            right &= r.time.same_bits;
        }
        scalar_free(&p);
    }
    return done && right;
}

/* ---------------------------------------------------------------- compiled */

/* Numbers on the device: values, right-hand side, solution. */
typedef struct numbers {
    wlu_cu_address block, b, x;
    const double *values;
} numbers;

typedef struct contest {
    const char *name;
    const warplu_mm_matrix *m;
    const replay_kernels *kernels;
    numbers at;
    double *b, *x, *expected; /* n each */
} contest;

static warplu_solver *solver_for(const contest *c, int graph, int split)
{
    warplu_solver *s = NULL;
    warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
    o.device_strategy = WARPLU_STRATEGY_LEVELS;
    const warplu_mm_matrix *m = c->m;
    warplu_status status = warplu_create(&s, &o);
    if (status == WARPLU_SUCCESS) s->ctx.unsplit = !split;
    if (status == WARPLU_SUCCESS && !graph) s->target.strategy = WLU_STRATEGY_LAUNCHES;
    if (status < 0 || warplu_analyze(s, m->nrow, m->ptr, m->idx, m->values) < 0 || warplu_factor(s, m->values) < 0) {
        fprintf(stderr, "levels: %s: %s\n", c->name, s != NULL ? warplu_get_message(s) : "no device");
        warplu_destroy(&s);
    }
    return s;
}

static int call(const contest *c, warplu_solver *s, int solve)
{
    int32_t n = c->m->nrow;
    void *stream = c->kernels->stream;
    if (!solve)
        return warplu_refactor_device(s, c->at.values, stream) == WARPLU_ENQUEUED &&
               warplu_finish_device(s, NULL, stream) >= 0;
    return warplu_solve_device(s, 0, 1, (const double *)(uintptr_t)c->at.b, n, (double *)(uintptr_t)c->at.x, n,
                               stream) == WARPLU_ENQUEUED &&
           wlu_cuda.stream_wait(stream) == 0;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int time_calls(const contest *c, warplu_solver *s, int solve, replay_times *out)
{
    double *ms = malloc((size_t)repeats * sizeof *ms);
    int done = ms != NULL;
    for (int k = -1; k < repeats && done; k++) {
        int64_t begun = wlu_now_ns();
        done = call(c, s, solve);
        ms[k < 0 ? 0 : k] = 1e-6 * (double)(wlu_now_ns() - begun);
    }
    if (done) {
        qsort(ms, (size_t)repeats, sizeof *ms, ascending);
        *out = (replay_times){ms[repeats / 2], ms[0], ms[repeats - 1], 1};
    }
    free(ms);
    return done;
}

/* The answer of the reference executor with the same program. */
static int expect(contest *c)
{
    warplu_solver *s = NULL;
    const warplu_mm_matrix *m = c->m;
    warplu_options o = options_for(WARPLU_EXECUTOR_REFERENCE);
    int done = warplu_create(&s, &o) >= 0;
    if (done) s->cost = &wlu_cost_levels;
    done = done && warplu_analyze(s, m->nrow, m->ptr, m->idx, m->values) >= 0 && warplu_factor(s, m->values) >= 0 &&
           warplu_refactor(s, m->values) >= 0 && warplu_solve(s, 1, c->b, m->nrow, c->expected, m->nrow) >= 0;
    warplu_destroy(&s);
    return done;
}

static int compiled_rows(contest *c, int split, int graph)
{
    int32_t n = c->m->nrow;
    warplu_statistics t = {.size = sizeof t};
    warplu_solver *s = solver_for(c, graph, split);
    int right = s != NULL && wlu_solver_program(s) != NULL;
    if (right) right = warplu_refactor(s, c->m->values) >= 0 && warplu_solve(s, 1, c->b, n, c->x, n) >= 0;
    int same = right && memcmp(c->x, c->expected, (size_t)n * sizeof *c->x) == 0;
    for (int solve = 0; solve <= 1 && right; solve++) {
        const wlu_program *p = wlu_solver_program(s);
        const wlu_stream *of = solve ? &p->solve.stream : &p->dot;
        row r = {.matrix = c->name,
                 .what = solve ? "solve" : "refactor",
                 .precision = "double",
                 .split = split,
                 .graph = graph,
                 .records = of->nrecords,
                 .vectors = of->nvectors,
                 .longest = of->longest_vector};
        right = time_calls(c, s, solve, &r.time);
        r.time.same_bits = same;
        if (right) print_row(&r);
    }
    warplu_destroy(&s);
    return right && same;
}

static int put_numbers(wlu_context *ctx, contest *c)
{
    const warplu_mm_matrix *m = c->m;
    size_t n = (size_t)m->nrow * sizeof(double), values = (size_t)m->nnz * sizeof(double);
    warplu_status status = WLU_CUDA(ctx, alloc, &c->at.block, values + 2 * n);
    c->at.values = (const double *)(uintptr_t)c->at.block;
    c->at.b = c->at.block + values;
    c->at.x = c->at.b + n;
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, to_device, c->at.block, m->values, values, c->kernels->stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, to_device, c->at.b, c->b, n, c->kernels->stream);
    return status == WARPLU_SUCCESS;
}

static int hold(wlu_context *ctx, contest *c)
{
    int32_t n = c->m->nrow;
    for (int32_t i = 0; i < n; i++) c->b[i] = 1.0;
    if (!expect(c) || wlu_cuda_enter(ctx, &c->kernels->device->on) < 0) return 0;
    int right = put_numbers(ctx, c);
    for (int form = 0; form < 4 && right; form++)
        if (form % 2 == 0 || !launches_only) right = compiled_rows(c, form / 2, form % 2);
    if (c->at.block != 0) wlu_cuda.free(c->at.block);
    wlu_cuda_leave(ctx, WARPLU_SUCCESS);
    return right;
}

/* -------------------------------------------------------------------- all */

static int run_matrix(wlu_context *ctx, const replay_kernels *kernels, const char *path)
{
    warplu_mm_matrix m = {.size = sizeof m};
    warplu_mm_error error = {.size = sizeof error};
    const char *slash = strrchr(path, '/');
    contest c = {.name = slash != NULL ? slash + 1 : path, .m = &m, .kernels = kernels};
    if (warplu_mm_read(path, NULL, &m, &error) < 0) {
        fprintf(stderr, "levels: %s\n", error.text);
        return 0;
    }
    warplu_solver *s = NULL;
    warplu_options o = options_for(WARPLU_EXECUTOR_AUTO);
    double *entries = WLU_CALLOC(ctx, (int64_t)m.nnz + 1, double), *room = WLU_CALLOC(ctx, 3 * (int64_t)m.nrow, double);
    int right = entries != NULL && room != NULL && m.nrow == m.ncol && m.values != NULL && warplu_create(&s, &o) >= 0 &&
                warplu_analyze(s, m.nrow, m.ptr, m.idx, m.values) >= 0 && warplu_factor(s, m.values) >= 0;
    if (!right)
        fprintf(stderr, "levels: %s: %s\n", path, s != NULL ? warplu_get_message(s) : "no square system with values");
    if (right) {
        wlu_pattern_gather(s->analysis->a, m.values, entries);
        c.b = room;
        c.x = room + m.nrow;
        c.expected = room + 2 * (int64_t)m.nrow;
        right = scalar_rows(ctx, kernels, c.name, s, entries);
        right = hold(ctx, &c) && right;
    }
    warplu_destroy(&s);
    wlu_free(ctx, entries);
    wlu_free(ctx, room);
    warplu_mm_free(&m);
    return right;
}

static void say(warplu_status status, const char *text, void *user)
{
    (void)status;
    (void)user;
    fprintf(stderr, "levels: %s\n", text);
}

static int take_ordering(const char *name)
{
    for (int k = 0; k < (int)(sizeof orderings / sizeof *orderings); k++)
        if (strcmp(name, orderings[k]) == 0) {
            ordering = (warplu_ordering)k;
            return 1;
        }
    return 0;
}

/* The place of the first matrix, 0 for a usage error. */
static int take_options(int argc, char **argv)
{
    int at = 1, right = 1;
    for (; at < argc && argv[at][0] == '-' && right; at++) {
        if (strcmp(argv[at], "--json") == 0)
            as_json = 1;
        else if (strcmp(argv[at], "--launches") == 0)
            launches_only = 1;
        else if (strcmp(argv[at], "--no-btf") == 0)
            no_btf = 1;
        else if (strcmp(argv[at], "--repeat") == 0 && at + 1 < argc)
            repeats = atoi(argv[++at]);
        else
            right = strcmp(argv[at], "--ordering") == 0 && at + 1 < argc && take_ordering(argv[++at]);
    }
    return right && at < argc && repeats >= 1 && repeats <= REPEATS_MOST ? at : 0;
}

int main(int argc, char **argv)
{
    wlu_context ctx;
    replay_kernels kernels;
    int right, at = take_options(argc, argv);
    if (at == 0) {
        fprintf(stderr, "usage: levels [--repeat N] [--ordering NAME] [--no-btf] [--launches] [--json] A.mtx ...\n");
        return 2;
    }
    wlu_context_init(&ctx, NULL);
    ctx.message = say;
    right = replay_open(&ctx, &kernels) >= 0;
    if (right && !as_json)
        printf("%-20s %-9s %-7s %-8s %-9s %10s %8s %8s %10s %10s %10s %9s\n", "matrix", "what", "in", "vectors", "by",
               "records", "vectors", "longest", "ms", "least", "most", "us/vector");
    for (int opened = right; opened && at < argc; at++) right &= run_matrix(&ctx, &kernels, argv[at]);
    replay_close(&kernels);
    if (as_json) printf("%s]\n", rows > 0 ? "" : "[");
    return !right;
}
