/* Solves: the replayed triangular programs, and where nothing vouches for them (or always, if asked) the check. What
 * follows from what they find is trust.c's.
 *
 * Refinement (Skeel 1980; Arioli, Demmel and Duff 1989) stops at an error of eps, at less than a halving, or
 * after max_refinement_steps, and keeps the best iterate. */
#include "solver/solve.h"

#include "base/finite.h"
#include "numerics/refine.h"

#include <math.h>
#include <string.h>

#include "solver/limited.h"
#include "solver/replay.h"
#include "solver/repivot.h"
#include "solver/short.h"
#include "solver/trial.h"
#include "solver/trust.h"

/* What a checked solve for b has come to. */
typedef struct checked_solve {
    int transposed;
    const double *b;
    double *x;
    double whole; /* the error of an equation as a whole */
    wlu_finding found;
} checked_solve;

/* The backward errors of y, or bounds of them: of at most what refinement aims at, and of what is promised. Where the
 * first is larger, the workspace begins with the residual. */
static wlu_errors errors_of(const warplu_solver *s, const checked_solve *c, const double *y)
{
    wlu_checked checked = wlu_solver_checked(s);
    wlu_errors enough = {wlu_trust_aim(s), wlu_solver_thresholds(s).accurate};
    return wlu_backward_errors(&checked, c->transposed, c->b, y, enough, s->checks.work);
}

/* Corrects x while that helps. */
static warplu_status refine(warplu_solver *s, checked_solve *c)
{
    const wlu_pattern *a = s->analysis->a;
    const int64_t n = wlu_vector_doubles(a);
    int32_t steps = wlu_trust_refinement_steps(s);
    double *correction = wlu_checks_vector(&s->checks, a, 0), *trial = wlu_checks_vector(&s->checks, a, 1), largest;
    for (int32_t step = 0; step < steps && c->found.error > wlu_trust_aim(s); step++) {
        warplu_status status = wlu_solver_substitute(s, c->transposed, s->checks.work, correction, &largest);
        if (status < 0) return status;
        for (int64_t i = 0; i < n; i++) trial[i] = c->x[i] + correction[i];
        wlu_errors better = errors_of(s, c, trial);
        if (!(better.componentwise < c->found.error)) break;
        memcpy(c->x, trial, (size_t)n * sizeof *trial);
        s->last.refinement_steps++;
        int halved = better.componentwise <= c->found.error * wlu_thresholds_of(0).correction_gain;
        c->found.error = better.componentwise;
        c->whole = better.whole;
        if (!halved) break;
    }
    s->counted.refined_solves += s->last.refinement_steps > 0;
    return WARPLU_SUCCESS;
}

/* Whether x may be called a success: its equations are accurate as wholes, and where every solve is to be checked, to
 * the smallest unknown. found: its errors as far as they are known. An equation's error is at most the componentwise
 * one for each of its entries. b may be NULL: then that has to tell. refined: an executor has told it, of long rows as
 * wholes (numerics/refine.h); the host's own says of these no more than of others, whatever the program's precision. */
static int keeps_promise(const warplu_solver *s, int transposed, const double *b, const double *x, wlu_errors found,
                         int refined)
{
    double accurate = wlu_solver_thresholds(s).accurate, omega = found.componentwise;
    wlu_checked checked = wlu_solver_checked(s);
    wlu_errors enough = {INFINITY, accurate};
    const int doubles = s->target.doubles;
    if (s->options.check != WARPLU_CHECK_ALWAYS && found.whole <= accurate) return 1;
    double longest = wlu_longest_row(&checked, transposed, s->checks.work);
    double roundings = refined ? wlu_refine_roundings(longest, doubles) : wlu_row_roundings(longest, doubles);
    double allowed =
        refined ? wlu_refine_allowed(accurate, longest, doubles) : wlu_error_allowed(accurate, longest, roundings);
    if (s->options.check == WARPLU_CHECK_ALWAYS && !(omega <= wlu_error_allowed(accurate, 1.0, roundings))) return 0;
    if (found.whole <= accurate || omega <= allowed) return 1;
    if (!s->checks.kept || b == NULL) return 0;
    return wlu_backward_errors(&checked, transposed, b, x, enough, s->checks.work).whole <= accurate;
}

