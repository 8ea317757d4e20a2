/* The common pivots of a batch: a member of a sample pivots, and all others of the sample are replayed by columns. If
 * some are weak, the first of these pivots too, ATTEMPTS times at most; the pivots with the fewest weak members win.
 *
 * Members of the sample are evenly spread. Cost: ATTEMPTS pivotings and as many replays by columns as the sample has
 * members, a race of orders where there are RACE members, one compilation. */
#include "solver/batch/pivots.h"

#include "base/finite.h"
#include "solver/batch/alone.h"
#include "solver/batch/ledger.h"
#include "solver/batch/places.h"
#include "solver/batch/program.h"
#include "solver/replay.h"
#include "solver/settle.h"
#include "solver/solver.h"

enum { ATTEMPTS = 3, RACE = 100 };

typedef struct sample {
    int32_t count;
    wlu_member_list of; /* those that take part */
    const wlu_batch_call *call;
} sample;

static int32_t member_of(const sample *s, int32_t k)
{
    return s->of.member[(int64_t)k * s->of.count / s->count];
}

/* The members are listed in b->left. */
static sample draw(warplu_batch *b, const wlu_batch_call *call, const unsigned char *mask)
{
    sample s = {0, {b->left, 0}, call};
    for (int32_t m = 0; m < b->count; m++)
        if (mask == NULL || mask[m]) s.of.member[s.of.count++] = m;
    s.count = b->options.sample < s.of.count ? b->options.sample : s.of.count;
    return s;
}

/* Orders race for this member's values, where a race has not been and there are members to pay for it. */
static warplu_status race(warplu_batch *b, const double *values)
{
    warplu_solver *s = b->base;
    if (b->count < RACE || s->analysis->depth != WLU_DEPTH_FIRST || s->options.ordering == WARPLU_ORDERING_GIVEN)
        return WARPLU_SUCCESS;
    warplu_status status = wlu_gather_finite(&s->ctx, s->analysis->a, values, s->checks.entries);
    return status == WARPLU_SUCCESS ? wlu_solver_race(s) : status;
}

/* Pivots of this member's values are the solver's. */
static warplu_status pivot_for(warplu_batch *b, const double *values)
{
    warplu_solver *s = b->base;
    warplu_status status = wlu_solver_factor(s, values);
    s->phase = wlu_phase_after(WLU_CALL_FACTOR, status < 0, s->phase, s->current.plan != NULL);
    return status;
}

/* How many of the sample are weak by the solver's pivots, and the first of them after `from`. */
static warplu_status count_weak(warplu_batch *b, const sample *of, int32_t from, int32_t *weak, int32_t *first)
{
    warplu_solver *s = b->base;
    warplu_status status = WARPLU_SUCCESS;
    *weak = 0;
    *first = -1;
    for (int32_t k = 0; k < of->count && status == WARPLU_SUCCESS; k++) {
        const double *values = wlu_batch_values_of(b, of->call, member_of(of, k));
        status = wlu_solver_replay(s, values);
        if (status < 0 || wlu_solver_verdict_bounds_aside(s, &s->current) != WLU_WEAK) continue;
        ++*weak;
        if (*first < 0 && k > from) *first = k;
    }
    return status;
}

/* The plan that suits most, of which the caller becomes an owner whatever the status is; member: whose values it
 * pivoted for. */
static warplu_status search(warplu_batch *b, const sample *of, wlu_plan **best, int32_t *member)
{
    int32_t fewest = of->count + 1, weak, next = 0, attempts = 0;
    warplu_status failed = WARPLU_SUCCESS, status = WARPLU_SUCCESS;
    while (next >= 0 && next < of->count && attempts < ATTEMPTS && fewest > 0) {
        int32_t k = next;
        const double *values = wlu_batch_values_of(b, of->call, member_of(of, k));
        status = *best == NULL ? race(b, values) : WARPLU_SUCCESS;
        if (status >= 0) status = pivot_for(b, values);
        if (status == WARPLU_SINGULAR || status == WARPLU_NOT_FINITE) {
            failed = status;
            next++;
            continue;
        }
        if (status >= 0) status = count_weak(b, of, k, &weak, &next);
        if (status < 0) return status;
        attempts++;
        if (weak >= fewest) continue;
        fewest = weak;
        wlu_plan_release(wlu_batch_context(b), best);
        *best = wlu_plan_share(b->base->current.plan);
        *member = member_of(of, k);
    }
    return *best != NULL ? WARPLU_SUCCESS : failed;
}

/* The plan's pivots are the solver's, without factors. */
static void take_plan(warplu_solver *s, wlu_plan *plan)
{
    if (s->current.plan == plan) return;
    wlu_plan *mine = wlu_plan_share(plan);
    wlu_loaded_release(&s->ctx, &s->current);
    s->current.plan = mine;
    wlu_solver_forget_replays(s);
    s->phase = WLU_PIVOTED;
}

static warplu_status free_programs(warplu_batch *b)
{
    while (b->programs > 0) wlu_batch_program_free(b, &b->program[--b->programs]);
    b->misses = b->proof_tried = 0;
    for (int32_t m = 0; m < b->count; m++) {
        b->service[m] = (wlu_batch_service){.place = -1};
        wlu_batch_drop_solver(b, m);
    }
    return wlu_batch_forget_enqueued(b);
}

warplu_status wlu_batch_adopt_pivots(warplu_batch *b)
{
    wlu_batch_program common;
    warplu_solver *s = b->base;
    warplu_status status =
        wlu_batch_program_create(b, s->current.plan, b->options.keep_factors ? b->count : 0, &common);
    if (status < 0) return status;
    status = free_programs(b);
    common.proven = !wlu_solver_is_on_trial(s, 0);
    b->program[b->programs++] = common;
    b->compilations++;
    s->current.service.compile_after = 0;
    return status;
}

warplu_status wlu_batch_choose_pivots(warplu_batch *b, const wlu_batch_call *call, const unsigned char *mask)
{
    const sample of = draw(b, call, mask);
    wlu_plan *best = NULL;
    int32_t member = 0;
    warplu_status status = search(b, &of, &best, &member);
    if (status == WARPLU_SUCCESS) take_plan(b->base, best);
    wlu_plan_release(wlu_batch_context(b), &best);
    if (status == WARPLU_SUCCESS) status = wlu_batch_adopt_pivots(b);
    if (status < 0) return status;
    if (b->spare != NULL) wlu_solver_destroy(&b->spare);
    wlu_batch_program_prove(b, &b->program[0], b->base, wlu_batch_values_of(b, call, member));
    return status;
}
