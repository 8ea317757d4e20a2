/* warplu bench --lifecycle: what a solver takes from its analysis to the first, third, tenth ... answer.
 *
 * The first values are the matrix's; those of each further step are others of the same pattern, each entry times
 * 1 + 0.05 u, u uniform in [-1, 1). They are made beforehand and used in turn. The clock stands around the library's
 * calls alone: making the solver and analysis, first factorization, solve, then refactorization and solve in turn.
 *
 * Each entry lives once off the clock, and every answer is judged. Then entries take turns, a life each, until each has
 * as many times of each horizon as the rule of bench_time.c wants, or as were asked for; each round begins with another
 * entry. A life gives the times of all horizons on its way, so lives get shorter as long ones are enough. An entry that
 * is told how many solves come has a life for each horizon. A life whose set-up is short comes after another to its
 * first solve, off the clock, which brings code and data back into the caches.
 *
 * Memory: 24 arrays of values, two copies of them for each peer, 16 bytes for each solve of the longest horizon and
 * entry; of an entry that is told, for each horizon. */
#include "bench_life.h"

#include "gen/perturb.h"
#include "residual.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_SETS = 24 };
/* A set-up this long finds its data in the caches, or never does. */
static const double LONG_SETUP_MS = 20.0;

typedef struct lives {
    bench_plan *plan;
    bench_case c;
    const double *values[VALUE_SETS]; /* the first are the matrix's own */
    bench_life *life;                 /* by entry */
    int64_t *ns;                      /* what the calls of the life at hand took */
} lives;

/* ------------------------------------------------------------------ values */

static double *changed_values(const lives *l, int set)
{
    const warplu_mm_matrix *a = &l->c.a;
    int64_t count = bench_values(&l->c);
    double *out = WLU_ALLOC(l->c.ctx, count, double);
    if (out != NULL) gen_perturb(a->values, count, GEN_CHANGE, l->plan->seed, (uint64_t)set, out);
    return out;
}

/* As many sets as the longest life can use. */
static warplu_status make_values(lives *l)
{
    bench_case *c = &l->c;
    int32_t solves = bench_longest_horizon(&l->plan->horizons);
    c->steps = l->values;
    c->step_count = solves < VALUE_SETS ? solves : VALUE_SETS;
    c->solves = solves;
    l->values[0] = c->a.values;
    for (int set = 1; set < c->step_count; set++) {
        l->values[set] = changed_values(l, set);
        if (l->values[set] == NULL) return wlu_fail_memory(c->ctx, "values of a life");
    }
    return WARPLU_SUCCESS;
}

/* The horizons that an entry lives to by themselves are this and all later ones: told all, else the last alone. */
static int first_life(const bench_entry *e, const bench_numbers *horizons)
{
    return e->told ? 0 : horizons->length - 1;
}

