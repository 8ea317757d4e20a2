/* Steps of methods with Newton's iterations, on charges, by their tableaux (method/tableau.h); errors go through the
 * matrix.
 *
 * Algebraic rows are f = 0 at the end of each stage. An iteration makes M and J anew. It ends where the change is a
 * hundredth of the tolerance: what the last change leaves is of the square of it. */
#include <math.h>
#include <string.h>

#include "model/step/lanes.h"

enum { ITERATIONS_MOST = 10 };

static void rows_copy(double *to, const double *from, int32_t n)
{
    memcpy(to, from, (size_t)n * WLM_LANES * sizeof *to);
}

/* q and f at times and states. */
static void evaluate(wlm_step_lanes *l, const double *t, const double *y, double *q, double *f)
{
    memcpy(wlm_workspace_input(&l->charges, 0), t, sizeof l->t);
    rows_copy(wlm_workspace_input(&l->charges, 1), y, l->n);
    wlm_workspace_run(&l->charges, l->used);
    rows_copy(q, wlm_workspace_output(&l->charges, 0), l->n);
    rows_copy(f, wlm_workspace_output(&l->charges, l->n), l->n);
}

static void stage_times(const wlm_step_lanes *l, double c, double *t)
{
    for (int32_t k = 0; k < WLM_LANES; k++) t[k] = fmax(fmin(l->t[k] + c * l->h[k], l->last[k]), l->first[k]);
}

static int still(const wlm_step_lanes *l, int32_t lane)
{
    return l->pace[lane].member >= 0 && l->trouble[lane] == WARPLU_SUCCESS;
}

/* Takes lane's new iterate, and says whether it goes on. */
static int iterate_lane(wlm_step_lanes *l, int32_t lane, int round, double *change)
{
    double norm = wlm_workspace_output(&l->newton, l->n)[lane],
           health = wlm_workspace_output(&l->newton, l->n + 1)[lane];
    l->drive->fate[l->pace[lane].member].iterations++;
    if (isnan(norm) || isnan(health))
        l->trouble[lane] = WARPLU_NOT_FINITE;
    else if (!(health > 0.0))
        l->trouble[lane] = WARPLU_SINGULAR;
    else if (round > 1 && norm > 4.0 * change[lane])
        l->trouble[lane] = WARPLU_NO_CONVERGENCE;
    if (l->trouble[lane] != WARPLU_SUCCESS) return 0;
    change[lane] = norm;
    for (int32_t i = 0; i < l->n; i++)
        wlm_workspace_input(&l->newton, 1 + i)[lane] = wlm_workspace_output(&l->newton, i)[lane];
    return norm > 0.01;
}

/* Solves q(y) - c = d h f(t, y), where c stands in the workspace and y is where it begins; the solution stands
 * there. */
static void solve_stage(wlm_step_lanes *l, const double *t, double d)
{
    unsigned char active[WLM_LANES];
    double change[WLM_LANES] = {0.0};
    double *dh = wlm_workspace_input(&l->newton, 1 + l->n + l->stepper->parameters);
    memcpy(wlm_workspace_input(&l->newton, 0), t, sizeof l->t);
    for (int32_t k = 0; k < WLM_LANES; k++) dh[k] = d * l->h[k];
    int left = 0;
    for (int32_t k = 0; k < l->used; k++) left += active[k] = (unsigned char)still(l, k);
    for (int round = 0; left > 0 && round < ITERATIONS_MOST; round++) {
        wlm_workspace_run(&l->newton, l->used);
        left = 0;
        for (int32_t k = 0; k < l->used; k++)
            if (active[k]) left += active[k] = (unsigned char)iterate_lane(l, k, round, change);
    }
    for (int32_t k = 0; k < l->used; k++)
        if (active[k] && l->trouble[k] == WARPLU_SUCCESS) l->trouble[k] = WARPLU_NO_CONVERGENCE;
}

static double *charge_inputs(const wlm_step_lanes *l)
{
    return wlm_workspace_input(&l->newton, 2 + l->n + l->stepper->parameters);
}

static double *error_inputs(const wlm_step_lanes *l)
{
    return wlm_workspace_input(&l->estimate, 2 + l->n + l->stepper->parameters);
}

