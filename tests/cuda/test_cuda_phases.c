/* The phases that only a device brings, and what a solver knows after replays that it has not enqueued itself. */
#include <warplu/device.h>
#include <warplu/inspect.h>

#include "host.h"

enum { N = 2 };
static const double other[] = {2, 1, 1, 3};

static warplu_solver *factored(warplu_check check)
{
    warplu_options o = options_for(WARPLU_EXECUTOR_CUDA);
    o.check = check;
    warplu_solver *s = weak_solver(&o);
    CHECK(s->phase == WLU_FACTORED && s->current.state != NULL);
    return s;
}

/* Between the call that enqueues a replay and the one that finishes it, the host has no factors. */
static void a_replay_is_enqueued_until_it_is_finished(void)
{
    double x[N], determinant;
    int64_t exponent;
    warplu_solver *s = factored(WARPLU_CHECK_SUSPECT), *c = NULL;
    CHECK(warplu_refactor_device(s, NULL, NULL) == WARPLU_INVALID_ARGUMENT && s->phase == WLU_FACTORED);
    CHECK(warplu_refactor_device(s, by_emulator_on_device(good), NULL) == WARPLU_ENQUEUED && s->phase == WLU_ENQUEUED);
    CHECK(warplu_solve(s, 1, b, N, x, N) == WARPLU_WRONG_PHASE && s->phase == WLU_ENQUEUED);
    CHECK(strstr(warplu_get_message(s), "warplu_finish_device") != NULL);
    CHECK(warplu_compute_determinant(s, &determinant, &exponent) == WARPLU_WRONG_PHASE);
    CHECK(warplu_clone(&c, s) == WARPLU_SUCCESS && c->phase == WLU_PIVOTED);
    CHECK(warplu_refactor_device(c, by_emulator_on_device(good), NULL) == WARPLU_WRONG_PHASE); /* no program yet */
    warplu_destroy(&c);
    CHECK(warplu_finish_device(s, NULL, NULL) == WARPLU_SUCCESS && s->phase == WLU_REPLAYED);
    CHECK(warplu_solve(s, 1, b, N, x, N) == WARPLU_SUCCESS && s->phase == WLU_REPLAYED);
    CHECK(warplu_refactor_device(s, by_emulator_on_device(good), NULL) == WARPLU_ENQUEUED);
    CHECK(warplu_refactor(s, good) == WARPLU_SUCCESS && s->phase == WLU_REPLAYED);
    warplu_destroy(&s);
    nothing_is_left("enqueued");
}

/* As a captured graph replays: the solver knows nothing of it before it is finished. */
static void replay_unknown(warplu_solver *s, const double *values)
{
    CHECK(s->target.executor->device->enqueue(&s->ctx, s->current.state, by_emulator_on_device(values), NULL, NULL) ==
          WARPLU_SUCCESS);
}

/* Solves on the host are checked against the values of the last replay, or not at all. */
static void finished_replays_of_others_are_checked_by_their_values(void)
{
    double x[N], omega = 1.0;
    warplu_solver *s = factored(WARPLU_CHECK_ALWAYS);
    CHECK(warplu_refactor_device(s, by_emulator_on_device(good), NULL) == WARPLU_ENQUEUED);
    CHECK(warplu_finish_device(s, good, NULL) == WARPLU_SUCCESS && s->checks.kept);
    replay_unknown(s, other);
    CHECK(warplu_finish_device(s, other, NULL) == WARPLU_SUCCESS && s->phase == WLU_REPLAYED);
    CHECK(warplu_solve(s, 1, b, N, x, N) == WARPLU_SUCCESS);
    CHECK(warplu_compute_backward_error(s, 0, other, 1, b, N, x, N, &omega) == WARPLU_SUCCESS);
    CHECK_SAY(omega <= 1e-15, "%g", omega);
    replay_unknown(s, good);
    CHECK(warplu_finish_device(s, NULL, NULL) == WARPLU_SUCCESS && !s->checks.kept);
    CHECK(warplu_solve(s, 1, b, N, x, N) >= 0);
    CHECK(warplu_compute_backward_error(s, 0, good, 1, b, N, x, N, &omega) == WARPLU_SUCCESS && omega <= 1e-15);
    warplu_destroy(&s);
    nothing_is_left("finished");
}

int main(void)
{
    if (!open_fake()) return 1;
    RUN(a_replay_is_enqueued_until_it_is_finished);
    RUN(finished_replays_of_others_are_checked_by_their_values);
    return check_done();
}