static warplu_status make_lives(lives *l)
{
    int64_t calls = bench_life_calls(l->c.solves);
    l->ns = calloc((size_t)calls, sizeof *l->ns);
    l->life = calloc((size_t)l->plan->count, sizeof *l->life);
    if (l->ns == NULL || l->life == NULL) return wlu_fail_memory(l->c.ctx, "lives");
    for (int k = 0; k < l->plan->count; k++) {
        bench_life *life = &l->life[k];
        life->horizons = &l->plan->horizons;
        for (int h = first_life(&l->plan->entry[k], life->horizons); h < life->horizons->length; h++) {
            int64_t *shortest = life->shortest[h] = malloc((size_t)calls * sizeof *shortest);
            if (shortest == NULL) return wlu_fail_memory(l->c.ctx, "lives");
            for (int64_t call = 0; call < calls; call++) shortest[call] = INT64_MAX;
        }
    }
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------------- lives */

static void fail_at(bench_entry *e, int32_t solve, warplu_status status)
{
    char text[BENCH_MESSAGE];
    snprintf(text, sizeof text, "at solve %d: %.400s", (int)solve, bench_entry_message(e));
    bench_entry_fail(e, status, text);
}

static void judge_answer(bench_case *c, bench_entry *e)
{
    e->life->judged++;
    e->life->inaccurate += !(bench_judge_solution(c, e, &e->result) <= answer_is_right(e->precision));
}

/* Call by call: an executor's, or a peer's that is to be judged. */
static void live_by_calls(lives *l, bench_entry *e, int32_t solves, int judged)
{
    bench_case *c = &l->c;
    warplu_status status = WARPLU_SUCCESS;
    c->now = 0;
    bench_entry_restart(l->plan, c, e);
    if (!bench_entry_alive(e)) return;
    l->ns[0] = llround(1e6 * e->setup.analyze_ms);
    l->ns[1] = llround(1e6 * (e->setup.factor_ms + e->setup.compile_ms));
    l->ns[2] = e->first_solve_ns;
    for (int32_t k = 0; k < solves && status >= 0; k++) {
        int64_t *ns = &l->ns[bench_life_calls(k)];
        c->now = k % c->step_count;
        if (k > 0) status = bench_entry_once(e, c, BENCH_REFACTOR, &ns[0]);
        if (status >= 0 && (k > 0 || e->peer != NULL)) status = bench_entry_once(e, c, BENCH_SOLVE, &ns[1]);
        if (status >= 0 && judged) judge_answer(c, e);
        if (status < 0) fail_at(e, k + 1, status);
    }
}

static void live_in_process(lives *l, bench_entry *e, int32_t solves, int warm)
{
    peer_life life = {.ordering = e->order, .attempt = e->attempt, .warm = warm, .solves = solves};
    warplu_status status = peer_process_life(e->process, &life, l->ns);
    if (status < 0) bench_entry_fail(e, status, bench_entry_message(e));
    peer_process_pause(e->process);
}

/* Of the life to the horizon `to`: times up to all horizons, of who is told up to this one, and the shortest of each
 * call. */
static void keep_life(lives *l, bench_entry *e, int to)
{
    const bench_numbers *horizons = &l->plan->horizons;
    int64_t spent = 0, *shortest = e->life->shortest[e->told ? to : horizons->length - 1];
    for (int64_t call = 0, h = 0; call < bench_life_calls(horizons->of[to]); call++) {
        spent += l->ns[call];
        if (l->ns[call] < shortest[call]) shortest[call] = l->ns[call];
        if (call + 1 < bench_life_calls(horizons->of[h])) continue;
        if ((!e->told || h == to) && !bench_samples_add(&e->life->total[h], spent))
            bench_entry_fail(e, WARPLU_OUT_OF_MEMORY, "");
        h++;
    }
}

static void live_once(lives *l, bench_entry *e, int to, int judged)
{
    int32_t solves = l->plan->horizons.of[to];
    int warm = !judged && bench_setup_ms(&e->setup) < LONG_SETUP_MS;
    if (!bench_entry_alive(e)) return;
    if (e->told) e->expected_refactors = solves - 1;
    if (e->peer != NULL && !judged) {
        live_in_process(l, e, solves, warm);
    } else {
        if (warm) bench_entry_restart(l->plan, &l->c, e);
        live_by_calls(l, e, solves, judged);
    }
    if (!judged && bench_entry_alive(e)) keep_life(l, e, to);
}

static void judge_lives(lives *l)
{
    for (int k = 0; k < l->c.count; k++) {
        bench_entry *e = &l->c.entry[k];
        bench_progress_show(&l->plan->progress, l->c.path, e->name, "life, judged");
        for (int h = first_life(e, e->life->horizons); h < e->life->horizons->length; h++) live_once(l, e, h, 1);
        if (!bench_entry_alive(e) || e->peer != NULL) continue;
        e->life->at_end.size = sizeof e->life->at_end;
        warplu_get_statistics(e->solver, &e->life->at_end);
        e->result.repivots = e->life->at_end.repivots;
    }
}

/* A life to the longest horizon that has not enough of them, or one to each such horizon where the entry is told; 0
 * where there is none. */
static int take_turn(lives *l, bench_entry *e)
{
    int busy = 0;
    bench_progress_show(&l->plan->progress, l->c.path, e->name, "life, timed");
    for (int h = e->life->horizons->length - 1; h >= 0 && bench_entry_alive(e) && (e->told || !busy); h--) {
        if (bench_samples_enough(&e->life->total[h], l->plan->repeat)) continue;
        live_once(l, e, h, 0);
        busy = 1;
    }
    return busy;
}

static void time_lives(lives *l)
{
    int busy = 1, count = l->c.count;
    for (int round = 0; busy; round++) {
        busy = 0;
        for (int k = 0; k < count; k++) busy |= take_turn(l, &l->c.entry[(k + round) % count]);
    }
    for (int k = 0; k < count; k++)
        for (int h = 0; h < l->plan->horizons.length; h++) bench_samples_sort(&l->life[k].total[h]);
}

bench_longest bench_life_longest(const bench_life *life)
{
    int last = life->horizons->length - 1;
    const int64_t *ns = life->shortest[last];
    bench_longest found = {.ms = NAN, .share = NAN};
    if (life->total[last].count == 0) return found;
    int64_t spent = ns[0] + ns[1], most = -1;
    for (int64_t call = 2; call < bench_life_calls(bench_longest_horizon(life->horizons)); call++) {
        if (ns[call] > most) {
            most = ns[call];
            found = (bench_longest){.ms = (double)most / 1e6,
                                    .share = (double)most / (double)spent,
                                    .solve = (int32_t)((call + 1) / 2),
                                    .is_solve = call % 2 == 0};
        }
        spent += ns[call];
    }
    return found;
}

double bench_life_shortest_ms(const bench_life *life, int horizon)
{
    const int64_t *ns = life->shortest[life->shortest[horizon] != NULL ? horizon : life->horizons->length - 1];
    int64_t spent = 0;
    if (life->total[horizon].count == 0) return NAN;
    for (int64_t call = 0; call < bench_life_calls(life->horizons->of[horizon]); call++) spent += ns[call];
    return (double)spent / 1e6;
}

/* ---------------------------------------------------------------- matrices */

static void close_lives(lives *l)
{
    for (int k = 0; l->life != NULL && k < l->plan->count; k++) {
        for (int h = 0; h < BENCH_NUMBERS; h++) {
            bench_samples_free(&l->life[k].total[h]);
            free(l->life[k].shortest[h]);
        }
    }
    for (int set = 1; set < VALUE_SETS; set++) wlu_free(l->c.ctx, (void *)(uintptr_t)l->values[set]);
    bench_case_close(&l->c);
    free(l->life);
    free(l->ns);
}

static warplu_status run_lives(lives *l, const char *path)
{
    bench_case *c = &l->c;
    warplu_status status = bench_case_open(l->plan, path, c);
    if (status < 0) return status;
    status = make_values(l);
    if (status >= 0) status = make_lives(l);
    if (status < 0) {
        c->status = status;
        snprintf(c->message, sizeof c->message, "%s", c->ctx->last_message);
        return status;
    }
    bench_case_start(l->plan, c);
    for (int k = 0; k < c->count; k++) c->entry[k].life = &l->life[k];
    judge_lives(l);
    time_lives(l);
    bench_case_settle(c);
    return c->status;
}

/* 1 if the matrix was solved. A failure keeps its line; the others go on. */
static int live_matrix(bench_plan *plan, const char *path, bench_life_means *means)
{
    static lives l;
    memset(&l, 0, sizeof l);
    l.plan = plan;
    warplu_status status = run_lives(&l, path);
    bench_progress_step(&plan->progress);
    if (status < 0 && l.c.count > 0) cmd_say("%s: %s", path, l.c.message);
    bench_life_report(plan, &l.c, means);
    close_lives(&l);
    return status >= 0;
}

int bench_lives(bench_plan *plan, char **paths, int count)
{
    static bench_life_means means;
    int code = CMD_OK;
    for (int k = 0; k < count; k++)
        if (!live_matrix(plan, paths[k], &means)) code = CMD_ERROR;
    bench_life_report_end(plan, &means);
    return code;
}
