/* A program in the form for batches. See program.h. */
#include "solver/batch/program.h"

#include "solver/replay.h"
#include "solver/solver.h"
#include "solver/trial.h"

/* Whether so many members are replayed in lanes. */
static int are_in_lanes(const warplu_batch *b, const wlu_plan *plan, int32_t members)
{
    const wlu_pivots *p = plan->pivots;
    int64_t terms = plan->program->dot.nterms + wlu_lu_of(plan->program)->tiles.terms;
    int64_t numbers = 2 * (int64_t)p->n + p->lp[p->n] + p->up[p->n] + p->fp[p->n];
    int threads = b->team != NULL ? wlu_team_most(b->team) : 1;
    return b->target.executor == &wlu_executor_cpu && wlu_lanes_pay(terms, numbers, members, threads);
}

/* What replays the members; *alone: what replays few of them, or NULL. */
static const wlu_batch_executor *choose(const warplu_batch *b, const wlu_plan *plan, const wlu_batch_executor **alone)
{
    int lanes = are_in_lanes(b, plan, b->count);
    *alone = lanes ? &wlu_batch_one_by_one : NULL;
    if (b->target.several != NULL) return &wlu_batch_devices;
    if (b->target.executor->device != NULL) return &wlu_batch_cuda;
    return lanes ? &wlu_batch_lanes : &wlu_batch_one_by_one;
}

/* Whether so many members' factors, and their values, are within the options' limit beside those of other programs. */
static warplu_status check_room(warplu_batch *b, const wlu_program *program, int32_t places)
{
    double most = (double)b->options.max_factor_bytes, taken = 0.0;
    double member = 8.0 * program->doubles * (double)(program->y + program->nvalues), needed = places * member;
    for (int32_t k = 0; k < b->programs; k++) taken += b->program[k].state->places * member;
    if (most == 0.0 || needed + taken <= most) return WARPLU_SUCCESS;
    return wlu_fail(wlu_batch_context(b), WARPLU_OUT_OF_MEMORY,
                    "kept factors of %d members take %.0f bytes, max_factor_bytes is %.0f", places, needed + taken,
                    most);
}

warplu_status wlu_batch_program_create(warplu_batch *b, wlu_plan *plan, int32_t places, wlu_batch_program *out)
{
    wlu_context *ctx = wlu_batch_context(b);
    const wlu_batch_executor *alone;
    *out = (wlu_batch_program){0};
    warplu_status status = wlu_plan_compile(ctx, &b->base->options, plan);
    if (status < 0) return status;
    const wlu_batch_executor *executor = choose(b, plan, &alone);
    status = check_room(b, plan->program, places);
    out->plan = wlu_plan_share(plan);
    wlu_program *program = out->program = WLU_ALLOC(ctx, 1, wlu_program);
    if (status == WARPLU_SUCCESS && program == NULL) status = wlu_fail_memory(ctx, "program of a batch");
    if (status == WARPLU_SUCCESS) wlu_plan_copy_program(plan, program);
    if (status == WARPLU_SUCCESS && executor->flat) status = wlu_flat_create(ctx, program, &out->flat);
    if (status == WARPLU_SUCCESS)
        status = executor->create(ctx, &b->target, program, out->flat, places, b->team, &out->state);
    if (status == WARPLU_SUCCESS && alone != NULL && places == 0)
        status = alone->create(ctx, &b->target, program, NULL, 0, NULL, &out->alone);
    if (status < 0) wlu_batch_program_free(b, out);
    return status;
}

void wlu_batch_program_free(warplu_batch *b, wlu_batch_program *p)
{
    wlu_context *ctx = wlu_batch_context(b);
    if (p->state != NULL) p->state->executor->destroy(ctx, &p->state);
    if (p->alone != NULL) p->alone->executor->destroy(ctx, &p->alone);
    wlu_free(ctx, p->vacant);
    wlu_flat_destroy(ctx, &p->flat);
    wlu_free(ctx, p->program);
    wlu_plan_release(ctx, &p->plan);
    *p = (wlu_batch_program){0};
}