/* Looks at the solution in x, and refines it where that is to help. */
static warplu_status check(warplu_solver *s, checked_solve *c)
{
    warplu_status status = WARPLU_SUCCESS;
    s->last.refinement_steps = 0;
    wlu_errors first = errors_of(s, c, c->x);
    c->found.error = first.componentwise;
    c->whole = first.whole;
    c->found.subject = WLU_A_RESIDUAL;
    if (wlu_trust_choose(s, &c->found) == WLU_REFINE) status = refine(s, c);
    if (status < 0) return status;
    c->found.subject = WLU_A_CHECK;
    c->found.b_finite = !isnan(c->found.error) || wlu_all_finite(c->b, wlu_vector_doubles(s->analysis->a));
    wlu_errors found = {c->found.error, c->whole};
    c->found.keeps_promise = c->found.b_finite && keeps_promise(s, c->transposed, c->b, c->x, found, 0);
    return WARPLU_SUCCESS;
}

/* A solution by the factors at hand, unless it is there in x, checked. */
static warplu_status solve_and_check(warplu_solver *s, checked_solve *c, int there)
{
    double largest;
    warplu_status status = there ? WARPLU_SUCCESS : wlu_solver_substitute(s, c->transposed, c->b, c->x, &largest);
    return status < 0 ? status : check(s, c);
}

/* What a checked solve says. pivoted: what pivoting again came to, or a success. */
static warplu_status report_check(warplu_solver *s, const checked_solve *c, warplu_status pivoted)
{
    wlu_action action = wlu_trust_choose(s, &c->found);
    if (action == WLU_REPORT_NOT_FINITE) return wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "b or x is not finite");
    if (action == WLU_ACCEPT) return pivoted;
    return wlu_fail(&s->ctx, WARPLU_INACCURATE, "backward error %.2e after %d refinement steps%s%s", c->found.error,
                    s->last.refinement_steps, pivoted < 0 ? "; pivoting again: " : "",
                    pivoted < 0 ? warplu_status_text(pivoted) : "");
}

/* One checked right-hand side. answer: a first solution by the factors at hand, or NULL. If pivoting again fails, x
 * stays what it is, with a warning. */
static warplu_status solve_checked(warplu_solver *s, int transposed, const double *answer, const double *b, double *x)
{
    const int64_t n = wlu_vector_doubles(s->analysis->a);
    checked_solve c = {transposed, b, x, INFINITY, {.transposed = transposed}};
    if (b == x) c.b = memcpy(wlu_checks_vector(&s->checks, s->analysis->a, 2), b, (size_t)n * sizeof *b);
    if (answer != NULL) memcpy(x, answer, (size_t)n * sizeof *x);
    warplu_status status = solve_and_check(s, &c, answer != NULL), pivoted = WARPLU_SUCCESS;
    if (status < 0) return status;
    s->counted.checked_solves++;
    if (!c.found.b_finite) return wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "b is not finite");
    if (wlu_trust_choose(s, &c.found) == WLU_PIVOT_AGAIN) {
        pivoted = wlu_solver_pivot_again(s);
        c.found.tried |= 1u << WLU_PIVOT_AGAIN;
        if (pivoted >= 0) status = solve_and_check(s, &c, 0);
        if (status < 0) return status;
    }
    wlu_solver_count_solve(s, transposed, c.b, c.found.error, s->last.refinement_steps);
    if (!transposed && wlu_solver_limits_are_due(s)) {
        wlu_solver_prove_unbounded(s);
        wlu_solver_seek_limits(s, x);
    }
    if (wlu_trust_is_refined(s)) s->last.refinement_steps += wlu_state_refined(s->current.state)->steps;
    if (!(c.found.error <= s->last.backward_error)) s->last.backward_error = c.found.error;
    return report_check(s, &c, pivoted);
}

/* Whether the next solve is checked on the host. */
static int needs_check(warplu_solver *s, int transposed)
{
    wlu_finding f = {.subject = WLU_A_SOLVE, .transposed = transposed};
    return wlu_trust_choose(s, &f) == WLU_CHECK;
}

/* What an executor that refines says of its last solve, for b; one that failed puts the pivots on trial again, so that
 * later ones are checked. */
