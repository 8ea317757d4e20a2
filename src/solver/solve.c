/* Solves: the replayed triangular programs, and where nothing vouches for them (or always, if asked) the check:
 * backward error, refinement, pivoting again, a warning.
 *
 * What vouches for a solve is a bound on the backward errors of all solves by the factors at hand (bounded.c), and that
 * the pivots have proven themselves on known systems or earlier solves (prove.c).
 *
 * Refinement (Skeel 1980; Arioli, Demmel and Duff 1989) stops at an error of eps, at less than a halving, or
 * after max_refinement_steps, and keeps the best iterate. */
#include "solver/solver.h"

#include "base/finite.h"
#include "numerics/backward_error.h"

#include <float.h>
#include <math.h>
#include <string.h>

static warplu_status check_arguments(warplu_solver *s, int32_t nrhs, const double *b, int32_t ldb, double *x,
                                     int32_t ldx)
{
    if (s->analysis == NULL || !s->factored) return wlu_fail(&s->ctx, WARPLU_WRONG_PHASE, "solve without factors");
    int32_t n = s->analysis->n;
    if (nrhs < 0 || ldb < n || ldx < n || (nrhs > 0 && (b == NULL || x == NULL)) || (b == x && ldb != ldx))
        return wlu_fail(&s->ctx, WARPLU_INVALID_ARGUMENT,
                        "nrhs %d, ldb %d, ldx %d for n = %d (x may be b only with one leading dimension)", nrhs, ldb,
                        ldx, n);
    return WARPLU_SUCCESS;
}

/* What a device calls accurate (WLU_REFINE_ACCURATE) is this. */
wlu_bounds wlu_solver_bounds(const warplu_solver *s)
{
    if (s->target.precision == WARPLU_PRECISION_SINGLE) return (wlu_bounds){WLU_ACCURATE_SINGLE, WLU_REFINED_SINGLE};
    return (wlu_bounds){WLU_ACCURATE, WLU_REFINED};
}

/* Whether the executor has refined what it answered to the host. */
static int refines(const warplu_solver *s)
{
    return s->current.state != NULL && s->current.plan->target.precision == WARPLU_PRECISION_MIXED;
}

/* Mixed precision promises what its executors refine to, before there is a program too. */
static int is_mixed_by_columns(const warplu_solver *s)
{
    return s->current.state == NULL && s->target.precision == WARPLU_PRECISION_MIXED;
}

/* The backward error that refinement is content with. */
static double aim_of(const warplu_solver *s)
{
    if (s->options.check == WARPLU_CHECK_ALWAYS) return DBL_EPSILON;
    return is_mixed_by_columns(s) ? WLU_REFINE_ENOUGH : wlu_solver_bounds(s).refined;
}

/* Refines x, a first solution for b, where it is not accurate. error: the backward error of what x holds. */
static warplu_status refine(warplu_solver *s, int transposed, const double *b, double *x, double *error)
{
    int32_t n = s->analysis->n;
    wlu_checked checked = wlu_solver_checked(s);
    int32_t steps = s->options.weak == WARPLU_ON_WEAK_REPORT ? 0 : s->options.max_refinement_steps;
    double enough = aim_of(s), *work = s->work, *correction = work + wlu_check_work(n), *trial = correction + n;
    double omega = wlu_backward_error(&checked, transposed, b, x, enough, work), largest;
    s->refinement_steps = 0;
    for (int step = 0; step < steps && omega > enough; step++) {
        warplu_status status = wlu_solver_substitute(s, transposed, work, correction, &largest);
        if (status < 0) return status;
        for (int32_t i = 0; i < n; i++) trial[i] = x[i] + correction[i];
        double better = wlu_backward_error(&checked, transposed, b, trial, enough, work);
        if (!(better < omega)) break;
        memcpy(x, trial, (size_t)n * sizeof *x);
        s->refinement_steps++;
        int halved = better <= omega / 2;
        omega = better;
        if (!halved) break;
    }
    s->refined_solves += s->refinement_steps > 0;
    *error = omega;
    return WARPLU_SUCCESS;
}

/* A solution of the factors at hand, unless it is there in x, refined. */
static warplu_status solve_and_refine(warplu_solver *s, int transposed, int there, const double *b, double *x,
                                      double *error)
{
    double largest;
    warplu_status status = there ? WARPLU_SUCCESS : wlu_solver_substitute(s, transposed, b, x, &largest);
    return status < 0 ? status : refine(s, transposed, b, x, error);
}

