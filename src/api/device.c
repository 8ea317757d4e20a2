/* Calls on device pointers: enqueued on the caller's stream, judged when they are finished.
 *
 * The pivots' program alone can replay there, so a re-pivot compiles at once instead of answering by columns first. */
#include "solver/solver.h"

#include "base/environment.h"

#include <math.h>

/* The solver has a program whose executor takes device pointers. */
static warplu_status check_program(warplu_solver *s)
{
    if (s->target.executor->device == NULL)
        return wlu_fail(&s->ctx, WARPLU_NOT_COMPILED, "the %s executor takes no device pointers",
                        s->target.executor->name);
    if (s->current.state == NULL)
        return wlu_fail(&s->ctx, WARPLU_WRONG_PHASE,
                        "no program yet: warplu_factor makes it where expected_refactors is 8 or more");
    return WARPLU_SUCCESS;
}

static warplu_status enqueued(warplu_solver *s)
{
    return wlu_fail(&s->ctx, WARPLU_ENQUEUED, "%s", warplu_status_text(WARPLU_ENQUEUED));
}

static warplu_status check_values(warplu_solver *s, const double *device_values)
{
    return device_values != NULL ? WARPLU_SUCCESS : wlu_fail(&s->ctx, WARPLU_INVALID_ARGUMENT, "no values");
}

static warplu_status check_solve(warplu_solver *s, const wlu_async_solve *a)
{
    int32_t n = s->analysis->n;
    if (a->nrhs < 0 || a->ldb < n || a->ldx < n || (a->nrhs > 0 && (a->b == NULL || a->x == NULL)) ||
        (a->b == a->x && a->ldb != a->ldx))
        return wlu_fail(&s->ctx, WARPLU_INVALID_ARGUMENT, "nrhs %d, ldb %d, ldx %d for n = %d", a->nrhs, (int)a->ldb,
                        (int)a->ldx, n);
    if (a->kind == WLU_STREAM_SOLVE_TRANSPOSED && !s->transposed_loaded)
        return wlu_fail(&s->ctx, WARPLU_WRONG_PHASE, "warplu_solve_transposed makes the program that this needs");
    return WARPLU_SUCCESS;
}

/* Weak pivots would be mended, which takes the host: what they solve is no answer. */
static int withholds(const warplu_solver *s)
{
    return s->options.check != WARPLU_CHECK_OFF && s->options.weak == WARPLU_ON_WEAK_REPIVOT;
}

static wlu_stream_kind kind_of(int transposed)
{
    return transposed ? WLU_STREAM_SOLVE_TRANSPOSED : WLU_STREAM_SOLVE;
}

static void forget_factors(warplu_solver *s)
{
    s->refactors++;
    s->factored = s->fresh = s->entries_kept = s->suspect = 0;
}

warplu_status warplu_refactor_device(warplu_solver *s, const double *device_values, void *stream)
{
    if (s == NULL) return WARPLU_INVALID_ARGUMENT;
    warplu_status status = check_program(s);
    if (status == WARPLU_SUCCESS) status = check_values(s, device_values);
    if (status < 0) return status;
    forget_factors(s);
    status = s->target.executor->device->enqueue(&s->ctx, s->current.state, device_values, NULL, stream);
    return status < 0 ? status : enqueued(s);
}

warplu_status warplu_solve_device(warplu_solver *s, int transposed, int32_t nrhs, const double *device_b, int32_t ldb,
                                  double *device_x, int32_t ldx, void *stream)
{
    if (s == NULL) return WARPLU_INVALID_ARGUMENT;
    wlu_async_solve solve = {kind_of(transposed), withholds(s), nrhs, device_b, ldb, device_x, ldx};
    warplu_status status = check_program(s);
    if (status == WARPLU_SUCCESS) status = check_solve(s, &solve);
    if (status < 0) return status;
    s->solves++;
    s->solved_on_device[transposed != 0] = 1;
    status = s->target.executor->device->enqueue(&s->ctx, s->current.state, NULL, &solve, stream);
    return status < 0 ? status : enqueued(s);
}

warplu_status warplu_refactor_solve_device(warplu_solver *s, const double *device_values, int transposed, int32_t nrhs,
                                           const double *device_b, int32_t ldb, double *device_x, int32_t ldx,
                                           void *stream)
{
    if (s == NULL) return WARPLU_INVALID_ARGUMENT;
    wlu_async_solve solve = {kind_of(transposed), withholds(s), nrhs, device_b, ldb, device_x, ldx};
    warplu_status status = check_program(s);
    if (status == WARPLU_SUCCESS) status = check_values(s, device_values);
    if (status == WARPLU_SUCCESS) status = check_solve(s, &solve);
    if (status < 0) return status;
    forget_factors(s);
    s->solves++;
    s->solved_on_device[transposed != 0] = 1;
    status = s->target.executor->device->enqueue(&s->ctx, s->current.state, device_values, &solve, stream);
    return status < 0 ? status : enqueued(s);
}

