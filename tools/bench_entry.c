/* One solver on one matrix: executors of warplu and peers behind the same calls. */
#include "base/clock.h"
#include "bench.h"
#include "exec/cpu/image.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How often each ordering of a peer is replayed before the best is taken. */
enum { RACE_REPLAYS = 3 };

int bench_entry_alive(const bench_entry *e)
{
    return e->result.status >= 0 && (e->solver != NULL || e->state != NULL);
}

void bench_entry_fail(bench_entry *e, warplu_status status, const char *message)
{
    e->result.status = status;
    snprintf(e->result.message, sizeof e->result.message, "%s",
             message[0] != '\0' ? message : warplu_status_text(status));
}

static double ms_since(int64_t start)
{
    return (double)(wlu_now_ns() - start) / 1e6;
}

/* --------------------------------------------------------------- executors */

static warplu_status factor_solver(bench_entry *e, const double *values)
{
    int64_t start = wlu_now_ns();
    warplu_status status = warplu_factor(e->solver, values);
    double all_ms = ms_since(start);
    if (status < 0) return status;
    warplu_statistics t = {.size = sizeof t};
    warplu_get_statistics(e->solver, &t);
    e->factor_ms = t.factor_ns / 1e6;
    e->compile_ms = all_ms - e->factor_ms;
    return status;
}

static void start_solver(const bench_plan *plan, const bench_case *c, bench_entry *e)
{
    warplu_options options = plan->setup.options;
    options.executor = e->executor;
    options.threads = e->threads;
    options.check = e->check;
    warplu_status status = warplu_create(&e->solver, &options);
    if (status >= 0) {
        int64_t start = wlu_now_ns();
        status = warplu_analyze(e->solver, c->a.nrow, c->a.ptr, c->a.idx, c->values);
        if (status >= 0) e->analyze_ms = ms_since(start);
    }
    if (status >= 0) status = factor_solver(e, c->values);
    /* As in any loop, a solve comes before the next refactor: it takes the new pivots off probation. */
    if (status >= 0) status = warplu_solve(e->solver, 1, c->b, c->a.nrow, c->x, c->a.nrow);
    if (status < 0) bench_entry_fail(e, status, warplu_message(e->solver));
}

/* ------------------------------------------------------------------- peers */

static warplu_status factor_peer(bench_entry *e, const double *values)
{
    int64_t start = wlu_now_ns();
    warplu_status status = e->peer->run->factor(e->state, values);
    if (status < 0) return status;
    e->factor_ms = ms_since(start);
    e->compile_ms = 0.0;
    return status;
}

static warplu_status start_ordering(const bench_case *c, bench_entry *e, int ordering)
{
    peer_matrix a = {.n = c->a.nrow, .ptr = c->a.ptr, .idx = c->a.idx};
    int64_t start = wlu_now_ns();
    warplu_status status = e->peer->run->analyze(&a, e->peer->variant, ordering, &e->state);
    if (status >= 0) {
        e->analyze_ms = ms_since(start);
        status = factor_peer(e, c->values);
    }
    return status;
}

/* The shortest of a few replays, or infinity. */
static double race_ms(const bench_case *c, const bench_entry *e)
{
    double best = INFINITY;
    for (int k = 0; k < RACE_REPLAYS; k++) {
        int64_t start = wlu_now_ns();
        if (e->peer->run->refactor(e->state, c->values) < 0) return INFINITY;
        best = fmin(best, ms_since(start));
    }
    return best;
}

static void start_peer(const bench_plan *plan, const bench_case *c, bench_entry *e)
{
    const peer_functions *run = e->peer->run;
    if (run == NULL) {
        bench_entry_fail(e, WARPLU_NOT_COMPILED, e->peer->get);
        return;
    }
    int best = 0;
    double best_ms = INFINITY;
    for (int k = 0; plan->best_ordering && k < run->orderings; k++) {
        double ms = start_ordering(c, e, k) >= 0 ? race_ms(c, e) : INFINITY;
        if (ms < best_ms) {
            best_ms = ms;
            best = k;
        }
        if (e->state != NULL) run->destroy(&e->state);
    }
    warplu_status status = start_ordering(c, e, best);
    if (status < 0) bench_entry_fail(e, status, "");
}

/* -------------------------------------------------------------------- both */

void bench_entry_start(const bench_plan *plan, const bench_case *c, bench_entry *e)
{
    e->analyze_ms = e->factor_ms = e->compile_ms = NAN;
    e->result = (bench_result){
        .residual = NAN, .backward_error = NAN, .backward_error_unrefined = NAN, .total_ms = NAN};
    if (e->peer != NULL)
        start_peer(plan, c, e);
    else
        start_solver(plan, c, e);
}

void bench_entry_stop(bench_entry *e)
{
    warplu_destroy(&e->solver);
    if (e->state != NULL) e->peer->run->destroy(&e->state);
    bench_samples_free(&e->result.refactor);
    bench_samples_free(&e->result.solve);
    bench_samples_free(&e->result.guards);
}

warplu_status bench_entry_factor(bench_entry *e, const bench_case *c)
{
    return e->peer != NULL ? factor_peer(e, c->values) : factor_solver(e, c->values);
}

warplu_status bench_entry_refactor(bench_entry *e, const bench_case *c)
{
    return e->peer != NULL ? e->peer->run->refactor(e->state, c->values)
                           : warplu_refactor(e->solver, c->values);
}

int bench_entry_open_guards(bench_entry *e, const bench_case *c)
{
    if (e->solver == NULL || strcmp(e->solver->executor->name, "cpu") != 0) return 0;
    if (bench_entry_refactor(e, c) < 0 || e->solver->at.state == NULL) return 0;
    e->source = wlu_begin_refactor(e->solver->at.plan->program, e->solver->at.state, c->values);
    return 1;
}

warplu_status bench_entry_guards(bench_entry *e, const bench_case *c)
{
    const wlu_image *image = e->solver->at.plan->image;
    (void)c;
    image->kernels->guards(e->solver->at.plan->program, e->solver->at.state, e->source);
    return WARPLU_SUCCESS;
}

warplu_status bench_entry_solve(bench_entry *e, const bench_case *c)
{
    int32_t n = c->a.nrow;
    return e->peer != NULL ? e->peer->run->solve(e->state, c->b, c->x)
                           : warplu_solve(e->solver, 1, c->b, n, c->x, n);
}
