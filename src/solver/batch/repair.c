/* What is done for members that their program does not serve, in this order:
 *
 * 1. Solves are refined; executors do that where replays are not healthy.
 * 2. Other programs, made for members before, are tried on all that are left.
 * 3. The first member that is left pivots for itself, by a solver, which answers for it. Its pivots become a program if
 *    there are others left, and serve those that they suit.
 * 4. After so many programs that suited nobody else, and where there is no room for more, each member has its solver.
 *
 * Members stay with what has served them, so that the next call begins there. */
#include "solver/batch/repair.h"

#include <string.h>

#include "solver/batch/alone.h"
#include "solver/batch/judge.h"
#include "solver/batch/places.h"
#include "solver/batch/program.h"

/* Programs that suited no member but the one they were made for, after which no more are made. */
enum { MISSES = 4 };

/* Places of kept factors for a program of other pivots: an eighth of the members, but no less than this. */
enum { LEAST_PLACES = 64 };

int wlu_batch_mends(const warplu_batch *b)
{
    return b->options.repair && b->base->options.on_weak == WARPLU_ON_WEAK_REPIVOT &&
           b->base->options.check != WARPLU_CHECK_OFF;
}

int wlu_batch_makes_programs(const warplu_batch *b)
{
    return b->programs < WLU_BATCH_PROGRAMS && b->misses < MISSES;
}

void wlu_batch_leave(warplu_batch *b, const wlu_batch_call *call, int32_t member)
{
    warplu_batch_member *r = &b->record[member];
    if (r->status < 0)
        wlu_batch_spoil(b, call, member);
    else if (r->verdict == (int)WLU_WEAK)
        r->status = WARPLU_WEAK;
    if (call->has_values && call->keeps) b->service[member].factored = r->status >= 0;
}

static void add(wlu_member_list *list, int32_t member)
{
    list->member[list->count++] = member;
}

static wlu_batch_care care_of(const wlu_member_result *of)
{
    if (of->refined.backward_error == -1.0) return WLU_CARE_NONE;
    return of->refined.steps > 0 ? WLU_CARE_REFINED : WLU_CARE_CHECKED;
}

/* Judges the listed results: who is served stays with the program; doubtful and unserved members are added to lists.
 * A list may take the place of `members`: those are read first. */
static void judge_all(warplu_batch *b, int32_t program, const wlu_batch_call *call, const wlu_member_list *members,
                      wlu_member_list *doubtful, wlu_member_list *unserved)
{
    for (int32_t k = 0; k < members->count; k++) {
        int32_t m = members->member[k];
        switch (wlu_batch_judge(b, program, call, m)) {
        case WLU_MEMBER_SERVED:
            if (call->has_values) b->service[m].program = program;
            if (call->nrhs > 0) b->service[m].care = care_of(&b->result[m]);
            b->service[m].factored |= call->keeps;
            break;
        case WLU_MEMBER_DOUBTFUL: add(doubtful, m); break;
        case WLU_MEMBER_UNSERVED: add(unserved, m); break;
        }
    }
}

warplu_status wlu_batch_serve(warplu_batch *b, int32_t program, const wlu_batch_call *call, wlu_batch_check check,
                              const wlu_member_list *members, wlu_member_list *unserved)
{
    wlu_member_list doubtful = {members->member, 0}, none = {NULL, 0};
    wlu_batch_program *p = &b->program[program];
    warplu_status status = wlu_batch_program_run(b, p, call, check, members);
    if (status == WARPLU_SUCCESS) judge_all(b, program, call, members, &doubtful, unserved);
    if (status == WARPLU_SUCCESS) status = wlu_batch_program_run(b, p, call, WLU_BATCH_CHECKED, &doubtful);
    if (status == WARPLU_SUCCESS) judge_all(b, program, call, &doubtful, &none, unserved);
    return status;
}

/* Of the first `count` of b->list, which the program has been tried on: keeps the factors of those it serves there.
 * Those that find no place are left. */
