/* Finds where steps of lanes end, by pace.h: at outputs, edges, timed events. */
#include "model/step/lanes.h"

void wlm_lane_find_edge(wlm_step_lanes *l, int32_t lane)
{
    const wlm_equations *e = l->stepper->equations;
    wlm_pace *a = &l->pace[lane];
    double now = l->t[lane];
    wlm_pace_clear(a);
    for (int32_t k = 0; k < e->pulses; k++) {
        const double *pulse = WLM_ROW(l->pulse, 3 * k) + lane;
        wlm_pace_times(a, now, e->pulse[k].table, pulse[0], pulse[WLM_LANES], pulse[2 * WLM_LANES], 2 * k);
    }
    for (int32_t k = 0; k < e->events; k++) wlm_pace_edge(a, now, wlm_lane_event_time(l, k, lane), 2 * e->pulses + k);
    l->last[lane] = wlm_pace_last(a);
}

void wlm_lane_find_stop(wlm_step_lanes *l, int32_t lane)
{
    wlm_pace *a = &l->pace[lane];
    const wlm_drive *d = l->drive;
    double stop = d->t1;
    if (a->output < d->outputs && d->output[a->output] < stop) stop = d->output[a->output];
    if (a->probe != 0.0 && a->probe < stop) stop = a->probe;
    wlm_pace_stop(a, l->t[lane], stop, l->stepper->options.step);
}

void wlm_lane_restart(wlm_step_lanes *l, int32_t lane, int32_t kind)
{
    const wlm_equations *e = l->stepper->equations;
    const wlm_table *table = kind < 2 * e->pulses ? e->pulse[kind / 2].table : NULL;
    wlm_pace_restart(&l->pace[lane], l->t[lane], kind, WLM_ROW(l->learnt, kind)[lane], table);
    l->first[lane] = wlm_behind(l->t[lane]);
    l->h_before[lane] = 0.0;
}
