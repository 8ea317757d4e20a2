/* Members one after the other, each replayed by an ordinary executor of the host: the reference of all batch executors,
 * and what serves where a program is too large for lanes.
 *
 * Threads share the members, each with a state of its own; members that keep their factors keep a state each. Solves
 * are refined by exec/refined.c, against the caller's values where factors are not kept; those that are not checked are
 * left as the executor has them. Memory: a state for each thread and each place; the values, a right-hand side and a
 * solution for each thread. */
#include "exec/batch/batch.h"

#include <math.h>

#include "base/finite.h"
#include "exec/refined.h"
#include "numerics/verdict.h"

typedef struct worker {
    wlu_state *state; /* of members whose factors are not kept */
    double *values, *b, *x;
} worker;

typedef struct one_by_one {
    wlu_batch_state base;
    wlu_team *team;
    int32_t workers;
    wlu_image *image;
    worker *worker;
    double *block;    /* of all workers' numbers */
    wlu_state **kept; /* places */
} one_by_one;

typedef struct task {
    one_by_one *s;
    const wlu_batch_job *job;
} task;

/* ------------------------------------------------------------------ states */

static void destroy(wlu_context *ctx, wlu_batch_state **state)
{
    one_by_one *s = (one_by_one *)*state;
    *state = NULL;
    if (s == NULL) return;
    for (int32_t k = 0; k < s->base.places && s->kept != NULL; k++) wlu_state_destroy(ctx, &s->kept[k]);
    for (int32_t k = 0; k < s->workers && s->worker != NULL; k++) wlu_state_destroy(ctx, &s->worker[k].state);
    wlu_image_destroy(ctx, &s->image);
    wlu_free(ctx, s->kept);
    wlu_free(ctx, s->worker);
    wlu_free(ctx, s->block);
    wlu_free(ctx, s);
}

/* kept: it is to remember the values, too. */
static warplu_status make_state(wlu_context *ctx, one_by_one *s, int kept, wlu_state **out)
{
    warplu_status status = wlu_state_create(ctx, s->image, 1, NULL, out);
    if (status < 0) return status;
    wlu_refining_take_members(*out, !kept);
    s->base.bytes += wlu_state_bytes(*out);
    return status;
}

/* Doubles of a right-hand side. */
static int64_t vector_doubles(const wlu_batch_state *s)
{
    return wlu_vector_doubles(s->program->pattern);
}

static warplu_status make_states(wlu_context *ctx, one_by_one *s)
{
    const wlu_program *p = s->base.program;
    int64_t nvalues = p->doubles * (int64_t)p->nvalues, n = vector_doubles(&s->base), numbers = nvalues + 2 * n;
    warplu_status status = WARPLU_SUCCESS;
    s->kept = WLU_CALLOC(ctx, s->base.places, wlu_state *);
    s->worker = WLU_CALLOC(ctx, s->workers, worker);
    s->block = WLU_ALLOC(ctx, s->workers * numbers, double);
    if (s->kept == NULL || s->worker == NULL || s->block == NULL) return wlu_fail_memory(ctx, "members of a batch");
    s->base.bytes += s->workers * numbers * (int64_t)sizeof(double);
    for (int32_t k = 0; k < s->workers && status == WARPLU_SUCCESS; k++) {
        worker *w = &s->worker[k];
        w->values = s->block + k * numbers;
        w->b = w->values + nvalues;
        w->x = w->b + n;
        status = make_state(ctx, s, 0, &w->state);
    }
    for (int32_t k = 0; k < s->base.places && status == WARPLU_SUCCESS; k++)
        status = make_state(ctx, s, 1, &s->kept[k]);
    return status;
}

/* The target that refines, of the same executor and precision. */
static wlu_target refining(const wlu_target *target)
{
    wlu_target refines = *target;
    refines.precision = wlu_precision_is_single(target->precision) ? WARPLU_PRECISION_MIXED : WLU_DOUBLE_REFINED;
    return refines;
}

static warplu_status create(wlu_context *ctx, const wlu_target *target, const wlu_program *program,
                            const wlu_flat *flat, int32_t places, wlu_team *team, wlu_batch_state **out)
{
    const wlu_target refines = refining(target);
    *out = NULL;
    (void)flat;
    if (target->executor->device != NULL)
        return wlu_fail(ctx, WARPLU_NOT_COMPILED, "the %s executor does not replay the members of a batch",
                        target->executor->name);
    one_by_one *s = WLU_CALLOC(ctx, 1, one_by_one);
    if (s == NULL) return wlu_fail_memory(ctx, "batch");
    *out = &s->base;
    s->base = (wlu_batch_state){.executor = &wlu_batch_one_by_one, .program = program, .places = places};
    s->team = team;
    s->workers = team != NULL ? wlu_team_gather(team, WLU_TEAM_MOST) : 1;
    warplu_status status = wlu_image_load(ctx, &refines, program, &s->image);
    if (status == WARPLU_SUCCESS) status = make_states(ctx, s);
    if (status == WARPLU_SUCCESS) s->base.bytes += wlu_image_bytes(s->image, 0) + wlu_image_bytes(s->image, 1);
    if (status < 0) destroy(ctx, out);
    return status;
}

static warplu_status add_transposed(wlu_context *ctx, wlu_batch_state *state)
{
    one_by_one *s = (one_by_one *)state;
    const wlu_target target = *wlu_image_target(s->image);
    int64_t before = wlu_image_bytes(s->image, 1);
    warplu_status status = wlu_image_load(ctx, &target, state->program, &s->image);
    if (status == WARPLU_SUCCESS) state->bytes += wlu_image_bytes(s->image, 1) - before;
    return status;
}

