/* Finds events by crossing and by time, and makes what follows a jump. */
#include <math.h>
#include <string.h>

#include "model/step/lanes.h"

void wlm_step_lanes_cross(wlm_step_lanes *l, const double *t, const double *y, double *crossing)
{
    size_t bytes = WLM_LANES * sizeof(double);
    memcpy(wlm_workspace_input(&l->crossing, 0), t, bytes);
    memcpy(wlm_workspace_input(&l->crossing, 1), y, (size_t)l->n * bytes);
    wlm_workspace_run(&l->crossing, l->used);
    memcpy(crossing, wlm_workspace_output(&l->crossing, 0), (size_t)l->stepper->equations->events * bytes);
}

static int rises(const wlm_step_lanes *l, int32_t event, int32_t lane)
{
    return WLM_ROW(l->before, event)[lane] < 0.0 && WLM_ROW(l->after, event)[lane] >= 0.0;
}

int wlm_lane_crosses(const wlm_step_lanes *l, int32_t lane)
{
    for (int32_t k = 0; k < l->stepper->equations->events; k++)
        if (rises(l, k, lane)) return 1;
    return 0;
}

void wlm_lane_fire(wlm_step_lanes *l, int32_t lane)
{
    for (int32_t k = 0; k < l->stepper->equations->events; k++) {
        if (rises(l, k, lane)) {
            l->fired[k * WLM_LANES + lane] = 1;
            l->jumped[lane] = 1;
            l->pace[lane].kind = 2 * l->stepper->equations->pulses + k;
        }
        WLM_ROW(l->before, k)[lane] = WLM_ROW(l->after, k)[lane];
    }
}

/* Notes all events of this time: several may have one, for edges differ by more than rounding. */
void wlm_lane_fire_timed(wlm_step_lanes *l, int32_t lane)
{
    const wlm_equations *e = l->stepper->equations;
    double edge = l->pace[lane].edge;
    for (int32_t k = 0; k < e->events; k++) {
        double at = WLM_ROW(l->pulse, 3 * e->pulses + k)[lane];
        if (at >= edge && at - edge <= wlm_slack(edge)) l->fired[k * WLM_LANES + lane] = 1;
    }
    l->jumped[lane] = 1;
}

/* Makes assignments; all read the values before any of them. */
static void assign(wlm_step_lanes *l)
{
    const wlm_equations *e = l->stepper->equations;
    memcpy(wlm_workspace_input(&l->assign, 0), l->t, sizeof l->t);
    memcpy(wlm_workspace_input(&l->assign, 1), l->y, (size_t)l->n * WLM_LANES * sizeof *l->y);
    wlm_workspace_run(&l->assign, l->used);
    int32_t at = 0;
    for (int32_t k = 0; k < e->events; at += e->event[k++].assignments)
        for (int32_t lane = 0; lane < l->used; lane++) {
            if (!l->fired[k * WLM_LANES + lane]) continue;
            l->fired[k * WLM_LANES + lane] = 0;
            if (l->pace[lane].member < 0) continue;
            l->drive->fate[l->pace[lane].member].events++;
            for (int32_t i = 0; i < e->event[k].assignments; i++)
                WLM_ROW(l->y, e->event[k].state[i])[lane] = wlm_workspace_output(&l->assign, at + i)[lane];
        }
}

void wlm_step_lanes_jump(wlm_step_lanes *l)
{
    int32_t any = 0;
    for (int32_t k = 0; k < l->used; k++) {
        l->jumped[k] = (unsigned char)(l->jumped[k] && l->pace[k].member >= 0);
        any += l->jumped[k];
        if (l->jumped[k]) wlm_lane_restart(l, k, l->pace[k].kind);
    }
    if (any == 0) return;
    if (l->assign.part != NULL) assign(l);
    wlm_step_lanes_make_consistent(l, l->jumped);
    if (l->crossing.part != NULL) wlm_step_lanes_cross(l, l->t, l->y, l->after);
    for (int32_t k = 0; k < l->used; k++) {
        if (!l->jumped[k] || l->pace[k].member < 0) continue;
        for (int32_t i = 0; i < l->stepper->equations->events; i++) WLM_ROW(l->before, i)[k] = WLM_ROW(l->after, i)[k];
        wlm_lane_find_edge(l, k);
        if (l->t[k] >= l->drive->t1)
            wlm_lane_finish(l, k, WARPLU_SUCCESS, -1);
        else
            wlm_lane_find_stop(l, k);
    }
    memset(l->jumped, 0, sizeof l->jumped);
}
