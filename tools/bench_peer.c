/* Entries of warplu bench that are peers: started with the ordering that is asked for, each in its own process.
 *
 * "best" factors with each of the peer's orderings (but the natural one) and keeps the one that replays fastest; one
 * that takes ten times as long as its default ordering and a second more is given up. A peer that guesses its storage
 * and ends the process is started again, with more. */
#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How often each ordering is replayed before the best is taken. */
enum { RACE_REPLAYS = 3, PEER_UNKNOWN_ORDERING = -2 };
static const double RACE_PATIENCE = 10.0, RACE_GRACE_S = 1.0;

/* ------------------------------------------------------------------- calls */

warplu_status bench_peer_turn(bench_entry *e, const bench_case *c, channel_op op, const turn *t, int64_t *ns,
                              int32_t *count)
{
    warplu_status status = peer_process_turn(e->process, op, c->now, t, ns, count);
    if (status >= 0 && (op == CHANNEL_SOLVE || op == CHANNEL_BOTH))
        memcpy(c->x, peer_process_solution(e->process), (size_t)bench_vector(c) * sizeof *c->x);
    if (status >= 0 && op == CHANNEL_BOTH_MEMBERS)
        memcpy(c->answers, peer_process_solution(e->process),
               (size_t)c->step_count * (size_t)bench_vector(c) * sizeof *c->answers);
    if (status >= 0 && op != CHANNEL_SOLVE) e->stage_ms = (double)peer_process_memory(e->process)->stage_ns / 1e6;
    peer_process_pause(e->process);
    return status;
}

void bench_peer_begin_members(bench_entry *e)
{
    warplu_status status = peer_process_begin_members(e->process);
    if (status < 0) bench_entry_fail(e, status, peer_process_message(e->process));
    peer_process_pause(e->process);
}

static warplu_status open_process(const bench_case *c, bench_entry *e)
{
    peer_system system = {.n = c->a.nrow,
                          .doubles = c->pattern->doubles,
                          .steps = c->step_count,
                          .solves = c->solves,
                          .members = c->members,
                          .ptr = c->a.ptr,
                          .idx = c->a.idx,
                          .values = c->steps,
                          .b = c->b,
                          .row_order = c->row_order,
                          .col_order = c->col_order};
    return peer_process_open(e->process, &system);
}

/* Analysis and first factorization by one ordering. A process that has ended is started again. */
static warplu_status factor_by(const bench_case *c, bench_entry *e, int32_t ordering)
{
    warplu_status status = PEER_ENDED;
    for (int32_t attempt = 0; status == PEER_ENDED && attempt <= e->peer->attempts; attempt++) {
        int64_t analyze_ns = 0, factor_ns = 0;
        int32_t count;
        status = open_process(c, e);
        if (status < 0) return status;
        e->setup = (bench_setup){NAN, NAN, NAN};
        status = peer_process_analyze(e->process, ordering, attempt, &analyze_ns);
        if (status < 0) continue;
        e->setup.analyze_ms = (double)analyze_ns / 1e6;
        status = bench_peer_turn(e, c, CHANNEL_FACTOR, &(turn){.calls = 1}, &factor_ns, &count);
        if (status < 0) continue;
        e->setup.factor_ms = (double)factor_ns / 1e6;
        e->setup.compile_ms = 0.0;
        e->attempt = attempt;
    }
    return status;
}

/* --------------------------------------------------------------- orderings */

/* The shortest of a few replays, or infinity. */
static double race_ms(const bench_case *c, bench_entry *e)
{
    int64_t ns[RACE_REPLAYS];
    int32_t count = 0;
    double best = INFINITY;
    turn t = {.calls = RACE_REPLAYS, .budget_ns = INT64_MAX};
    if (bench_peer_turn(e, c, CHANNEL_REFACTOR, &t, ns, &count) < 0) return INFINITY;
    for (int32_t k = 0; k < count; k++) best = fmin(best, (double)ns[k] / 1e6);
    return best;
}

