/* Batches: life and calls. See include/warplu/batch.h.
 *
 * A call runs each program's members, then repairs those that are not served (repair.c). Cost beside the replays:
 * O(count) for each program. Memory: some 200 bytes a member, and what its factors take where they are kept. */
#include "solver/batch/batch.h"

#include <math.h>
#include <string.h>

#include "base/overlap.h"
#include "solver/batch/alone.h"
#include "solver/batch/ledger.h"
#include "solver/batch/options.h"
#include "solver/batch/pivots.h"
#include "solver/batch/places.h"
#include "solver/batch/program.h"
#include "solver/batch/repair.h"
#include "solver/batch/target.h"
#include "solver/solver.h"
#include "solver/trial.h"

/* -------------------------------------------------------------------- life */

static warplu_status make_room(warplu_batch *b)
{
    wlu_context *ctx = wlu_batch_context(b);
    const wlu_pattern *a = b->base->analysis->a;
    const int64_t count = b->count, nvalues = a->doubles * (int64_t)a->nvalues, n = wlu_vector_doubles(a);
    const int64_t entries = a->doubles * ((int64_t)a->nnz + 1);
    b->service = WLU_CALLOC(ctx, count, wlu_batch_service);
    b->result = WLU_CALLOC(ctx, count, wlu_member_result);
    b->record = WLU_CALLOC(ctx, count, warplu_batch_member);
    b->own = WLU_CALLOC(ctx, count, warplu_solver *);
    b->list = WLU_ALLOC(ctx, 3 * count, int32_t);
    b->values = WLU_CALLOC(ctx, nvalues + entries + 2 * n + wlu_check_work(a), double);
    if (!WLU_ALL_THERE(b->service, b->result, b->record, b->own, b->list, b->values))
        return wlu_fail_memory(ctx, "batch");
    b->place = b->list + count;
    b->left = b->place + count;
    b->entries = b->values + nvalues;
    b->b = b->entries + entries;
    b->x = b->b + n;
    b->work = b->x + n;
    for (int32_t m = 0; m < b->count; m++) {
        b->service[m].place = -1;
        b->record[m] = (warplu_batch_member){.backward_error = -1.0};
    }
    return WARPLU_SUCCESS;
}

void wlu_batch_destroy(warplu_batch **batch)
{
    warplu_batch *b = *batch;
    wlu_context ctx = b->base->ctx;
    *batch = NULL;
    while (b->programs > 0) wlu_batch_program_free(b, &b->program[--b->programs]);
    if (b->ledger != NULL) b->device->close(&ctx, &b->ledger);
    for (int32_t m = 0; m < b->count; m++) wlu_batch_drop_solver(b, m);
    if (b->spare != NULL) wlu_solver_destroy(&b->spare);
    wlu_team_destroy(&ctx, &b->team);
    wlu_free(&ctx, b->service);
    wlu_free(&ctx, b->result);
    wlu_free(&ctx, b->record);
    wlu_free(&ctx, b->own);
    wlu_free(&ctx, b->list);
    wlu_free(&ctx, b->values);
    wlu_free(&ctx, b->devices);
    wlu_solver_destroy(&b->base);
    wlu_free(&ctx, b);
}

/* The options, and the count, which a batch without options has not. */
static warplu_status take_options(warplu_batch *b, const warplu_batch_options *options)
{
    static const wlu_option_range counts = {.name = "count", .least = 1, .most = INFINITY};
    wlu_wrong_option wrong;
    warplu_status status = wlu_batch_options_take(options, &b->options, &wrong);
    if (status == WARPLU_SUCCESS && wlu_option_holds(&counts, b->count, &wrong)) return status;
    b->count = 0;
    return wlu_fail(&b->base->ctx, WARPLU_INVALID_ARGUMENT, "warplu_batch_create: %s: %s", wrong.name, wrong.why);
}

warplu_status wlu_batch_create(warplu_batch **out, const warplu_solver *solver, int32_t count,
                               const warplu_batch_options *options)
{
    wlu_context ctx = solver->ctx;
    *out = NULL;
    warplu_batch *b = WLU_CALLOC(&ctx, 1, warplu_batch);
    if (b == NULL) return wlu_fail_memory(&ctx, "batch");
    warplu_status status = wlu_solver_clone(&b->base, solver);
    if (status < 0) {
        wlu_free(&ctx, b);
        return status;
    }
    b->count = count;
    b->told = (warplu_batch_statistics){.count = count, .worst_backward_error = -1.0};
    status = take_options(b, options);
    int threads = b->options.threads != 0 ? b->options.threads : wlu_team_processors();
    if (status == WARPLU_SUCCESS) status = wlu_batch_find_target(b);
    if (status == WARPLU_SUCCESS) status = make_room(b);
    if (status == WARPLU_SUCCESS) status = wlu_batch_open_ledger(b);
    if (status == WARPLU_SUCCESS && threads > 1) status = wlu_team_create(&b->base->ctx, threads, &b->team);
    if (status == WARPLU_SUCCESS && b->base->current.plan != NULL) status = wlu_batch_adopt_pivots(b);
    if (status < 0) {
        wlu_batch_destroy(&b);
        return status;
    }
    wlu_batch_enter(b);
    *out = b;
    return WARPLU_SUCCESS;
}

