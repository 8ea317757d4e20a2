/* Loops over steps of 64 lanes: finds lengths, runs one program of all lanes, then each lane accepts, rejects,
 * arrives at a stop or fails by itself. A lane whose member is done takes the next one, so lanes are idle only at
 * the end. */
#include "model/step/drive.h"

#include <math.h>
#include <string.h>

#include "model/elementary/algebra_portable.h"
#include "model/method/control.h"
#include "model/step/lanes.h"

static void reject(wlm_step_lanes *l, int32_t lane, warplu_status failed, warplu_status why)
{
    wlm_pace *a = &l->pace[lane];
    const wlm_step_options *o = &l->stepper->options;
    l->drive->fate[a->member].rejected++;
    wlm_pace_reject(a, l->h[lane], failed, l->factor[lane]);
    double shortest = wlm_pace_shortest(o->shortest, l->t[lane], l->drive->t1 - l->drive->t0);
    if (o->step > 0.0 || a->want < shortest) wlm_lane_fail(l, lane, why, l->next_state);
}

void wlm_lane_report(wlm_step_lanes *l, int32_t lane)
{
    wlm_pace *a = &l->pace[lane];
    const wlm_drive *d = l->drive;
    for (; a->output < d->outputs && d->output[a->output] <= l->t[lane]; a->output++) {
        if (d->row == NULL) continue;
        for (int32_t i = 0; i < l->n; i++) l->row[i] = WLM_ROW(l->y, i)[lane];
        d->row(d->user, a->member, a->output, wlm_lane_clock(l, lane), l->h_before[lane], l->row);
    }
}

void wlm_lane_arrive(wlm_step_lanes *l, int32_t lane)
{
    wlm_pace *a = &l->pace[lane];
    wlm_lane_report(l, lane);
    if (a->lost && a->stop >= a->edge) {
        l->drive->fate[a->member].is_lost = 1;
        wlm_lane_finish(l, lane, WARPLU_STEP_TOO_SMALL, -1);
        return;
    }
    wlm_lane_probe(l, lane);
    if (a->member < 0) return;
    if (a->stop >= a->edge) wlm_lane_fire_timed(l, lane);
    if (l->jumped[lane]) return;
    if (a->stop >= l->drive->t1)
        wlm_lane_finish(l, lane, WARPLU_SUCCESS, -1);
    else
        wlm_lane_find_stop(l, lane);
}

/* Returns the first range that has been left, or NULL; looks at ranges of states where that is due. */
static const wlm_range *range_left(const wlm_step_lanes *l, int32_t lane, int is_due)
{
    const wlm_equations *e = l->stepper->equations;
    const wlm_step_options *o = &l->stepper->options;
    for (int32_t k = 0; k < e->positive; k++)
        if (!(WLM_ROW(l->y, e->range[k].unknown)[lane] > 0.0)) return &e->range[k];
    for (int32_t k = e->positive; is_due && k < e->ranges; k++) {
        const wlm_range *r = &e->range[k];
        double slack = wlm_range_slack(r->least, r->most, o->relative, o->absolute),
               y = WLM_ROW(l->y, r->unknown)[lane];
        if (y < r->least - slack || y > r->most + slack) return r;
    }
    return NULL;
}

int wlm_lane_leaves(wlm_step_lanes *l, int32_t lane, int is_due)
{
    const wlm_range *left = range_left(l, lane, is_due);
    if (left != NULL) wlm_lane_finish(l, lane, WARPLU_OUT_OF_RANGE, left->unknown);
    return left != NULL;
}

/* Whether a step of h from the lane's time, which is to be accepted, makes it stray. */
static int strays(const wlm_step_lanes *l, int32_t lane, double h)
{
    const wlm_implicit *m = l->stepper->facts->implicit;
    return wlm_stepper_strays(l->stepper) && wlm_control_strays(m, l->t[lane], l->drive->t1, l->h_before[lane], h).is;
}

static void accept(wlm_step_lanes *l, int32_t lane)
{
    wlm_pace *a = &l->pace[lane];
    wlm_fate *fate = &l->drive->fate[a->member];
    double h = l->h[lane];
    for (int32_t i = 0; i < l->n; i++) WLM_ROW(l->y, i)[lane] = WLM_ROW(l->next_state, i)[lane];
    for (int32_t i = 0; i < l->n && l->charges.part != NULL; i++)
        WLM_ROW(l->f_before, i)[lane] = WLM_ROW(l->f, i)[lane];
    l->strayed[lane] = (unsigned char)strays(l, lane, h);
    l->h_before[lane] = h;
    if (a->behind >= 0) WLM_ROW(l->learnt, a->behind)[lane] = h;
    int arrives = wlm_pace_accept(a, &l->t[lane], h, l->factor[lane], l->stepper->options.step);
    fate->steps++;
    int is_due = arrives || !wlm_method_is_plain(l->stepper->options.method, l->stepper->options.step);
    if (wlm_lane_leaves(l, lane, is_due)) return;
    if (l->crossing.part != NULL && !wlm_lane_end_step(l, lane, arrives && a->stop >= a->edge)) return;
    if (arrives) wlm_lane_arrive(l, lane);
}

