/* Calls on device pointers. A call is a turn of each program that members begin with, of the common one last; the
 * device judges the members by what it knows, and withholds what it cannot vouch for. The rest is done when the calls
 * are finished: the numbers of the members that are left come to the host and are answered as by a call there.
 *
 * Cost of a call: O(count) on the host. Of finish, where all is well: marks and results, some 100 bytes a member. */
#include "solver/batch/device.h"

#include "numerics/refine.h"

#include <math.h>
#include <string.h>

#include "solver/batch/batch.h"
#include "solver/batch/judge.h"
#include "solver/batch/ledger.h"
#include "solver/batch/places.h"
#include "solver/batch/program.h"
#include "solver/batch/repair.h"
#include "solver/solver.h"

/* ----------------------------------------------------------------- enqueue */

/* What the device vouches for: the rules of judge.c that need no numbers. */
static wlu_ledger_promise promise_of(warplu_batch *b, const wlu_batch_program *p, const wlu_batch_call *call)
{
    const wlu_checked checked = wlu_solver_checked(b->base);
    double longest = wlu_longest_row(&checked, call->transposed, b->work);
    wlu_ledger_promise promise = {.mends = wlu_batch_mends(b),
                                  .checks = b->base->options.check != WARPLU_CHECK_OFF,
                                  .nrhs = call->nrhs,
                                  .transposed = call->transposed,
                                  .error_most =
                                      wlu_refine_allowed(wlu_batch_accurate(b), longest, b->base->target.doubles)};
    if (p != NULL && !call->transposed) /* all solves with A' are checked, if any are */
        promise.bound = wlu_plan_bound(wlu_batch_context(b), p->plan, 1, 0);
    return promise;
}

static warplu_status take_turn(warplu_batch *b, const wlu_batch_given *given, const wlu_batch_call *call,
                               wlu_batch_turn *turn, void *stream)
{
    wlu_batch_program *p = turn->program >= 0 ? &b->program[turn->program] : NULL;
    const wlu_batch_job job = {.values = call->has_values ? &call->values : NULL,
                               .kind = call->transposed ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE,
                               .nrhs = call->nrhs,
                               .b = call->b,
                               .x = call->x,
                               .check = p != NULL ? wlu_batch_check_of(b, p, call) : WLU_BATCH_UNCHECKED};
    turn->deed = given->deed;
    turn->mask = given->mask;
    turn->n = b->base->analysis->n;
    turn->doubles = b->target.doubles;
    turn->keeps = call->keeps;
    turn->promise = promise_of(b, p, call);
    warplu_status status =
        b->device->serve(wlu_batch_context(b), b->ledger, p != NULL ? p->state : NULL, &job, turn, stream);
    turn->fresh = 0;
    return status;
}

/* How many members begin with each program, at most. */
static void count_members(const warplu_batch *b, const wlu_batch_call *call, int32_t *members)
{
    memset(members, 0, WLU_BATCH_PROGRAMS * sizeof *members);
    for (int32_t m = 0; m < b->count; m++) {
        int32_t k = call->keeps ? b->service[m].kept : b->service[m].program;
        if (k >= 0) members[k]++;
    }
}

static warplu_status take_turns(warplu_batch *b, const wlu_batch_given *given, const wlu_batch_call *call, void *stream)
{
    int32_t members[WLU_BATCH_PROGRAMS];
    wlu_batch_turn turn = {.fresh = 1};
    warplu_status status = WARPLU_SUCCESS;
    count_members(b, call, members);
    for (int32_t k = b->programs - 1; k > 0 && status == WARPLU_SUCCESS; k--) {
        turn.program = k;
        turn.most = members[k];
        if (members[k] > 0 && (b->program[k].transposed || !call->transposed))
            status = take_turn(b, given, call, &turn, stream);
    }
    turn.program = 0;
    turn.most = b->count;
    turn.rest = given->deed != WLU_BATCH_SOLVED;
    turn.all = turn.fresh && turn.rest && !call->keeps && given->mask == NULL;
    if (status == WARPLU_SUCCESS) status = take_turn(b, given, call, &turn, stream);
    if (status < 0 || given->deed != WLU_BATCH_SOLVED) return status;
    turn.program = WLU_BY_SOLVER; /* those without factors here */
    turn.rest = 1;
    return take_turn(b, given, call, &turn, stream);
}