/* One stage from q, f at t. */
static void first_stage(wlm_step_lanes *l, const wlm_implicit *m)
{
    double t[WLM_LANES], *charge = charge_inputs(l);
    for (int32_t i = 0; i < l->n; i++)
        for (int32_t k = 0; k < WLM_LANES; k++)
            WLM_ROW(charge, i)[k] = WLM_ROW(l->q, i)[k] + m->weight * l->h[k] * WLM_ROW(l->f, i)[k];
    rows_copy(wlm_workspace_input(&l->newton, 1), l->y, l->n);
    stage_times(l, m->time, t);
    solve_stage(l, t, m->share);
    rows_copy(l->next_y, wlm_workspace_input(&l->newton, 1), l->n);
    evaluate(l, t, l->next_y, l->q_stage, l->f_stage);
}

static void second_stage(wlm_step_lanes *l, const wlm_implicit *m)
{
    double t[WLM_LANES], *charge = charge_inputs(l), *y = wlm_workspace_input(&l->newton, 1);
    for (int32_t i = 0; i < l->n; i++)
        for (int32_t k = 0; k < WLM_LANES; k++) {
            WLM_ROW(charge, i)[k] = m->of_stage * WLM_ROW(l->q_stage, i)[k] - m->of_start * WLM_ROW(l->q, i)[k];
            WLM_ROW(y, i)[k] += (WLM_ROW(y, i)[k] - WLM_ROW(l->y, i)[k]) * (1.0 - m->time) / m->time;
        }
    stage_times(l, 1.0, t);
    solve_stage(l, t, m->share);
    rows_copy(l->next_y, y, l->n);
    evaluate(l, t, l->next_y, l->q_stage, l->f_end);
}

/* Errors in charges, by lane and unknown. */
static void estimate_charges(wlm_step_lanes *l, const wlm_implicit *m, double *error)
{
    for (int32_t i = 0; i < l->n; i++) {
        const double *f0 = WLM_ROW(l->f, i), *f1 = WLM_ROW(l->f_stage, i), *before = WLM_ROW(l->f_before, i);
        const double *f2 = WLM_ROW(l->f_end, i);
        for (int32_t k = 0; k < WLM_LANES; k++) {
            double h = l->h[k], hb = l->h_before[k], e = 0.5 * h * (f1[k] - f0[k]);
            if (m->error == WLM_ERROR_OF_STEPS && hb > 0.0)
                e = h * h * h / 6.0 * ((f1[k] - f0[k]) / h - (f0[k] - before[k]) / hb) / (h + hb);
            if (m->error == WLM_ERROR_OF_STAGES)
                e = m->by * h * (f0[k] / m->over[0] - f1[k] / m->over[1] + f2[k] / m->over[2]);
            WLM_ROW(error, i)[k] = e;
        }
    }
}

static void estimate(wlm_step_lanes *l, const wlm_implicit *m)
{
    int32_t n = l->n;
    double t[WLM_LANES], *dh = wlm_workspace_input(&l->estimate, 1 + n + l->stepper->parameters);
    stage_times(l, 1.0, t);
    memcpy(wlm_workspace_input(&l->estimate, 0), t, sizeof t);
    rows_copy(wlm_workspace_input(&l->estimate, 1), l->next_y, n);
    for (int32_t k = 0; k < WLM_LANES; k++) dh[k] = m->share * l->h[k];
    estimate_charges(l, m, error_inputs(l));
    rows_copy(WLM_ROW(error_inputs(l), n), l->y, n);
    wlm_workspace_run(&l->estimate, l->used);
    memcpy(l->norm, wlm_workspace_output(&l->estimate, 0), sizeof l->norm);
    memcpy(l->factor, wlm_workspace_output(&l->estimate, 1), sizeof l->factor);
    const double *health = wlm_workspace_output(&l->estimate, 2);
    for (int32_t k = 0; k < l->used; k++)
        if (still(l, k)) l->trouble[k] = wlm_lane_verdict(l, l->norm[k], health[k]);
}

void wlm_step_lanes_attempt_newton(wlm_step_lanes *l)
{
    const wlm_implicit *m = l->stepper->facts->implicit;
    double t[WLM_LANES];
    memset(l->trouble, 0, sizeof l->trouble);
    stage_times(l, 0.0, t);
    evaluate(l, t, l->y, l->q, l->f);
    first_stage(l, m);
    if (m->stages > 1) second_stage(l, m);
    l->next_state = l->next_y;
    if (l->estimate.part != NULL) estimate(l, m);
}
