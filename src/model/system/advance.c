/* Steps large systems: attempts and their control, edges, events, and new starts behind jumps. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/environment.h"
#include "base/finite.h"
#include "model/equations/equations.h"
#include "model/method/allowance.h"
#include "model/system/resident.h"

/* -------------------------------------------------------------------- steps */

static double factor_of(double norm, int order)
{
    const double factor = WLM_FACTOR_SAFETY * pow(fmax(norm, 1e-10), -1.0 / order);
    return fmin(WLM_FACTOR_MOST, fmax(WLM_FACTOR_LEAST, factor));
}

static int32_t kind_of_timed(const wlm_transient *s)
{
    return 2 * s->edges.pulses;
}

static void exchange(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

/* Makes the end of the step the beginning of the next one, with its rates where the method has them. */
static void move_on(wlm_transient *s)
{
    const wlm_method_facts *f = s->facts;
    exchange(&s->y, &s->next);
    if (f->explicit != NULL && f->explicit->repeats) exchange(&s->work[0], &s->work[f->explicit->stages - 1]);
    if (f->implicit != NULL) exchange(&s->work[WLM_WORK_BEGIN], &s->work[WLM_WORK_END]);
    if (s->resident != NULL) wlm_resident_move_on(s->resident);
    s->fresh = 0;
}

/* Does what is due at the end of a step of h. */
static warplu_status arrive(wlm_transient *s, double h, int arrives, int has_event)
{
    wlm_pace *a = &s->pace;
    int32_t row;
    warplu_status status =
        wlm_events_fire(&s->events, s->t, has_event || (arrives && a->stop >= a->edge) ? h : 0.0, &row);
    if (row >= 0) s->jump = WLM_JUMP_DUE, a->kind = kind_of_timed(s) + 1 + row;
    if (arrives && a->stop >= a->edge) {
        wlm_events_fire_timed(&s->events, s->t, s->y);
        s->jump = WLM_JUMP_DUE;
    }
    if (status != WARPLU_SUCCESS || a->probe == 0.0 || s->t < a->probe) return status;
    return wlm_events_probe(&s->events, s->t, &a->probe);
}

static warplu_status accept(wlm_transient *s, double h, double norm, int has_event)
{
    wlm_pace *a = &s->pace;
    int order = s->facts->estimate[WLM_LARGE];
    move_on(s);
    s->statistics.steps++;
    if (a->behind >= 0) s->learnt[a->behind] = h;
    int arrives = wlm_pace_accept(a, &s->t, h, order > 0 ? factor_of(norm, order) : 1.0, s->options.step);
    return arrive(s, h, arrives, has_event);
}

static warplu_status too_small(wlm_transient *s, warplu_status why, double norm)
{
    char before[WLU_MESSAGE_BYTES / 2];
    memcpy(before, s->ctx->last_message, sizeof before);
    before[sizeof before - 1] = '\0';
    if (wlm_is_hard(why))
        return wlu_fail(s->ctx, why, "t = %.9g: steps of %.3g are too long still: %s", s->t, s->pace.want, before);
    return wlu_fail(s->ctx, WARPLU_STEP_TOO_SMALL,
                    "t = %.9g: steps of %.3g have errors of %.3g times the tolerance still", s->t, s->pace.want, norm);
}

/* Takes the step that ends where a number is not above 0 that has to be; the others are there. */
static warplu_status take_last(wlm_transient *s)
{
    const wlm_transient_options *o = &s->options;
    warplu_status status = wlm_transient_judge(s, 0);
    if (status != WARPLU_SUCCESS) return status;
    status = accept(s, wlm_pace_length(&s->pace, s->t, o->step, o->longest), 0.0, 0);
    return status == WARPLU_SUCCESS ? wlm_transient_check(s) : status;
}

/* Takes steps of a fixed length towards the stop, on a device. */
static warplu_status advance_there(wlm_transient *s)
{
    wlm_pace *a = &s->pace;
    wlm_resident_steps steps = {0, s->t, a->want};
    int64_t spent = s->statistics.steps + s->statistics.rejected - s->counted;
    warplu_status status = wlm_resident_advance(s, s->allowed - spent, &steps);
    s->t = steps.t;
    s->system->step = steps.h;
    s->statistics.steps += steps.taken;
    if (steps.taken > 0 && a->behind >= 0) s->learnt[a->behind] = steps.h;
    if (steps.taken > 0) a->behind = -1;
    if (status == WARPLU_NOT_FINITE) return take_last(s);
    if (status == WARPLU_SUCCESS && s->t >= a->stop) status = arrive(s, steps.h, 1, 0);
    return status == WARPLU_SUCCESS ? wlm_transient_check(s) : status;
}

static warplu_status say_limited(const wlm_transient *s, warplu_status status, int32_t limit)
{
    char name[200];
    wlm_place place = wlm_system_limit_name(s->system, limit, name, sizeof name);
    return wlu_fail(s->ctx, status, WLM_LIMITED, s->t, name, WLM_LINE(place), wlm_pace_why_limited(status));
}

/* Bounds the next step by all limits, where it is by them. */
static warplu_status bound_step(wlm_transient *s)
{
    const wlm_transient_options *o = &s->options;
    int32_t count;
    double least;
    if (o->cfl == 0.0) return WARPLU_SUCCESS;
    const double *limit = wlm_system_limits(s->system, wlm_stage_time(s, s->t), s->y, &count);
    int32_t which = wlm_pace_least(limit, count, 1, &least);
    double shortest = wlm_pace_shortest(o->shortest, 0.0, s->whole);
    warplu_status status = wlm_pace_limit(&s->pace, s->t, least, o->cfl, shortest);
    return status == WARPLU_SUCCESS ? status : say_limited(s, status, which);
}

/* Refuses a step that ends where there are no rates: no step would go on from there, and a shorter one may end
 * elsewhere. Explicit methods with control have been there. */
static warplu_status judge_end(wlm_transient *s, double h)
{
    double *rates = s->work[WLM_WORK - 1], t = wlm_stage_time(s, s->t + h);
    if (!s->system->has_domains || s->facts->explicit != NULL || s->options.step > 0.0) return WARPLU_SUCCESS;
    int64_t begin = wlu_now_ns();
    wlm_system_evaluate(s->system, t, s->next, rates, NULL);
    s->statistics.evaluate_ns += (double)(wlu_now_ns() - begin);
    if (wlu_all_finite(rates, s->n)) return WARPLU_SUCCESS;
    return wlm_newton_say(s, WARPLU_NOT_FINITE, "a number is not finite", t, rates);
}

/* Takes one step towards the stop, after as many attempts as it needs. */
static warplu_status advance(wlm_transient *s)
{
    const wlm_transient_options *o = &s->options;
    wlm_pace *a = &s->pace;
    if (s->resident != NULL && wlm_resident_loops(s->resident)) return advance_there(s);
    warplu_status bounded = bound_step(s);
    if (bounded != WARPLU_SUCCESS) return bounded;
    for (a->high = 0.0;;) {
        double h = wlm_pace_length(a, s->t, o->step, o->longest), norm = 0.0;
        warplu_status status = s->step(s, h, &norm);
        if (status == WARPLU_SUCCESS && norm <= 1.0) status = judge_end(s, h);
        if (status != WARPLU_SUCCESS && (o->step > 0.0 || !wlm_is_hard(status))) return status;
        if (status == WARPLU_SUCCESS && norm <= 1.0) {
            int has_event = wlm_events_look(&s->events, a->ends ? a->stop : s->t + h, s->next);
            if (!wlm_pace_searches(a, s->t, h, has_event)) {
                status = accept(s, h, norm, has_event);
                return status == WARPLU_SUCCESS ? wlm_transient_check(s) : status;
            }
        } else {
            s->statistics.rejected++;
            warplu_status failed = isnan(norm) ? WARPLU_NOT_FINITE : status;
            wlm_pace_reject(a, h, failed, factor_of(norm, s->facts->estimate[WLM_LARGE]));
            if (a->want < wlm_pace_shortest(o->shortest, s->t, s->whole)) return too_small(s, status, norm);
        }
        if (wlu_poll_cancel(s->ctx) != WARPLU_SUCCESS) return WARPLU_CANCELLED;
    }
}

/* -------------------------------------------------------------------- jumps */

/* Finds the next edge, beyond which no stage evaluates. */
static void find_edge(wlm_transient *s)
{
    wlm_pace_clear(&s->pace);
    wlm_edges_find(&s->edges, &s->pace, s->t);
    wlm_events_edge(&s->events, &s->pace, s->t, s->y, kind_of_timed(s));
    s->clock_most = wlm_pace_last(&s->pace);
}

static warplu_status make_consistent(wlm_transient *s)
{
    return s->system->options.derivatives ? wlm_transient_start(s) : WARPLU_SUCCESS;
}

static warplu_status begin(wlm_transient *s, double t)
{
    double first = 1e-6 * (t - s->t), longest = s->options.longest;
    wlm_resident_forget(s->resident);
    s->aimed = NAN;
    s->pace.want = longest > 0.0 ? fmin(longest, first) : first;
    s->pace.behind = -1;
    s->pace.rejected = 0;
    for (int32_t k = 0; k <= kind_of_timed(s) + s->events.rows; k++) s->learnt[k] = s->pace.want;
    find_edge(s);
    if (wlm_pace_begin(&s->pace, s->t, &s->clock_least)) s->jump = WLM_JUMP_DUE;
    wlm_transient_fill_sums(s);
    warplu_status status = make_consistent(s);
    if (status == WARPLU_SUCCESS) wlm_events_begin(&s->events, s->t, s->y);
    if (status == WARPLU_SUCCESS && s->t == 0.0 && wlm_events_begin_initially(&s->events)) {
        s->jump = WLM_JUMP_DUE;
        s->pace.kind = kind_of_timed(s);
    }
    s->started = status == WARPLU_SUCCESS;
    return status;
}

/* Makes a round of what happens at a jump: assignments, a consistent start, and events that these have made rise, which
 * are the next round's. */
static warplu_status make_round(wlm_transient *s)
{
    int32_t row = -1;
    warplu_status status = WARPLU_SUCCESS;
    if (s->jump == WLM_JUMP_DUE) status = wlm_events_assign(&s->events, s->t, s->y);
    s->jump = WLM_JUMP_MADE;
    if (status == WARPLU_SUCCESS) status = make_consistent(s);
    if (status != WARPLU_SUCCESS) return status;
    s->jump = WLM_JUMP_NONE;
    wlm_events_look(&s->events, wlm_stage_time(s, s->t), s->y);
    status = wlm_events_fire(&s->events, s->t, 0.0, &row);
    if (wlm_events_wait(&s->events)) s->jump = WLM_JUMP_DUE;
    return status;
}

/* Starts anew behind a jump: f is another one, algebraic rows hold for other values, and steps begin small. A jump that
 * fails for lack of memory is made again by the next run. */
static warplu_status jump(wlm_transient *s)
{
    wlm_resident_forget(s->resident);
    s->aimed = NAN;
    if (s->jump == WLM_JUMP_DUE) {
        s->clock_least = wlm_behind(s->t);
        s->system->step = 0.0;
        int32_t kind = s->pace.kind;
        const wlm_table *table = kind < kind_of_timed(s) ? s->edges.pulse[kind / 2].table : NULL;
        wlm_pace_restart(&s->pace, s->t, kind, s->learnt[kind], table);
        s->fresh = 1;
        find_edge(s);
    }
    warplu_status status = WARPLU_SUCCESS;
    for (int round = 0; s->jump != WLM_JUMP_NONE && status == WARPLU_SUCCESS; round++)
        status = round < WLM_EVENT_ROUNDS_MOST ? make_round(s) : wlm_events_fail_rounds(&s->events, s->t);
    if (status == WARPLU_SUCCESS) s->pace.probe = wlm_events_leave(&s->events, s->t);
    if (status == WARPLU_SUCCESS) find_edge(s); /* what they have made due is one */
    return status;
}

static warplu_status settle(wlm_transient *s, double t)
{
    s->whole = t - s->t;
    s->system->step = 0.0;
    warplu_status status = s->jump != WLM_JUMP_NONE ? jump(s) : WARPLU_SUCCESS;
    return status == WARPLU_SUCCESS && !s->started ? begin(s, t) : status;
}

/* Refuses a step beyond those that are allowed. */
static warplu_status check_count(const wlm_transient *s)
{
    if (s->statistics.steps + s->statistics.rejected - s->counted < s->allowed) return WARPLU_SUCCESS;
    return wlu_fail(s->ctx, WARPLU_TOO_MANY_STEPS, WLM_STEPS_SPENT, s->t, warplu_status_text(WARPLU_TOO_MANY_STEPS),
                    (long long)s->allowed);
}

/* Sets the next stop on the way to t, where it is another one: fixed steps are made equal once for each. */
static void aim(wlm_transient *s, double t)
{
    const double probe = s->pace.probe, end = probe != 0.0 && probe < t ? probe : t;
    if (s->aimed == end && s->t < s->pace.stop) return;
    wlm_pace_stop(&s->pace, s->t, end, s->options.step);
    s->aimed = end;
}

static warplu_status run(wlm_transient *s, double t)
{
    warplu_status status = settle(s, t);
    while (status == WARPLU_SUCCESS && s->t < t) {
        if (s->jump != WLM_JUMP_NONE) status = jump(s);
        if (status == WARPLU_SUCCESS) status = check_count(s);
        if (status != WARPLU_SUCCESS) break;
        aim(s, t);
        status = advance(s);
        if (status == WARPLU_SUCCESS) status = wlu_poll_cancel(s->ctx);
    }
    return status;
}

/* Runs, and hands out the last message of a failure alone: those of attempts that were made again, and so mended, reach
 * nobody. */
static warplu_status in_environment(wlm_transient *s, double t, warplu_status what(wlm_transient *, double))
{
    wlu_context *ctx = s->ctx;
    warplu_message_fn message = ctx->message;
    char said[WLU_MESSAGE_BYTES];
    wlu_environment environment;
    wlu_environment_enter(&environment);
    memcpy(said, ctx->last_message, sizeof said);
    ctx->message = NULL;
    warplu_status status = what(s, t);
    ctx->message = message;
    wlu_environment_leave(&environment);
    if (status == WARPLU_SUCCESS) memcpy(ctx->last_message, said, sizeof said);
    if (status != WARPLU_SUCCESS && message != NULL) message(status, ctx->last_message, ctx->message_user);
    return status;
}

static warplu_status check_end(const wlm_transient *s, double t)
{
    if (t > s->t && !isinf(t)) return WARPLU_SUCCESS;
    return wlu_fail(s->ctx, WARPLU_INVALID_ARGUMENT, "t = %g is not beyond %g", t, s->t);
}

warplu_status wlm_transient_settle(wlm_transient *transient, double t)
{
    warplu_status status = check_end(transient, t);
    return status == WARPLU_SUCCESS ? in_environment(transient, t, settle) : status;
}

warplu_status wlm_transient_approach(wlm_transient *transient, double t)
{
    warplu_status status = check_end(transient, t);
    return status == WARPLU_SUCCESS ? in_environment(transient, t, run) : status;
}

static warplu_status jump_if_due(wlm_transient *s, double t)
{
    (void)t;
    return s->jump != WLM_JUMP_NONE ? jump(s) : WARPLU_SUCCESS;
}

warplu_status wlm_transient_jump(wlm_transient *transient)
{
    return in_environment(transient, transient->t, jump_if_due);
}

warplu_status wlm_transient_run(wlm_transient *transient, double t)
{
    warplu_status status = wlm_transient_approach(transient, t);
    return status == WARPLU_SUCCESS ? wlm_transient_jump(transient) : status;
}
