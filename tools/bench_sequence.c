/* warplu bench --sequence: matrices of one pattern in their order, the first factored, the others replayed.
 *
 * Values of a later file are mapped into the first one's pattern: what it lacks counts as zero, what lies
 * outside is an error. Every entry goes through the whole sequence by itself, refactor and solve in turn, as
 * a simulator would, and again from the start until 20 passes or a second are reached. Accuracy is judged in
 * the first pass, outside the clock. A peer whose solution is worse than 1e-10 factors anew, on its clock:
 * that is what its user would have to do. Memory: the values of all files. */
#include "base/clock.h"
#include "bench.h"
#include "residual.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ENOUGH_PASSES = 20 };
static const int64_t ENOUGH_NS = 1000000000;

typedef struct sequence {
    bench_plan *plan;
    bench_case c; /* the first matrix, with its entries */
    char **paths;
    int count;
    double **values;               /* count, in the first one's pattern */
    bench_result *result;          /* count * plan->count, by step */
    warplu_statistics *statistics; /* count: of the first executor after each step */
} sequence;

static bench_result *result_at(const sequence *s, int step, int entry)
{
    return &s->result[(int64_t)step * s->plan->count + entry];
}

/* ------------------------------------------------------------------ values */

/* m's values in the places of a's pattern. */
static warplu_status map_values(sequence *s, const char *path, const wlu_mm_matrix *m, double *out)
{
    const wlu_mm_matrix *a = &s->c.a;
    if (m->nrow != a->nrow)
        return wlu_fail(s->c.ctx, WARPLU_PATTERN_MISMATCH, "%s: n is %d, expected %d as in %s", path,
                        (int)m->nrow, (int)a->nrow, s->paths[0]);
    memset(out, 0, (size_t)a->nnz * sizeof *out);
    for (int32_t j = 0; j < a->ncol; j++) {
        int32_t at = a->ptr[j], end = a->ptr[j + 1];
        for (int32_t q = m->ptr[j]; q < m->ptr[j + 1]; q++) {
            while (at < end && a->idx[at] < m->idx[q]) at++;
            if (at == end || a->idx[at] != m->idx[q])
                return wlu_fail(s->c.ctx, WARPLU_PATTERN_MISMATCH,
                                "%s: entry (%d, %d) is outside the pattern of %s", path, (int)m->idx[q] + 1,
                                (int)j + 1, s->paths[0]);
            out[at] = m->values[q];
        }
    }
    return WARPLU_SUCCESS;
}

static warplu_status read_step(sequence *s, int step)
{
    wlu_mm_matrix m;
    warplu_status status = load_system(&s->plan->setup, s->paths[step], &m);
    if (status < 0) return status;
    s->values[step] = WLU_ALLOC(s->c.ctx, s->c.a.nnz, double);
    status = s->values[step] == NULL ? wlu_fail_memory(s->c.ctx, "values of a sequence")
                                     : map_values(s, s->paths[step], &m, s->values[step]);
    wlu_mm_free(s->c.ctx, &m);
    return status;
}

/* A file that stops the sequence keeps its line. */
static void report_unread(sequence *s, int step, warplu_status status)
{
    bench_case unread = {.ctx = s->c.ctx, .path = s->paths[step], .step = step, .status = status};
    snprintf(unread.message, sizeof unread.message, "%s", s->c.ctx->last_message);
    bench_report(s->plan, &unread);
}

static warplu_status read_all(sequence *s)
{
    warplu_status status = bench_case_open(s->plan, s->paths[0], &s->c);
    if (status >= 0) s->values[0] = s->c.a.values;
    int step = 0;
    for (; status >= 0 && step + 1 < s->count; step++) status = read_step(s, step + 1);
    if (status < 0) report_unread(s, step, status);
    return status;
}

/* ------------------------------------------------------------------ passes */

static int64_t repivots_of(const bench_entry *e)
{
    return e->solver != NULL ? e->solver->repivots : 0;
}

/* A peer's solution judged, or known from the first pass to fall short: factor anew, at its own expense. */
static warplu_status rescue_peer(sequence *s, bench_entry *e, bench_result *r, warplu_status status,
                                 int first, int64_t *refactor_ns, int64_t *solve_ns)
{
    bench_result trial = {0};
    int64_t factor_ns;
    if (first && (status < 0 || !(bench_judge_solution(&s->c, &trial) <= ANSWER_IS_RIGHT))) r->repivots = 1;
    if (r->repivots == 0 || !bench_entry_alive(e)) return status;
    status = bench_entry_factor(e, &s->c, &factor_ns);
    *refactor_ns += factor_ns;
    return status < 0 ? status : bench_entry_once(e, &s->c, BENCH_SOLVE, solve_ns);
}

static void replay(sequence *s, int entry, int step, int first)
{
    bench_entry *e = &s->c.entry[entry];
    bench_result *r = result_at(s, step, entry);
    int64_t before = repivots_of(e), refactor_ns = 0, solve_ns = 0;
    s->c.now = step;
    warplu_status status = step > 0 ? bench_entry_once(e, &s->c, BENCH_REFACTOR, &refactor_ns) : WARPLU_SUCCESS;
    if (first) r->refactored = status;
    if (status >= 0) status = bench_entry_once(e, &s->c, BENCH_SOLVE, &solve_ns);
    if (first) r->solved = status;
    if (e->peer != NULL && step > 0) status = rescue_peer(s, e, r, status, first, &refactor_ns, &solve_ns);
    if (e->peer == NULL && first) r->repivots = repivots_of(e) - before;
    if (status < 0) {
        r->status = status;
        snprintf(r->message, sizeof r->message, "%s", bench_entry_message(e));
        return;
    }
    if (first) bench_judge_solution(&s->c, r);
    if (step > 0) bench_samples_add(&r->samples[BENCH_REFACTOR], refactor_ns);
    bench_samples_add(&r->samples[BENCH_SOLVE], solve_ns);
}

