/* First factorizations as replays. See first_replay.h.
 *
 * A search of factors that leave the cache takes as long as their memory does: a mesh of a million unknowns is
 * searched in several times what its program replays in. The pivots that such a replay proves are those that a
 * search would find (pivot/diagonal.h), and on trial as these are. Where the diagonal fails, a compilation and a
 * replay were in vain: less than the search that follows. The caller may cancel it as a search: between its steps,
 * while the program is compiled, and within the replay (exec/cpu/threads.c). */
#include "solver/first_replay.h"

#include "base/clock.h"
#include "cost/stages.h"
#include "pivot/diagonal.h"
#include "solver/regimes.h"
#include "solver/replay.h"
#include "solver/trial.h"

/* What is made on the way. */
typedef struct attempt {
    wlu_pivots *pivots; /* NULL once they are the plan's */
    wlu_plan *plan;
    wlu_state *state;
} attempt;

/* Whether a program and a replay are predicted to take less than a search, for factors of this extent. */
static int is_shorter(const warplu_solver *s, const wlu_extent *x)
{
    return s->replays_first || wlu_stage_first_replay_ns(x) < wlu_stage_pivoting_ns(x);
}

/* As far as the first order's counts say, which are bounds from above. */
static int is_worth_trying(const warplu_solver *s)
{
    const wlu_candidate *order = &s->analysis->candidate[0];
    wlu_extent x = {s->analysis->n, s->analysis->a->nnz, order->lu_nnz, order->terms};
    return s->target.executor->device == NULL && s->target.precision == WARPLU_PRECISION_DOUBLE && is_shorter(s, &x);
}

/* By the entries of the factors themselves. */
static int is_worth_compiling(const warplu_solver *s, const wlu_pivots *p)
{
    wlu_extent x = {p->n, s->analysis->a->nnz, (double)(p->lp[p->n] + p->up[p->n] + p->fp[p->n]) + p->n,
                    (double)p->terms};
    return is_shorter(s, &x);
}

int wlu_solver_would_replay_first(const warplu_solver *s, const wlu_pivots *pivots)
{
    return !wlu_solver_is_strict(s) && is_worth_trying(s) && is_worth_compiling(s, pivots);
}

static warplu_status compile(wlu_context *ctx, warplu_solver *s, attempt *t)
{
    static const int no_proofs[2] = {0, 0};
    warplu_status status =
        wlu_plan_create(ctx, wlu_solver_target(s, no_proofs), s->cost, s->analysis, t->pivots, &t->plan);
    if (t->plan != NULL) t->pivots = NULL;
    if (status == WARPLU_SUCCESS) status = wlu_plan_compile(ctx, &s->options, t->plan);
    if (status == WARPLU_SUCCESS) status = wlu_plan_state(ctx, t->plan, s->team, &t->state);
    return status == WARPLU_SUCCESS ? wlu_poll_cancel(ctx) : status;
}

/* Whether the diagonal holds for these values; what their replay shows of the pivots is theirs. */
static warplu_status replay(wlu_context *ctx, const warplu_solver *s, const double *values, const attempt *t,
                            int *holds)
{
    wlu_pivot_quality quality = t->plan->pivots->quality;
    warplu_status status = wlu_state_refactor_polled(ctx, t->state, values);
    if (status < 0) return status;
    const wlu_health *h = wlu_state_health(t->state, 0);
    *holds = wlu_pivots_take_replay(&s->options, h, &quality) && h->verdict != WLU_WEAK;
    wlu_plan_take_quality(t->plan, &quality);
    return wlu_poll_cancel(ctx);
}

static warplu_status try_diagonal(wlu_context *ctx, warplu_solver *s, const double *values, attempt *t, int *holds)
{
    warplu_status status = wlu_pivots_on_diagonal(ctx, &s->options, s->analysis, s->checks.entries, &t->pivots);
    if (status < 0 || t->pivots == NULL || !is_worth_compiling(s, t->pivots)) return status;
    status = compile(ctx, s, t);
    return status == WARPLU_SUCCESS ? replay(ctx, s, values, t, holds) : status;
}

/* As after a search. */
static void take(warplu_solver *s, attempt *t)
{
    wlu_solver_change_pivots(s, t->plan, NULL);
    s->current.state = t->state;
    wlu_solver_note_compilation(s);
    s->phase = WLU_FACTORED;
    s->trust.verdict = WLU_SUSPECT;
    s->checks.kept = 1;
    *t = (attempt){0};
}

warplu_status wlu_solver_replay_first(warplu_solver *s, const double *values, int *replayed)
{
    wlu_context quiet = s->ctx; /* what fails here is nobody's error: a search follows */
    attempt t = {0};
    *replayed = 0;
    quiet.message = NULL;
    if (s->growth.searches || wlu_solver_is_strict(s) || !is_worth_trying(s)) return WARPLU_SUCCESS;
    int64_t begin_ns = wlu_now_ns();
    warplu_status status = try_diagonal(&quiet, s, values, &t, replayed);
    if (status < 0) *replayed = 0;
    s->growth.searches = t.state != NULL ? !*replayed && status == WARPLU_SUCCESS : wlu_plan_is_refusal(status);
    if (*replayed) {
        t.plan->pivots->factor_ns = wlu_now_ns() - begin_ns - t.plan->program->compile_ns;
        take(s, &t);
    }
    wlu_state_destroy(&s->ctx, &t.state);
    wlu_plan_release(&s->ctx, &t.plan);
    wlu_pivots_destroy(&s->ctx, &t.pivots);
    return status == WARPLU_CANCELLED ? wlu_fail(&s->ctx, status, "%s", quiet.last_message) : WARPLU_SUCCESS;
}
