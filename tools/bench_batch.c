/* warplu bench --batch: many matrices of one pattern, at once and one by one.
 *
 * Members are the matrix with its values changed, each part times 1 + 0.05 u, u uniform in [-1, 1), as warplu batch
 * makes them; all have one right-hand side. Entries replay all members in each call: executors at once, on one thread
 * and on more, and once more with weak members among them (bench_weak.c); then as batches of one and one by one, on one
 * thread; peers in a way of their own, if they have one, or one by one. Pivots of a batch suit its members, those of
 * the others are the first member's.
 *
 * A batch's first call is timed by itself: it repairs weak members. Then calls of both a refactorization and a solve
 * are timed, entries in turn by the rule of bench_time.c, and after each turn all answers are judged off the clock;
 * then refactorizations alone, for which batches keep the factors of all members. Batches that have no room for these
 * have no such time.
 *
 * Memory: values of all members, once more where some are weak, and solutions, two copies of them for each peer, and
 * the factors. */
#include "bench_batch.h"
#include "gen/perturb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct batches {
    bench_plan *plan;
    bench_case c;
    double *values, *weak; /* of all members; NULL: there are no weak ones */
    const double **at, **weak_at;
} batches;

static warplu_status make_members(batches *l)
{
    bench_case *c = &l->c;
    int64_t count = l->plan->members, size = bench_values(c);
    l->values = WLU_ALLOC(c->ctx, count * size, double);
    l->at = WLU_ALLOC(c->ctx, count, const double *);
    c->answers = WLU_CALLOC(c->ctx, count * bench_vector(c), double);
    if (l->values == NULL || l->at == NULL || c->answers == NULL) return wlu_fail_memory(c->ctx, "members");
    for (int32_t m = 0; m < count; m++) {
        double *values = l->values + m * size;
        gen_perturb(c->a.values, size, GEN_CHANGE, l->plan->seed, (uint64_t)m, values);
        l->at[m] = values;
    }
    c->steps = l->at;
    c->step_count = (int)count;
    c->members = 1;
    return WARPLU_SUCCESS;
}

/* Where there cannot be weak members, c->weak stays NULL, and c->message says why. */
static warplu_status make_weak_members(batches *l)
{
    bench_case *c = &l->c;
    int64_t count = l->plan->members, size = bench_values(c);
    if (l->plan->weak_percent <= 0.0) return WARPLU_SUCCESS;
    l->weak = WLU_ALLOC(c->ctx, count * size, double);
    l->weak_at = WLU_ALLOC(c->ctx, count, const double *);
    if (l->weak == NULL || l->weak_at == NULL) return wlu_fail_memory(c->ctx, "weak members");
    memcpy(l->weak, l->values, (size_t)(count * size) * sizeof *l->weak);
    for (int32_t m = 0; m < count; m++) l->weak_at[m] = l->weak + m * size;
    if (bench_weaken_members(l->plan, c, l->weak) >= 0)
        c->weak = l->weak_at;
    else
        snprintf(c->message, sizeof c->message, "%s", c->ctx->last_message);
    return WARPLU_SUCCESS;
}

static void time_members(bench_plan *plan, bench_case *c)
{
    for (int k = 0; k < c->count; k++) {
        bench_entry *e = &c->entry[k];
        if (bench_entry_alive(e) && e->peer != NULL) bench_peer_begin_members(e);
        bench_entry_take_setup(e);
        if (bench_entry_alive(e) && (e->batching == BENCH_TOGETHER || e->batching == BENCH_WEAKENED))
            bench_batch_first_call(c, e);
    }
    bench_time_loops(plan, c, BENCH_BOTH, BENCH_BOTH);
    for (int k = 0; k < c->count; k++) {
        bench_entry *e = &c->entry[k];
        if (bench_entry_alive(e) && e->batching != BENCH_SINGLY) bench_batch_start_keeping(plan, c, e);
    }
    bench_time_loops(plan, c, BENCH_REFACTOR, BENCH_REFACTOR);
}

static warplu_status run_batches(batches *l, const char *path)
{
    bench_case *c = &l->c;
    warplu_status status = bench_case_open(l->plan, path, c);
    if (status < 0) return status;
    status = make_members(l);
    if (status >= 0) status = make_weak_members(l);
    if (status < 0) {
        c->status = status;
        snprintf(c->message, sizeof c->message, "%s", c->ctx->last_message);
        return status;
    }
    bench_case_start(l->plan, c);
    time_members(l->plan, c);
    bench_case_settle(c);
    return c->status;
}

/* 1 if the matrix was solved. A failure keeps its line; the others go on. */
static int batch_matrix(bench_plan *plan, const char *path, bench_batch_means *means)
{
    static batches l;
    memset(&l, 0, sizeof l);
    l.plan = plan;
    warplu_status status = run_batches(&l, path);
    bench_progress_step(&plan->progress);
    if (status < 0 && l.c.count > 0) cmd_say("%s: %s", path, l.c.message);
    bench_batch_report(plan, &l.c, means);
    wlu_context *ctx = l.c.ctx;
    double *answers = l.c.answers;
    bench_case_close(&l.c);
    wlu_free(ctx, answers);
    wlu_free(ctx, l.values);
    wlu_free(ctx, l.weak);
    wlu_free(ctx, (void *)(uintptr_t)l.at);
    wlu_free(ctx, (void *)(uintptr_t)l.weak_at);
    return status >= 0;
}

int bench_batches(bench_plan *plan, char **paths, int count)
{
    static bench_batch_means means;
    int code = CMD_OK;
    for (int k = 0; k < count; k++)
        if (!batch_matrix(plan, paths[k], &means)) code = CMD_ERROR;
    bench_batch_report_end(plan, &means);
    return code;
}