warplu_status wlu_batch_enqueue(warplu_batch *b, const wlu_batch_given *given, void *stream)
{
    wlu_batch_call call = {.has_values = given->values != NULL,
                           .keeps = given->deed != WLU_BATCH_AT_ONCE,
                           .transposed = given->transposed != 0,
                           .nrhs = given->nrhs};
    warplu_status status = wlu_batch_find_views(b, given->nrhs, &call);
    call.values.at = given->values;
    call.b.at = given->b;
    call.x.at = given->x;
    if (status < 0) return status;
    b->enqueued[given->deed] = call;
    b->unfinished |= call.keeps;
    status = take_turns(b, given, &call, stream);
    b->lost |= status < 0;
    return status < 0 ? status
                      : wlu_fail(wlu_batch_context(b), WARPLU_ENQUEUED, "%s", warplu_status_text(WARPLU_ENQUEUED));
}

/* ------------------------------------------------------------------ finish */

/* Members that the device has not vouched for, and their numbers on the host. */
typedef struct finish_of {
    wlu_batch_deed deed;
    int32_t count;
    int32_t *member, *slot; /* of each slot; of each member */
    unsigned char *mask;    /* who is among them */
    int32_t *list;
    wlu_member_result *result;
    double *values, *b, *x;
    wlu_batch_call call; /* of the numbers on the host */
} finish_of;

static void free_finish(wlu_context *ctx, finish_of *f)
{
    void *owned[] = {f->member, f->slot, f->mask, f->list, f->result, f->values, f->b, f->x};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_free(ctx, owned[k]);
}

/* The record of a member that the device has vouched for; it stays with what has served it. */
static void credit(warplu_batch *b, wlu_batch_deed deed, int32_t m)
{
    int32_t program = b->ledger->mark[deed][m] - 1;
    const wlu_member_result *of = &b->ledger->told[deed][m];
    wlu_batch_service *s = &b->service[m];
    warplu_batch_way way = program > 0             ? WARPLU_BATCH_OTHER_PROGRAM
                           : of->refined.steps > 0 ? WARPLU_BATCH_REFINED
                                                   : WARPLU_BATCH_REPLAYED;
    b->record[m] = (warplu_batch_member){WARPLU_SUCCESS,   way, program, of->health.verdict, of->refined.backward_error,
                                         of->refined.steps};
    b->result[m] = *of;
    if (deed != WLU_BATCH_SOLVED) s->program = program;
    if (deed == WLU_BATCH_FACTORED) s->factored = wlu_batch_settle(b, m, program);
}

/* Whether the host is to answer for a member: the device does not vouch for it; a call has failed on its way, and marks
 * may be of one before; or its solves have stayed inaccurate, so that it has a solver. */
static int is_left(const warplu_batch *b, wlu_batch_deed deed, int32_t m)
{
    return b->lost || b->ledger->mark[deed][m] >= WLU_LEDGER_OPEN ||
           (deed == WLU_BATCH_FACTORED && b->service[m].doubted);
}

static warplu_status list_members(warplu_batch *b, finish_of *f, unsigned char *took_part)
{
    wlu_context *ctx = wlu_batch_context(b);
    f->member = WLU_ALLOC(ctx, b->count, int32_t);
    f->slot = WLU_ALLOC(ctx, b->count, int32_t);
    f->mask = WLU_CALLOC(ctx, b->count, unsigned char);
    if (f->member == NULL || f->slot == NULL || f->mask == NULL) return wlu_fail_memory(ctx, "members of a batch");
    for (int32_t m = 0; m < b->count; m++) {
        if (b->ledger->mark[f->deed][m] == 0) continue;
        took_part[m] = 1;
        if (is_left(b, f->deed, m)) {
            f->mask[m] = 1;
            f->slot[m] = f->count;
            f->member[f->count++] = m;
        } else
            credit(b, f->deed, m);
    }
    return WARPLU_SUCCESS;
}

/* One view's numbers of the members, to the host or back; shared ones once. */
static warplu_status carry(warplu_batch *b, const finish_of *f, const wlu_member_view *view, double *host,
                           int32_t columns, int32_t numbers, int back, void *stream)
{
    const wlu_batch_parcel parcel = {
        .at = {(double *)(uintptr_t)view->at, view->by_member, view->by_column, view->by_number},
        .member = f->member,
        .host = host,
        .count = view->by_member != 0 ? f->count : 1,
        .columns = columns,
        .numbers = numbers,
        .doubles = b->target.doubles,
        .back = back};
    return b->device->carry(wlu_batch_context(b), b->ledger, &parcel, stream);
}

/* Where they are on the host then. */
static wlu_member_view host_view(const finish_of *f, const wlu_member_view *view, const double *host, int32_t numbers,
                                 int64_t one)
{
    int64_t members = view->by_member != 0 ? f->count : 1, column = one * numbers;
    return (wlu_member_view){host, view->by_member != 0 ? column : 0, members * column, one};
}

