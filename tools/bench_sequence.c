/* warplu bench --sequence: matrices of one pattern in their order, the first factored, the others replayed.
 *
 * Values of a later file are mapped into the first one's pattern: what it lacks counts as zero, what lies outside is an
 * error. Every entry goes through the whole sequence by itself, refactor and solve in turn, as a simulator would: once
 * to judge its solutions, then, on the clock, 20 times, or three times if all entries took a second by then; each round
 * begins with another entry. A peer whose solution is worse than 1e-10 factors anew, on its clock: that is what its
 * user would have to do. Memory: the values of all files, and two copies of them for each peer. */
#include "base/clock.h"
#include "bench.h"
#include "residual.h"
#include "same_pattern.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { FEW_PASSES = 3, ENOUGH_PASSES = 20 };
static const int64_t ENOUGH_NS = 1000000000;

typedef struct sequence {
    bench_plan *plan;
    bench_case c; /* the first matrix, with its entries */
    char **paths;
    int count;
    double **values;                        /* count, in the first one's pattern */
    bench_result *result;                   /* count * plan->count, by step */
    int64_t *anew, *refactor_ns, *solve_ns; /* count: of one pass */
    warplu_statistics *statistics;          /* count: of the first executor after each step */
} sequence;

static bench_result *result_at(const sequence *s, int step, int entry)
{
    return &s->result[(int64_t)step * s->plan->count + entry];
}

/* ------------------------------------------------------------------ values */

