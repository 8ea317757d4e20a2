/* Members for which a solver of their own answers: an ordinary one, with all that it does for weak pivots. Where
 * factors are not kept, one solver answers for all of them, one after the other; the pivots that it keeps serve those
 * that are alike. */
#include "solver/batch/alone.h"

#include <math.h>

#include "solver/batch/places.h"
#include "solver/solve.h"
#include "solver/solver.h"

/* So many numbers of a view in `room`, or where they stand. */
static const double *column(const warplu_batch *b, const double *at, int64_t count, int64_t by_number, double *room)
{
    const int32_t doubles = b->base->analysis->a->doubles;
    if (by_number == doubles) return at;
    wlu_copy_numbers(count, doubles, at, by_number, room, doubles);
    return room;
}

const double *wlu_batch_values_of(warplu_batch *b, const wlu_batch_call *call, int32_t member)
{
    const wlu_member_view *v = &call->values;
    const double *at = v->at + wlu_batch_slot(call, member) * v->by_member;
    return column(b, at, b->base->analysis->a->nvalues, v->by_number, b->values);
}

const double *wlu_batch_rhs_of(warplu_batch *b, const wlu_batch_call *call, int32_t member, int32_t k)
{
    const wlu_member_view *v = &call->b;
    const double *at = v->at + wlu_batch_slot(call, member) * v->by_member + k * v->by_column;
    return column(b, at, b->base->analysis->n, v->by_number, b->b);
}

const double *wlu_batch_solution_of(warplu_batch *b, const wlu_batch_call *call, int32_t member, int32_t k)
{
    const wlu_member_output *v = &call->x;
    const double *at = v->at + wlu_batch_slot(call, member) * v->by_member + k * v->by_column;
    return column(b, at, b->base->analysis->n, v->by_number, b->x);
}

/* Solution k of a member, from one number every `by` doubles. */
static void put_solution(const warplu_batch *b, const wlu_batch_call *call, int32_t member, int32_t k, const double *x,
                         int64_t by)
{
    const wlu_member_output *v = &call->x;
    double *to = v->at + wlu_batch_slot(call, member) * v->by_member + k * v->by_column;
    wlu_copy_numbers(b->base->analysis->n, b->base->analysis->a->doubles, x, by, to, v->by_number);
}

void wlu_batch_spoil(const warplu_batch *b, const wlu_batch_call *call, int32_t member)
{
    static const double nan[] = {(double)NAN, (double)NAN};
    for (int32_t k = 0; k < call->nrhs; k++) put_solution(b, call, member, k, nan, 0);
}

static warplu_solver *make_solver(warplu_batch *b)
{
    warplu_solver *s = NULL;
    warplu_status status = wlu_solver_clone(&s, b->base);
    if (status < 0) {
        wlu_fail(wlu_batch_context(b), status, "a solver for a member: %s", warplu_status_text(status));
        return NULL;
    }
    s->ctx.message = NULL; /* the batch says what has become of a member */
    s->options.on_weak = WARPLU_ON_WEAK_REPIVOT;
    return s;
}

warplu_solver *wlu_batch_solver_of(warplu_batch *b, const wlu_batch_call *call, int32_t member)
{
    warplu_solver **s = call->keeps ? &b->own[member] : &b->spare;
    if (*s == NULL) *s = make_solver(b);
    return *s;
}

static warplu_status factor_alone(warplu_solver *s, const double *values, int anew)
{
    wlu_call call = anew ? WLU_CALL_FACTOR : WLU_CALL_REFACTOR;
    warplu_status status = anew ? wlu_solver_factor(s, values) : wlu_solver_refactor(s, values);
    s->phase = wlu_phase_after(call, status < 0, s->phase, s->current.plan != NULL);
    return status == WARPLU_REPIVOTED ? WARPLU_SUCCESS : status;
}

static warplu_status solve_alone(warplu_batch *b, const wlu_batch_call *call, warplu_solver *s, int32_t member)
{
    int32_t n = s->analysis->n;
    warplu_status status = WARPLU_SUCCESS;
    warplu_batch_member *r = &b->record[member];
    for (int32_t k = 0; k < call->nrhs && status >= 0; k++) {
        const double *rhs = wlu_batch_rhs_of(b, call, member, k);
        warplu_status one = wlu_solver_solve(s, call->transposed, 1, rhs, n, b->x, n);
        if (one < 0 || (one > status && one != WARPLU_REPIVOTED)) status = one;
        put_solution(b, call, member, k, b->x, s->analysis->a->doubles);
        if (!(s->last.backward_error <= r->backward_error)) r->backward_error = s->last.backward_error;
        if (s->last.refinement_steps > r->refinement_steps) r->refinement_steps = s->last.refinement_steps;
    }
    return status;
}

warplu_status wlu_batch_answer_alone(warplu_batch *b, const wlu_batch_call *call, int32_t member, int anew)
{
    warplu_batch_member *r = &b->record[member];
    warplu_solver *s = wlu_batch_solver_of(b, call, member);
    *r = (warplu_batch_member){WARPLU_OUT_OF_MEMORY, WARPLU_BATCH_OWN_SOLVER, WLU_BY_SOLVER, WLU_WEAK, -1.0, 0};
    if (call->has_values) b->service[member].program = WLU_BY_SOLVER;
    if (call->keeps) wlu_batch_settle(b, member, WLU_BY_SOLVER);
    if (s == NULL) {
        wlu_batch_spoil(b, call, member);
        return WARPLU_SUCCESS;
    }
    r->status = call->has_values ? factor_alone(s, wlu_batch_values_of(b, call, member), anew) : WARPLU_SUCCESS;
    if (call->has_values && call->keeps) b->service[member].factored = r->status >= 0;
    if (r->status >= 0) {
        warplu_status solved = solve_alone(b, call, s, member);
        if (solved != WARPLU_SUCCESS) r->status = solved;
        r->verdict = (int32_t)s->trust.verdict;
    }
    if (r->status < 0) wlu_batch_spoil(b, call, member);
    return r->status == WARPLU_CANCELLED ? r->status : WARPLU_SUCCESS;
}
