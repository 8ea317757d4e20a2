/* Events whose times are states, which those with a delay make, and the order of events of one time by priority. Cost:
 * a look at each queue of each instance at jumps. */
#include "model/system/events.h"

static int32_t count_dues(const wlm_events *e)
{
    int32_t count = 0;
    for (int32_t k = 0; k < e->count; k++) count += wlm_events_event(e, k)->due > 0;
    return count;
}

warplu_status wlm_events_list_dues(wlm_events *e)
{
    e->due = WLU_ALLOC(e->ctx, count_dues(e), wlm_due);
    if (e->due == NULL) return wlu_fail_memory(e->ctx, "events");
    for (int32_t k = 0; k < e->count; k++)
        if (wlm_events_event(e, k)->due > 0) e->due[e->dues++] = (wlm_due){k, wlm_events_due_unknown(e, k)};
    return WARPLU_SUCCESS;
}

void wlm_events_edge_due(const wlm_events *e, wlm_pace *pace, double now, const double *y, int32_t kind)
{
    for (int32_t k = 0; k < e->dues; k++) wlm_pace_edge(pace, now, y[e->due[k].unknown], kind);
}

void wlm_events_fire_due(wlm_events *e, double t, const double *y)
{
    for (int32_t k = 0; k < e->dues; k++)
        if (wlm_event_is_due(y[e->due[k].unknown], t)) e->fired[e->due[k].event] = 1;
}

int wlm_events_wait(const wlm_events *e)
{
    for (int32_t k = 0; k < e->count; k++)
        if (e->fired[k] != 0) return 1;
    return 0;
}

void wlm_events_choose(wlm_events *e)
{
    double highest = -INFINITY;
    for (int32_t k = 0; k < e->count; k++)
        if (e->fired[k] != 0) highest = fmax(highest, wlm_events_event(e, k)->priority);
    for (int32_t k = 0; k < e->count; k++)
        if (e->fired[k] != 0) e->fired[k] = wlm_events_event(e, k)->priority == highest ? 1 : 2;
}