warplu_status wlu_batch_program_add_transposed(warplu_batch *b, wlu_batch_program *p)
{
    wlu_context *ctx = wlu_batch_context(b);
    if (p->transposed) return WARPLU_SUCCESS;
    warplu_status status = wlu_plan_compile_transposed(ctx, p->plan);
    if (status == WARPLU_SUCCESS) wlu_plan_copy_program(p->plan, p->program);
    if (status == WARPLU_SUCCESS && p->flat != NULL) status = wlu_flat_add_transposed(ctx, p->flat);
    if (status == WARPLU_SUCCESS) status = p->state->executor->add_transposed(ctx, p->state);
    if (status == WARPLU_SUCCESS && p->alone != NULL) status = p->alone->executor->add_transposed(ctx, p->alone);
    p->transposed = status == WARPLU_SUCCESS;
    return status;
}

void wlu_batch_program_prove(warplu_batch *b, wlu_batch_program *p, warplu_solver *s, const double *values)
{
    wlu_context before = s->ctx;
    (void)b;
    if (s->options.check != WARPLU_CHECK_SUSPECT || s->target.executor->device != NULL) return;
    s->ctx.message = NULL; /* what keeps pivots from being proven is no error */
    warplu_status status = s->current.plan == p->plan ? wlu_solver_prepare(s) : WARPLU_INTERNAL;
    if (status == WARPLU_SUCCESS && s->current.plan == p->plan) status = wlu_solver_replay(s, values);
    if (status == WARPLU_SUCCESS && s->current.plan == p->plan) { /* pivots that are alike may have taken over */
        wlu_pattern_gather(s->analysis->a, values, s->checks.entries);
        s->checks.kept = 1;
        s->phase = WLU_REPLAYED;
        s->trust.verdict = wlu_solver_verdict_bounds_aside(s, &s->current);
        wlu_solver_prove(s, 0);
        p->proven = !wlu_solver_is_on_trial(s, 0);
    }
    s->ctx = before;
}

wlu_batch_check wlu_batch_check_of(const warplu_batch *b, const wlu_batch_program *p, const wlu_batch_call *call)
{
    switch (b->base->options.check) {
    case WARPLU_CHECK_OFF: return WLU_BATCH_UNCHECKED;
    case WARPLU_CHECK_ALWAYS: return WLU_BATCH_CHECKED;
    case WARPLU_CHECK_SUSPECT:
    case WARPLU_CHECK_REPLAYS: break;
    }
    int plain = !wlu_precision_is_single(b->target.precision) && !call->transposed;
    int trusted = p->proven || b->base->options.check == WARPLU_CHECK_REPLAYS;
    return trusted && plain ? WLU_BATCH_SUSPECT : WLU_BATCH_CHECKED;
}

warplu_status wlu_batch_program_run(warplu_batch *b, wlu_batch_program *p, const wlu_batch_call *call,
                                    wlu_batch_check check, const wlu_member_list *members)
{
    wlu_batch_job job = {.count = members->count,
                         .member = members->member,
                         .values = call->has_values ? &call->values : NULL,
                         .kind = call->transposed ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE,
                         .nrhs = call->nrhs,
                         .b = call->b,
                         .x = call->x,
                         .check = check,
                         .result = b->result};
    wlu_batch_state *state = p->alone != NULL && !are_in_lanes(b, p->plan, members->count) ? p->alone : p->state;
    if (members->count == 0) return WARPLU_SUCCESS;
    if (call->keeps) {
        for (int32_t k = 0; k < members->count; k++) b->place[k] = b->service[members->member[k]].place;
        job.place = b->place;
    }
    if (call->slots == NULL) return state->executor->run(wlu_batch_context(b), state, &job);
    const wlu_batch_slots *s = call->slots;
    for (int32_t k = 0; k < members->count; k++) s->list[k] = s->slot[members->member[k]];
    job.member = s->list;
    job.result = s->result;
    warplu_status status = state->executor->run(wlu_batch_context(b), state, &job);
    for (int32_t k = 0; k < members->count; k++) b->result[members->member[k]] = s->result[s->list[k]];
    return status;
}