static warplu_status read_step(sequence *s, int step)
{
    s->values[step] = WLU_ALLOC(s->c.ctx, bench_values(&s->c), double);
    if (s->values[step] == NULL) return wlu_fail_memory(s->c.ctx, "values of a sequence");
    return same_pattern_read(&s->plan->setup, s->paths[step], s->paths[0], &s->c.a, 0, s->values[step]);
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

/* ------------------------------------------------------------------- judge */

static int64_t repivots_of(const bench_entry *e)
{
    warplu_statistics t = {.size = sizeof t};
    if (e->solver != NULL) warplu_get_statistics(e->solver, &t);
    return t.repivots;
}

static void fail_step(const bench_entry *e, bench_result *r, warplu_status status)
{
    r->status = status;
    snprintf(r->message, sizeof r->message, "%s", bench_entry_message(e));
}

/* A peer's solution that falls short: what factoring anew makes of it. */
static warplu_status rescue_peer(sequence *s, bench_entry *e, bench_result *r, warplu_status status)
{
    bench_result trial = {.backward_error = NAN};
    int64_t ns;
    if (status >= 0 && bench_judge_solution(&s->c, e, &trial) <= ANSWER_IS_RIGHT) return status;
    if (!bench_entry_alive(e) || peer_is_gone(status)) return status;
    r->repivots = 1;
    status = bench_entry_factor(e, &s->c, &ns);
    return status < 0 ? status : bench_entry_once(e, &s->c, BENCH_SOLVE, &ns);
}

static void judge_step(sequence *s, int entry, int step)
{
    bench_entry *e = &s->c.entry[entry];
    bench_result *r = result_at(s, step, entry);
    int64_t before = repivots_of(e), ns;
    s->c.now = step;
    r->refactored = step > 0 ? bench_entry_once(e, &s->c, BENCH_REFACTOR, &ns) : WARPLU_SUCCESS;
    r->solved = r->refactored >= 0 ? bench_entry_once(e, &s->c, BENCH_SOLVE, &ns) : r->refactored;
    warplu_status status = r->solved;
    if (e->peer != NULL && step > 0) status = rescue_peer(s, e, r, status);
    if (e->peer == NULL) r->repivots = repivots_of(e) - before;
    if (status < 0)
        fail_step(e, r, status);
    else
        bench_judge_solution(&s->c, e, r);
}

/* The whole sequence outside the clock; it finds the first matrix factored. */
static void judge_entry(sequence *s, int entry, int statistics)
{
    for (int step = 0; step < s->count; step++) {
        judge_step(s, entry, step);
        if (!statistics) continue;
        s->statistics[step].size = sizeof s->statistics[step];
        warplu_get_statistics(s->c.entry[entry].solver, &s->statistics[step]);
    }
}

/* ------------------------------------------------------------------ passes */

/* warplu in this process through the sequence; which steps fail has been found out. */
static warplu_status pass_solver(sequence *s, bench_entry *e)
{
    s->c.now = 0;
    warplu_status status = bench_entry_factor(e, &s->c, &s->refactor_ns[0]);
    for (int step = 0; status >= 0 && step < s->count; step++) {
        s->c.now = step;
        if (step > 0 && bench_entry_once(e, &s->c, BENCH_REFACTOR, &s->refactor_ns[step]) < 0) continue;
        bench_entry_once(e, &s->c, BENCH_SOLVE, &s->solve_ns[step]);
    }
    return status;
}

static warplu_status pass_peer(sequence *s, int entry)
{
    peer_process *process = s->c.entry[entry].process;
    for (int step = 0; step < s->count; step++) s->anew[step] = result_at(s, step, entry)->repivots;
    warplu_status status = peer_process_pass(process, s->anew, s->refactor_ns, s->solve_ns);
    peer_process_pause(process);
    return status;
}

/* Steps that failed have no times; nor has any where the entry cannot go through the sequence. */
static void pass_entry(sequence *s, int entry)
{
    bench_entry *e = &s->c.entry[entry];
    warplu_status status = e->peer != NULL ? pass_peer(s, entry) : pass_solver(s, e);
    if (status < 0) {
        bench_result *last = result_at(s, s->count - 1, entry);
        if (last->status >= 0) fail_step(e, last, status);
        return;
    }
    for (int step = 0; step < s->count; step++) {
        bench_result *r = result_at(s, step, entry);
        if (r->status < 0) continue;
        if (step > 0) bench_samples_add(&r->samples[BENCH_REFACTOR], s->refactor_ns[step]);
        bench_samples_add(&r->samples[BENCH_SOLVE], s->solve_ns[step]);
    }
}

static int first_alive(const sequence *s)
{
    for (int k = 0; k < s->plan->executors; k++)
        if (bench_entry_alive(&s->c.entry[k])) return k;
    return -1;
}

static void judge_all(sequence *s)
{
    int chosen = first_alive(s);
    for (int k = 0; k < s->c.count; k++) {
        if (!bench_entry_alive(&s->c.entry[k])) continue;
        bench_progress_show(&s->plan->progress, s->paths[0], s->c.entry[k].name, "sequence, judged");
        judge_entry(s, k, k == chosen);
    }
}

static int enough_passes(const sequence *s, int64_t passes, int64_t ns)
{
    if (s->plan->repeat > 0) return passes >= s->plan->repeat;
    return passes >= ENOUGH_PASSES || (passes >= FEW_PASSES && ns >= ENOUGH_NS);
}

static void run_passes(sequence *s)
{
    int64_t start = wlu_now_ns();
    int count = s->c.count;
    for (int64_t pass = 0; !enough_passes(s, pass, wlu_now_ns() - start); pass++) {
        for (int place = 0; place < count; place++) {
            int k = (int)((place + pass) % count);
            if (!bench_entry_alive(&s->c.entry[k])) continue;
            bench_progress_show(&s->plan->progress, s->paths[0], s->c.entry[k].name, "sequence, timed");
            pass_entry(s, k);
        }
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

static double setup_ms(const sequence *s, int entry)
{
    return bench_setup_ms(&s->c.entry[entry].setup);
}

/* Set-up and all replays up to a step; NaN once one failed. */
static double spent_ms(const sequence *s, int entry, int step)
{
    const bench_result *r = result_at(s, step, entry);
    return r->status < 0 ? NAN : setup_ms(s, entry) + r->total_ms;
}

/* From which replay on `ours` has spent less than `theirs`, set-up included: in the sequence itself, else as if it went
 * on like this; infinite for never, NaN where one failed. */
static double break_even(const sequence *s, int ours, int theirs)
{
    int last = s->count - 1, from = last + 1;
    double ahead_ms = spent_ms(s, theirs, last) - spent_ms(s, ours, last);
    if (isnan(ahead_ms)) return NAN;
    while (from > 0 && spent_ms(s, ours, from - 1) <= spent_ms(s, theirs, from - 1)) from--;
    if (from <= last || last == 0) return from;
    double gain_ms = (ahead_ms - (setup_ms(s, theirs) - setup_ms(s, ours))) / last;
    return gain_ms > 0.0 ? last - ahead_ms / gain_ms : INFINITY;
}

static void report_break_even(const sequence *s, int ours, int theirs)
{
    double even = break_even(s, ours, theirs);
    const char *name = s->c.entry[ours].name;
    if (isnan(even)) return;
    if (isinf(even))
        printf(", %s is never ahead at this rate", name);
    else if (even <= s->count - 1)
        printf(", %s is ahead from replay %.0f on", name, even);
    else
        printf(", %s would be ahead after %.0f such replays", name, even);
}

static int count_failures(const sequence *s, int entry)
{
    int failed = 0;
    for (int step = 1; step < s->count; step++) failed += result_at(s, step, entry)->status < 0;
    return failed;
}

/* What failed took no time that could be compared. */
static void report_total(const sequence *s, int entry, int ours)
{
    const bench_entry *e = &s->c.entry[entry];
    char title[BENCH_TITLE];
    int failed = count_failures(s, entry);
    int64_t repivots = 0;
    bench_entry_title(e, s->plan->name_checks, title, sizeof title);
    printf("total of %d replays and solves: %s ", s->count - 1, title);
    if (failed > 0) {
        printf("has none, %d failed\n", failed);
        return;
    }
    for (int step = 1; step < s->count; step++) repivots += result_at(s, step, entry)->repivots;
    printf("%.4f ms after a set-up of %.4f ms, %" PRId64 " pivoted again", result_at(s, s->count - 1, entry)->total_ms,
           setup_ms(s, entry), repivots);
    if (e->peer != NULL && ours >= 0 && count_failures(s, ours) == 0) report_break_even(s, ours, entry);
    putchar('\n');
}

static void report_totals(const sequence *s)
{
    int ours = first_alive(s);
    for (int k = 0; k < s->c.count; k++)
        if (bench_entry_alive(&s->c.entry[k])) report_total(s, k, ours);
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
    if (!s->plan->as_json) report_totals(s);
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
    free(s->anew);
    free(s->refactor_ns);
    free(s->solve_ns);
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
    s.anew = calloc((size_t)count, sizeof *s.anew);
    s.refactor_ns = calloc((size_t)count, sizeof *s.refactor_ns);
    s.solve_ns = calloc((size_t)count, sizeof *s.solve_ns);
    if (s.values == NULL || s.result == NULL || s.statistics == NULL || s.anew == NULL || s.refactor_ns == NULL ||
        s.solve_ns == NULL) {
        wlu_fail_memory(&plan->setup.ctx, "sequence");
    } else if (read_all(&s) >= 0) {
        for (int64_t k = 0; k < (int64_t)count * plan->count; k++) {
            s.result[k].residual = s.result[k].backward_error = NAN;
            s.result[k].refinement_steps = -1;
        }
        s.c.steps = (const double *const *)s.values;
        s.c.step_count = count;
        bench_case_start(plan, &s.c);
        bench_case_repeat_setups(plan, &s.c);
        judge_all(&s);
        run_passes(&s);
        bench_progress_step(&plan->progress);
        code = report_all(&s);
    }
    close_sequence(&s);
    return code;
}
