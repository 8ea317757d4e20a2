/* Steps by methods with Newton's iterations, in charges, by their tableaux (method/tableau.h); errors go through the
 * matrix.
 *
 * Algebraic rows are f = 0 at the end of each stage. An iteration makes M and J anew. It ends where the change is a
 * hundredth of the tolerance: what the last change leaves is of the square of it. */
#include "model/step/lanes.h"

#include "model/elementary/algebra_portable.h"
#include "model/method/control.h"

enum { ITERATIONS_MOST = 10 };

/* Evaluates q and f at times and states. */
static void evaluate(wlm_step_lanes *l, const double *t, const double *y, double *q, double *f)
{
    wlm_step_lanes_run(l, &l->charges, t, y);
    wlm_step_lanes_copy(l, q, wlm_workspace_output(&l->charges, 0), l->n);
    wlm_step_lanes_copy(l, f, wlm_workspace_output(&l->charges, l->n), l->n);
}

static void stage_times(const wlm_step_lanes *l, double c, double *t)
{
    for (int32_t k = 0; k < l->used; k++) t[k] = wlm_control_stage_time(l->t[k], l->h[k], c, l->first[k], l->last[k]);
}

static int still(const wlm_step_lanes *l, int32_t lane)
{
    return l->pace[lane].member >= 0 && l->trouble[lane] == WARPLU_SUCCESS;
}

/* Takes a lane's new iterate; returns 1 where another one is needed. */
static int iterate_lane(wlm_step_lanes *l, int32_t lane, int round, double *change)
{
    double norm = wlm_workspace_output(&l->newton, l->n)[lane],
           health = wlm_workspace_output(&l->newton, l->n + 1)[lane];
    l->drive->fate[l->pace[lane].member].iterations++;
    wlm_iteration after = wlm_control_iteration(norm, health, change[lane], (M){round > 1});
    l->trouble[lane] = (warplu_status)after.status;
    if (l->trouble[lane] != WARPLU_SUCCESS) return 0;
    change[lane] = norm;
    wlm_lane_iterate(l, lane);
    return !after.is_done.is;
}

/* Solves q(y) - c = d h f(t, y), where c stands in the workspace and y is where it begins; the solution stands
 * there. */
static void solve_stage(wlm_step_lanes *l, const double *t, double d)
{
    unsigned char active[WLM_LANES];
    double change[WLM_LANES] = {0.0};
    double *dh = wlm_newton_lengths(l);
    wlm_step_lanes_copy(l, wlm_workspace_input(&l->newton, 0), t, 1);
    for (int32_t k = 0; k < l->used; k++) dh[k] = d * l->h[k];
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

static double *error_inputs(const wlm_step_lanes *l)
{
    return wlm_workspace_input(&l->estimate, 3 + l->n + l->stepper->parameters);
}

/* Solves the first stage, from q and f at t. */
static void first_stage(wlm_step_lanes *l, const wlm_implicit *m)
{
    double t[WLM_LANES], *charge = wlm_newton_charges(l);
    for (int32_t i = 0; i < l->n; i++)
        for (int32_t k = 0; k < l->used; k++)
            WLM_ROW(charge, i)[k] = wlm_control_first_charge(m, l->h[k], WLM_ROW(l->q, i)[k], WLM_ROW(l->f, i)[k]);
    wlm_step_lanes_copy(l, wlm_workspace_input(&l->newton, 1), l->y, l->n);
    stage_times(l, m->time, t);
    solve_stage(l, t, m->share);
    wlm_step_lanes_copy(l, l->next_y, wlm_workspace_input(&l->newton, 1), l->n);
    evaluate(l, t, l->next_y, l->q_stage, l->f_stage);
}

static void second_stage(wlm_step_lanes *l, const wlm_implicit *m)
{
    double t[WLM_LANES], *charge = wlm_newton_charges(l), *y = wlm_workspace_input(&l->newton, 1);
    for (int32_t i = 0; i < l->n; i++)
        for (int32_t k = 0; k < l->used; k++) {
            WLM_ROW(charge, i)[k] = wlm_control_second_charge(m, WLM_ROW(l->q, i)[k], WLM_ROW(l->q_stage, i)[k]);
            WLM_ROW(y, i)[k] = wlm_control_second_guess(m, WLM_ROW(l->y, i)[k], WLM_ROW(y, i)[k]);
        }
    stage_times(l, 1.0, t);
    solve_stage(l, t, m->share);
    wlm_step_lanes_copy(l, l->next_y, y, l->n);
    evaluate(l, t, l->next_y, l->q_stage, l->f_end);
}

/* Computes errors in charges, for each lane and unknown. */
static void estimate_charges(wlm_step_lanes *l, const wlm_implicit *m, double *error)
{
    for (int32_t i = 0; i < l->n; i++)
        for (int32_t k = 0; k < l->used; k++) {
            wlm_rates f = {WLM_ROW(l->f, i)[k], WLM_ROW(l->f_stage, i)[k], WLM_ROW(l->f_end, i)[k],
                           WLM_ROW(l->f_before, i)[k], l->h_before[k]};
            WLM_ROW(error, i)[k] = wlm_control_error(m, l->h[k], &f);
        }
}

static void estimate(wlm_step_lanes *l, const wlm_implicit *m)
{
    int32_t n = l->n;
    double t[WLM_LANES], *dh = wlm_workspace_input(&l->estimate, 1 + n + l->stepper->parameters);
    stage_times(l, 1.0, t);
    wlm_step_lanes_copy(l, wlm_workspace_input(&l->estimate, 0), t, 1);
    wlm_step_lanes_copy(l, wlm_workspace_input(&l->estimate, 1), l->next_y, n);
    for (int32_t k = 0; k < l->used; k++) {
        dh[k] = m->share * l->h[k];
        WLM_ROW(dh, 1)[k] = wlm_control_untold(m, l->t[k], l->drive->t1, l->h_before[k]);
    }
    estimate_charges(l, m, error_inputs(l));
    wlm_step_lanes_copy(l, WLM_ROW(error_inputs(l), n), l->y, n);
    wlm_workspace_run(&l->estimate, l->used);
    wlm_step_lanes_take_estimate(l, wlm_workspace_output(&l->estimate, 0));
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
