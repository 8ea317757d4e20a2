/* One solver on one matrix: executors of warplu and peers behind the same calls. */
#include "base/clock.h"
#include "bench.h"
#include "bench_batch.h"
#include "exec/cpu/image.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Set-ups that took this long together are not done again. */
static const double ENOUGH_MS = 1000.0;

int bench_entry_alive(const bench_entry *e)
{
    return e->result.status >= 0 && (e->peer != NULL ? e->opened : e->solver != NULL);
}

const char *bench_status_name(warplu_status status)
{
    switch ((int)status) {
    case PEER_ENDED: return "PEER_ENDED";
    case PEER_TIMED_OUT: return "PEER_TIMED_OUT";
    case PEER_NOT_STARTED: return "PEER_NOT_STARTED";
    default: return warplu_status_name(status);
    }
}

void bench_entry_fail(bench_entry *e, warplu_status status, const char *message)
{
    e->result.status = status;
    snprintf(e->result.message, sizeof e->result.message, "%s",
             message[0] != '\0' ? message : warplu_status_text(status));
}

const char *bench_entry_message(const bench_entry *e)
{
    if (e->batch != NULL) return warplu_batch_get_message(e->batch);
    return e->peer != NULL ? peer_process_message(e->process) : warplu_get_message(e->solver);
}

/* --------------------------------------------------------------- executors */

static double ms_since(int64_t start)
{
    return (double)(wlu_now_ns() - start) / 1e6;
}

static warplu_status first_factor(bench_entry *e, const double *values)
{
    int64_t start = wlu_now_ns();
    warplu_status status = warplu_factor(e->solver, values);
    double all_ms = ms_since(start);
    if (status < 0) return status;
    warplu_statistics t = {.size = sizeof t};
    warplu_get_statistics(e->solver, &t);
    e->setup.factor_ms = t.factor_ns / 1e6;
    e->setup.compile_ms = all_ms - e->setup.factor_ms;
    return status;
}

int bench_entry_prepare(bench_entry *e)
{
    wlu_context ctx;
    wlu_target target;
    const wlu_cost *cost;
    warplu_options o;
    warplu_init_options(&o);
    wlu_context_init(&ctx, &o);
    o.executor = e->executor;
    warplu_status status = wlu_target_find(&ctx, &o, &target, &cost);
    if (status >= 0 && e->executor == WARPLU_EXECUTOR_CUDA) status = bench_device_ready(&ctx);
    if (status < 0) bench_entry_fail(e, status, ctx.last_message);
    return status >= 0;
}

static void start_solver(const bench_plan *plan, bench_case *c, bench_entry *e)
{
    warplu_options options = plan->setup.options;
    options.executor = e->executor;
    options.threads = e->threads;
    options.check = e->check;
    options.expected_refactors = e->expected_refactors;
    if (!bench_entry_prepare(e)) return;
    int64_t start = wlu_now_ns();
    warplu_status status = load_create(&plan->setup, &options, &e->solver);
    if (status >= 0) status = warplu_analyze(e->solver, c->a.nrow, c->a.ptr, c->a.idx, bench_case_values(c));
    if (status >= 0) e->setup.analyze_ms = ms_since(start);
    if (status >= 0) status = first_factor(e, bench_case_values(c));
    /* As in any loop, a solve comes before the next refactor: it counts towards the end of the trial of new pivots. */
    start = wlu_now_ns();
    if (status >= 0) status = warplu_solve(e->solver, 1, c->b, c->a.nrow, c->x, c->a.nrow);
    e->first_solve_ns = wlu_now_ns() - start;
    if (status >= 0 && e->on_device) status = bench_device_open(e, c);
    if (status < 0) bench_entry_fail(e, status, warplu_get_message(e->solver));
}

typedef struct solver_call {
    bench_entry *e;
    const bench_case *c;
} solver_call;

static warplu_status call_refactor(void *context)
{
    const solver_call *k = context;
    return warplu_refactor(k->e->solver, bench_case_values(k->c));
}

static warplu_status call_solve(void *context)
{
    const solver_call *k = context;
    int32_t n = k->c->a.nrow;
    return warplu_solve(k->e->solver, 1, k->c->b, n, k->c->x, n);
}

/* With the check off for as long as that takes. */
static warplu_status call_alone(void *context)
{
    const solver_call *k = context;
    warplu_check *check = &k->e->solver->options.check, usual = *check;
    *check = WARPLU_CHECK_OFF;
    warplu_status status = call_solve(context);
    *check = usual;
    return status;
}

static warplu_status call_guards(void *context)
{
    const bench_entry *e = ((const solver_call *)context)->e;
    wlu_cpu_state *state = (wlu_cpu_state *)e->solver->current.state;
    const wlu_cpu_image *image = (const wlu_cpu_image *)state->base.image;
    image->kernels->entries(image->base.program, state, e->source);
    image->kernels->guards(&image->dot, image->base.program, state, e->source);
    return WARPLU_SUCCESS;
}

