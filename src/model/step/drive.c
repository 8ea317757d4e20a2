#include "model/step/drive.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "model/step/lanes.h"

/* The shortest step that is tried. */
static double shortest(const wlm_step_lanes *l, int32_t lane)
{
    double given = l->stepper->options.shortest;
    return fmax(given, fmax(16.0 * DBL_EPSILON * fabs(l->t[lane]), 1e-20 * (l->drive->t1 - l->drive->t0)));
}

static void reject(wlm_step_lanes *l, int32_t lane, double factor, warplu_status status)
{
    wlm_lane *a = &l->lane[lane];
    wlm_fate *fate = &l->drive->fate[a->member];
    fate->rejected++;
    a->want = l->h[lane] * factor;
    a->high = 0.0;
    a->rejected = 1;
    if (l->stepper->options.step > 0.0 || a->want < shortest(l, lane)) wlm_lane_finish(l, lane, status);
}

/* 1 where the step's length is not yet that of its first event. */
static int search(wlm_step_lanes *l, int32_t lane)
{
    wlm_lane *a = &l->lane[lane];
    double h = l->h[lane];
    if (!wlm_lane_crosses(l, lane)) {
        if (a->high == 0.0) return 0;
        a->low = h;
        return 1;
    }
    if (a->high == 0.0) a->low = 0.0;
    a->high = h;
    if (!wlm_lane_found(l, lane)) return 1;
    a->high = 0.0;
    return 0;
}

static void report(wlm_step_lanes *l, int32_t lane)
{
    wlm_lane *a = &l->lane[lane];
    const wlm_drive *d = l->drive;
    for (; a->output < d->outputs && d->output[a->output] <= l->t[lane]; a->output++) {
        if (d->row == NULL) continue;
        for (int32_t i = 0; i < l->n; i++) l->row[i] = WLM_ROW(l->y, i)[lane];
        d->row(d->user, a->member, a->output, l->row);
    }
}

/* At a stop: outputs have what is before the jump. */
static void arrive(wlm_step_lanes *l, int32_t lane)
{
    wlm_lane *a = &l->lane[lane];
    l->t[lane] = a->stop;
    report(l, lane);
    if (a->stop >= a->edge) {
        int32_t event = a->kind - 2 * l->stepper->equations->pulses;
        if (event >= 0) l->fired[event * WLM_LANES + lane] = 1;
        l->jumped[lane] = 1;
    }
    if (a->stop >= l->drive->t1)
        wlm_lane_finish(l, lane, WARPLU_SUCCESS);
    else
        wlm_lane_find_stop(l, lane);
}

static void accept(wlm_step_lanes *l, int32_t lane)
{
    wlm_lane *a = &l->lane[lane];
    wlm_fate *fate = &l->drive->fate[a->member];
    double h = l->h[lane], next = h * (a->rejected ? fmin(l->factor[lane], 1.0) : l->factor[lane]);
    for (int32_t i = 0; i < l->n; i++) WLM_ROW(l->y, i)[lane] = WLM_ROW(l->next_state, i)[lane];
    for (int32_t i = 0; i < l->n && l->charges.part != NULL; i++)
        WLM_ROW(l->f_before, i)[lane] = WLM_ROW(l->f, i)[lane];
    l->h_before[lane] = h;
    if (a->behind >= 0) WLM_ROW(l->learnt, a->behind)[lane] = h;
    a->behind = -1;
    if (l->stepper->options.step == 0.0) a->want = h < a->want ? fmax(next, a->want) : next;
    a->rejected = 0;
    fate->steps++;
    if (l->crossing.part != NULL) wlm_lane_fire(l, lane);
    l->t[lane] += h;
    if (a->ends || a->stop - l->t[lane] <= 8.0 * DBL_EPSILON * fabs(a->stop)) arrive(l, lane);
}