/* ------------------------------------------------------------------- calls */

warplu_status wlu_batch_find_views(warplu_batch *b, int32_t nrhs, wlu_batch_call *call)
{
    const warplu_batch_options *o = &b->options;
    const wlu_pattern *a = b->base->analysis->a;
    const int64_t one = a->doubles, n = one * a->n, nvalues = one * a->nvalues, count = b->count;
    int side = o->layout == WARPLU_BATCH_INTERLEAVED;
    double most = (double)count * (double)(n * nrhs > nvalues ? n * nrhs : nvalues);
    if (most * sizeof(double) >= 9.2e18)
        return wlu_fail(wlu_batch_context(b), WARPLU_OVERFLOW, "%d members of %lld numbers", b->count,
                        (long long)(a->n * (int64_t)nrhs));
    call->values.by_number = side && !o->shared_values ? one * count : one;
    call->values.by_member = o->shared_values ? 0 : side ? one : nvalues;
    call->x.by_number = side ? one * count : one;
    call->x.by_column = side ? n * count : n;
    call->x.by_member = side ? one : n * nrhs;
    call->b.by_number = side && !o->shared_rhs ? one * count : one;
    call->b.by_column = side && !o->shared_rhs ? n * count : n;
    call->b.by_member = o->shared_rhs ? 0 : call->x.by_member;
    return WARPLU_SUCCESS;
}

static int takes_part(const unsigned char *mask, int32_t member)
{
    return mask == NULL || mask[member];
}

/* What the call begins with for a member. */
static int32_t program_of(const wlu_batch_service *s, const wlu_batch_call *call)
{
    if (!call->has_values) return s->kept;
    return call->keeps && s->doubted ? WLU_BY_SOLVER : s->program;
}

/* Members of this program that take part, in b->list. Those that are replayed side by side take what the most of them
 * takes: members of one care are neighbours, but where neighbours' factors are kept side by side. */
static wlu_member_list members_of(warplu_batch *b, int32_t program, const wlu_batch_call *call,
                                  const unsigned char *mask)
{
    int sorts = call->nrhs > 0 && !call->keeps;
    int32_t next[WLU_CARES + 1] = {0};
    for (int way = 0; way < 2; way++) {
        for (int32_t m = 0; m < b->count; m++) {
            const wlu_batch_service *s = &b->service[m];
            if (!takes_part(mask, m) || program_of(s, call) != program) continue;
            wlu_batch_care care = sorts ? s->care : WLU_CARE_NONE;
            if (way == 0)
                next[care + 1]++;
            else
                b->list[next[care]++] = m;
        }
        for (int care = 0; care < WLU_CARES && way == 0; care++) next[care + 1] += next[care];
    }
    return (wlu_member_list){b->list, next[WLU_CARES]};
}

/* Those of the list whose factors the program has a place for, where there are to be new ones; others are left. */
static void settle(warplu_batch *b, int32_t program, const wlu_batch_call *call, wlu_member_list *list,
                   wlu_member_list *left)
{
    int32_t count = list->count;
    if (!call->keeps || !call->has_values) return;
    list->count = 0;
    for (int32_t k = 0; k < count; k++) {
        int32_t m = list->member[k];
        wlu_member_list *to = wlu_batch_settle(b, m, program) ? list : left;
        to->member[to->count++] = m;
    }
}

/* Whether the member's kept factors have gone with a device. */
static int are_lost(const warplu_batch *b, const wlu_batch_service *s)
{
    const unsigned char *lost = s->kept >= 0 ? b->program[s->kept].state->lost : NULL;
    return lost != NULL && s->factored && lost[s->place];
}