/* The replay serves, but solves enqueued since then were withheld, or nobody has looked at them. */
static warplu_status leave_unchecked(warplu_solver *s)
{
    return wlu_fail(&s->ctx, WARPLU_UNCHECKED, "%s",
                    "solves on the device since the replay were withheld or not checked");
}

static int has_solved(const warplu_solver *s)
{
    return s->solved_on_device[0] || s->solved_on_device[1];
}

/* What warplu_refactor does for a weak replay, and the factors on the device again, by whatever program came of it. */
static warplu_status mend(warplu_solver *s, const double *values)
{
    const wlu_state *before = s->current.state;
    warplu_status mended = wlu_solver_recover(s, values);
    if (mended == WARPLU_SUCCESS && s->current.state == before && has_solved(s)) return leave_unchecked(s);
    if (mended < 0 || s->current.state == before) return mended;
    warplu_status status =
        s->current.state == NULL && !wlu_solver_recall(s, 0) ? wlu_solver_compile(s) : WARPLU_SUCCESS;
    if (status == WARPLU_SUCCESS) status = wlu_solver_replay(s, values);
    if (status == WARPLU_SUCCESS) status = wlu_solver_vouch(s);
    if (status == WARPLU_SUCCESS)
        return wlu_fail(&s->ctx, WARPLU_REPIVOTED, "%s", warplu_status_text(WARPLU_REPIVOTED));
    s->factored = 0;
    return status;
}

/* Solves since the replay, where the device refines them. */
static warplu_status judge_refined(warplu_solver *s)
{
    const wlu_refined *r = wlu_state_refined(s->current.state);
    double entries =
        fmax(s->longest[0], s->longest[1]); /* an equation's error is at most the componentwise one for each */
    if (r->inaccurate == 0 && r->backward_error * entries <= WLU_ACCURATE) return WARPLU_SUCCESS;
    s->accurate_solves[0] = s->accurate_solves[1] = 0;
    return wlu_fail(&s->ctx, WARPLU_INACCURATE, "%u right-hand sides are not solved accurately: backward error %.2e",
                    (unsigned)r->inaccurate, r->backward_error);
}

/* Where it does not, a bound on the errors of all of them. */
static warplu_status judge_solves(warplu_solver *s)
{
    if (wlu_precision_refines(s->current.plan->target.precision)) return judge_refined(s);
    for (int transposed = 0; transposed <= 1; transposed++)
        if (s->solved_on_device[transposed] && s->options.check != WARPLU_CHECK_OFF &&
            (s->suspect || !wlu_solver_is_bounded(s, transposed)))
            return leave_unchecked(s);
    return WARPLU_SUCCESS;
}

static warplu_status judge(warplu_solver *s, const double *values)
{
    wlu_verdict verdict = WLU_HEALTHY;
    if (s->options.check != WARPLU_CHECK_OFF)
        verdict = wlu_judge_pivots(wlu_solver_health(s), &s->current.plan->pivots->quality, s->options.pivot_absolute);
    else if (!wlu_health_shows(wlu_solver_health(s)))
        return wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "a value is not finite, or the replay overflows");
    s->bounded[0] = s->bounded[1] = WLU_BOUND_OPEN;
    s->factored = 1;
    s->suspect = verdict != WLU_HEALTHY;
    if (verdict != WLU_WEAK) {
        if (values != NULL) wlu_solver_keep_entries(s, values);
        return judge_solves(s);
    }
    if (values != NULL) return mend(s, values);
    s->weak_replays++;
    return wlu_fail(&s->ctx, WARPLU_WEAK, "%s", warplu_status_text(WARPLU_WEAK));
}

warplu_status warplu_finish_device(warplu_solver *s, const double *values, void *stream)
{
    if (s == NULL) return WARPLU_INVALID_ARGUMENT;
    warplu_status status = check_program(s);
    if (status < 0) return status;
    wlu_environment env;
    wlu_environment_enter(&env);
    s->factored = 0;
    status = s->target.executor->device->finish(&s->ctx, s->current.state, stream);
    if (status == WARPLU_SUCCESS) status = judge(s, values);
    wlu_environment_leave(&env);
    return status;
}

warplu_status warplu_get_device_health(const warplu_solver *s, const warplu_device_health **record)
{
    if (s == NULL || record == NULL) return WARPLU_INVALID_ARGUMENT;
    *record = NULL;
    if (s->target.executor->device == NULL) return WARPLU_NOT_COMPILED;
    if (s->current.state == NULL) return WARPLU_WRONG_PHASE;
    *record = s->target.executor->device->record(s->current.state);
    return WARPLU_SUCCESS;
}
