/* Finds events by crossing and by time, and makes what follows a jump: rounds of assignments until no event rises. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/step/lanes.h"

void wlm_step_lanes_cross(wlm_step_lanes *l, const double *t, const double *y, double *crossing)
{
    size_t bytes = WLM_LANES * sizeof(double);
    wlm_step_lanes_run(l, &l->crossing, t, y);
    memcpy(crossing, wlm_workspace_output(&l->crossing, 0), (size_t)l->stepper->equations->events * bytes);
}

/* Ends the lane's member because of its events. */
static void fail(wlm_step_lanes *l, int32_t lane, wlm_event_trouble trouble)
{
    l->drive->fate[l->pace[lane].member].trouble = trouble;
    wlm_lane_finish(l, lane, wlm_event_status(trouble.fault), trouble.unknown);
}

static int rises(const wlm_step_lanes *l, int32_t event, int32_t lane)
{
    return wlm_pace_rises(WLM_ROW(l->before, event)[lane], WLM_ROW(l->after, event)[lane]);
}

/* Notes an event that happens; returns 0 where it happens too often: the lane is done. */
static int note(wlm_step_lanes *l, int32_t event, int32_t lane)
{
    l->fired[event * WLM_LANES + lane] = 1;
    l->jumped[lane] = 1;
    wlm_recurrence *r = &l->recurrence[event * WLM_LANES + lane];
    wlm_event_fault fault = wlm_recurrence_fire(r, l->t[lane], WLM_ROW(l->after, event)[lane]);
    if (fault != WLM_EVENT_FINE) fail(l, lane, (wlm_event_trouble){fault, event, event, -1});
    return fault == WLM_EVENT_FINE;
}

int wlm_lane_begin_events(wlm_step_lanes *l, int32_t lane)
{
    const wlm_equations *e = l->stepper->equations;
    int is_start = l->t[lane] == 0.0;
    for (int32_t k = 0; k < e->events; k++) {
        WLM_ROW(l->before, k)[lane] = WLM_ROW(l->after, k)[lane];
        wlm_recurrence_begin(&l->recurrence[k * WLM_LANES + lane]);
        if (is_start && e->event[k].initially && WLM_ROW(l->after, k)[lane] >= 0.0) {
            l->pace[lane].kind = 2 * e->pulses + k;
            note(l, k, lane);
        }
        if (e->event[k].at == WLM_NONE || wlm_event_has_time(WLM_ROW(l->pulse, 3 * e->pulses + k)[lane], l->t[lane]))
            continue;
        fail(l, lane, (wlm_event_trouble){WLM_EVENT_TIME, k, k, -1});
        return 0;
    }
    return 1;
}

int wlm_lane_crosses(const wlm_step_lanes *l, int32_t lane)
{
    for (int32_t k = 0; k < l->stepper->equations->events; k++)
        if (rises(l, k, lane)) return 1;
    return 0;
}

/* Notes events whose crossing rises from before to after, and makes the level of after the new before. Returns 1 where
 * there are any; 0 also where the lane is done. */
static int fire(wlm_step_lanes *l, int32_t lane)
{
    int any = 0;
    for (int32_t k = 0; k < l->stepper->equations->events; k++) {
        const wlm_recurrence *r = &l->recurrence[k * WLM_LANES + lane];
        if (rises(l, k, lane)) {
            any = 1;
            l->pace[lane].kind = 2 * l->stepper->equations->pulses + k;
            if (!note(l, k, lane)) return 0;
        }
        double *before = &WLM_ROW(l->before, k)[lane];
        *before = wlm_recurrence_level(r, l->t[lane], WLM_ROW(l->after, k)[lane]);
    }
    return any;
}

int wlm_lane_end_step(wlm_step_lanes *l, int32_t lane, int is_edge)
{
    if (is_edge || wlm_lane_crosses(l, lane))
        for (int32_t k = 0; k < l->stepper->equations->events; k++) {
            double before = WLM_ROW(l->before, k)[lane], after = WLM_ROW(l->after, k)[lane];
            if (wlm_event_is_ahead(before, after, l->t[lane], l->h_before[lane]) && !note(l, k, lane)) return 0;
        }
    fire(l, lane);
    return l->pace[lane].member >= 0;
}

