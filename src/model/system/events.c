/* Lists the events of all instances, finds those whose expressions have risen and those whose time has come, and makes
 * their assignments. Crossings and assignments are evaluated by the banks of their kinds, 64 instances at a time. */
#include "model/system/events.h"

#include <stdlib.h>
#include <string.h>

static const wlm_kind *kind_of(const wlm_system *s, int32_t use)
{
    return &s->model->kind[s->model->use[use].kind];
}

static int32_t instances(const wlm_system *s, int32_t use)
{
    return s->layout->taken[use] ? s->model->use[use].count : 0;
}

/* ------------------------------------------------------------------- making */

static warplu_status count_events(wlm_events *e)
{
    int64_t count = 0;
    for (int32_t u = 0; u < e->system->model->uses; u++) {
        const wlm_kind *kind = kind_of(e->system, u);
        if (instances(e->system, u) == 0) continue;
        count += (int64_t)kind->events * instances(e->system, u);
        e->rows += kind->events;
        for (int32_t k = 0; k < kind->events; k++) e->has_sign |= kind->event[k].crossing != WLM_NONE;
    }
    if (count > INT32_MAX) return wlu_fail(e->ctx, WARPLU_OVERFLOW, "more than 2^31 - 1 events");
    e->count = (int32_t)count;
    return WARPLU_SUCCESS;
}

static int compare(const void *a, const void *b)
{
    const wlm_timed *x = a, *y = b;
    if (x->time != y->time) return x->time < y->time ? -1 : 1;
    return x->event < y->event ? -1 : 1;
}

static warplu_status list_times(wlm_events *e)
{
    warplu_status status = wlm_system_event_times(e->system, e->before);
    if (status != WARPLU_SUCCESS) return status;
    const double *at = e->before;
    for (int32_t k = 0; k < e->count; k++)
        if (!isnan(at[k])) e->time[e->timed++] = (wlm_timed){at[k], k};
    if (e->timed > 0) qsort(e->time, (size_t)e->timed, sizeof *e->time, compare);
    return WARPLU_SUCCESS;
}

warplu_status wlm_events_create(wlm_system *system, wlm_events *out)
{
    *out = (wlm_events){.ctx = system->ctx, .system = system};
    warplu_status status = count_events(out);
    if (status != WARPLU_SUCCESS || out->count == 0) return status;
    out->time = WLU_ALLOC(out->ctx, out->count, wlm_timed);
    out->before = WLU_ALLOC(out->ctx, out->count, double);
    out->fired = WLU_CALLOC(out->ctx, out->count, unsigned char);
    if (out->time == NULL || out->before == NULL || out->fired == NULL)
        status = wlu_fail_memory(out->ctx, "events");
    else
        status = list_times(out);
    if (status != WARPLU_SUCCESS) wlm_events_free(out);
    return status;
}

void wlm_events_free(wlm_events *events)
{
    if (events->ctx == NULL) return;
    wlu_free(events->ctx, events->time);
    wlu_free(events->ctx, events->before);
    wlu_free(events->ctx, events->fired);
    *events = (wlm_events){.ctx = events->ctx};
}

/* ------------------------------------------------------------------ crossing */

static int rises(const wlm_events *e, int32_t k)
{
    return e->before[k] < 0.0 && e->after[k] >= 0.0;
}

int wlm_events_look(wlm_events *e, double t, const double *y)
{
    if (!e->has_sign) return 0;
    e->after = wlm_system_crossings(e->system, t, y);
    for (int32_t k = 0; k < e->count; k++)
        if (rises(e, k)) return 1;
    return 0;
}

/* Returns the row of an event, which stands for its use and its number in the kind. */
static int32_t row_of(const wlm_events *e, int32_t event)
{
    int32_t row = 0;
    for (int32_t u = 0; u < e->system->model->uses; u++) {
        int32_t count = instances(e->system, u), events = count > 0 ? kind_of(e->system, u)->events : 0;
        if (event < (int64_t)events * count) return row + event / count;
        event -= events * count;
        row += events;
    }
    return row;
}

int wlm_events_fire(wlm_events *e, int32_t *row)
{
    int any = 0;
    if (!e->has_sign) return 0;
    for (int32_t k = 0; k < e->count; k++) {
        if (rises(e, k)) {
            if (!any) *row = row_of(e, k);
            e->fired[k] = 1;
            any = 1;
        }
        e->before[k] = e->after[k];
    }
    return any;
}

void wlm_events_begin(wlm_events *e, double t, const double *y)
{
    if (e->has_sign) memcpy(e->before, wlm_system_crossings(e->system, t, y), (size_t)e->count * sizeof *e->before);
}

/* ---------------------------------------------------------------------- time */

/* Returns the first timed event that is not before t. */
static int32_t first_from(const wlm_events *e, double t)
{
    int32_t low = 0, high = e->timed;
    while (low < high) {
        int32_t middle = low + (high - low) / 2;
        if (e->time[middle].time < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void wlm_events_edge(const wlm_events *e, wlm_pace *pace, double now, int32_t kind)
{
    int32_t k = first_from(e, now);
    while (k < e->timed && !(e->time[k].time > now + wlm_slack(now))) k++;
    if (k < e->timed) wlm_pace_edge(pace, now, e->time[k].time, kind);
}

void wlm_events_fire_timed(wlm_events *e, double t)
{
    for (int32_t k = first_from(e, t - wlm_slack(t)); k < e->timed && e->time[k].time <= t + wlm_slack(t); k++)
        e->fired[e->time[k].event] = 1;
}

/* ---------------------------------------------------------------- assignment */

/* Makes an event's assignments; values: those of the use's assignments, instance by instance. */
static void assign_event(const wlm_events *e, int32_t use, const wlm_event *event, unsigned char *fired,
                         const double *values, double *y)
{
    int32_t count = instances(e->system, use);
    for (int32_t i = 0; i < event->assignments; i++, values += count) {
        double *state = y + wlm_layout_variable(e->system->layout, use, event->state[i])->first;
        for (int32_t k = 0; k < count; k++)
            if (fired[k]) state[k] = values[k];
    }
    memset(fired, 0, (size_t)count);
}

void wlm_events_assign(wlm_events *e, double t, double *y)
{
    if (e->count == 0) return;
    const double *values = wlm_system_assignments(e->system, t, y);
    unsigned char *fired = e->fired;
    for (int32_t u = 0; u < e->system->model->uses; u++) {
        const wlm_kind *kind = kind_of(e->system, u);
        int32_t count = instances(e->system, u);
        for (int32_t k = 0; k < kind->events && count > 0; k++, fired += count) {
            assign_event(e, u, &kind->event[k], fired, values, y);
            values += (int64_t)kind->event[k].assignments * count;
        }
    }
}
