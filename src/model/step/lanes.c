/* Holds the memory of lanes, puts members into lanes and takes them out. */
#include "model/step/lanes.h"

#include <stddef.h>

#include "model/elementary/algebra_portable.h"
#include "model/method/control.h"

/* Lanes are filled when so many are idle, for a start costs a few runs of all 64. */
enum { IDLE_ENOUGH = 16 };

_Static_assert(offsetof(wlm_stepper, assign) == offsetof(wlm_stepper, part[WLM_PARTS - 1]) &&
                   offsetof(wlm_step_lanes, assign) == offsetof(wlm_step_lanes, workspace[WLM_PARTS - 1]),
               "a workspace for each part");

warplu_status wlm_step_lanes_open(wlm_step_lanes *l, const wlm_stepper *stepper, const wlm_drive *drive)
{
    wlu_context *ctx = stepper->ctx;
    const wlm_equations *e = stepper->equations;
    int64_t n = stepper->n, rows = 10 * n + 3 * (int64_t)e->pulses + 2 * (int64_t)e->pulses + 4 * (int64_t)e->events;
    *l = (wlm_step_lanes){.stepper = stepper, .drive = drive, .ctx = ctx, .n = stepper->n};
    for (int k = 0; k < WLM_LANES; k++) l->pace[k].member = -1, l->h[k] = l->factor[k] = l->health[k] = 1.0;
    warplu_status status = WARPLU_SUCCESS;
    for (int k = 0; k < WLM_PARTS && status == WARPLU_SUCCESS; k++)
        status = wlm_workspace_open(ctx, &stepper->part[k], &l->workspace[k]);
    if (status != WARPLU_SUCCESS) return status;
    l->block = WLU_CALLOC(ctx, rows * WLM_LANES, double);
    l->row = WLU_ALLOC(ctx, n, double);
    l->fired = WLU_CALLOC(ctx, (int64_t)e->events * WLM_LANES, unsigned char);
    l->recurrence = WLU_ALLOC(ctx, (int64_t)e->events * WLM_LANES, wlm_recurrence);
    l->setter = WLU_CALLOC(ctx, n, int32_t);
    if (!WLU_ALL_THERE(l->block, l->row, l->fired, l->recurrence, l->setter)) return wlu_fail_memory(ctx, "step");
    double **part[] = {&l->q, &l->f, &l->q_stage, &l->f_stage, &l->f_end, &l->f_before, &l->next_y, &l->base, &l->y};
    for (int k = 0; k < 9; k++) *part[k] = WLM_ROW(l->block, k * n);
    if (l->step.part != NULL) l->y = wlm_workspace_input(&l->step, 1);
    l->pulse = WLM_ROW(l->block, 10 * n);
    l->learnt = WLM_ROW(l->pulse, 3 * e->pulses + e->events);
    l->before = WLM_ROW(l->learnt, wlm_kinds(l));
    l->after = WLM_ROW(l->before, e->events);
    return WARPLU_SUCCESS;
}

void wlm_step_lanes_close(wlm_step_lanes *l)
{
    for (int k = 0; k < WLM_PARTS; k++) wlm_workspace_close(l->ctx, &l->workspace[k]);
    wlu_free(l->ctx, l->block);
    wlu_free(l->ctx, l->row);
    wlu_free(l->ctx, l->fired);
    wlu_free(l->ctx, l->recurrence);
    wlu_free(l->ctx, l->setter);
}

void wlm_lane_fail(wlm_step_lanes *l, int32_t lane, warplu_status status, const double *next)
{
    double most = 0.0;
    int32_t found = -1;
    for (int32_t i = 0; i < l->n; i++) {
        double y = WLM_ROW(l->y, i)[lane], after = WLM_ROW(next, i)[lane];
        if (!isfinite(y) || !isfinite(after)) {
            found = i;
            break;
        }
        double change = wlm_control_change(y, after, &l->stepper->asked);
        if (change > most) most = change, found = i;
    }
    wlm_lane_finish(l, lane, status, found);
}

void wlm_lane_finish(wlm_step_lanes *l, int32_t lane, warplu_status status, int32_t unknown)
{
    int64_t member = l->pace[lane].member;
    l->drive->fate[member].status = status;
    l->drive->fate[member].t = l->t[lane];
    l->drive->fate[member].clock = wlm_lane_clock(l, lane);
    l->drive->fate[member].step = l->h_before[lane];
    l->drive->fate[member].unknown = unknown;
    for (int32_t i = 0; i < l->n && l->drive->end != NULL; i++)
        l->drive->end[member * l->n + i] = status == WARPLU_SUCCESS ? WLM_ROW(l->y, i)[lane] : (double)NAN;
    for (int32_t k = 0; k < l->stepper->equations->events; k++) l->fired[k * WLM_LANES + lane] = 0;
    l->pace[lane].member = -1;
    l->h[lane] = 1.0;
    l->live--;
}