/* sum: of the new state's numbers times 0. */
static void judge(wlm_step_lanes *l, int32_t lane, double sum)
{
    warplu_status failed = l->trouble[lane];
    if (failed == WARPLU_SUCCESS)
        failed = wlm_pace_verdict(l->norm[lane], l->health[lane], sum, wlm_weak_pivot(l->stepper));
    warplu_status why = wlm_pace_judge(failed, l->norm[lane], l->stepper->options.step);
    if (why != WARPLU_SUCCESS) {
        reject(l, lane, failed, why);
    } else if (l->crossing.part == NULL ||
               !wlm_pace_searches(&l->pace[lane], l->t[lane], l->h[lane], wlm_lane_crosses(l, lane))) {
        accept(l, lane);
    }
    if (l->pace[lane].member < 0 || l->t[lane] >= l->drive->t1) return; /* it has come to the end */
    wlm_fate *fate = &l->drive->fate[l->pace[lane].member];
    if (fate->steps + fate->rejected >= l->stepper->options.most)
        wlm_lane_fail(l, lane, WARPLU_TOO_MANY_STEPS, l->next_state);
}

/* Sets sum to 0 of lanes whose new state is finite, to NaN of others. */
static void find_finite(const wlm_step_lanes *l, double *sum)
{
    for (int32_t k = 0; k < l->used; k++) sum[k] = 0.0;
    for (int32_t i = 0; i < l->n && l->used == 1; i++) sum[0] += 0.0 * WLM_ROW(l->next_state, i)[0];
    for (int32_t i = 0; i < l->n && l->used > 1; i++)
        for (int32_t k = 0; k < l->used; k++) sum[k] += 0.0 * WLM_ROW(l->next_state, i)[k];
}

static void judge_all(wlm_step_lanes *l)
{
    double sum[WLM_LANES], t[WLM_LANES];
    find_finite(l, sum);
    if (l->crossing.part != NULL) {
        for (int32_t k = 0; k < WLM_LANES; k++) t[k] = l->pace[k].ends ? l->pace[k].stop : l->t[k] + l->h[k];
        wlm_step_lanes_cross(l, t, l->next_state, l->after);
    }
    for (int32_t k = 0; k < l->used; k++)
        if (l->pace[k].member >= 0) judge(l, k, sum[k]);
}

/* Bounds the next step of each live lane by its limits. */
static void limit_all(wlm_step_lanes *l)
{
    const wlm_step_options *o = &l->stepper->options;
    double t[WLM_LANES], least, shortest = wlm_pace_shortest(o->shortest, 0.0, l->drive->t1 - l->drive->t0);
    if (l->limit.part == NULL) return;
    for (int32_t k = 0; k < WLM_LANES; k++) t[k] = wlm_lane_clock(l, k);
    wlm_step_lanes_run(l, &l->limit, t, l->y);
    for (int32_t k = 0; k < l->used; k++) {
        if (l->pace[k].member < 0) continue;
        const double *limit = wlm_workspace_output(&l->limit, 0) + k;
        int32_t which = wlm_pace_least(limit, l->stepper->equations->limits, WLM_LANES, &least);
        warplu_status status = wlm_pace_limit(&l->pace[k], l->t[k], least, o->cfl, shortest);
        if (status != WARPLU_SUCCESS) wlm_lane_fail_limit(l, k, status, which);
    }
}

static warplu_status run(wlm_step_lanes *l)
{
    const wlm_step_options *o = &l->stepper->options;
    int one_step = l->stepper->facts->implicit == NULL;
    while (l->live > 0 || l->next < l->end) {
        wlm_step_lanes_load(l);
        limit_all(l);
        for (int32_t k = 0; k < l->used; k++)
            if (l->pace[k].member >= 0) l->h[k] = wlm_pace_length(&l->pace[k], l->t[k], o->step, o->longest);
        if (one_step)
            wlm_step_lanes_attempt(l);
        else
            wlm_step_lanes_attempt_newton(l);
        judge_all(l);
        wlm_step_lanes_jump(l);
        wlm_step_lanes_follow_strays(l);
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