/* New pivots for the values of the factors at hand. */
static warplu_status pivot_again(warplu_solver *s)
{
    warplu_status status = wlu_solver_pivot_again(s);
    if (status < 0) {
        s->factored = 1; /* by the old pivots */
        return status;
    }
    s->repivots++;
    return wlu_fail(&s->ctx, WARPLU_REPIVOTED, "%s", warplu_status_text(WARPLU_REPIVOTED));
}

static int all_zero(const double *b, int32_t n)
{
    int32_t i = 0;
    while (i < n && b[i] == 0.0) i++;
    return i == n;
}

/* What a checked solve for b says of the pivots. x = 0 says nothing; and where a known system has failed, the caller's
 * solves do not make up for it, with part of the unknowns at rest as they may be. */
static void count_proof(warplu_solver *s, int transposed, const double *b, double omega)
{
    int *accurate_solves = &s->accurate_solves[transposed];
    int accurate = omega <= wlu_solver_bounds(s).refined && s->refinement_steps == 0;
    if (!accurate || !wlu_scales_are_even(&s->current.plan->pivots->quality, transposed)) {
        if (*accurate_solves > 0) *accurate_solves = 0;
        return;
    }
    if (*accurate_solves >= WLU_TRIAL_SOLVES || all_zero(b, s->analysis->n)) return;
    if (*accurate_solves == WLU_DISPROVEN)
        wlu_solver_test_later(s, transposed);
    else
        ++*accurate_solves;
}

/* Whether x may be called a success: its equations are accurate as wholes, and where every solve is to be checked, to
 * the smallest unknown. An equation's error is at most omega for each of its entries. b may be NULL: then that has to
 * tell. */
static int keeps_promise(const warplu_solver *s, int transposed, const double *b, const double *x, double omega)
{
    double accurate = wlu_solver_bounds(s).accurate;
    if (s->options.check == WARPLU_CHECK_ALWAYS && !(omega <= accurate)) return 0;
    if (omega * s->longest[transposed] <= accurate) return 1;
    if (!s->entries_kept || b == NULL) return 0;
    wlu_checked checked = wlu_solver_checked(s);
    return wlu_row_error(&checked, transposed, b, x, s->work) <= accurate;
}

/* One checked right-hand side. answer: a first solution by the factors at hand, or NULL. If pivoting again fails, x
 * stays what it is, with a warning. */
static warplu_status solve_checked(warplu_solver *s, int transposed, const double *answer, const double *b, double *x)
{
    int32_t n = s->analysis->n;
    double *rhs = s->work + wlu_check_work(n) + 2 * (int64_t)n, omega;
    memcpy(rhs, b, (size_t)n * sizeof *rhs);
    if (answer != NULL) memcpy(x, answer, (size_t)n * sizeof *x);
    warplu_status status = solve_and_refine(s, transposed, answer != NULL, rhs, x, &omega);
    if (status < 0) return status;
    s->checked_solves++;
    if (isnan(omega) && !wlu_all_finite(rhs, n)) return wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "b is not finite");
    int kept = keeps_promise(s, transposed, rhs, x, omega);
    if (!kept && !s->fresh && s->options.weak == WARPLU_ON_WEAK_REPIVOT) {
        status = pivot_again(s);
        if (status == WARPLU_REPIVOTED) {
            warplu_status again = solve_and_refine(s, transposed, 0, rhs, x, &omega);
            if (again < 0) return again;
            kept = keeps_promise(s, transposed, rhs, x, omega);
        }
    }
    count_proof(s, transposed, rhs, omega);
    if (refines(s)) s->refinement_steps += wlu_state_refined(s->current.state)->steps;
    if (!(omega <= s->backward_error)) s->backward_error = omega;
    if (isnan(omega)) return wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "b or x is not finite");
    if (kept) return status;
    return wlu_fail(&s->ctx, WARPLU_INACCURATE, "backward error %.2e after %d refinement steps%s%s", omega,
                    s->refinement_steps, status < 0 ? "; pivoting again: " : "",
                    status < 0 ? warplu_status_text(status) : "");
}

/* Whether the next solve is checked on the host. */
static int needs_check(warplu_solver *s, int transposed)
{
    if (!s->entries_kept || s->options.check == WARPLU_CHECK_OFF) return 0;
    if (s->options.check == WARPLU_CHECK_ALWAYS || s->suspect || s->accurate_solves[transposed] < WLU_TRIAL_SOLVES)
        return 1;
    return is_mixed_by_columns(s) || (!refines(s) && !wlu_solver_is_bounded(s, transposed));
}

/* What an executor that refines says of its last solve, for b; one that failed ends what was proven, so that later ones
 * are checked. */