static warplu_status keep_factors(warplu_batch *b, int32_t program, const wlu_batch_call *call, int32_t count,
                                  wlu_member_list *left)
{
    wlu_member_list placed = {b->list, 0};
    for (int32_t k = 0; k < count; k++) {
        int32_t m = b->list[k];
        if (b->record[m].status == WARPLU_SUCCESS) add(wlu_batch_settle(b, m, program) ? &placed : left, m);
    }
    return wlu_batch_serve(b, program, call, WLU_BATCH_CHECKED, &placed, left);
}

/* Tries a program on all that are left. Who it serves is its own from now on. */
static warplu_status try_program(warplu_batch *b, int32_t program, const wlu_batch_call *call, wlu_member_list *left)
{
    wlu_member_list all = {b->list, left->count};
    wlu_batch_call probe = *call;
    warplu_status status = WARPLU_SUCCESS;
    probe.keeps = 0;
    memcpy(b->list, left->member, (size_t)left->count * sizeof *b->list);
    if (call->transposed) status = wlu_batch_program_add_transposed(b, &b->program[program]);
    if (status < 0) return status;
    left->count = 0;
    status = wlu_batch_serve(b, program, &probe, WLU_BATCH_CHECKED, &all, left);
    return status == WARPLU_SUCCESS && call->keeps ? keep_factors(b, program, call, all.count, left) : status;
}

/* Whether the batch has a program of these pivots. */
static int is_known(const warplu_batch *b, const wlu_pivots *pivots)
{
    for (int32_t k = 0; k < b->programs; k++)
        if (wlu_pivots_alike(b->program[k].plan->pivots, pivots, 0)) return 1;
    return 0;
}

/* A program of the pivots that the solver has just chosen; none of a member's own if there cannot be one. */
static warplu_status add_program(warplu_batch *b, const warplu_solver *s, int *added)
{
    wlu_context *ctx = wlu_batch_context(b), before = *ctx;
    int32_t places = b->count / 8 > LEAST_PLACES ? b->count / 8 : LEAST_PLACES;
    wlu_batch_program *made = &b->program[b->programs];
    *added = 0;
    if (!wlu_batch_makes_programs(b) || is_known(b, s->current.plan->pivots)) return WARPLU_SUCCESS;
    ctx->message = NULL; /* the solver answers */
    warplu_status status = wlu_batch_program_create(b, s->current.plan, b->options.keep_factors ? places : 0, made);
    if (status == WARPLU_SUCCESS && b->ledger != NULL && b->program[0].transposed)
        status = wlu_batch_program_add_transposed(b, made); /* calls on device pointers cannot */
    if (status == WARPLU_SUCCESS && b->options.keep_factors) status = wlu_batch_make_places(b, made);
    if (status < 0) wlu_batch_program_free(b, made);
    ctx->message = before.message;
    *added = status == WARPLU_SUCCESS;
    b->programs += *added;
    b->compilations += *added;
    return status == WARPLU_CANCELLED || status == WARPLU_DEVICE_FAILED ? status : WARPLU_SUCCESS;
}

/* The new program, of member m's pivots: tried on those that are left; kept if it serves some. Member m, whose solver
 * has answered, begins with it from the next call on. */
static warplu_status share(warplu_batch *b, const wlu_batch_call *call, int32_t m, wlu_member_list *left)
{
    int32_t before = left->count, program = b->programs - 1;
    warplu_status status = try_program(b, program, call, left);
    if (status < 0) return status;
    if (left->count < before) {
        b->service[m].program = program;
        return status;
    }
    wlu_batch_program_free(b, &b->program[--b->programs]);
    b->misses++;
    return status;
}

warplu_status wlu_batch_repair(warplu_batch *b, const wlu_batch_call *call, wlu_member_list *left)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t k = 0; k < b->programs && left->count > 0 && status == WARPLU_SUCCESS; k++)
        status = try_program(b, k, call, left);
    while (left->count > 0 && status == WARPLU_SUCCESS) {
        int32_t m = left->member[--left->count];
        int added = 0;
        status = wlu_poll_cancel(wlu_batch_context(b));
        if (status == WARPLU_SUCCESS) status = wlu_batch_answer_alone(b, call, m, 1);
        if (status < 0 || b->record[m].status < 0 || left->count == 0) continue;
        status = add_program(b, wlu_batch_solver_of(b, call, m), &added);
        if (added) status = share(b, call, m, left);
    }
    return status;
}
