/* Backward Euler, the trapezoidal rule and TR-BDF2 (Bank, Coughran, Fichtner, Grosse, Rose and Smith, IEEE Trans.
 * Comput.-Aided Des. 4, 1985) for d/dt q = f; the error estimate of TR-BDF2 by the embedded third-order formula of
 * Hosea and Shampine (Appl. Numer. Math. 20, 1996), multiplied by the inverse of the iteration's matrix.
 *
 * Residuals are alpha (q - q0) - f - ..., in the unit of f. Rows without charges are -f = 0 at each stage. Derivatives
 * of charges at stages are taken from the formulas, not from f: in stiff rows f has their error many times. */
#include <math.h>
#include <string.h>

#include "model/system/stepping.h"

enum { Q0, F0 = WLM_WORK_BEGIN, C, QG, FG = WLM_WORK_END };

double wlm_stage_time(const wlm_transient *s, double t)
{
    return t < s->clock_least ? s->clock_least : t > s->clock_most ? s->clock_most : t;
}

static size_t bytes(const wlm_transient *s)
{
    return (size_t)s->n * sizeof(double);
}

/* Evaluates q at the beginning of the step, and f where it is not known. */
static void begin(wlm_transient *s, int with_f)
{
    double t = wlm_stage_time(s, s->t);
    if (with_f && s->fresh)
        wlm_system_evaluate(s->system, t, s->y, s->work[F0], s->work[Q0]);
    else
        wlm_system_evaluate(s->system, t, s->y, NULL, s->work[Q0]);
    memcpy(s->next, s->y, bytes(s));
}

static warplu_status solve(wlm_transient *s, double t, double alpha, double *y)
{
    wlm_newton newton = {.t = wlm_stage_time(s, t), .alpha = alpha, .beta = -1.0, .c = s->work[C]};
    return wlm_newton_solve(s, &newton, y);
}

static warplu_status backward_euler(wlm_transient *s, double h)
{
    begin(s, 0);
    double alpha = 1.0 / h;
    for (int32_t i = 0; i < s->n; i++) s->work[C][i] = s->system->dynamic[i] ? -alpha * s->work[Q0][i] : 0.0;
    return solve(s, s->t + h, alpha, s->next);
}

/* Solves the trapezoidal rule over h, from q0 and f0 to y; q and f at y go into q1 and f1. */
static warplu_status trapezoid(wlm_transient *s, double h, double *y, double *q1, double *f1)
{
    const double *q0 = s->work[Q0], *f0 = s->work[F0];
    double alpha = 2.0 / h, *c = s->work[C];
    for (int32_t i = 0; i < s->n; i++) c[i] = s->system->dynamic[i] ? -alpha * q0[i] - f0[i] : 0.0;
    warplu_status status = solve(s, s->t + h, alpha, y);
    if (status != WARPLU_SUCCESS) return status;
    wlm_system_evaluate(s->system, wlm_stage_time(s, s->t + h), y, NULL, q1);
    for (int32_t i = 0; i < s->n; i++) f1[i] = s->system->dynamic[i] ? alpha * (q1[i] - q0[i]) - f0[i] : 0.0;
    return WARPLU_SUCCESS;
}

/* Finds the norm of a step's errors. Unknowns that follow rates (index 2) count by what was asked for, with what is
 * beyond the rounding of charges over the step; in short steps they do not, for their errors contain what they were
 * before: beyond a jump no shorter step would seem better. q: charges at the end; spoils all but y. */
static warplu_status find_norm(wlm_transient *s, double alpha, double *error, double *q, double *norm)
{
    if (!s->index_is_higher) {
        *norm = wlm_weighted_norm(s, &s->of_steps, error, s->y, s->next);
        return WARPLU_SUCCESS;
    }
    double *rounding = s->work[C];
    for (int32_t i = 0; i < s->n; i++) q[i] = s->system->dynamic[i] ? WLM_ROUNDING_OF_CHARGES * alpha * q[i] : 0.0;
    warplu_status status = wlm_newton_back(s, q, rounding, 0);
    if (status != WARPLU_SUCCESS) return status;
    for (int32_t i = 0; i < s->n; i++) rounding[i] = fmax(0.0, fabs(error[i]) - fabs(rounding[i]));
    const int is_long = 1.0 > alpha * wlm_pace_blur(s->t, s->whole);
    const double all = is_long ? wlm_weighted_norm(s, &s->asked, rounding, s->y, s->next) : 0.0;
    *norm = wlm_norm_of_held(s, &s->of_steps, error, s->y, s->next);
    if (all > *norm) *norm = all;
    return WARPLU_SUCCESS;
}

static warplu_status tr_bdf2(wlm_transient *s, double h, double *norm)
{
    const double gamma = 2.0 - sqrt(2.0), d = 0.5 * gamma, w = 0.25 * sqrt(2.0);
    const double e0 = (w - (1.0 - w) / 3.0) / d, eg = (w - (3.0 * w + 1.0) / 3.0) / d, e1 = (d - d / 3.0) / d;
    double *q0 = s->work[Q0], *f0 = s->work[F0], *c = s->work[C], *qg = s->work[QG], *fg = s->work[FG];
    double alpha = 1.0 / (d * h);
    begin(s, 1);
    warplu_status status = trapezoid(s, gamma * h, s->next, qg, fg);
    if (status != WARPLU_SUCCESS) return status;
    for (int32_t i = 0; i < s->n; i++) c[i] = s->system->dynamic[i] ? -alpha * q0[i] - w / d * (f0[i] + fg[i]) : 0.0;
    status = solve(s, s->t + h, alpha, s->next);
    if (status != WARPLU_SUCCESS) return status;
    wlm_system_evaluate(s->system, wlm_stage_time(s, s->t + h), s->next, NULL, qg);
    for (int32_t i = 0; i < s->n; i++) {
        double f1 = s->system->dynamic[i] ? alpha * qg[i] + c[i] : 0.0;
        c[i] = s->system->dynamic[i] ? e0 * f0[i] + eg * fg[i] + e1 * f1 : 0.0;
        fg[i] = f1;
    }
    if (s->options.step > 0.0) return WARPLU_SUCCESS;
    status = wlm_newton_back(s, c, q0, 0);
    return status == WARPLU_SUCCESS ? find_norm(s, alpha, q0, qg, norm) : status;
}

warplu_status wlm_step_implicit(wlm_transient *s, double h, double *norm)
{
    *norm = 0.0;
    const wlm_implicit *m = s->facts->implicit;
    if (m->stages > 1) return tr_bdf2(s, h, norm);
    if (m->weight == 0.0) return backward_euler(s, h);
    begin(s, 1);
    return trapezoid(s, h, s->next, s->work[QG], s->work[FG]);
}
