/* One matrix of warplu bench: read, given to every entry, closed. */
#include "bench.h"

#include <stdio.h>
#include <string.h>

static warplu_status read_case(bench_plan *plan, bench_case *c)
{
    wlu_context *ctx = &plan->setup.ctx;
    int32_t nrhs = 0;
    warplu_status status = load_system(&plan->setup, c->path, &c->a);
    if (status < 0) return status;
    int32_t n = c->a.nrow;
    c->values = c->a.values;
    status = load_rhs(&plan->setup, plan->rhs, c->path, n, &nrhs, &c->b);
    if (status >= 0) status = wlu_pattern_create(ctx, WARPLU_CSC, n, c->a.ptr, c->a.idx, &c->pattern);
    if (status < 0) return status;
    c->x = WLU_CALLOC(ctx, n, double);
    c->work = WLU_ALLOC(ctx, 5 * (int64_t)n, double);
    return c->x == NULL || c->work == NULL ? wlu_fail_memory(ctx, "benchmark") : WARPLU_SUCCESS;
}

warplu_status bench_case_open(bench_plan *plan, const char *path, bench_case *c)
{
    memset(c, 0, sizeof *c);
    c->ctx = &plan->setup.ctx;
    c->path = path;
    c->step = -1;
    c->status = read_case(plan, c);
    if (c->status < 0) snprintf(c->message, sizeof c->message, "%s", plan->setup.ctx.last_message);
    return c->status;
}

void bench_case_close(bench_case *c)
{
    for (int k = 0; k < c->count; k++) bench_entry_stop(&c->entry[k]);
    if (c->a.ptr != NULL) wlu_mm_free(c->ctx, &c->a);
    wlu_pattern_destroy(c->ctx, &c->pattern);
    wlu_free(c->ctx, c->b);
    wlu_free(c->ctx, c->x);
    wlu_free(c->ctx, c->work);
}

void bench_case_start(const bench_plan *plan, bench_case *c)
{
    c->count = plan->count;
    for (int k = 0; k < c->count; k++) {
        c->entry[k] = plan->entry[k];
        bench_entry_start(plan, c, &c->entry[k]);
    }
}

void bench_case_settle(bench_case *c)
{
    const bench_entry *chosen = NULL, *first = NULL;
    for (int k = 0; k < c->count && chosen == NULL; k++) {
        const bench_entry *e = &c->entry[k];
        if (e->peer != NULL) continue;
        if (first == NULL) first = e;
        if (e->result.status >= 0) chosen = e;
    }
    if (chosen == NULL) chosen = first;
    if (chosen == NULL) return;
    c->status = chosen->result.status;
    snprintf(c->message, sizeof c->message, "%s", chosen->result.message);
    c->statistics.size = sizeof c->statistics;
    if (chosen->solver != NULL) warplu_get_statistics(chosen->solver, &c->statistics);
}
