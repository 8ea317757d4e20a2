/* First factorizations as replays. See first_replay.h.
 *
 * A search of factors that leave the cache takes as long as their memory does: a mesh of a million unknowns is
 * searched in several times what its program replays in. The pivots that such a replay proves are those that a
 * search would find (pivot/diagonal.h), and on trial as these are. Where the diagonal fails, a compilation and a
 * replay were in vain: less than the search that follows. The caller may cancel it as a search: between its steps,
 * while the program is compiled, and within the replay (exec/cpu/threads.c).
 *
 * Where that is too much, columns replay them, of a symmetric pattern: its factors come from the elimination tree in a
 * fraction of what the search's graph takes. Pivots, numbers and what later replays are judged by are those of the
 * search, bit for bit: 900 unknowns of a grid take 0.7 of its time. */
#include "solver/first_replay.h"

#include "base/clock.h"
#include "cost/stages.h"
#include "pivot/diagonal.h"
#include "solver/grow.h"
#include "solver/regimes.h"
#include "solver/replay.h"
#include "solver/trial.h"

/* Terms between polls: some milliseconds. */
static const double UNPOLLED_MOST = 1 << 22;

/* What is made on the way. */
typedef struct attempt {
    wlu_pivots *pivots; /* NULL once they are the plan's */
    wlu_plan *plan;
    wlu_state *state;     /* of its program; or */
    wlu_factors *factors; /* columns */
} attempt;

/* Of a plan with so many entries and terms in its factors. */
static wlu_extent extent_of(const wlu_analysis *an, double lu_nnz, double terms)
{
    return (wlu_extent){an->n, an->a->nnz, lu_nnz, terms};
}

/* Whether a program and a replay are predicted to take less than a search, for factors of this extent. */
static int is_shorter(const warplu_solver *s, const wlu_extent *x)
{
    return s->replays_first || wlu_stage_first_replay_ns(x) < wlu_stage_pivoting_ns(x);
}

static int is_on_host(const warplu_solver *s)
{
    return s->target.executor->device == NULL && s->target.precision == WARPLU_PRECISION_DOUBLE;
}

/* As far as the first order's counts say, which are bounds from above. */
static wlu_extent predicted_extent(const warplu_solver *s)
{
    const wlu_candidate *order = &s->analysis->candidate[0];
    return extent_of(s->analysis, order->lu_nnz, order->terms);
}

static int is_worth_trying(const warplu_solver *s)
{
    wlu_extent x = predicted_extent(s);
    return is_on_host(s) && is_shorter(s, &x);
}

/* The caller who may cancel is polled before and after columns, not within. */
static int is_polled(const warplu_solver *s, double terms)
{
    return s->ctx.cancel == NULL || terms <= UNPOLLED_MOST;
}

/* The same of columns: where a search would be for the first order alone, and no program is to be there at once. */
static int columns_are_worth_trying(const warplu_solver *s)
{
    wlu_extent x = predicted_extent(s);
    return is_on_host(s) && s->analysis->ncandidates == 1 && s->analysis->candidate[0].symmetric &&
           !wlu_solver_compiles_ahead(s) && is_polled(s, x.terms) &&
           wlu_stage_first_columns_ns(&x) < wlu_stage_pivoting_ns(&x);
}

/* By the entries of the factors themselves. */
static int is_worth_compiling(const warplu_solver *s, const wlu_pivots *p)
{
    wlu_extent x = extent_of(s->analysis, (double)(p->lp[p->n] + p->up[p->n] + p->fp[p->n]) + p->n, (double)p->terms);
    return is_shorter(s, &x);
}

int wlu_solver_would_replay_first(const warplu_solver *s, const wlu_pivots *pivots)
{
    return !wlu_solver_is_strict(s) && is_worth_trying(s) && is_worth_compiling(s, pivots);
}

static warplu_status make_plan(wlu_context *ctx, warplu_solver *s, attempt *t)
{
    static const int no_proofs[2] = {0, 0};
    warplu_status status =
        wlu_plan_create(ctx, wlu_solver_target(s, no_proofs), s->cost, s->analysis, t->pivots, &t->plan);
    if (t->plan != NULL) t->pivots = NULL;
    return status;
}

static warplu_status compile(wlu_context *ctx, warplu_solver *s, attempt *t)
{
    warplu_status status = make_plan(ctx, s, t);
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

/* The same by columns. */
static warplu_status replay_columns(wlu_context *ctx, warplu_solver *s, attempt *t, int *holds)
{
    wlu_pivots *pivots = t->pivots;
    warplu_status status = make_plan(ctx, s, t);
    if (status == WARPLU_SUCCESS) status = wlu_factors_create(ctx, pivots, &t->factors);
    if (status < 0) return status;
    wlu_factors_refactor(t->factors, s->analysis->a, pivots, s->checks.entries);
    *holds = wlu_pivots_take_replay(&s->options, &t->factors->health, &pivots->quality);
    pivots->quality.growth = wlu_growth_of(t->factors->worst);
    return wlu_poll_cancel(ctx);
}

static warplu_status try_diagonal(wlu_context *ctx, warplu_solver *s, const double *values, int by_program, attempt *t,
                                  int *holds)
{
    warplu_status status =
        wlu_pivots_on_diagonal(ctx, &s->options, s->analysis, s->checks.entries, !by_program, &t->pivots);
    if (status < 0 || t->pivots == NULL) return status;
    const int as_predicted = (double)t->pivots->terms <= s->analysis->candidate[0].terms;
    if (!by_program) return as_predicted ? replay_columns(ctx, s, t, holds) : status;
    if (!is_worth_compiling(s, t->pivots)) return status;
    status = compile(ctx, s, t);
    return status == WARPLU_SUCCESS ? replay(ctx, s, values, t, holds) : status;
}

/* As after a search. */
static void take(warplu_solver *s, attempt *t)
{
    wlu_solver_change_pivots(s, t->plan, t->factors);
    s->current.state = t->state;
    if (t->state != NULL)
        wlu_solver_note_compilation(s);
    else if (s->current.service.direct_replays == 0)
        s->current.service.compile_after = wlu_grow_compile_after(s, t->plan->pivots);
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
    if (s->growth.searches || wlu_solver_is_strict(s)) return WARPLU_SUCCESS;
    const int by_program = is_worth_trying(s);
    if (!by_program && !columns_are_worth_trying(s)) return WARPLU_SUCCESS;
    int64_t begin_ns = wlu_now_ns();
    warplu_status status = try_diagonal(&quiet, s, values, by_program, &t, replayed);
    if (status < 0) *replayed = 0;
    s->growth.searches =
        t.state != NULL || t.factors != NULL ? !*replayed && status == WARPLU_SUCCESS : wlu_plan_is_refusal(status);
    if (*replayed) {
        t.plan->pivots->factor_ns = wlu_now_ns() - begin_ns;
        if (t.state != NULL) t.plan->pivots->factor_ns -= t.plan->program->compile_ns;
        take(s, &t);
    }
    wlu_state_destroy(&s->ctx, &t.state);
    wlu_factors_destroy(&s->ctx, &t.factors);
    wlu_plan_release(&s->ctx, &t.plan);
    wlu_pivots_destroy(&s->ctx, &t.pivots);
    return status == WARPLU_CANCELLED ? wlu_fail(&s->ctx, status, "%s", quiet.last_message) : WARPLU_SUCCESS;
}
