/* Timing loops of warplu bench.
 *
 * Entries take turns, so that what else happens on the machine hits all alike: a turn is one call untimed, to
 * bring its data back into the caches, and up to five timed ones. An entry is done after 20 samples that make
 * 50 ms of work, or after three that make a second, or after exactly as many as were asked for. */
#include "bench.h"
#include "bench_batch.h"

#include <math.h>
#include <stdlib.h>

enum { ENOUGH_SAMPLES = 20, FEW_SAMPLES = 3, MANY_SAMPLES = 5000 };
static const int64_t TURN_NS = 50000000, LITTLE_NS = 50000000, ENOUGH_NS = 1000000000;
/* A call this long finds its data in the caches, or never does. */
static const int64_t LONG_CALL_NS = 20000000;

int bench_samples_add(bench_samples *s, int64_t ns)
{
    if (s->count == s->capacity) {
        int32_t capacity = s->capacity > 0 ? 2 * s->capacity : 64;
        int64_t *grown = realloc(s->ns, (size_t)capacity * sizeof *grown);
        if (grown == NULL) return 0;
        s->ns = grown;
        s->capacity = capacity;
    }
    s->ns[s->count++] = ns;
    s->total += ns;
    return 1;
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

void bench_samples_sort(bench_samples *s)
{
    if (s->count > 0) qsort(s->ns, (size_t)s->count, sizeof *s->ns, compare);
}

double bench_samples_ms(const bench_samples *s, double quantile)
{
    if (s->count == 0) return NAN;
    double at = quantile * (s->count - 1);
    int32_t low = (int32_t)floor(at), high = (int32_t)ceil(at);
    return (double)(s->ns[low] + s->ns[high]) / 2e6;
}

void bench_samples_free(bench_samples *s)
{
    free(s->ns);
    *s = (bench_samples){0};
}

int bench_samples_enough(const bench_samples *s, int64_t repeat)
{
    if (repeat > 0) return s->count >= repeat;
    if (s->count >= MANY_SAMPLES) return 1;
    return (s->count >= ENOUGH_SAMPLES && s->total >= LITTLE_NS) || (s->count >= FEW_SAMPLES && s->total >= ENOUGH_NS);
}

/* The answer that the turn's last factors give, off the clock, or that its last solve gave; the worst one counts. */
static void judge_turn(bench_entry *e, bench_case *c, bench_loop loop)
{
    int64_t ns;
    if (loop == BENCH_REFACTOR && bench_entry_once(e, c, BENCH_SOLVE, &ns) < 0) return; /* the loop of solves says it */
    bench_judge_solution(c, e, &e->result);
}

/* One entry's turn; 0 when it failed. */
static int take_turn(bench_entry *e, bench_case *c, bench_loop loop, int64_t repeat)
{
    bench_samples *s = &e->result.samples[loop];
    int64_t ns[BENCH_TURN], left = repeat > 0 ? repeat - s->count : BENCH_TURN;
    int32_t count = 0;
    turn t = {.calls = (int32_t)(left < BENCH_TURN ? left : BENCH_TURN),
              .warm = e->last_ns < LONG_CALL_NS,
              .budget_ns = TURN_NS};
    warplu_status status =
        c->members ? bench_batch_turn(e, c, loop, &t, ns, &count) : bench_entry_turn(e, c, loop, &t, ns, &count);
    for (int32_t k = 0; k < count && status >= 0; k++) {
        e->last_ns = ns[k];
        if (!bench_samples_add(s, ns[k])) status = WARPLU_OUT_OF_MEMORY;
    }
    if (status < 0)
        bench_entry_fail(e, status, bench_entry_message(e));
    else if (c->members)
        bench_batch_judge(e, c, loop);
    else if (loop == BENCH_REFACTOR || loop == BENCH_SOLVE || loop == BENCH_BOTH) /* the others are no answers */
        judge_turn(e, c, loop);
    return status >= 0;
}

/* One round's turns of an entry; 0 when it needs no more. */
static int take_turns(bench_plan *plan, bench_case *c, bench_entry *e, bench_loop first, bench_loop last)
{
    static const char *const doing[BENCH_LOOPS] = {"refactor", "solve", "solve alone", "refactor and solve", "guards"};
    int busy = 0;
    for (bench_loop loop = first; loop <= last; loop++) {
        if (!bench_entry_alive(e) || !(c->members ? bench_batch_has(e) : bench_entry_has(e, loop))) continue;
        if (bench_samples_enough(&e->result.samples[loop], plan->repeat)) continue;
        bench_progress_show(&plan->progress, c->path, e->name, doing[loop]);
        busy |= take_turn(e, c, loop, plan->repeat);
    }
    return busy;
}

/* Rounds of turns until every entry that has not failed is done with these loops; each round begins with another entry.
 */
void bench_time_loops(bench_plan *plan, bench_case *c, bench_loop first, bench_loop last)
{
    int busy = 1;
    for (int round = 0; busy; round++) {
        busy = 0;
        for (int k = 0; k < c->count; k++) busy |= take_turns(plan, c, &c->entry[(k + round) % c->count], first, last);
    }
    for (int k = 0; k < c->count; k++) {
        bench_entry *e = &c->entry[k];
        e->last_ns = 0;
        for (bench_loop loop = first; loop <= last; loop++) bench_samples_sort(&e->result.samples[loop]);
    }
}

/* Entries that cannot run their guards alone stay without samples. */
static void time_guards(const bench_plan *plan, bench_case *c)
{
    for (int k = 0; k < c->count; k++) {
        bench_entry *e = &c->entry[k];
        if (!bench_entry_alive(e) || !bench_entry_open_guards(e, c)) continue;
        while (!bench_samples_enough(&e->result.samples[BENCH_GUARDS], plan->repeat) &&
               take_turn(e, c, BENCH_GUARDS, plan->repeat)) {
        }
        bench_samples_sort(&e->result.samples[BENCH_GUARDS]);
        warplu_refactor(e->solver, bench_case_values(c));
    }
}

void bench_time(bench_plan *plan, bench_case *c)
{
    bench_time_loops(plan, c, BENCH_REFACTOR, BENCH_REFACTOR);
    bench_time_loops(plan, c, BENCH_SOLVE, BENCH_ALONE); /* side by side, so that both stand against the peers' one */
    bench_time_loops(plan, c, BENCH_BOTH, BENCH_BOTH);
    if (plan->guards) time_guards(plan, c);
}