/* Those of the list whose factors are at hand; the records of the others say that they are not. */
static void keep_factored(warplu_batch *b, const wlu_batch_call *call, wlu_member_list *list)
{
    int32_t count = list->count;
    list->count = 0;
    for (int32_t k = 0; k < count; k++) {
        int32_t m = list->member[k];
        const wlu_batch_service *s = &b->service[m];
        int lost = are_lost(b, s);
        if (s->factored && !lost)
            list->member[list->count++] = m;
        else {
            warplu_status status = lost ? WARPLU_DEVICE_FAILED : WARPLU_WRONG_PHASE;
            b->record[m] = (warplu_batch_member){status, WARPLU_BATCH_NONE, s->kept, WLU_WEAK, -1.0, 0};
            wlu_batch_spoil(b, call, m);
        }
    }
}

/* Nothing is known yet of those that take part; new factors are to come, whatever becomes of the call. Returns how many
 * take part. */
static int32_t begin(warplu_batch *b, const wlu_batch_call *call, const unsigned char *mask)
{
    int32_t members = 0;
    for (int32_t m = 0; m < b->count; m++) {
        if (!takes_part(mask, m)) continue;
        members++;
        b->record[m] = (warplu_batch_member){WARPLU_INTERNAL, WARPLU_BATCH_NONE, 0, WLU_WEAK, -1.0, 0};
        if (call->has_values && call->keeps) b->service[m].factored = 0;
    }
    return members;
}

/* After a call that failed: so did those that have no answer. */
static void give_up(warplu_batch *b, const wlu_batch_call *call, const unsigned char *mask, warplu_status status)
{
    for (int32_t m = 0; m < b->count; m++) {
        if (!takes_part(mask, m) || b->record[m].status == WARPLU_SUCCESS) continue;
        b->record[m].status = status;
        wlu_batch_spoil(b, call, m);
    }
}

/* Members that solvers answer for: where several have values, they are left for programs of their own again. */
static warplu_status serve_alone(warplu_batch *b, const wlu_batch_call *call, const unsigned char *mask,
                                 wlu_member_list *left)
{
    wlu_member_list list = members_of(b, WLU_BY_SOLVER, call, mask);
    int together = call->has_values && list.count > 1 && wlu_batch_makes_programs(b);
    warplu_status status = WARPLU_SUCCESS;
    if (!call->has_values) keep_factored(b, call, &list);
    for (int32_t k = 0; k < list.count && status == WARPLU_SUCCESS; k++) {
        int32_t m = list.member[k];
        int alone = b->service[m].doubted && call->keeps;
        if (together && !alone)
            left->member[left->count++] = m;
        else
            status = wlu_batch_answer_alone(b, call, m, alone && b->own[m] == NULL);
    }
    return status;
}

/* Those left are repaired, or reported as they are. */
static warplu_status mend(warplu_batch *b, const wlu_batch_call *call, wlu_member_list *left)
{
    int repairs = wlu_batch_mends(b);
    if (repairs && call->has_values) return wlu_batch_repair(b, call, left);
    for (int32_t k = 0; k < left->count; k++) {
        int32_t m = left->member[k];
        wlu_batch_leave(b, call, m);
        b->service[m].doubted |= repairs && b->record[m].backward_error < INFINITY; /* else numbers are to blame */
    }
    return WARPLU_SUCCESS;
}

/* Members of a program. Where a device has gone on the way, those whose factors it had are left out the second time. */
static warplu_status serve_program(warplu_batch *b, int32_t program, const wlu_batch_call *call,
                                   const unsigned char *mask, wlu_member_list *left)
{
    wlu_batch_program *p = &b->program[program];
    int32_t before = left->count, devices;
    warplu_status status = call->transposed ? wlu_batch_program_add_transposed(b, p) : WARPLU_SUCCESS;
    if (status < 0) return status;
    do {
        wlu_member_list list = members_of(b, program, call, mask);
        devices = p->state->devices;
        left->count = before;
        if (!call->has_values) keep_factored(b, call, &list);
        settle(b, program, call, &list, left);
        status = wlu_batch_serve(b, program, call, wlu_batch_check_of(b, p, call), &list, left);
    } while (status < 0 && !call->has_values && p->state->devices < devices && p->state->devices > 0);
    return status;
}

/* Every member that takes part has its record afterwards. */
static warplu_status serve_all(warplu_batch *b, const wlu_batch_call *call, const unsigned char *mask)
{
    wlu_member_list left = {b->left, 0};
    int32_t programs = b->programs;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t k = 0; k < programs && status == WARPLU_SUCCESS; k++) status = serve_program(b, k, call, mask, &left);
    if (status == WARPLU_SUCCESS) status = serve_alone(b, call, mask, &left);
    return status == WARPLU_SUCCESS ? mend(b, call, &left) : status;
}

