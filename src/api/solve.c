/* Solves: the replayed triangular programs, and where the replay is suspect (or always, if asked) the check:
 * backward error, refinement, pivoting again, a warning.
 *
 * Refinement (Skeel 1980; Arioli, Demmel and Duff 1989) stops at an error of eps, at less than a halving, or
 * after max_refinement_steps, and keeps the best iterate. */
#include "api/solver.h"
#include "solve/check.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A backward error above this is not called a success. */
static const double ACCURATE = 1e-10;

static warplu_status check_arguments(warplu_solver *s, int32_t nrhs, const double *b, int32_t ldb, double *x,
                                     int32_t ldx)
{
    if (s->analysis == NULL || !s->factored)
        return wlu_fail(&s->ctx, WARPLU_WRONG_PHASE, "solve without factors");
    int32_t n = s->analysis->n;
    if (nrhs < 0 || ldb < n || ldx < n || (nrhs > 0 && (b == NULL || x == NULL)) || (b == x && ldb != ldx))
        return wlu_fail(&s->ctx, WARPLU_INVALID_ARGUMENT,
                        "nrhs %d, ldb %d, ldx %d for n = %d (x may be b only with one leading dimension)", nrhs,
                        ldb, ldx, n);
    return WARPLU_SUCCESS;
}

static warplu_status load_transposed(warplu_solver *s)
{
    if (s->transposed_loaded) return WARPLU_SUCCESS;
    warplu_status status = WARPLU_SUCCESS;
    if (!s->program->has_transposed)
        status = wlu_program_add_transposed(&s->ctx, s->analysis->a, s->pivots, s->program);
    if (status == WARPLU_SUCCESS) status = s->executor->load_transposed(&s->ctx, s->image);
    s->transposed_loaded = status == WARPLU_SUCCESS;
    return status;
}

/* Solves for b into x; refines it if every solve is to be checked, or what is suspect if it is not accurate. Returns
 * the backward error of what x holds. */
static double refine(warplu_solver *s, wlu_stream_kind kind, const double *b, double *x)
{
    const wlu_pattern *a = s->analysis->a;
    int32_t n = a->n;
    int transposed = kind == WLU_STREAM_SOLVE_TRANSPOSED;
    double *r = s->work, *weights = r + n, *correction = r + 3 * (int64_t)n, *trial = r + 4 * (int64_t)n;
    s->executor->solve(s->image, s->state, kind, b, x);
    double omega = wlu_backward_error(a, s->entries, transposed, b, x, r, weights);
    s->refinement_steps = 0;
    if (s->options.check != WARPLU_CHECK_ALWAYS && omega <= ACCURATE) return omega;
    for (int step = 0; step < s->options.max_refinement_steps && omega > DBL_EPSILON; step++) {
        s->executor->solve(s->image, s->state, kind, r, correction);
        for (int32_t i = 0; i < n; i++) trial[i] = x[i] + correction[i];
        double better = wlu_backward_error(a, s->entries, transposed, b, trial, r, weights);
        if (!(better < omega)) break;
        memcpy(x, trial, (size_t)n * sizeof *x);
        s->refinement_steps++;
        int halved = better <= omega / 2;
        omega = better;
        if (!halved) break;
    }
    s->refined_solves += s->refinement_steps > 0;
    return omega;
}

/* A value array with the entries that are kept; the caller frees it. */
static double *rebuild_values(warplu_solver *s)
{
    const wlu_pattern *a = s->analysis->a;
    double *values = WLU_CALLOC(&s->ctx, a->nvalues, double);
    if (values == NULL) return NULL;
    for (int32_t e = 0; e < a->nnz; e++)
        values[a->map_ptr != NULL ? a->map[a->map_ptr[e]] : a->map[e]] = s->entries[e];
    return values;
}

/* New pivots for the values of the factors at hand. */
static warplu_status pivot_again(warplu_solver *s, wlu_stream_kind kind)
{
    double *values = rebuild_values(s);
    if (values == NULL) return wlu_fail_memory(&s->ctx, "values to pivot again");
    warplu_status status = wlu_solver_pivot(s, values, s->entries);
    wlu_free(&s->ctx, values);
    if (status == WARPLU_SUCCESS) status = wlu_solver_accept(s);
    if (status == WARPLU_SUCCESS && kind == WLU_STREAM_SOLVE_TRANSPOSED) status = load_transposed(s);
    if (status < 0) {
        if (s->fresh) s->factored = 0; /* the new pivots cannot solve, the old ones are gone */
        return status;
    }
    s->repivots++;
    return wlu_fail(&s->ctx, WARPLU_REPIVOTED, "%s", warplu_status_text(WARPLU_REPIVOTED));
}

