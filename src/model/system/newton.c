/* Iterates by Newton's method through the solver, plain and damped. */
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/finite.h"
#include "model/system/stepping.h"

enum { ITERATIONS = 12, DAMPED_ITERATIONS = 60 };
/* Iterations end when the next change, by the rate of convergence, is below this share of the tolerance. */
static const double ENOUGH = 0.1;
/* A smaller share of a change is no progress. */
static const double LEAST_DAMPING = 0x1p-16;

enum {
    RESIDUAL = WLM_WORK - 1,
    CHANGE = WLM_WORK - 2,
    CHARGE = WLM_WORK - 3,
    TRIAL = WLM_WORK - 4,
    SECOND = WLM_WORK - 5
};

double wlm_weighted_norm(const wlm_transient *s, const wlm_tolerance *by, const double *x, const double *y,
                         const double *other)
{
    double most = 0.0;
    for (int32_t i = 0; i < s->n; i++) {
        double size = fabs(y[i]);
        if (other != NULL && fabs(other[i]) > size) size = fabs(other[i]);
        double here = wlm_tolerance_ratio(by, x[i], size);
        if (!(here <= most)) most = here; /* so that a NaN stays */
        if (isnan(most)) return most;
    }
    return most;
}

double wlm_norm_of_held(const wlm_transient *s, const wlm_tolerance *by, double *x, const double *y,
                        const double *other)
{
    for (int32_t i = 0; i < s->n; i++)
        if (!s->system->held[i]) x[i] = 0.0;
    return wlm_weighted_norm(s, by, x, y, other);
}

/* Returns the norm of an iteration's change, which it spoils where unknowns follow rates. */
static double norm_of_change(const wlm_transient *s, double *change, const double *y)
{
    const double all = wlm_weighted_norm(s, &s->asked, change, y, NULL);
    if (!s->index_is_higher || isnan(all)) return all;
    return fmax(WLM_TOLERANCE_OF_FOLLOWERS * all, wlm_norm_of_held(s, &s->asked, change, y, NULL));
}

/* Adds conductances to balances: f falls by gmin y. */
static void add_gmin(const wlm_system *s, const wlm_newton *w, const double *y, double *f, double *values)
{
    const wlm_layout *l = s->layout;
    for (const wlm_block *b = l->block; b < l->block + l->node_blocks; b++)
        for (int32_t i = b->first; b->quantity->type == WLM_BALANCE && i < b->first + b->count; i++) {
            if (s->pattern.diagonal[i] < 0) continue;
            f[i] -= w->gmin * y[i];
            if (values != NULL) values[s->pattern.diagonal[i]] -= w->beta * w->gmin;
        }
}

/* Evaluates the residual, -(alpha q + beta f + c - share offset); values may be NULL. Returns 1 where it is finite. */
static int residual(wlm_transient *s, const wlm_newton *w, const double *y, double *values)
{
    double *r = s->work[RESIDUAL], *q = s->work[CHARGE];
    int64_t begin = wlu_now_ns();
    if (values != NULL)
        wlm_system_stamp(s->system, w->t, y, w->alpha, w->beta, r, q, values);
    else
        wlm_system_evaluate(s->system, w->t, y, r, q);
    if (w->gmin > 0.0) add_gmin(s->system, w, y, r, values);
    for (int32_t i = 0; i < s->n; i++) {
        double sum = w->alpha * q[i] + w->beta * r[i];
        if (w->c != NULL) sum += w->c[i];
        if (w->offset != NULL) sum -= w->share * w->offset[i];
        r[i] = -sum;
    }
    s->statistics.evaluate_ns += (double)(wlu_now_ns() - begin);
    return wlu_all_finite(r, s->n) && (values == NULL || wlu_all_finite(values, s->system->pattern.ptr[s->n]));
}

warplu_status wlm_newton_say(wlm_transient *s, warplu_status status, const char *what, double t, const double *r)
{
    char name[200], element[200];
    int32_t worst = 0;
    for (int32_t i = 0; i < s->n; i++)
        if (!isfinite(r[i]) ? isfinite(r[worst]) : fabs(r[i]) > fabs(r[worst])) worst = i;
    wlm_system_describe(s->system, worst, name, sizeof name);
    wlm_system_blame(s->system, worst, element, sizeof element);
    return wlu_fail(s->ctx, status, "t = %.6g: %s; largest residual %.3g in the equation of %s%s%s", t, what, r[worst],
                    name, element[0] != '\0' ? ", most of it from " : "", element);
}

static warplu_status say(wlm_transient *s, warplu_status status, const char *what, const wlm_newton *w)
{
    return wlm_newton_say(s, status, what, w->t, s->work[RESIDUAL]);
}