static warplu_status judge_refined(warplu_solver *s, int transposed, const double *b, const double *x)
{
    const wlu_refined *r = wlu_state_refined(s->current.state);
    s->last.refinement_steps = r->steps;
    s->counted.refined_solves += r->steps > 0;
    double error = s->last.backward_error >= 0.0 ? s->last.backward_error : 0.0;
    s->last.backward_error = wlu_larger_bits(error, r->backward_error);
    if (!(r->backward_error <= wlu_solver_thresholds(s).accurate)) wlu_solver_begin_trial(s, transposed);
    wlu_finding f = {.subject = WLU_A_REFINED_SOLVE,
                     .transposed = transposed,
                     .keeps_promise = keeps_promise(s, transposed, b, x, (wlu_errors){r->backward_error, INFINITY}, 1)};
    if (wlu_trust_choose(s, &f) == WLU_ACCEPT) return WARPLU_SUCCESS;
    return wlu_fail(&s->ctx, WARPLU_INACCURATE, "backward error %.2e after %d refinement steps on the executor",
                    r->backward_error, r->steps);
}

/* One that is not checked: what follows from the size of its x. */
static warplu_status report_unchecked(warplu_solver *s, wlu_action action, double largest)
{
    s->last.all_checked &= wlu_trust_is_refined(s);
    if (action == WLU_REPORT_NOT_FINITE) return wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "b or x is not finite");
    if (action == WLU_REPORT_INACCURATE)
        return wlu_fail(&s->ctx, WARPLU_INACCURATE, "x underflows: its largest magnitude is %g", largest);
    if (action == WLU_ACCEPT) return WARPLU_SUCCESS;
    /* on a device whose values the host never saw, or transposed for the first time */
    return wlu_fail(&s->ctx, WARPLU_UNCHECKED, "%s", warplu_status_text(WARPLU_UNCHECKED));
}

/* Columns of B and X; count of them, at most WLU_MANY. Leading dimensions in doubles. */
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

/* One that is not checked, unless its x turns out to be doubtful: b is there until then, as a copy where x takes its
 * place. answer: by the factors at hand, with its largest magnitude, or NULL. */
static warplu_status solve_unchecked(warplu_solver *s, int transposed, const double *answer, double largest,
                                     const double *b, double *x)
{
    const int64_t n = wlu_vector_doubles(s->analysis->a);
    const double *rhs = b;
    wlu_finding f = {.subject = WLU_AN_ANSWER, .transposed = transposed, .zero = wlu_all_zero(b, n)};
    int refined = answer == NULL && wlu_trust_is_refined(s);
    warplu_status status = WARPLU_SUCCESS;
    if (refined || (answer == NULL && b == x && wlu_trust_may_check(s)))
        rhs = memcpy(wlu_checks_vector(&s->checks, s->analysis->a, 2), b, (size_t)n * sizeof *b);
    if (answer == NULL) status = wlu_solver_substitute(s, transposed, b, x, &largest);
    if (status == WARPLU_SUCCESS && refined) status = judge_refined(s, transposed, rhs, x);
    if (status < 0) return status;
    f.x = answer != NULL ? answer : x;
    f.largest = largest;
    wlu_action action = wlu_trust_choose(s, &f);
    if (action == WLU_CHECK) return solve_checked(s, transposed, answer, rhs, x);
    if (answer != NULL) memcpy(x, answer, (size_t)n * sizeof *x);
    return worse(status, report_unchecked(s, action, largest));
}

/* All substituted at once, straight into x, or where that is b and may yet be wanted, aside; those whose x turns out to
 * be doubtful are solved for again alone. */
static warplu_status solve_group_unchecked(warplu_solver *s, int transposed, const group *g)
{
    const int64_t n = wlu_vector_doubles(s->analysis->a), repivots = s->counted.repivots;
    int zero[WLU_MANY], aside = g->b == g->x && wlu_trust_may_check(s);
    double largest[WLU_MANY], *answer;
    if (g->count == 1) return solve_unchecked(s, transposed, NULL, 0.0, g->b, g->x);
    for (int32_t k = 0; k < g->count; k++) zero[k] = wlu_all_zero(g->b + k * g->ldb, n);
    warplu_status status = wlu_solver_substitute_many(s, transposed, g->count, g->b, g->ldb, aside ? NULL : g->x,
                                                      aside ? n : g->ldx, largest, &answer);
    if (answer != NULL && status == WARPLU_SUCCESS && wlu_trust_is_refined(s))
        status = judge_refined(s, transposed, NULL, NULL);
    for (int32_t k = 0; k < g->count && status >= 0; k++) {
        double *x = g->x + k * g->ldx;
        wlu_finding f = {.subject = WLU_AN_ANSWER, .transposed = transposed};
        wlu_action action = WLU_CHECK;
        if (aside && s->counted.repivots > repivots) answer = NULL; /* by pivots that are gone */
        if (answer != NULL) {
            f.zero = zero[k];
            f.x = aside ? answer + k * n : x;
            f.largest = largest[k];
            action = wlu_trust_choose(s, &f);
        }
        if (action != WLU_CHECK && aside) memcpy(x, f.x, (size_t)n * sizeof *x);
        status = worse(status, action == WLU_CHECK
                                   ? solve_unchecked(s, transposed, aside ? f.x : NULL, f.largest, g->b + k * g->ldb, x)
                                   : report_unchecked(s, action, largest[k]));
    }
    return status;
}

