/* Replays and solves on device pointers. See device.h.
 *
 * The pivots' program alone can replay there, so that pivots which are new, or come back, have it compiled and replayed
 * at once instead of answering by columns first. */
#include "solver/device.h"

#include "numerics/refine.h"

#include <math.h>

#include "solver/replay.h"
#include "solver/trial.h"
#include "solver/trust.h"

static warplu_status enqueue(warplu_solver *s, const double *values, const wlu_async_solve *solve, void *stream)
{
    warplu_status status = s->target.executor->device->enqueue(&s->ctx, s->current.state, values, solve, stream);
    return status < 0 ? status : wlu_fail(&s->ctx, WARPLU_ENQUEUED, "%s", warplu_status_text(WARPLU_ENQUEUED));
}

static void expect_replay(warplu_solver *s)
{
    s->counted.refactors++;
    wlu_solver_expect_factors(s);
}

/* Leading dimensions are in doubles from here on. */
static void expect_solve(warplu_solver *s, wlu_async_solve *solve)
{
    s->counted.solves++;
    s->trust.solved_on_device[solve->kind == WLU_STREAM_SOLVE_TRANSPOSED] = 1;
    solve->withhold = wlu_trust_withholds(s);
    solve->to_rounding = s->options.check == WARPLU_CHECK_ALWAYS;
    solve->ldb *= s->target.doubles;
    solve->ldx *= s->target.doubles;
}

warplu_status wlu_solver_refactor_device(warplu_solver *s, const double *device_values, void *stream)
{
    expect_replay(s);
    return enqueue(s, device_values, NULL, stream);
}

warplu_status wlu_solver_solve_device(warplu_solver *s, wlu_async_solve *solve, void *stream)
{
    expect_solve(s, solve);
    return enqueue(s, NULL, solve, stream);
}

warplu_status wlu_solver_refactor_solve_device(warplu_solver *s, const double *device_values, wlu_async_solve *solve,
                                               void *stream)
{
    expect_replay(s);
    expect_solve(s, solve);
    return enqueue(s, device_values, solve, stream);
}

/* Other pivots have taken over: their factors on the device too, by whatever program came of it. */
static warplu_status replay_on_device(warplu_solver *s, const double *values)
{
    warplu_status status = WARPLU_SUCCESS;
    if (s->current.state == NULL && !wlu_solver_recall(s, 0)) status = wlu_solver_compile(s);
    if (status == WARPLU_SUCCESS) status = wlu_solver_replay(s, values);
    if (status == WARPLU_SUCCESS) status = wlu_solver_release_withheld(s);
    if (status < 0) return status;
    return wlu_fail(&s->ctx, WARPLU_REPIVOTED, "%s", warplu_status_text(WARPLU_REPIVOTED));
}

/* Solves since the replay, where the device refines them. An equation's error is at most the componentwise one for each
 * of its entries. */
static warplu_status judge_refined(warplu_solver *s)
{
    const wlu_refined *r = wlu_state_refined(s->current.state);
    wlu_checked checked = wlu_solver_checked(s);
    double entries = fmax(wlu_longest_row(&checked, 0, s->checks.work), wlu_longest_row(&checked, 1, s->checks.work));
    wlu_finding f = {.subject = WLU_A_REFINED_SOLVE,
                     .keeps_promise =
                         r->inaccurate == 0 && r->backward_error <= wlu_refine_allowed(wlu_thresholds_of(0).accurate,
                                                                                       entries, s->target.doubles)};
    if (wlu_trust_choose(s, &f) == WLU_ACCEPT) return WARPLU_SUCCESS;
    for (int transposed = 0; transposed <= 1; transposed++) wlu_solver_begin_trial(s, transposed);
    return wlu_fail(&s->ctx, WARPLU_INACCURATE, "%u right-hand sides are not solved accurately: backward error %.2e",
                    (unsigned)r->inaccurate, r->backward_error);
}

/* Solves since the replay, which nobody has seen. */
static warplu_status judge_unseen(warplu_solver *s)
{
    for (int transposed = 0; transposed <= 1; transposed++) {
        wlu_finding f = {.subject = WLU_AN_UNSEEN_SOLVE, .transposed = transposed};
        if (s->trust.solved_on_device[transposed] && wlu_trust_choose(s, &f) != WLU_ACCEPT)
            return wlu_fail(&s->ctx, WARPLU_UNCHECKED,
                            "solves on the device since the replay were withheld or not checked");
    }
    return WARPLU_SUCCESS;
}

warplu_status wlu_solver_finish_device(warplu_solver *s, const double *values, void *stream)
{
    const wlu_loaded before = s->current;
    wlu_verdict verdict;
    wlu_solver_expect_factors(s);
    warplu_status status = s->target.executor->device->finish(&s->ctx, before.state, stream);
    if (status == WARPLU_SUCCESS) status = wlu_trust_judge_replay(s, values, &verdict);
    if (status < 0) return status;
    if (s->current.state != before.state) return replay_on_device(s, values);
    if (status != WARPLU_SUCCESS) return status;
    int refined = verdict != WLU_WEAK && wlu_precision_refines(before.plan->target.precision);
    return refined ? judge_refined(s) : judge_unseen(s);
}