warplu_status wlm_newton_factor(wlm_transient *s, double t)
{
    int64_t begin = wlu_now_ns();
    warplu_status status = warplu_refactor(s->system->solver, s->values);
    s->statistics.factor_ns += (double)(wlu_now_ns() - begin);
    s->statistics.iterations++;
    if (status >= 0) return WARPLU_SUCCESS;
    if (status == WARPLU_SINGULAR) {
        warplu_singularity why = {.size = sizeof why};
        char name[200] = "?";
        if (warplu_get_singularity(s->system->solver, &why) == WARPLU_SUCCESS && why.column >= 0)
            wlm_system_describe(s->system, why.column, name, sizeof name);
        return wlu_fail(s->ctx, status, "t = %.6g: the matrix is singular: nothing determines %s", t, name);
    }
    return wlu_fail(s->ctx, status, "t = %.6g: %s", t, warplu_get_message(s->system->solver));
}

warplu_status wlm_newton_back(wlm_transient *s, const double *b, double *x, int accurately)
{
    int64_t begin = wlu_now_ns();
    warplu_status status = warplu_solve(s->system->solver, 1, b, s->n, x, s->n);
    s->statistics.solve_ns += (double)(wlu_now_ns() - begin);
    if (accurately && (status == WARPLU_INACCURATE || status == WARPLU_UNCHECKED)) status = WARPLU_NO_CONVERGENCE;
    if (status >= 0) return WARPLU_SUCCESS;
    return wlu_fail(s->ctx, status, "t = %.6g: %s", s->t, warplu_get_message(s->system->solver));
}

/* Finds the change of an iteration from y, into work[CHANGE]. */
static warplu_status find_change(wlm_transient *s, const wlm_newton *w, const double *y)
{
    if (!residual(s, w, y, s->values)) return say(s, WARPLU_NOT_FINITE, "a number is not finite", w);
    warplu_status status = wlm_newton_factor(s, w->t);
    return status == WARPLU_SUCCESS ? wlm_newton_back(s, s->work[RESIDUAL], s->work[CHANGE], 0) : status;
}

warplu_status wlm_newton_solve(wlm_transient *s, const wlm_newton *w, double *y)
{
    double *change = s->work[CHANGE], before = 0.0;
    for (int k = 0; k < ITERATIONS; k++) {
        warplu_status status = find_change(s, w, y);
        if (status != WARPLU_SUCCESS) return status;
        for (int32_t i = 0; i < s->n; i++) y[i] += change[i];
        double norm = norm_of_change(s, change, y), rate = k > 0 ? norm / before : 1.0;
        if (norm <= ENOUGH || (rate <= 0.5 && rate * norm <= ENOUGH)) return WARPLU_SUCCESS;
        before = norm;
    }
    return say(s, WARPLU_NO_CONVERGENCE, "no convergence of Newton's iterations", w);
}

/* Halves the change until the next one, by the same matrix, is shorter. *share: what is left of it; -1: none will
 * do. */
static warplu_status damp(wlm_transient *s, const wlm_newton *w, const double *y, double norm, double *share)
{
    double *trial = s->work[TRIAL], *second = s->work[SECOND];
    const double *change = s->work[CHANGE];
    for (double by = fmin(1.0, 4.0 * *share); by >= LEAST_DAMPING; by *= 0.5) {
        for (int32_t i = 0; i < s->n; i++) trial[i] = y[i] + by * change[i];
        if (!wlu_all_finite(trial, s->n) || !residual(s, w, trial, NULL)) continue;
        warplu_status status = wlm_newton_back(s, s->work[RESIDUAL], second, 0);
        if (status != WARPLU_SUCCESS && !wlm_is_hard(status)) return status;
        if (status != WARPLU_SUCCESS ||
            !(wlm_weighted_norm(s, &s->asked, second, y, trial) <= (1.0 - 0.25 * by) * norm))
            continue;
        *share = by;
        return WARPLU_SUCCESS;
    }
    *share = -1.0;
    return WARPLU_SUCCESS;
}

warplu_status wlm_newton_solve_damped(wlm_transient *s, const wlm_newton *w, double *y, int64_t *iterations)
{
    double by = 1.0;
    for (int k = 0; k < DAMPED_ITERATIONS; k++) {
        warplu_status status = find_change(s, w, y);
        if (status != WARPLU_SUCCESS) return status;
        (*iterations)++;
        double norm = wlm_weighted_norm(s, &s->asked, s->work[CHANGE], y, NULL);
        if (norm <= ENOUGH) {
            for (int32_t i = 0; i < s->n; i++) y[i] += s->work[CHANGE][i];
            return WARPLU_SUCCESS;
        }
        status = damp(s, w, y, norm, &by);
        if (status != WARPLU_SUCCESS) return status;
        if (by < 0.0) break;
        memcpy(y, s->work[TRIAL], (size_t)s->n * sizeof *y);
    }
    residual(s, w, y, NULL);
    return say(s, WARPLU_NO_CONVERGENCE, "no convergence of damped Newton iterations", w);
}
