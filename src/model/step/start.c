/* Makes lanes consistent at t0 and behind jumps: algebraic rows are solved by damped Newton, in a step of backward
 * Euler so short that no charge moves beyond rounding. A change that does not become smaller by the next one is
 * halved (natural monotonicity: Deuflhard, Newton Methods for Nonlinear Problems, 2004, 3.3). */
#include <math.h>
#include <string.h>

#include "model/step/lanes.h"

enum { ROUNDS_MOST = 200 };
static const double LEAST_DAMPING = 1.0 / 1024.0;

/* For each lane that is made consistent: the last change that was taken, and which share of it. */
typedef struct damped {
    unsigned char active[WLM_LANES];
    double size[WLM_LANES], share[WLM_LANES];
    double *base, *change; /* n rows */
} damped;

static void move(const wlm_step_lanes *l, const damped *d, int32_t lane)
{
    for (int32_t i = 0; i < l->n; i++)
        wlm_workspace_input(&l->newton, 1 + i)[lane] =
            WLM_ROW(d->base, i)[lane] + d->share[lane] * WLM_ROW(d->change, i)[lane];
}

/* Returns the size of the change that the run asks for, on the scale of its beginning and of the base that it is
 * compared with: on a scale of its own a change towards zero would be as large as the one before. */
static double size_of(const wlm_step_lanes *l, const damped *d, int32_t lane)
{
    double most = 0.0;
    for (int32_t i = 0; i < l->n; i++) {
        double from = wlm_workspace_input(&l->newton, 1 + i)[lane];
        double size = fmax(fabs(from), fabs(WLM_ROW(d->base, i)[lane]));
        double part = wlm_tolerance_ratio(&l->stepper->asked, wlm_workspace_output(&l->newton, i)[lane] - from, size);
        if (!(part <= most)) most = part; /* so that a NaN stays */
        if (isnan(most)) break;
    }
    return most;
}

/* Takes the result of a run for a lane; returns 0 once the lane is done or lost. */
static int settle(wlm_step_lanes *l, damped *d, int32_t lane, int round)
{
    double size = size_of(l, d, lane), norm = wlm_workspace_output(&l->newton, l->n)[lane],
           health = wlm_workspace_output(&l->newton, l->n + 1)[lane];
    double less = 1.0 - 0.25 * d->share[lane];
    int worse = round > 0 && !(size <= d->size[lane] * less);
    /* where an unknown follows a charge that is held by force, its pivot is small */
    int finite = isfinite(norm) && (health > 0.0 || (health == health && l->stepper->index_is_higher));
    if (round > 0 && (worse || !finite) && d->share[lane] > LEAST_DAMPING && d->size[lane] > 0.01) {
        d->share[lane] *= 0.5;
        move(l, d, lane);
        return 1;
    }
    if (worse && finite && l->stepper->index_is_higher) return 0; /* rounding over the step; followers are found next */
    if (!finite) {
        l->trouble[lane] = wlm_pace_verdict(norm, health, 0.0, wlm_weak_pivot(l->stepper));
        return 0;
    }
    for (int32_t i = 0; i < l->n; i++) {
        WLM_ROW(d->base, i)[lane] = wlm_workspace_input(&l->newton, 1 + i)[lane];
        WLM_ROW(d->change, i)[lane] = wlm_workspace_output(&l->newton, i)[lane] - WLM_ROW(d->base, i)[lane];
    }
    d->size[lane] = size_of(l, d, lane);
    d->share[lane] = fmin(1.0, 4.0 * d->share[lane]);
    if (norm <= 1e-3) d->share[lane] = 1.0;
    move(l, d, lane);
    return norm > 1e-3;
}

static void prepare(wlm_step_lanes *l, damped *d, const unsigned char *marked)
{
    int32_t n = l->n;
    double *dh = wlm_newton_lengths(l);
    double *t = wlm_workspace_input(&l->newton, 0), *y = wlm_workspace_input(&l->newton, 1);
    *d = (damped){.base = l->base, .change = l->next_y};
    for (int32_t k = 0; k < WLM_LANES; k++) {
        t[k] = fmax(l->t[k], l->first[k]);
        dh[k] = 1e-12 * (l->drive->t1 - l->drive->t0);
        d->active[k] = marked[k], d->share[k] = 1.0;
        l->trouble[k] = WARPLU_SUCCESS;
    }
    memcpy(y, l->y, (size_t)n * WLM_LANES * sizeof *y);
    memcpy(d->base, y, (size_t)n * WLM_LANES * sizeof *y);
    wlm_step_lanes_run(l, &l->charges, t, y);
    wlm_step_lanes_copy(l, wlm_newton_charges(l), wlm_workspace_output(&l->charges, 0), n);
}

void wlm_step_lanes_make_consistent(wlm_step_lanes *l, const unsigned char *marked)
{
    damped d;
    int left = 0;
    for (int32_t k = 0; k < l->used; k++) left += marked[k];
    if (l->stepper->algebraic == 0 || left == 0) return;
    prepare(l, &d, marked);
    for (int round = 0; left > 0 && round < ROUNDS_MOST; round++) {
        wlm_workspace_run(&l->newton, l->used);
        left = 0;
        for (int32_t k = 0; k < l->used; k++) {
            if (!d.active[k]) continue;
            l->drive->fate[l->pace[k].member].iterations++;
            left += d.active[k] = (unsigned char)settle(l, &d, k, round);
        }
    }
    for (int32_t k = 0; k < l->used; k++) {
        if (!marked[k]) continue;
        for (int32_t i = 0; i < l->n; i++) WLM_ROW(l->y, i)[k] = wlm_workspace_input(&l->newton, 1 + i)[k];
        /* followers are what rounding makes of so short a step; that others are found is seen where these are */
        if (d.active[k] && !l->stepper->index_is_higher) l->trouble[k] = WARPLU_NO_CONVERGENCE;
        if (l->trouble[k] != WARPLU_SUCCESS) wlm_lane_fail(l, k, l->trouble[k], wlm_workspace_output(&l->newton, 0));
    }
    if (l->stepper->index_is_higher) wlm_step_lanes_follow(l, marked);
}