void wlm_lane_fail_limit(wlm_step_lanes *l, int32_t lane, warplu_status status, int32_t limit)
{
    l->drive->fate[l->pace[lane].member].limit = 1 + limit;
    wlm_lane_finish(l, lane, status, -1);
}

static void write_workspace(const wlm_step_lanes *l, const wlm_workspace *workspace, const unsigned char *fresh)
{
    int32_t count = l->stepper->parameters;
    if (workspace->part == NULL) return;
    for (int32_t k = 0; k < l->used; k++)
        for (int32_t i = 0; i < count && fresh[k]; i++)
            wlm_workspace_input(workspace, 1 + l->n + i)[k] = l->drive->parameter[l->pace[k].member * count + i];
    wlm_workspace_prepare(workspace);
}

void wlm_step_lanes_write_parameters(wlm_step_lanes *l, const unsigned char *marked)
{
    for (int k = 0; k < WLM_PARTS; k++) write_workspace(l, &l->workspace[k], marked);
}

static void take_initial(wlm_step_lanes *l, int32_t lane)
{
    const wlm_equations *e = l->stepper->equations;
    const double *given = l->drive->start != NULL ? l->drive->start + l->pace[lane].member * l->n : NULL;
    int32_t times = 3 * e->pulses + e->events;
    for (int32_t i = 0; i < l->n; i++)
        WLM_ROW(l->y, i)[lane] = given != NULL ? given[i] : wlm_workspace_output(&l->begin, i)[lane];
    for (int32_t i = 0; i < times; i++) WLM_ROW(l->pulse, i)[lane] = wlm_workspace_output(&l->begin, l->n + i)[lane];
    for (int32_t i = 0; i < wlm_kinds(l); i++) WLM_ROW(l->learnt, i)[lane] = INFINITY;
    for (int32_t i = 0; i < e->events; i++) l->fired[i * WLM_LANES + lane] = 0;
    l->t[lane] = l->drive->t0;
    wlm_lane_find_edge(l, lane);
    l->jumped[lane] = (unsigned char)wlm_pace_begin(&l->pace[lane], l->drive->t0, &l->first[lane]);
    l->h_before[lane] = 0.0;
    l->trouble[lane] = WARPLU_SUCCESS;
}

/* Gives members to idle lanes, from the first lane on, and marks these. */
static void seat(wlm_step_lanes *l, unsigned char *fresh)
{
    memset(fresh, 0, WLM_LANES);
    for (int32_t k = 0; k < WLM_LANES && l->next < l->end; k++) {
        if (l->pace[k].member >= 0) continue;
        l->pace[k] = (wlm_pace){.member = l->next++, .behind = -1};
        l->drive->fate[l->pace[k].member] = (wlm_fate){.t = l->drive->t0, .unknown = -1};
        fresh[k] = 1;
        l->live++;
        if (k >= l->used) l->used = k + 1;
    }
}

static int is_finite(const wlm_step_lanes *l, int32_t lane)
{
    for (int32_t i = 0; i < l->n; i++)
        if (!isfinite(WLM_ROW(l->y, i)[lane])) return 0;
    return 1;
}

/* Finds first steps of the marked lanes; those whose f is not finite end. */
static void choose_first(wlm_step_lanes *l, const unsigned char *fresh)
{
    if (l->first_step.part != NULL) wlm_step_lanes_run(l, &l->first_step, l->t, l->y);
    for (int32_t k = 0; k < l->used; k++) {
        if (!fresh[k] || l->pace[k].member < 0) continue;
        double h = l->first_step.part != NULL ? wlm_workspace_output(&l->first_step, 0)[k] : l->stepper->options.step;
        l->pace[k].want = h;
        for (int32_t i = 0; i < wlm_kinds(l); i++) WLM_ROW(l->learnt, i)[k] = h;
        if (!(h > 0.0) || !is_finite(l, k)) wlm_lane_fail(l, k, WARPLU_NOT_FINITE, l->y);
    }
}

void wlm_step_lanes_load(wlm_step_lanes *l)
{
    unsigned char fresh[WLM_LANES];
    if (l->next == l->end || (l->live > WLM_LANES - IDLE_ENOUGH)) return;
    seat(l, fresh);
    wlm_step_lanes_write_parameters(l, fresh);
    memcpy(wlm_workspace_input(&l->begin, 0), l->t, sizeof l->t);
    wlm_workspace_run(&l->begin, l->used);
    for (int32_t k = 0; k < l->used; k++)
        if (fresh[k]) take_initial(l, k);
    if (!l->drive->settled) wlm_step_lanes_make_consistent(l, fresh);
    choose_first(l, fresh);
    if (l->crossing.part != NULL) wlm_step_lanes_cross(l, l->t, l->y, l->after);
    for (int32_t k = 0; k < l->used; k++) {
        if (!fresh[k] || l->pace[k].member < 0) continue;
        if (!wlm_lane_begin_events(l, k)) continue;
        wlm_lane_report(l, k);
        wlm_lane_find_stop(l, k);
    }
    wlm_step_lanes_jump(l);
}
