/* One matrix of warplu bench: read, given to every entry, closed. */
#include <warplu/inspect.h>

#include "bench.h"
#include "numerics/backward_error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static warplu_status read_case(bench_plan *plan, bench_case *c)
{
    wlu_context *ctx = &plan->setup.ctx;
    int32_t nrhs = 0;
    warplu_status status = load_system(&plan->setup, c->path, &c->a);
    if (status < 0) return status;
    int32_t n = c->a.nrow;
    c->steps = (const double *const *)&c->a.values;
    c->step_count = 1;
    status = load_rhs(&plan->setup, plan->rhs, c->path, &c->a, &nrhs, &c->b);
    if (status >= 0) status = wlu_pattern_create(ctx, WARPLU_STORAGE_CSC, n, c->a.ptr, c->a.idx, &c->pattern);
    if (status < 0) return status;
    c->pattern->doubles = plan->setup.options.scalar == WARPLU_SCALAR_COMPLEX ? 2 : 1;
    c->x = WLU_CALLOC(ctx, bench_vector(c), double);
    c->work = WLU_ALLOC(ctx, wlu_check_work(c->pattern), double);
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
    if (c->a.ptr != NULL) warplu_mm_free(&c->a);
    wlu_pattern_destroy(c->ctx, &c->pattern);
    wlu_free(c->ctx, c->b);
    wlu_free(c->ctx, c->x);
    wlu_free(c->ctx, c->work);
    free(c->row_order);
    free(c->col_order);
}

const double *bench_case_values(const bench_case *c)
{
    return c->steps[c->now];
}

/* The first executor's pivots, for peers that are to use our order; without memory for them there are none. */
static void keep_order(bench_case *c, const bench_entry *e)
{
    if (c->col_order != NULL || e->peer != NULL || !bench_entry_alive(e)) return;
    size_t bytes = (size_t)c->a.nrow * sizeof(int32_t);
    c->row_order = malloc(bytes);
    c->col_order = malloc(bytes);
    warplu_factors_view view = {.size = sizeof view, .P = c->row_order, .Q = c->col_order};
    if (c->row_order != NULL && c->col_order != NULL && warplu_extract_factors(e->solver, &view) >= 0) return;
    free(c->row_order);
    free(c->col_order);
    c->row_order = c->col_order = NULL;
}

/* The set-up once more, of every entry that has not enough of them; 0 when all have. */
static int start_again(bench_plan *plan, bench_case *c)
{
    int busy = 0;
    for (int k = 0; k < c->count; k++) {
        bench_entry *e = &c->entry[k];
        if (!bench_entry_alive(e) || bench_entry_setups_enough(e, plan->repeat)) continue;
        bench_progress_show(&plan->progress, c->path, e->name, "factor");
        bench_entry_start_again(plan, c, e);
        busy = 1;
    }
    return busy;
}

void bench_case_start(bench_plan *plan, bench_case *c)
{
    c->count = plan->count;
    for (int k = 0; k < c->count; k++) {
        bench_entry *e = &c->entry[k];
        *e = plan->entry[k];
        bench_progress_show(&plan->progress, c->path, e->name, "factor");
        bench_entry_start(plan, c, e);
        keep_order(c, e);
    }
}

void bench_case_repeat_setups(bench_plan *plan, bench_case *c)
{
    while (start_again(plan, c)) {
    }
    for (int k = 0; k < c->count; k++) bench_entry_take_setup(&c->entry[k]);
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