int bench_entry_open_guards(bench_entry *e, const bench_case *c)
{
    if (e->solver == NULL || e->solver->target.executor != &wlu_executor_cpu) return 0;
    if (warplu_refactor(e->solver, bench_case_values(c)) < 0 || e->solver->current.state == NULL) return 0;
    wlu_cpu_state *state = (wlu_cpu_state *)e->solver->current.state;
    e->source = wlu_gather_values(state->base.image->program, bench_case_values(c), state->slots.source);
    return 1;
}

/* -------------------------------------------------------------------- both */

double bench_setup_ms(const bench_setup *s)
{
    return s->analyze_ms + s->factor_ms + s->compile_ms;
}

static void keep_setup(bench_entry *e)
{
    if (bench_entry_alive(e)) e->setups[e->setup_count++] = e->setup;
}

void bench_entry_start(const bench_plan *plan, bench_case *c, bench_entry *e)
{
    e->setup = (bench_setup){NAN, NAN, NAN};
    e->stage_ms = e->first_call_ms = NAN;
    e->result = (bench_result){.residual = NAN, .backward_error = NAN, .total_ms = NAN, .refinement_steps = -1};
    if (e->peer != NULL)
        bench_peer_start(plan, c, e);
    else if (e->batching != BENCH_SINGLY)
        bench_batch_start(plan, c, e);
    else
        start_solver(plan, c, e);
    keep_setup(e);
}

void bench_entry_restart(const bench_plan *plan, bench_case *c, bench_entry *e)
{
    bench_device_close(e);
    warplu_destroy(&e->solver);
    if (e->peer != NULL)
        bench_peer_factor(c, e);
    else
        start_solver(plan, c, e);
}

void bench_entry_start_again(const bench_plan *plan, bench_case *c, bench_entry *e)
{
    bench_entry_restart(plan, c, e);
    keep_setup(e);
}

int bench_entry_setups_enough(const bench_entry *e, int64_t repeat)
{
    double spent_ms = 0.0;
    for (int k = 0; k < e->setup_count; k++) spent_ms += bench_setup_ms(&e->setups[k]);
    return e->setup_count >= (repeat > 0 && repeat < BENCH_SETUPS ? repeat : BENCH_SETUPS) || spent_ms > ENOUGH_MS;
}

static int by_time(const void *a, const void *b)
{
    double x = bench_setup_ms(a), y = bench_setup_ms(b);
    return (x > y) - (x < y);
}

void bench_entry_take_setup(bench_entry *e)
{
    if (e->setup_count == 0) return;
    qsort(e->setups, (size_t)e->setup_count, sizeof e->setups[0], by_time);
    e->setup = e->setups[(e->setup_count - 1) / 2];
}

void bench_entry_stop(bench_entry *e)
{
    bench_device_close(e);
    warplu_batch_destroy(&e->batch);
    warplu_destroy(&e->solver);
    /* What a failure left behind, on a device say, must not reach the next matrix. */
    if (e->process != NULL && e->result.status < 0) peer_process_stop(e->process);
    for (int loop = 0; loop < BENCH_LOOPS; loop++) bench_samples_free(&e->result.samples[loop]);
}

int bench_entry_has(const bench_entry *e, bench_loop loop)
{
    if (loop == BENCH_BOTH)
        return e->peer != NULL ? e->opened && peer_process_memory(e->process)->does_both : e->on_device;
    return loop == BENCH_REFACTOR || loop == BENCH_SOLVE || (e->peer == NULL && !e->on_device);
}

warplu_status bench_entry_turn(bench_entry *e, const bench_case *c, bench_loop loop, const turn *t, int64_t *ns,
                               int32_t *count)
{
    static const turn_call calls[BENCH_LOOPS] = {[BENCH_REFACTOR] = call_refactor,
                                                 [BENCH_SOLVE] = call_solve,
                                                 [BENCH_ALONE] = call_alone,
                                                 [BENCH_GUARDS] = call_guards};
    static const channel_op ops[BENCH_LOOPS] = {
        [BENCH_REFACTOR] = CHANNEL_REFACTOR, [BENCH_SOLVE] = CHANNEL_SOLVE, [BENCH_BOTH] = CHANNEL_BOTH};
    solver_call context = {e, c};
    if (e->peer != NULL) return bench_peer_turn(e, c, ops[loop], t, ns, count);
    if (e->on_device) return bench_device_turn(e, c, loop, t, ns, count);
    return turn_run(t, calls[loop], &context, ns, count);
}

warplu_status bench_entry_once(bench_entry *e, const bench_case *c, bench_loop loop, int64_t *ns)
{
    int32_t count;
    *ns = 0;
    return bench_entry_turn(e, c, loop, &(turn){.calls = 1}, ns, &count);
}

warplu_status bench_entry_factor(bench_entry *e, const bench_case *c, int64_t *ns)
{
    int32_t count;
    *ns = 0;
    if (e->peer != NULL) return bench_peer_turn(e, c, CHANNEL_FACTOR, &(turn){.calls = 1}, ns, &count);
    int64_t start = wlu_now_ns();
    warplu_status status = warplu_factor(e->solver, bench_case_values(c));
    *ns = wlu_now_ns() - start;
    return status;
}