static void judge(wlm_step_lanes *l, int32_t lane, int is_finite)
{
    int controlled = l->stepper->options.step == 0.0;
    warplu_status trouble = l->trouble[lane];
    if (trouble == WARPLU_SUCCESS && !is_finite) trouble = WARPLU_NOT_FINITE;
    if (trouble != WARPLU_SUCCESS) {
        reject(l, lane, 0.25, trouble);
    } else if (controlled && !(l->norm[lane] <= 1.0)) {
        reject(l, lane, fmin(l->factor[lane], 0.9), WARPLU_STEP_TOO_SMALL);
    } else if (l->crossing.part == NULL || !search(l, lane)) {
        accept(l, lane);
    }
    if (l->lane[lane].member < 0) return;
    wlm_fate *fate = &l->drive->fate[l->lane[lane].member];
    if (fate->steps + fate->rejected >= l->stepper->options.most) wlm_lane_finish(l, lane, WARPLU_STEP_TOO_SMALL);
}

static void judge_all(wlm_step_lanes *l)
{
    double sum[WLM_LANES] = {0.0}, t[WLM_LANES];
    for (int32_t i = 0; i < l->n; i++)
        for (int32_t k = 0; k < WLM_LANES; k++) sum[k] += 0.0 * WLM_ROW(l->next_state, i)[k];
    if (l->crossing.part != NULL) {
        for (int32_t k = 0; k < WLM_LANES; k++) t[k] = l->lane[k].ends ? l->lane[k].stop : l->t[k] + l->h[k];
        wlm_step_lanes_cross(l, t, l->next_state, l->after);
    }
    for (int32_t k = 0; k < l->used; k++)
        if (l->lane[k].member >= 0) judge(l, k, sum[k] == 0.0);
}

static warplu_status run(wlm_step_lanes *l)
{
    int one_step = l->stepper->facts->newton == 0;
    while (l->live > 0 || l->next < l->end) {
        wlm_step_lanes_load(l);
        for (int32_t k = 0; k < l->used; k++)
            if (l->lane[k].member >= 0) wlm_lane_choose(l, k);
        if (one_step)
            wlm_step_lanes_attempt(l);
        else
            wlm_step_lanes_attempt_newton(l);
        judge_all(l);
        wlm_step_lanes_jump(l);
        if (wlu_poll_cancel(l->ctx) != WARPLU_SUCCESS) return WARPLU_CANCELLED;
    }
    return WARPLU_SUCCESS;
}

warplu_status wlm_drive_check(const wlm_stepper *stepper, const wlm_drive *drive)
{
    wlu_context *ctx = stepper->ctx;
    const wlm_drive *d = drive;
    if (d->fate == NULL || (d->parameter == NULL && stepper->parameters > 0))
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "step: members have no place for their fates, or no parameters");
    if (!isfinite(d->t0) || !isfinite(d->t1) || !(d->t0 < d->t1))
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "step: times from %g to %g", d->t0, d->t1);
    for (int32_t k = 0; k < d->outputs; k++)
        if (!(d->output[k] >= (k == 0 ? d->t0 : d->output[k - 1]) && d->output[k] <= d->t1))
            return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "step: output time %d is out of order", (int)k);
    return WARPLU_SUCCESS;
}

warplu_status wlm_drive_members(const wlm_stepper *stepper, const wlm_drive *drive, int64_t first, int64_t count)
{
    wlu_context *ctx = stepper->ctx;
    warplu_status status = wlm_drive_check(stepper, drive);
    if (status != WARPLU_SUCCESS) return status;
    wlm_step_lanes *l = WLU_CALLOC(ctx, 1, wlm_step_lanes);
    if (l == NULL) return wlu_fail_memory(ctx, "step");
    status = wlm_step_lanes_open(l, stepper, drive);
    l->next = first, l->end = first + count;
    if (status == WARPLU_SUCCESS) status = run(l);
    wlm_step_lanes_close(l);
    wlu_free(ctx, l);
    for (int64_t m = first; m < first + count && status == WARPLU_SUCCESS; m++)
        if (drive->fate[m].status != WARPLU_SUCCESS) status = WARPLU_MEMBERS_FAILED;
    return status;
}