static void count_member(warplu_batch_statistics *told, const warplu_batch_member *r)
{
    told->took_part++;
    told->failed += r->status != WARPLU_SUCCESS;
    if (r->status == WARPLU_SUCCESS) {
        told->replayed += r->way == WARPLU_BATCH_REPLAYED;
        told->refined += r->way == WARPLU_BATCH_REFINED;
        told->by_other_programs += r->way == WARPLU_BATCH_OTHER_PROGRAM;
        told->by_own_solvers += r->way == WARPLU_BATCH_OWN_SOLVER;
    }
    if (!(r->backward_error <= told->worst_backward_error)) told->worst_backward_error = r->backward_error;
}

warplu_status wlu_batch_conclude(warplu_batch *b, const unsigned char *mask)
{
    warplu_batch_statistics *t = &b->told;
    int32_t first = -1;
    *t = (warplu_batch_statistics){.count = b->count, .worst_backward_error = -1.0};
    for (int32_t m = 0; m < b->count; m++) {
        if (!takes_part(mask, m)) continue;
        count_member(t, &b->record[m]);
        if (b->record[m].status != WARPLU_SUCCESS && first < 0) first = m;
    }
    if (t->failed == 0) return WARPLU_SUCCESS;
    return wlu_fail(wlu_batch_context(b), WARPLU_MEMBERS_FAILED, "%d of %d members; the first is %d: %s", t->failed,
                    t->took_part, first, warplu_status_text(b->record[first].status));
}

warplu_status wlu_batch_factor(warplu_batch *b, const double *values)
{
    wlu_batch_call call = {.has_values = 1};
    warplu_status status = wlu_batch_find_views(b, 0, &call);
    call.values.at = values;
    if (status == WARPLU_SUCCESS) status = wlu_batch_choose_pivots(b, &call, NULL);
    wlu_batch_enter(b);
    return status;
}

/* Whether the common pivots have been tried on known systems, by the first values that come. */
static void prove(warplu_batch *b, const wlu_batch_call *call, const unsigned char *mask)
{
    wlu_batch_program *common = &b->program[0];
    if (common->proven || b->proof_tried || !call->has_values) return;
    for (int32_t m = 0; m < b->count && !b->proof_tried; m++)
        if (takes_part(mask, m)) {
            b->proof_tried = 1;
            wlu_batch_program_prove(b, common, b->base, wlu_batch_values_of(b, call, m));
        }
}

warplu_status wlu_batch_answer(warplu_batch *b, const wlu_batch_call *call, const unsigned char *mask)
{
    int32_t members = begin(b, call, mask);
    warplu_status status = WARPLU_SUCCESS;
    if (members > 0 && b->programs == 0) status = wlu_batch_choose_pivots(b, call, mask);
    if (members > 0 && status == WARPLU_SUCCESS) {
        prove(b, call, mask);
        status = serve_all(b, call, mask);
    }
    if (status < 0) give_up(b, call, mask, status);
    return status;
}

int wlu_batch_sides_overlap(const warplu_batch *b, int32_t nrhs, const double *rhs, const double *x)
{
    const int64_t one = wlu_vector_doubles(b->base->analysis->a) * nrhs; /* a member's */
    const wlu_columns_at from = {rhs, one, one, b->options.shared_rhs ? 1 : b->count}, to = {x, one, one, b->count};
    return nrhs > 0 && wlu_columns_overlap(&from, &to);
}

warplu_status wlu_batch_run(warplu_batch *b, const double *values, int keeps, const unsigned char *mask, int transposed,
                            int32_t nrhs, const double *rhs, double *x)
{
    wlu_batch_call call = {.has_values = values != NULL, .keeps = keeps, .transposed = transposed != 0, .nrhs = nrhs};
    warplu_status status = wlu_batch_find_views(b, nrhs, &call);
    call.values.at = values;
    call.b.at = rhs;
    call.x.at = x;
    if (status == WARPLU_SUCCESS) status = wlu_batch_answer(b, &call, mask);
    wlu_batch_enter(b);
    return status < 0 ? status : wlu_batch_conclude(b, mask);
}

warplu_batch_statistics wlu_batch_statistics(const warplu_batch *b)
{
    warplu_batch_statistics all = b->told;
    all.count = b->count;
    all.programs = b->programs;
    all.compilations = b->compilations;
    all.devices = wlu_batch_devices_at_work(b);
    all.one_by_one = b->programs > 0 && b->program[0].state->executor == &wlu_batch_one_by_one;
    for (int32_t k = 0; k < b->programs; k++) {
        const wlu_batch_program *p = &b->program[k];
        all.bytes += (p->flat != NULL ? wlu_flat_bytes(p->flat) : 0) + p->state->bytes +
                     (p->alone != NULL ? p->alone->bytes : 0);
    }
    return all;
}