/* One checked right-hand side. If pivoting again fails, x stays what it is, with a warning. */
static warplu_status solve_checked(warplu_solver *s, wlu_stream_kind kind, const double *b, double *x)
{
    int32_t n = s->analysis->n;
    double *rhs = s->work + 5 * (int64_t)n;
    memcpy(rhs, b, (size_t)n * sizeof *rhs);
    double omega = refine(s, kind, rhs, x);
    warplu_status status = WARPLU_SUCCESS;
    if (!(omega <= ACCURATE) && !s->fresh) {
        status = pivot_again(s, kind);
        if (status == WARPLU_REPIVOTED) omega = refine(s, kind, rhs, x);
    }
    s->proven[kind == WLU_STREAM_SOLVE_TRANSPOSED] = omega <= ACCURATE && s->refinement_steps == 0;
    if (!(omega <= s->backward_error)) s->backward_error = omega;
    if (isnan(omega)) return wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "b or x is not finite");
    if (omega <= ACCURATE) return status;
    return wlu_fail(&s->ctx, WARPLU_INACCURATE, "backward error %.2e after %d refinement steps%s%s", omega,
                    s->refinement_steps, status < 0 ? "; pivoting again: " : "",
                    status < 0 ? warplu_status_text(status) : "");
}

static int all_finite(const double *x, int32_t n)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) sum += x[i] * 0.0;
    return sum == 0.0;
}

static warplu_status solve(warplu_solver *s, wlu_stream_kind kind, int32_t nrhs, const double *b, int32_t ldb,
                           double *x, int32_t ldx)
{
    if (s == NULL) return WARPLU_INVALID_ARGUMENT;
    warplu_status status = check_arguments(s, nrhs, b, ldb, x, ldx);
    if (status == WARPLU_SUCCESS && kind == WLU_STREAM_SOLVE_TRANSPOSED) status = load_transposed(s);
    if (status < 0) return status;
    int transposed = kind == WLU_STREAM_SOLVE_TRANSPOSED;
    if (transposed) s->transposed_wanted = 1;
    int checked = s->entries_kept && (s->options.check == WARPLU_CHECK_ALWAYS ||
                                      (s->options.check != WARPLU_CHECK_OFF &&
                                       (s->suspect || !s->proven[transposed])));
    s->refinement_steps = 0;
    s->solves++;
    if (checked) s->backward_error = -1.0;
    for (int32_t k = 0; k < nrhs; k++) {
        const double *bk = b + (int64_t)k * ldb;
        double *xk = x + (int64_t)k * ldx;
        warplu_status one = WARPLU_SUCCESS;
        if (!s->factored)
            return wlu_fail(&s->ctx, WARPLU_WRONG_PHASE, "pivoting again failed: %d right-hand sides are not solved",
                            nrhs - k);
        if (checked) {
            one = solve_checked(s, kind, bk, xk);
        } else {
            s->executor->solve(s->image, s->state, kind, bk, xk);
            if (!all_finite(xk, s->analysis->n))
                one = wlu_fail(&s->ctx, WARPLU_NOT_FINITE, "b or x is not finite");
            else if (s->options.check != WARPLU_CHECK_OFF && !s->proven[transposed])
                one = wlu_fail(&s->ctx, WARPLU_UNCHECKED, "%s", warplu_status_text(WARPLU_UNCHECKED));
        }
        if (one < 0) return one;
        if (one > status) status = one;
    }
    return status;
}

warplu_status warplu_solve(warplu_solver *s, int32_t nrhs, const double *b, int32_t ldb, double *x, int32_t ldx)
{
    return solve(s, WLU_STREAM_SOLVE, nrhs, b, ldb, x, ldx);
}

warplu_status warplu_solve_transposed(warplu_solver *s, int32_t nrhs, const double *b, int32_t ldb, double *x,
                                      int32_t ldx)
{
    return solve(s, WLU_STREAM_SOLVE_TRANSPOSED, nrhs, b, ldb, x, ldx);
}

warplu_status warplu_backward_error(const warplu_solver *s, int transposed, const double *values, int32_t nrhs,
                                    const double *b, int32_t ldb, const double *x, int32_t ldx, double *omega)
{
    if (s == NULL || values == NULL || omega == NULL) return WARPLU_INVALID_ARGUMENT;
    if (s->analysis == NULL) return WARPLU_WRONG_PHASE;
    int32_t n = s->analysis->n;
    if (nrhs < 0 || ldb < n || ldx < n || (nrhs > 0 && (b == NULL || x == NULL))) return WARPLU_INVALID_ARGUMENT;
    wlu_context ctx = s->ctx; /* the solver itself stays untouched */
    double *entries = WLU_ALLOC(&ctx, s->analysis->a->nnz, double), *work = WLU_ALLOC(&ctx, 3 * (int64_t)n, double);
    warplu_status status = entries == NULL || work == NULL ? WARPLU_OUT_OF_MEMORY : WARPLU_SUCCESS;
    *omega = 0.0;
    if (status == WARPLU_SUCCESS) wlu_pattern_gather(s->analysis->a, values, entries);
    for (int32_t k = 0; k < nrhs && status == WARPLU_SUCCESS; k++) {
        double one = wlu_backward_error(s->analysis->a, entries, transposed, b + (int64_t)k * ldb,
                                        x + (int64_t)k * ldx, work, work + n);
        if (!isnan(*omega) && !(one <= *omega)) *omega = one;
    }
    wlu_free(&ctx, entries);
    wlu_free(&ctx, work);
    return status;
}