static warplu_status judge_refined(warplu_solver *s, int transposed, const double *b, const double *x)
{
    const wlu_refined *r = wlu_state_refined(s->current.state);
    s->refinement_steps = r->steps;
    s->refined_solves += r->steps > 0;
    s->backward_error = wlu_larger_bits(s->backward_error >= 0.0 ? s->backward_error : 0.0, r->backward_error);
    if (!(r->backward_error <= wlu_solver_bounds(s).accurate)) s->accurate_solves[transposed] = 0;
    if (keeps_promise(s, transposed, b, x, r->backward_error)) return WARPLU_SUCCESS;
    return wlu_fail(&s->ctx, WARPLU_INACCURATE, "backward error %.2e after %d refinement steps on the executor",
                    r->backward_error, r->steps);
}

/* Whether a solution is so small that what vouches for others does not for it. */
static int underflows(const warplu_solver *s, int transposed, double x_largest)
{
    wlu_bound b = wlu_plan_bound(&s->ctx, s->current.plan, transposed);
    return x_largest < wlu_least_solution(wlu_solver_health(s), &b, transposed);
}

/* Whether an unchecked solution is to be checked after all. */
static int is_doubtful(const warplu_solver *s, int transposed, int zero, double x_largest)
{
    return !zero && !refines(s) && s->entries_kept && s->options.check != WARPLU_CHECK_OFF &&
           underflows(s, transposed, x_largest);
}

/* One that is not: the result is looked at, not the residual. zero: b is. */
static warplu_status judge_unchecked(warplu_solver *s, int transposed, int zero, double x_largest)
{
    s->all_checked &= refines(s);
    if (!(x_largest < INFINITY)) return wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "b or x is not finite");
    if (s->options.check == WARPLU_CHECK_OFF) return WARPLU_SUCCESS;
    if (underflows(s, transposed, x_largest) && !zero)
        return wlu_fail(&s->ctx, WARPLU_INACCURATE, "x underflows: its largest magnitude is %g", x_largest);
    if (refines(s)) return WARPLU_SUCCESS;
    /* on a device whose values the host never saw, or transposed for the first time */
    if (s->accurate_solves[transposed] < WLU_TRIAL_SOLVES || s->suspect || !wlu_solver_is_bounded(s, transposed))
        return wlu_fail(&s->ctx, WARPLU_UNCHECKED, "%s", warplu_status_text(WARPLU_UNCHECKED));
    return WARPLU_SUCCESS;
}

/* Columns of B and X; count of them, at most WLU_MANY. */
typedef struct group {
    int32_t count;
    const double *b;
    double *x;
    int64_t ldb, ldx;
} group;

/* The worse of two statuses: an error, or the larger warning. */
static warplu_status worse(warplu_status a, warplu_status b)
{
    return a < 0 || (b >= 0 && a > b) ? a : b;
}

/* One that is not checked. answer: by the factors at hand, with its largest magnitude, or NULL. */
static warplu_status solve_unchecked(warplu_solver *s, int transposed, const double *answer, double largest,
                                     const double *b, double *x)
{
    int32_t n = s->analysis->n;
    int zero = all_zero(b, n); /* told by the first entry, mostly */
    double *rhs = s->work + wlu_check_work(n) + 2 * (int64_t)n;
    warplu_status status = WARPLU_SUCCESS;
    if (answer != NULL && is_doubtful(s, transposed, zero, largest)) return solve_checked(s, transposed, answer, b, x);
    if (answer != NULL) {
        memcpy(x, answer, (size_t)n * sizeof *x);
        return judge_unchecked(s, transposed, zero, largest);
    }
    if (refines(s)) memcpy(rhs, b, (size_t)n * sizeof *rhs);
    status = wlu_solver_substitute(s, transposed, b, x, &largest);
    if (status == WARPLU_SUCCESS && refines(s)) status = judge_refined(s, transposed, rhs, x);
    if (status == WARPLU_SUCCESS && b != x && is_doubtful(s, transposed, zero, largest))
        return solve_checked(s, transposed, NULL, b, x);
    return status < 0 ? status : worse(status, judge_unchecked(s, transposed, zero, largest));
}