static int32_t count_orderings(const bench_entry *e)
{
    const channel_memory *m = peer_process_memory(e->process);
    int32_t count = 0;
    while (count < CHANNEL_ORDERINGS && m->orderings[count][0] != '\0') count++;
    return count;
}

/* The ordering that replays fastest; the default where none works. */
static int32_t race(const bench_plan *plan, const bench_case *c, bench_entry *e)
{
    int32_t best = PEER_ORDERING_DEFAULT, count = count_orderings(e);
    double best_ms = INFINITY, limit_s = plan->limit_s;
    for (int32_t k = 0; k < count; k++) {
        const channel_memory *m = peer_process_memory(e->process);
        if (m == NULL || strcmp(m->orderings[k], "natural") == 0) continue;
        peer_process_limit(e->process, limit_s);
        double ms = factor_by(c, e, k) >= 0 ? race_ms(c, e) : INFINITY;
        if (k == 0 && ms < INFINITY)
            limit_s = fmin(limit_s, RACE_GRACE_S + RACE_PATIENCE * (bench_setup_ms(&e->setup) + ms) / 1e3);
        if (ms < best_ms) best = k;
        best_ms = fmin(best_ms, ms);
    }
    peer_process_limit(e->process, plan->limit_s);
    return best;
}

static int32_t named_ordering(const bench_entry *e)
{
    const channel_memory *m = peer_process_memory(e->process);
    for (int32_t k = 0; k < count_orderings(e); k++)
        if (strcmp(m->orderings[k], e->ordering) == 0) return k;
    return PEER_UNKNOWN_ORDERING;
}

/* "no ordering 'x': it has a, b, c". */
static warplu_status say_orderings(bench_entry *e)
{
    const channel_memory *m = peer_process_memory(e->process);
    char text[BENCH_MESSAGE];
    int used = snprintf(text, sizeof text, "no ordering '%s': it has", e->ordering);
    for (int32_t k = 0; k < count_orderings(e) && used < (int)sizeof text; k++)
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %s", k > 0 ? "," : "", m->orderings[k]);
    bench_entry_fail(e, WARPLU_INVALID_ARGUMENT, text);
    return WARPLU_INVALID_ARGUMENT;
}

/* The peer runs and knows the system. A failure is in the result. */
static warplu_status choose_ordering(const bench_plan *plan, const bench_case *c, bench_entry *e, int32_t *ordering)
{
    const channel_memory *m = peer_process_memory(e->process);
    *ordering = PEER_ORDERING_DEFAULT;
    if (strcmp(e->ordering, "best") == 0) *ordering = race(plan, c, e);
    if (strcmp(e->ordering, "default") == 0 || strcmp(e->ordering, "best") == 0) return WARPLU_SUCCESS;
    *ordering = strcmp(e->ordering, "ours") == 0 ? PEER_ORDERING_GIVEN : named_ordering(e);
    if (*ordering == PEER_UNKNOWN_ORDERING) return say_orderings(e);
    if (*ordering != PEER_ORDERING_GIVEN || (m->takes_order && c->col_order != NULL)) return WARPLU_SUCCESS;
    bench_entry_fail(e, WARPLU_INVALID_ARGUMENT,
                     m->takes_order ? "there is no order of ours: warplu did not factor" : "it takes no given order");
    return WARPLU_INVALID_ARGUMENT;
}

void bench_peer_factor(const bench_case *c, bench_entry *e)
{
    warplu_status status = factor_by(c, e, e->order);
    if (status >= 0) status = peer_process_describe(e->process, &e->facts);
    if (status < 0) bench_entry_fail(e, status, peer_process_message(e->process));
    e->opened = status >= 0;
    peer_process_pause(e->process);
}

void bench_peer_start(const bench_plan *plan, const bench_case *c, bench_entry *e)
{
    e->opened = 0;
    warplu_status status = open_process(c, e);
    if (status < 0) {
        bench_entry_fail(e, status, peer_process_message(e->process));
        return;
    }
    if (choose_ordering(plan, c, e, &e->order) < 0) {
        peer_process_pause(e->process);
        return;
    }
    bench_peer_factor(c, e);
}