double wlm_lane_event_time(const wlm_step_lanes *l, int32_t event, int32_t lane)
{
    const wlm_equations *e = l->stepper->equations;
    int32_t due = e->event[event].due;
    return due > 0 ? WLM_ROW(l->y, due - 1)[lane] : WLM_ROW(l->pulse, 3 * e->pulses + event)[lane];
}

/* Notes all events of this time: several may have one, for edges differ by more than rounding. */
void wlm_lane_fire_timed(wlm_step_lanes *l, int32_t lane)
{
    const wlm_equations *e = l->stepper->equations;
    double edge = l->pace[lane].edge;
    for (int32_t k = 0; k < e->events; k++) {
        double at = wlm_lane_event_time(l, k, lane);
        int is_now = e->event[k].due > 0 ? wlm_event_is_due(at, edge) : fabs(at - edge) <= wlm_slack(edge);
        if (is_now) l->fired[k * WLM_LANES + lane] = 1;
    }
    l->jumped[lane] = 1;
}

void wlm_lane_probe(wlm_step_lanes *l, int32_t lane)
{
    wlm_pace *a = &l->pace[lane];
    if (a->probe == 0.0 || l->t[lane] < a->probe) return;
    a->probe = 0.0;
    for (int32_t k = 0; k < l->stepper->equations->events; k++) {
        wlm_recurrence *r = &l->recurrence[k * WLM_LANES + lane];
        wlm_event_fault fault = wlm_recurrence_probe(r, l->t[lane], WLM_ROW(l->before, k)[lane]);
        wlm_recurrence_ahead(r, &a->probe);
        if (fault == WLM_EVENT_FINE) continue;
        fail(l, lane, (wlm_event_trouble){fault, k, k, -1});
        return;
    }
}

/* Returns what is wrong with the queue of an event, whose values stand from `at` on. */
static wlm_event_fault queue_fault(const wlm_step_lanes *l, int32_t lane, const wlm_event *e, int32_t at)
{
    double before[WLM_EVENT_WAITING_MOST], behind[WLM_EVENT_WAITING_MOST];
    for (int32_t k = 0; k < e->slots; k++) {
        before[k] = WLM_ROW(l->y, e->state[k])[lane];
        behind[k] = wlm_workspace_output(&l->assign, at + k)[lane];
    }
    return wlm_queue_fault(before, behind, e->slots, l->t[lane]);
}

/* Sets states by an event. Returns the trouble where another one has set a state to another value. */
static wlm_event_trouble assign_event(wlm_step_lanes *l, int32_t lane, int32_t event, int32_t at)
{
    const wlm_event *e = &l->stepper->equations->event[event];
    wlm_event_fault fault = e->slots > 0 ? queue_fault(l, lane, e, at) : WLM_EVENT_FINE;
    if (fault != WLM_EVENT_FINE) return (wlm_event_trouble){fault, event, event, -1};
    for (int32_t i = 0; i < e->assignments; i++) {
        int32_t state = e->state[i];
        double value = wlm_workspace_output(&l->assign, at + i)[lane], *y = &WLM_ROW(l->y, state)[lane];
        if (l->setter[state] == 0) l->row[state] = *y;
        if (value == l->row[state] && (wlm_event_how(e, i) & WLM_SETS_MAYBE) != 0) continue;
        int is_same = *y == value || (isnan(*y) && isnan(value)), by_itself = wlm_event_how(e, i) & WLM_SETS_BY_ITSELF;
        if (l->setter[state] != 0 && (!is_same || by_itself || l->setter[state] < 0))
            return (wlm_event_trouble){WLM_EVENT_CONFLICT, abs(l->setter[state]) - 1, event, state};
        *y = value;
        l->setter[state] = by_itself ? -1 - event : 1 + event;
    }
    return (wlm_event_trouble){.fault = WLM_EVENT_FINE};
}

/* Lets those of the highest priority happen, and others wait for the next round. */
static void choose_highest(wlm_step_lanes *l, int32_t lane)
{
    const wlm_equations *e = l->stepper->equations;
    double highest = -INFINITY;
    for (int32_t k = 0; k < e->events; k++)
        if (l->fired[k * WLM_LANES + lane] != 0) highest = fmax(highest, e->event[k].priority);
    for (int32_t k = 0; k < e->events; k++) {
        unsigned char *fired = &l->fired[k * WLM_LANES + lane];
        if (*fired != 0) *fired = e->event[k].priority == highest ? 1 : 2;
    }
}