/* One entry through the whole sequence. The first pass finds the first matrix factored. */
static void pass_entry(sequence *s, int entry, int first, int statistics)
{
    bench_entry *e = &s->c.entry[entry];
    int64_t ns;
    s->c.now = 0;
    if (!first && bench_entry_factor(e, &s->c, &ns) < 0) return;
    for (int step = 0; step < s->count; step++) {
        replay(s, entry, step, first);
        if (!first || !statistics) continue;
        s->statistics[step].size = sizeof s->statistics[step];
        warplu_get_statistics(e->solver, &s->statistics[step]);
    }
}

static int first_alive(const sequence *s)
{
    for (int k = 0; k < s->plan->executors; k++)
        if (bench_entry_alive(&s->c.entry[k])) return k;
    return -1;
}

static void run_passes(sequence *s)
{
    int64_t passes = 0, start = wlu_now_ns(), repeat = s->plan->repeat;
    int chosen = first_alive(s), more = 1;
    for (; more; passes++) {
        for (int k = 0; k < s->c.count; k++) {
            if (!bench_entry_alive(&s->c.entry[k])) continue;
            bench_progress_show(&s->plan->progress, s->paths[0], s->c.entry[k].name, "sequence");
            pass_entry(s, k, passes == 0, k == chosen);
        }
        more =
            repeat > 0 ? passes + 1 < repeat : passes + 1 < ENOUGH_PASSES && wlu_now_ns() - start < ENOUGH_NS;
    }
}

/* ------------------------------------------------------------------ report */

/* Entries' results of a step, with the totals up to there. */
static void report_step(sequence *s, int step, double *total_ms)
{
    bench_case line = s->c;
    line.path = s->paths[step];
    line.step = step;
    for (int k = 0; k < line.count; k++) {
        bench_result *r = result_at(s, step, k);
        if (!bench_entry_alive(&s->c.entry[k])) continue;
        bench_samples *refactor = &r->samples[BENCH_REFACTOR], *solve = &r->samples[BENCH_SOLVE];
        bench_samples_sort(refactor);
        bench_samples_sort(solve);
        if (step > 0 && r->status >= 0) total_ms[k] += bench_samples_ms(refactor, 0.5) + bench_samples_ms(solve, 0.5);
        r->total_ms = total_ms[k];
        line.entry[k].result = *r;
    }
    bench_case_settle(&line);
    line.statistics = s->statistics[step];
    bench_report(s->plan, &line);
}

static void report_totals(const sequence *s, const double *total_ms)
{
    if (s->plan->as_json) return;
    for (int k = 0; k < s->c.count; k++) {
        const bench_entry *e = &s->c.entry[k];
        int64_t repivots = 0;
        if (!bench_entry_alive(e)) continue;
        for (int step = 1; step < s->count; step++) repivots += result_at(s, step, k)->repivots;
        printf("total of %d replays and solves: %s %.4f ms, %" PRId64 " pivoted again\n", s->count - 1,
               e->name, total_ms[k], repivots);
    }
}

static int report_all(sequence *s)
{
    double total_ms[BENCH_ENTRIES] = {0};
    int code = CMD_OK;
    for (int step = 0; step < s->count; step++) {
        report_step(s, step, total_ms);
        for (int k = 0; k < s->plan->executors; k++)
            if (bench_entry_alive(&s->c.entry[k]) && result_at(s, step, k)->status < 0) code = CMD_ERROR;
    }
    report_totals(s, total_ms);
    return first_alive(s) >= 0 ? code : CMD_ERROR;
}

static void close_sequence(sequence *s)
{
    for (int step = 0; step < s->count && s->result != NULL; step++)
        for (int k = 0; k < s->plan->count; k++)
            for (int loop = 0; loop < BENCH_LOOPS; loop++) bench_samples_free(&result_at(s, step, k)->samples[loop]);
    for (int step = 1; step < s->count && s->values != NULL; step++) wlu_free(s->c.ctx, s->values[step]);
    if (s->c.ctx != NULL) bench_case_close(&s->c);
    free(s->values);
    free(s->result);
    free(s->statistics);
}

int bench_sequence(bench_plan *plan, char **paths, int count)
{
    sequence s = {.plan = plan, .paths = paths, .count = count};
    int code = CMD_ERROR;
    s.c.ctx = &plan->setup.ctx;
    s.values = calloc((size_t)count, sizeof *s.values);
    s.result = calloc((size_t)count * (size_t)plan->count, sizeof *s.result);
    s.statistics = calloc((size_t)count, sizeof *s.statistics);
    if (s.values == NULL || s.result == NULL || s.statistics == NULL) {
        wlu_fail_memory(&plan->setup.ctx, "sequence");
    } else if (read_all(&s) >= 0) {
        for (int64_t k = 0; k < (int64_t)count * plan->count; k++) {
            s.result[k].residual = s.result[k].backward_error = NAN;
            s.result[k].refinement_steps = -1;
        }
        s.c.steps = (const double *const *)s.values;
        s.c.step_count = count;
        bench_case_start(plan, &s.c);
        run_passes(&s);
        bench_progress_step(&plan->progress);
        code = report_all(&s);
    }
    close_sequence(&s);
    return code;
}