static warplu_status bring(warplu_batch *b, finish_of *f, const wlu_batch_slots *slots, void *stream)
{
    wlu_context *ctx = wlu_batch_context(b);
    const wlu_batch_call *there = &b->enqueued[f->deed];
    int32_t n = b->base->analysis->n, nvalues = b->base->analysis->a->nvalues, nrhs = there->nrhs;
    const int64_t one = b->target.doubles, numbers = one * f->count * (int64_t)nrhs * n;
    f->list = WLU_ALLOC(ctx, f->count, int32_t);
    f->result = WLU_CALLOC(ctx, f->count, wlu_member_result);
    f->values = WLU_ALLOC(ctx, there->has_values ? one * f->count * nvalues + 1 : 1, double);
    f->b = WLU_ALLOC(ctx, numbers + 1, double);
    f->x = WLU_ALLOC(ctx, numbers + 1, double);
    if (!WLU_ALL_THERE(f->list, f->result, f->values, f->b, f->x)) return wlu_fail_memory(ctx, "members of a batch");
    for (int64_t k = 0; k < numbers; k++) f->x[k] = (double)NAN;
    f->call = *there;
    f->call.slots = slots;
    f->call.values = host_view(f, &there->values, f->values, nvalues, one);
    f->call.b = host_view(f, &there->b, f->b, n, one);
    f->call.x = (wlu_member_output){f->x, one * n, one * f->count * n, one};
    warplu_status status =
        there->has_values ? carry(b, f, &there->values, f->values, 1, nvalues, 0, stream) : WARPLU_SUCCESS;
    return status < 0 ? status : carry(b, f, &there->b, f->b, nrhs, n, 0, stream);
}

/* Answers for those that are left, and takes their solutions back. */
static warplu_status answer(warplu_batch *b, finish_of *f, void *stream)
{
    wlu_batch_slots slots = {.slot = f->slot};
    warplu_status status = bring(b, f, &slots, stream);
    if (status < 0) return status;
    slots.list = f->list;
    slots.result = f->result;
    status = wlu_batch_answer(b, &f->call, f->mask);
    const wlu_member_output *x = &b->enqueued[f->deed].x;
    const wlu_member_view to = {x->at, x->by_member, x->by_column, x->by_number};
    warplu_status carried = carry(b, f, &to, f->x, f->call.nrhs, b->base->analysis->n, 1, stream);
    return status < 0 ? status : carried;
}

/* The last call of this kind. */
static warplu_status finish_deed(warplu_batch *b, wlu_batch_deed deed, unsigned char *took_part, void *stream)
{
    finish_of f = {.deed = deed};
    warplu_status status = list_members(b, &f, took_part);
    if (status == WARPLU_SUCCESS && f.count > 0) status = answer(b, &f, stream);
    for (int32_t k = 0; k < f.count && status < 0; k++) b->record[f.member[k]].status = status;
    free_finish(wlu_batch_context(b), &f);
    return status;
}

/* Factors that are kept on the device are the batch's from now on. */
static void take_factors(warplu_batch *b)
{
    for (int32_t m = 0; m < b->count; m++)
        if (b->ledger->mark[WLU_BATCH_FACTORED][m] != 0) b->service[m].factored = 0;
}

warplu_status wlu_batch_finish(warplu_batch *b, void *stream)
{
    static const wlu_batch_deed order[WLU_BATCH_DEEDS] = {WLU_BATCH_FACTORED, WLU_BATCH_SOLVED, WLU_BATCH_AT_ONCE};
    wlu_context *ctx = wlu_batch_context(b);
    unsigned char *took_part = WLU_CALLOC(ctx, b->count, unsigned char);
    if (took_part == NULL) return wlu_fail_memory(ctx, "members of a batch");
    warplu_status status = b->device->collect(ctx, b->ledger, stream);
    if (status == WARPLU_SUCCESS) take_factors(b);
    for (int k = 0; k < WLU_BATCH_DEEDS && status == WARPLU_SUCCESS; k++)
        status = finish_deed(b, order[k], took_part, stream);
    b->unfinished = b->lost = 0;
    wlu_batch_enter(b);
    if (status == WARPLU_SUCCESS) status = wlu_batch_conclude(b, took_part);
    wlu_free(ctx, took_part);
    return status;
}

warplu_status wlu_batch_prepare_transposed(warplu_batch *b)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t k = 0; k < b->programs && status == WARPLU_SUCCESS; k++)
        status = wlu_batch_program_add_transposed(b, &b->program[k]);
    return status;
}