static void assign_lane(wlm_step_lanes *l, int32_t lane)
{
    const wlm_equations *e = l->stepper->equations;
    wlm_event_trouble trouble = {.fault = WLM_EVENT_FINE};
    choose_highest(l, lane);
    for (int32_t k = 0, at = 0; k < e->events; at += e->event[k++].assignments) {
        if (l->fired[k * WLM_LANES + lane] != 1) continue;
        l->drive->fate[l->pace[lane].member].events++;
        if (trouble.fault == WLM_EVENT_FINE) trouble = assign_event(l, lane, k, at);
    }
    for (int32_t k = 0; k < e->events; k++) {
        if (l->fired[k * WLM_LANES + lane] != 1) continue;
        l->fired[k * WLM_LANES + lane] = 0;
        for (int32_t i = 0; i < e->event[k].assignments; i++) l->setter[e->event[k].state[i]] = 0;
    }
    if (trouble.fault != WLM_EVENT_FINE) fail(l, lane, trouble);
}

/* Makes assignments; all read the values before any of them. */
static void assign(wlm_step_lanes *l, unsigned char *marked)
{
    wlm_step_lanes_run(l, &l->assign, l->t, l->y);
    for (int32_t lane = 0; lane < l->used; lane++) {
        if (!marked[lane]) continue;
        assign_lane(l, lane);
        marked[lane] = l->pace[lane].member >= 0;
    }
}

static int waits(const wlm_step_lanes *l, int32_t lane)
{
    for (int32_t k = 0; k < l->stepper->equations->events; k++)
        if (l->fired[k * WLM_LANES + lane] != 0) return 1;
    return 0;
}

/* Leaves those lanes marked in which the round before made events rise, or events wait; returns how many. */
static int32_t next_round(wlm_step_lanes *l, unsigned char *marked, int round)
{
    int32_t any = 0;
    double t[WLM_LANES];
    for (int32_t k = 0; k < WLM_LANES; k++) t[k] = wlm_lane_clock(l, k);
    if (l->crossing.part != NULL) wlm_step_lanes_cross(l, t, l->y, l->after);
    for (int32_t k = 0; k < l->used; k++) {
        if (!marked[k]) continue;
        int rises = l->pace[k].member >= 0 && l->crossing.part != NULL && fire(l, k);
        marked[k] = (unsigned char)(l->pace[k].member >= 0 && (rises || waits(l, k)));
        if (marked[k] && round == WLM_EVENT_ROUNDS_MOST) {
            int32_t event = l->pace[k].kind - 2 * l->stepper->equations->pulses;
            fail(l, k, (wlm_event_trouble){WLM_EVENT_ROUNDS, event, event, -1});
            marked[k] = 0;
        }
        any += marked[k];
    }
    return any;
}

/* Goes on behind all rounds. */
static void leave(wlm_step_lanes *l, int32_t lane)
{
    wlm_pace *a = &l->pace[lane];
    a->probe = 0.0;
    for (int32_t k = 0; k < l->stepper->equations->events; k++) {
        wlm_recurrence *r = &l->recurrence[k * WLM_LANES + lane];
        wlm_recurrence_leave(r, l->t[lane], &WLM_ROW(l->before, k)[lane]);
        wlm_recurrence_ahead(r, &a->probe);
    }
    wlm_lane_find_edge(l, lane);
    if (l->t[lane] >= l->drive->t1)
        wlm_lane_finish(l, lane, WARPLU_SUCCESS, -1);
    else
        wlm_lane_find_stop(l, lane);
}

void wlm_step_lanes_jump(wlm_step_lanes *l)
{
    unsigned char marked[WLM_LANES];
    int32_t any = 0;
    for (int32_t k = 0; k < l->used; k++) {
        marked[k] = l->jumped[k] = (unsigned char)(l->jumped[k] && l->pace[k].member >= 0);
        any += l->jumped[k];
        if (l->jumped[k]) wlm_lane_restart(l, k, l->pace[k].kind), l->strayed[k] = 0;
    }
    if (any == 0) return;
    for (int round = 1; any > 0; round++) {
        if (l->assign.part != NULL) assign(l, marked);
        wlm_step_lanes_make_consistent(l, marked);
        any = next_round(l, marked, round);
    }
    for (int32_t k = 0; k < l->used; k++)
        if (l->jumped[k] && l->pace[k].member >= 0) leave(l, k);
    memset(l->jumped, 0, sizeof l->jumped);
}