/* ----------------------------------------------------------------- members */

/* A member's column, one number after the other: where it stands, or in `room`. */
static const double *column_of(const one_by_one *s, const wlu_member_view *view, int32_t member, int32_t column,
                               int64_t count, double *room)
{
    const double *at = view->at + member * view->by_member + column * view->by_column;
    const int32_t doubles = s->base.program->doubles;
    if (view->by_number == doubles) return at;
    wlu_copy_numbers(count, doubles, at, view->by_number, room, doubles);
    return room;
}

/* Right-hand sides in FP32 that are not refined: the power of two that brings the largest magnitude close to 1. */
static double power_of(const wlu_state *state, const double *b)
{
    double largest = 0.0;
    if (!wlu_precision_is_single(state->image->target.precision)) return 1.0;
    for (int32_t i = 0; i < state->image->program->n; i++) largest = wlu_larger_bits(largest, fabs(b[i]));
    return largest > 0.0 && largest < INFINITY ? wlu_inverse_power(largest) : 1.0;
}

static warplu_status solve_plainly(wlu_context *ctx, wlu_state *state, wlu_stream_kind kind, const double *b, worker *w,
                                   double *largest)
{
    int64_t n = wlu_vector_doubles(state->image->program->pattern);
    double power = power_of(state, b);
    if (power != 1.0)
        for (int64_t i = 0; i < n; i++) w->b[i] = b[i] * power;
    warplu_status status =
        state->image->target.executor->solve(ctx, state, kind, 1, power != 1.0 ? w->b : b, n, w->x, n, largest);
    if (power == 1.0 || status < 0) return status;
    for (int64_t i = 0; i < n; i++) w->x[i] /= power;
    *largest /= power;
    return status;
}

static void join(wlu_refined *all, const wlu_refined *one)
{
    double before = all->backward_error == -1.0 ? 0.0 : all->backward_error;
    all->backward_error = wlu_larger_bits(before, one->backward_error);
    if (one->steps > all->steps) all->steps = one->steps;
    all->inaccurate += one->inaccurate;
}

static warplu_status solve_column(wlu_context *ctx, const one_by_one *s, const wlu_batch_job *job, wlu_state *state,
                                  worker *w, int checked, int32_t member, int32_t column)
{
    const int32_t count = s->base.program->n, doubles = s->base.program->doubles;
    const int64_t n = vector_doubles(&s->base);
    const double *b = column_of(s, &job->b, member, column, count, w->b);
    wlu_member_result *r = &job->result[member];
    int zero = wlu_all_zero(b, n);
    double largest;
    warplu_status status = checked ? wlu_state_solve(ctx, state, job->kind, 1, b, n, w->x, n, &largest)
                                   : solve_plainly(ctx, state, job->kind, b, w, &largest);
    if (status < 0) return status;
    if (checked) join(&r->refined, wlu_state_refined(state));
    r->largest = wlu_larger_bits(r->largest, largest);
    if (!zero && largest < r->least) r->least = largest;
    double *x = job->x.at + member * job->x.by_member + column * job->x.by_column;
    wlu_copy_numbers(count, doubles, w->x, doubles, x, job->x.by_number);
    return status;
}

/* Number k of the job. */
static warplu_status run_member(wlu_context *ctx, one_by_one *s, const wlu_batch_job *job, worker *w, int32_t k)
{
    int32_t member = job->member[k];
    wlu_state *state = job->place != NULL ? s->kept[job->place[k]] : w->state;
    wlu_member_result *r = &job->result[member];
    warplu_status status = WARPLU_SUCCESS;
    if (job->values != NULL)
        status =
            wlu_state_refactor(ctx, state, column_of(s, job->values, member, 0, s->base.program->nvalues, w->values));
    *r = (wlu_member_result){*wlu_state_health(state, 0), wlu_refined_none(), 0.0, INFINITY};
    int checked = job->check == WLU_BATCH_CHECKED ||
                  (job->check == WLU_BATCH_SUSPECT && (wlu_verdict)r->health.verdict != WLU_HEALTHY);
    for (int32_t column = 0; column < job->nrhs && status == WARPLU_SUCCESS; column++)
        status = solve_column(ctx, s, job, state, w, checked, member, column);
    return status;
}

/* Every so many-th member. Executors of the host do not fail in replays. */
static void run_part(void *argument, wlu_member *me)
{
    const task *t = argument;
    wlu_context quiet = {0};
    for (int32_t k = me->index; k < t->job->count; k += me->members)
        (void)run_member(&quiet, t->s, t->job, &t->s->worker[me->index], k);
}

static warplu_status run(wlu_context *ctx, wlu_batch_state *state, const wlu_batch_job *job)
{
    one_by_one *s = (one_by_one *)state;
    int32_t members = job->count < s->workers ? job->count : s->workers;
    task t = {s, job};
    warplu_status status = WARPLU_SUCCESS;
    if (members > 1) {
        members = wlu_team_gather(s->team, members);
        wlu_team_run(s->team, members, run_part, &t);
        return WARPLU_SUCCESS;
    }
    for (int32_t k = 0; k < job->count && status == WARPLU_SUCCESS; k++)
        status = run_member(ctx, s, job, &s->worker[0], k);
    return status;
}

const wlu_batch_executor wlu_batch_one_by_one = {
    .name = "one by one",
    .create = create,
    .destroy = destroy,
    .add_transposed = add_transposed,
    .run = run,
};
