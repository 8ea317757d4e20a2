/* What a member's replay and solves come to: the promise of docs/numerics.md, for each.
 *
 * A solve by a replay that is healthy by pivots that are proven needs no check, unless x is so small that it may have
 * underflown (wlu_least_solution) or not finite. A solve that was checked keeps the promise by its componentwise
 * backward error, or where that is too coarse by its rows'. A replay without a solve serves unless it is weak. */
#include "solver/batch/judge.h"

#include "numerics/refine.h"

#include <math.h>

#include "base/finite.h"
#include "solver/batch/alone.h"

double wlu_batch_accurate(const warplu_batch *b)
{
    return wlu_thresholds_of(b->target.precision == WARPLU_PRECISION_SINGLE).accurate;
}

static int rhs_is_finite(warplu_batch *b, const wlu_batch_call *call, int32_t member)
{
    const int64_t n = wlu_vector_doubles(b->base->analysis->a);
    for (int32_t k = 0; k < call->nrhs; k++)
        if (!wlu_all_finite(wlu_batch_rhs_of(b, call, member, k), n)) return 0;
    return 1;
}

/* Whether each of the member's equations is accurate as a whole. Without the values nobody can tell. */
static int rows_are_accurate(warplu_batch *b, const wlu_batch_call *call, int32_t member)
{
    const wlu_pattern *a = b->base->analysis->a;
    if (!call->has_values) return 0;
    wlu_pattern_gather(a, wlu_batch_values_of(b, call, member), b->entries);
    const wlu_checked checked = {a, NULL, b->entries, b->base->checks.longest};
    const wlu_errors enough = {INFINITY, wlu_batch_accurate(b)};
    for (int32_t k = 0; k < call->nrhs; k++) {
        const double *rhs = wlu_batch_rhs_of(b, call, member, k), *x = wlu_batch_solution_of(b, call, member, k);
        wlu_errors found = wlu_backward_errors(&checked, call->transposed, rhs, x, enough, b->work);
        if (!(found.whole <= enough.whole)) return 0;
    }
    return 1;
}

/* Of solves that were checked: the rules of keeps_promise in solve.c. */
static int keeps_promise(warplu_batch *b, const wlu_batch_call *call, int32_t member, double error)
{
    double accurate = wlu_batch_accurate(b);
    const wlu_checked checked = wlu_solver_checked(b->base);
    double longest = wlu_longest_row(&checked, call->transposed, b->work);
    const int doubles = b->base->target.doubles;
    double roundings = wlu_refine_roundings(longest, doubles);
    if (b->base->options.check == WARPLU_CHECK_ALWAYS && !(error <= wlu_error_allowed(accurate, 1.0, roundings)))
        return 0;
    if (error <= wlu_refine_allowed(accurate, longest, doubles)) return 1;
    return error < INFINITY && rows_are_accurate(b, call, member);
}

/* x = 0 solves for b = 0 whatever the factors are: where these are not finite, neither may the values be. */
static wlu_member_finding judge_checked(warplu_batch *b, const wlu_batch_call *call, int32_t member)
{
    const wlu_member_result *of = &b->result[member];
    warplu_batch_member *r = &b->record[member];
    r->backward_error = of->refined.backward_error;
    r->refinement_steps = of->refined.steps;
    if (of->health.finite && keeps_promise(b, call, member, of->refined.backward_error)) {
        if (of->refined.steps > 0 && r->way == WARPLU_BATCH_REPLAYED) r->way = WARPLU_BATCH_REFINED;
        return WLU_MEMBER_SERVED;
    }
    r->status = of->health.finite ? WARPLU_INACCURATE : WARPLU_NOT_FINITE;
    if (rhs_is_finite(b, call, member)) return WLU_MEMBER_UNSERVED;
    r->status = WARPLU_NOT_FINITE;
    return WLU_MEMBER_SERVED;
}

static wlu_member_finding judge_unchecked(warplu_batch *b, int32_t program, const wlu_batch_call *call, int32_t member)
{
    const wlu_member_result *of = &b->result[member];
    warplu_batch_member *r = &b->record[member];
    if (b->base->options.check == WARPLU_CHECK_OFF) {
        if (of->largest <= DBL_MAX && wlu_health_shows(&of->health)) return WLU_MEMBER_SERVED;
        wlu_batch_spoil(b, call, member);
        r->status = WARPLU_NOT_FINITE;
        return WLU_MEMBER_SERVED;
    }
    const wlu_bound bound = wlu_plan_bound(wlu_batch_context(b), b->program[program].plan, 1, call->transposed);
    if (of->largest <= DBL_MAX && of->least >= wlu_least_solution(&of->health, &bound, call->transposed))
        return WLU_MEMBER_SERVED;
    return WLU_MEMBER_DOUBTFUL;
}

wlu_member_finding wlu_batch_judge(warplu_batch *b, int32_t program, const wlu_batch_call *call, int32_t member)
{
    const wlu_health *h = &b->result[member].health;
    warplu_batch_member *r = &b->record[member];
    warplu_batch_way way = program == 0 ? WARPLU_BATCH_REPLAYED : WARPLU_BATCH_OTHER_PROGRAM;
    *r = (warplu_batch_member){WARPLU_SUCCESS, way, program, h->verdict, -1.0, 0};
    if (call->nrhs == 0) {
        if (b->base->options.check == WARPLU_CHECK_OFF ? wlu_health_shows(h) : h->verdict != (int)WLU_WEAK)
            return WLU_MEMBER_SERVED;
        r->status = h->finite ? WARPLU_WEAK : WARPLU_NOT_FINITE;
        return WLU_MEMBER_UNSERVED;
    }
    if (b->result[member].refined.backward_error != -1.0) return judge_checked(b, call, member);
    return judge_unchecked(b, program, call, member);
}