/* All substituted at once, then checked one by one as long as they need it: what one of them needs is done for it
 * alone, and each gets the bits that it would get alone. */
static warplu_status solve_group_checked(warplu_solver *s, int transposed, const group *g)
{
    const int64_t n = wlu_vector_doubles(s->analysis->a);
    int64_t repivots = s->counted.repivots;
    double largest[WLU_MANY], *answer = NULL;
    warplu_status status = WARPLU_SUCCESS;
    if (s->current.state != NULL && !transposed) wlu_checks_add_rows(&s->ctx, s->analysis->a, &s->checks);
    if (!wlu_trust_is_refined(s))
        status = wlu_solver_substitute_many(s, transposed, g->count, g->b, g->ldb, NULL, n, largest, &answer);
    for (int32_t k = 0; k < g->count && status >= 0; k++) {
        if (s->counted.repivots > repivots) answer = NULL; /* by pivots that are gone */
        const double *mine = answer != NULL ? answer + k * n : NULL, *b = g->b + k * g->ldb;
        double *x = g->x + k * g->ldx;
        status = worse(status, needs_check(s, transposed) ? solve_checked(s, transposed, mine, b, x)
                                                          : solve_unchecked(s, transposed, mine, largest[k], b, x));
    }
    return status;
}

warplu_status wlu_solver_solve(warplu_solver *s, int transposed, int32_t nrhs, const double *b, int32_t ldb, double *x,
                               int32_t ldx)
{
    if (nrhs == 1 && wlu_short_solve(s, transposed, b, x)) return WARPLU_SUCCESS;
    warplu_status status = transposed ? wlu_solver_load_transposed(s) : WARPLU_SUCCESS;
    if (status < 0) return status;
    s->trust.wanted[transposed] = 1;
    wlu_solver_prove(s, transposed);
    s->last.refinement_steps = 0;
    s->counted.solves++;
    s->last.all_checked = nrhs > 0;
    int checks = needs_check(s, transposed);
    if (checks || wlu_trust_is_refined(s)) s->last.backward_error = -1.0;
    for (int32_t k = 0; k < nrhs && status >= 0; k += WLU_MANY) {
        const int64_t b_by = s->target.doubles * (int64_t)ldb, x_by = s->target.doubles * (int64_t)ldx;
        group g = {nrhs - k < WLU_MANY ? nrhs - k : WLU_MANY, b + k * b_by, x + k * x_by, b_by, x_by};
        if (k > 0) checks = needs_check(s, transposed);
        status =
            worse(status, checks ? solve_group_checked(s, transposed, &g) : solve_group_unchecked(s, transposed, &g));
    }
    return status;
}

warplu_status wlu_solver_backward_error(const warplu_solver *s, int transposed, const double *values, int32_t nrhs,
                                        const double *b, int32_t ldb, const double *x, int32_t ldx, double *omega)
{
    const wlu_pattern *a = s->analysis->a;
    const int64_t b_by = a->doubles * (int64_t)ldb, x_by = a->doubles * (int64_t)ldx;
    wlu_context ctx = s->ctx; /* the solver itself stays untouched */
    double *entries, *work = WLU_ALLOC(&ctx, wlu_check_work(a), double);
    warplu_status status = wlu_entries_allocate(&ctx, a, &entries);
    double worst = 0.0;
    if (work == NULL) status = wlu_fail_memory(&ctx, "workspace of a backward error");
    if (status == WARPLU_SUCCESS) wlu_pattern_gather(a, values, entries);
    wlu_checked checked = {a, s->checks.rows, entries, NULL};
    wlu_errors enough = {0.0, INFINITY};
    for (int32_t k = 0; k < nrhs && status == WARPLU_SUCCESS; k++) {
        double one = wlu_backward_errors(&checked, transposed, b + k * b_by, x + k * x_by, enough, work).componentwise;
        if (!isnan(worst) && !(one <= worst)) worst = one;
    }
    if (status == WARPLU_SUCCESS) *omega = worst;
    wlu_free(&ctx, entries);
    wlu_free(&ctx, work);
    return status;
}
