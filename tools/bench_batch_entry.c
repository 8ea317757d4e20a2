/* Calls for all members of a batch: at once, one after the other by a solver, or as a peer does it. */
#include "base/clock.h"
#include "bench_batch.h"
#include "residual.h"

#include <math.h>

/* ------------------------------------------------------------------ batched */

static const double *const *steps_of(const bench_case *c, const bench_entry *e)
{
    return e->batching == BENCH_WEAKENED ? c->weak : c->steps;
}

static warplu_status make(const bench_plan *plan, const bench_case *c, bench_entry *e, int keep_factors)
{
    batch_wish wish = {.solver = e->solver,
                       .executor = e->executor,
                       .threads = e->threads,
                       .keep_factors = keep_factors,
                       .count = e->batching == BENCH_OF_ONE ? 1 : plan->members,
                       .values = c->steps[0]}; /* weak members are not foreseen */
    return batch_make(&wish, &e->batch);
}

void bench_batch_start(const bench_plan *plan, bench_case *c, bench_entry *e)
{
    warplu_options options = plan->setup.options;
    options.executor = e->executor;
    options.check = e->check;
    options.expected_refactors = e->expected_refactors;
    options = batch_solver_options(&options);
    if (steps_of(c, e) == NULL) {
        bench_entry_fail(e, WARPLU_INVALID_ARGUMENT, c->message);
        return;
    }
    if (!bench_entry_prepare(e)) return;
    int64_t start = wlu_now_ns();
    warplu_status status = load_create(&plan->setup, &options, &e->solver);
    if (status >= 0) status = warplu_analyze(e->solver, c->a.nrow, c->a.ptr, c->a.idx, c->steps[0]);
    e->setup.analyze_ms = (double)(wlu_now_ns() - start) / 1e6;
    if (status < 0) {
        bench_entry_fail(e, status, bench_entry_message(e));
        return;
    }
    start = wlu_now_ns();
    status = make(plan, c, e, 0);
    e->setup.factor_ms = (double)(wlu_now_ns() - start) / 1e6;
    e->setup.compile_ms = 0.0;
    if (status < 0) bench_entry_fail(e, status, e->batch != NULL ? bench_entry_message(e) : "");
}

void bench_batch_start_keeping(const bench_plan *plan, const bench_case *c, bench_entry *e)
{
    e->of_batch.size = sizeof e->of_batch;
    warplu_batch_get_statistics(e->batch, &e->of_batch);
    warplu_batch_destroy(&e->batch);
    warplu_status status = make(plan, c, e, 1);
    if (status < 0) warplu_batch_destroy(&e->batch);
    if (status < 0 && status != WARPLU_OUT_OF_MEMORY) bench_entry_fail(e, status, "");
}

/* That members failed is seen by their answers. */
static warplu_status call_batch(const bench_entry *e, const double *values, const bench_case *c, int solves, double *x)
{
    warplu_status status = solves ? warplu_batch_refactor_solve(e->batch, values, NULL, 0, 1, c->b, x)
                                  : warplu_batch_refactor(e->batch, values, NULL);
    return status == WARPLU_MEMBERS_FAILED ? WARPLU_SUCCESS : status;
}

/* ---------------------------------------------------------------- one by one */

static warplu_status replay_singly(const bench_entry *e, const double *values, const bench_case *c, int solves,
                                   double *x)
{
    int32_t n = c->a.nrow;
    warplu_status status = warplu_refactor(e->solver, values);
    return status >= 0 && solves ? warplu_solve(e->solver, 1, c->b, n, x, n) : status;
}

/* ------------------------------------------------------------------- turns */

typedef struct members_call {
    const bench_entry *e;
    const bench_case *c;
    int solves;
} members_call;

static warplu_status call_members(void *context)
{
    const members_call *k = context;
    const bench_case *c = k->c;
    int at_once = k->e->batching == BENCH_TOGETHER || k->e->batching == BENCH_WEAKENED;
    warplu_status status = WARPLU_SUCCESS;
    if (at_once) return call_batch(k->e, steps_of(c, k->e)[0], c, k->solves, c->answers);
    for (int m = 0; m < c->step_count && status >= 0; m++) {
        double *x = c->answers + m * bench_vector(c);
        status = (k->e->batching == BENCH_OF_ONE ? call_batch : replay_singly)(k->e, c->steps[m], c, k->solves, x);
    }
    return status;
}

void bench_batch_first_call(bench_case *c, bench_entry *e)
{
    members_call context = {e, c, 1};
    int64_t start = wlu_now_ns();
    warplu_status status = call_members(&context);
    e->first_call_ms = (double)(wlu_now_ns() - start) / 1e6;
    if (status < 0)
        bench_entry_fail(e, status, bench_entry_message(e));
    else
        bench_batch_judge(e, c, BENCH_BOTH);
}

int bench_batch_has(const bench_entry *e)
{
    return e->batching == BENCH_SINGLY || e->batch != NULL;
}

warplu_status bench_batch_turn(bench_entry *e, const bench_case *c, bench_loop loop, const turn *t, int64_t *ns,
                               int32_t *count)
{
    members_call context = {e, c, loop == BENCH_BOTH};
    if (e->peer == NULL) return turn_run(t, call_members, &context, ns, count);
    return bench_peer_turn(e, c, context.solves ? CHANNEL_BOTH_MEMBERS : CHANNEL_REFACTOR_MEMBERS, t, ns, count);
}

void bench_batch_judge(bench_entry *e, bench_case *c, bench_loop loop)
{
    double *x = c->x;
    const double *const *steps = c->steps;
    int32_t wrong = 0;
    if (loop != BENCH_BOTH) return;
    c->steps = steps_of(c, e);
    for (c->now = 0; c->now < c->step_count; c->now++) {
        c->x = c->answers + c->now * bench_vector(c);
        wrong += !(bench_judge_solution(c, e, &e->result) <= answer_is_right(e->precision));
    }
    if (wrong > e->wrong) e->wrong = wrong;
    c->now = 0;
    c->x = x;
    c->steps = steps;
}