/* All substituted at once, straight into x. */
static warplu_status solve_group_unchecked(warplu_solver *s, int transposed, const group *g)
{
    int zero[WLU_MANY];
    double largest[WLU_MANY], *answer;
    for (int32_t k = 0; k < g->count; k++) zero[k] = all_zero(g->b + k * g->ldb, s->analysis->n);
    warplu_status status =
        wlu_solver_substitute_many(s, transposed, g->count, g->b, g->ldb, g->x, g->ldx, largest, &answer);
    if (answer != NULL && status == WARPLU_SUCCESS && refines(s)) status = judge_refined(s, transposed, NULL, NULL);
    for (int32_t k = 0; k < g->count && status >= 0; k++) {
        int alone = answer == NULL || (g->b != g->x && is_doubtful(s, transposed, zero[k], largest[k]));
        status = worse(status, alone ? solve_unchecked(s, transposed, NULL, 0.0, g->b + k * g->ldb, g->x + k * g->ldx)
                                     : judge_unchecked(s, transposed, zero[k], largest[k]));
    }
    return status;
}

/* All substituted at once, then checked one by one as long as they need it: what one of them needs is done for it
 * alone, and each gets the bits that it would get alone. */
static warplu_status solve_group_checked(warplu_solver *s, int transposed, const group *g)
{
    int32_t n = s->analysis->n;
    int64_t repivots = s->repivots;
    double largest[WLU_MANY], *answer = NULL;
    warplu_status status = WARPLU_SUCCESS;
    if (!refines(s))
        status = wlu_solver_substitute_many(s, transposed, g->count, g->b, g->ldb, NULL, n, largest, &answer);
    for (int32_t k = 0; k < g->count && status >= 0; k++) {
        if (s->repivots > repivots) answer = NULL; /* by pivots that are gone */
        const double *mine = answer != NULL ? answer + k * (int64_t)n : NULL, *b = g->b + k * g->ldb;
        double *x = g->x + k * g->ldx;
        status = worse(status, needs_check(s, transposed) ? solve_checked(s, transposed, mine, b, x)
                                                          : solve_unchecked(s, transposed, mine, largest[k], b, x));
    }
    return status;
}

warplu_status wlu_solver_solve(warplu_solver *s, int transposed, int32_t nrhs, const double *b, int32_t ldb, double *x,
                               int32_t ldx)
{
    if (s == NULL) return WARPLU_INVALID_ARGUMENT;
    warplu_status status = check_arguments(s, nrhs, b, ldb, x, ldx);
    if (status == WARPLU_SUCCESS && transposed) status = wlu_solver_load_transposed(s);
    if (status < 0) return status;
    if (transposed) s->transposed_wanted = 1;
    s->refinement_steps = 0;
    s->solves++;
    s->all_checked = nrhs > 0;
    if (needs_check(s, transposed) || refines(s)) s->backward_error = -1.0;
    for (int32_t k = 0; k < nrhs && status >= 0; k += WLU_MANY) {
        group g = {nrhs - k < WLU_MANY ? nrhs - k : WLU_MANY, b + (int64_t)k * ldb, x + (int64_t)k * ldx, ldb, ldx};
        status = worse(status, needs_check(s, transposed) ? solve_group_checked(s, transposed, &g)
                                                          : solve_group_unchecked(s, transposed, &g));
    }
    return status;
}

warplu_status wlu_solver_backward_error(const warplu_solver *s, int transposed, const double *values, int32_t nrhs,
                                        const double *b, int32_t ldb, const double *x, int32_t ldx, double *omega)
{
    if (s == NULL || values == NULL || omega == NULL) return WARPLU_INVALID_ARGUMENT;
    if (s->analysis == NULL) return WARPLU_WRONG_PHASE;
    int32_t n = s->analysis->n;
    if (nrhs < 0 || ldb < n || ldx < n || (nrhs > 0 && (b == NULL || x == NULL))) return WARPLU_INVALID_ARGUMENT;
    wlu_context ctx = s->ctx; /* the solver itself stays untouched */
    double *entries, *work = WLU_ALLOC(&ctx, wlu_check_work(n), double);
    warplu_status status = wlu_entries_allocate(&ctx, s->analysis->a, &entries);
    double worst = 0.0;
    if (work == NULL) status = wlu_fail_memory(&ctx, "workspace of a backward error");
    if (status == WARPLU_SUCCESS) wlu_pattern_gather(s->analysis->a, values, entries);
    wlu_checked checked = {s->analysis->a, s->rows, entries};
    for (int32_t k = 0; k < nrhs && status == WARPLU_SUCCESS; k++) {
        double one = wlu_backward_error(&checked, transposed, b + (int64_t)k * ldb, x + (int64_t)k * ldx, 0.0, work);
        if (!isnan(worst) && !(one <= worst)) worst = one;
    }
    if (status == WARPLU_SUCCESS) *omega = worst;
    wlu_free(&ctx, entries);
    wlu_free(&ctx, work);
    return status;
}
