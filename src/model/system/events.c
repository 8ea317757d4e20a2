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

/* Where an event stands: its row, which is a number for each event of a use's kind, and its instance. */
typedef struct location {
    int32_t use, number, instance, row;
} location;

static location locate(const wlm_events *e, int32_t event)
{
    location at = {0};
    for (;; at.use++) {
        int32_t count = instances(e->system, at.use), events = count > 0 ? kind_of(e->system, at.use)->events : 0;
        if (event < (int64_t)events * count) {
            at.number = event / count, at.instance = event % count, at.row += at.number;
            return at;
        }
        event -= events * count;
        at.row += events;
    }
}

static int32_t row_of(const wlm_events *e, int32_t event)
{
    return locate(e, event).row;
}

const wlm_event *wlm_events_event(const wlm_events *e, int32_t event)
{
    location at = locate(e, event);
    return &kind_of(e->system, at.use)->event[at.number];
}

int32_t wlm_events_due_unknown(const wlm_events *e, int32_t event)
{
    location at = locate(e, event);
    int32_t state = wlm_events_event(e, event)->due - 1;
    return wlm_layout_variable(e->system->layout, at.use, state)->first + at.instance;
}

/* unknown: the state of a conflict with the event at the other place, else -1. */
static warplu_status say(const wlm_events *e, double t, wlm_event_fault fault, wlm_place place, wlm_place other,
                         int32_t unknown)
{
    char name[200] = "", what[256];
    if (unknown >= 0) wlm_system_describe(e->system, unknown, name, sizeof name);
    wlm_event_say(fault, place, other, name, what, sizeof what);
    return wlu_fail(e->ctx, wlm_event_status(fault), "t = %.9g: %s", t, what);
}

static warplu_status fail(const wlm_events *e, double t, int32_t event, wlm_event_fault fault)
{
    wlm_place place = wlm_events_event(e, event)->place;
    return say(e, t, fault, place, place, -1);
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
    for (int32_t k = 0; k < e->count; k++) {
        wlm_recurrence_begin(&e->recurrence[k]);
        if (wlm_events_event(e, k)->at == WLM_NONE) continue;
        if (!wlm_event_has_time(at[k], 0.0)) return fail(e, 0.0, k, WLM_EVENT_TIME);
        e->time[e->timed++] = (wlm_timed){at[k], k};
    }
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
    out->kept = WLU_ALLOC(out->ctx, system->layout->n, double);
    out->recurrence = WLU_ALLOC(out->ctx, out->count, wlm_recurrence);
    if (!WLU_ALL_THERE(out->time, out->before, out->fired, out->recurrence, out->kept))
        status = wlu_fail_memory(out->ctx, "events");
    else
        status = list_times(out);
    if (status == WARPLU_SUCCESS) status = wlm_events_list_dues(out);
    if (status != WARPLU_SUCCESS) wlm_events_free(out);
    return status;
}

void wlm_events_free(wlm_events *events)
{
    if (events->ctx == NULL) return;
    wlu_free(events->ctx, events->time);
    wlu_free(events->ctx, events->due);
    wlu_free(events->ctx, events->before);
    wlu_free(events->ctx, events->fired);
    wlu_free(events->ctx, events->recurrence);
    wlu_free(events->ctx, events->kept);
    *events = (wlm_events){.ctx = events->ctx};
}

/* ------------------------------------------------------------------ crossing */

int wlm_events_look(wlm_events *e, double t, const double *y)
{
    if (!e->has_sign) return 0;
    e->after = wlm_system_crossings(e->system, t, y);
    for (int32_t k = 0; k < e->count; k++)
        if (wlm_pace_rises(e->before[k], e->after[k])) return 1;
    return 0;
}

warplu_status wlm_events_fire(wlm_events *e, double t, double step, int32_t *row)
{
    *row = -1;
    if (!e->has_sign) return WARPLU_SUCCESS;
    for (int32_t k = 0; k < e->count; k++) {
        int is_risen = wlm_pace_rises(e->before[k], e->after[k]),
            joins = step > 0.0 && wlm_event_is_ahead(e->before[k], e->after[k], t, step);
        if (is_risen && *row < 0) *row = row_of(e, k);
        e->fired[k] |= is_risen || joins;
        wlm_event_fault fault =
            is_risen || joins ? wlm_recurrence_fire(&e->recurrence[k], t, e->after[k]) : WLM_EVENT_FINE;
        if (fault != WLM_EVENT_FINE) return fail(e, t, k, fault);
        e->before[k] = wlm_recurrence_level(&e->recurrence[k], t, e->after[k]);
    }
    return WARPLU_SUCCESS;
}

warplu_status wlm_events_fail_rounds(const wlm_events *e, double t)
{
    int32_t k = 0;
    while (!e->fired[k]) k++;
    return fail(e, t, k, WLM_EVENT_ROUNDS);
}

double wlm_events_leave(wlm_events *e, double t)
{
    double probe = 0.0;
    for (int32_t k = 0; k < e->count && e->has_sign; k++) {
        wlm_recurrence_leave(&e->recurrence[k], t, &e->before[k]);
        wlm_recurrence_ahead(&e->recurrence[k], &probe);
    }
    return probe;
}

warplu_status wlm_events_probe(wlm_events *e, double t, double *probe)
{
    *probe = 0.0;
    for (int32_t k = 0; k < e->count; k++) {
        wlm_event_fault fault = wlm_recurrence_probe(&e->recurrence[k], t, e->before[k]);
        if (fault != WLM_EVENT_FINE) return fail(e, t, k, fault);
        wlm_recurrence_ahead(&e->recurrence[k], probe);
    }
    return WARPLU_SUCCESS;
}

void wlm_events_begin(wlm_events *e, double t, const double *y)
{
    if (e->has_sign) memcpy(e->before, wlm_system_crossings(e->system, t, y), (size_t)e->count * sizeof *e->before);
}

int wlm_events_begin_initially(wlm_events *e)
{
    for (int32_t k = 0; k < e->count && e->has_sign; k++)
        e->fired[k] = (unsigned char)(wlm_events_event(e, k)->initially && e->before[k] >= 0.0);
    return wlm_events_wait(e);
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

void wlm_events_edge(const wlm_events *e, wlm_pace *pace, double now, const double *y, int32_t kind)
{
    wlm_events_edge_due(e, pace, now, y, kind);
    int32_t k = first_from(e, now);
    while (k < e->timed && !(e->time[k].time > now + wlm_slack(now))) k++;
    if (k < e->timed) wlm_pace_edge(pace, now, e->time[k].time, kind);
}

void wlm_events_fire_timed(wlm_events *e, double t, const double *y)
{
    wlm_events_fire_due(e, t, y);
    for (int32_t k = first_from(e, t - wlm_slack(t)); k < e->timed && e->time[k].time <= t + wlm_slack(t); k++)
        e->fired[e->time[k].event] = 1;
}

/* ---------------------------------------------------------------- assignment */

/* What a use's events set: flags of its events and values of their assignments, instance by instance. */
typedef struct turn {
    int32_t use, count;
    const wlm_kind *kind;
    unsigned char *fired;
    const double *values;
} turn;

/* Returns 1 where an assignment leaves its state as it is. */
static int keeps(const wlm_event *event, int32_t i, double value, double y)
{
    return value == y && (wlm_event_how(event, i) & WLM_SETS_MAYBE) != 0;
}

/* Fails where two events of an instance set the state of this assignment to different values. */
static warplu_status check_alone(const wlm_events *e, double t, const turn *u, int32_t event, int32_t i,
                                 const double *values, const double *y)
{
    const wlm_event *mine = &u->kind->event[event];
    const double *others = u->values;
    for (int32_t k = 0; k < event; k++) {
        const wlm_event *other = &u->kind->event[k];
        const unsigned char *fired = u->fired + (int64_t)k * u->count, *also = u->fired + (int64_t)event * u->count;
        for (int32_t j = 0; j < other->assignments; j++, others += u->count) {
            if (other->state[j] != mine->state[i]) continue;
            int by_itself = ((wlm_event_how(mine, i) | wlm_event_how(other, j)) & WLM_SETS_BY_ITSELF) != 0;
            for (int32_t m = 0; m < u->count; m++) {
                int32_t unknown = wlm_layout_variable(e->system->layout, u->use, mine->state[i])->first + m;
                int is_same = values[m] == others[m] || (isnan(values[m]) && isnan(others[m]));
                if (fired[m] != 1 || also[m] != 1 || (is_same && !by_itself)) continue;
                if (keeps(mine, i, values[m], y[unknown]) || keeps(other, j, others[m], y[unknown])) continue;
                return say(e, t, WLM_EVENT_CONFLICT, other->place, mine->place, unknown);
            }
        }
    }
    return WARPLU_SUCCESS;
}

/* Fails where the queue of an event cannot take what is to wait; values: of its assignments. */
static warplu_status check_queue(const wlm_events *e, double t, const turn *u, int32_t event, const double *values,
                                 const double *y)
{
    const wlm_event *mine = &u->kind->event[event];
    for (int32_t m = 0; m < u->count && mine->slots > 0; m++) {
        double before[WLM_EVENT_WAITING_MOST], behind[WLM_EVENT_WAITING_MOST];
        if (u->fired[(int64_t)event * u->count + m] != 1) continue;
        for (int32_t k = 0; k < mine->slots; k++) {
            before[k] = y[wlm_layout_variable(e->system->layout, u->use, mine->state[k])->first + m];
            behind[k] = values[(int64_t)k * u->count + m];
        }
        wlm_event_fault fault = wlm_queue_fault(before, behind, mine->slots, t);
        if (fault != WLM_EVENT_FINE) return say(e, t, fault, mine->place, mine->place, -1);
    }
    return WARPLU_SUCCESS;
}

static warplu_status check_use(const wlm_events *e, double t, const turn *u, const double *y)
{
    const double *values = u->values;
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t k = 0; k < u->kind->events && status == WARPLU_SUCCESS; k++) {
        status = check_queue(e, t, u, k, values, y);
        for (int32_t i = 0; i < u->kind->event[k].assignments && status == WARPLU_SUCCESS; i++, values += u->count)
            status = check_alone(e, t, u, k, i, values, y);
    }
    return status;
}

/* Makes the assignments of a use's events. */
static warplu_status assign_use(const wlm_events *e, double t, const turn *u, double *y)
{
    const double *values = u->values;
    warplu_status status = check_use(e, t, u, y);
    if (status != WARPLU_SUCCESS) return status;
    for (int32_t k = 0; k < u->kind->events; k++) {
        const wlm_event *event = &u->kind->event[k];
        const unsigned char *fired = u->fired + (int64_t)k * u->count;
        for (int32_t i = 0; i < event->assignments; i++, values += u->count) {
            int32_t first = wlm_layout_variable(e->system->layout, u->use, event->state[i])->first;
            double *state = y + first;
            const double *kept = e->kept + first;
            for (int32_t m = 0; m < u->count; m++)
                if (fired[m] == 1 && !keeps(event, i, values[m], kept[m])) state[m] = values[m];
        }
    }
    return WARPLU_SUCCESS;
}

warplu_status wlm_events_assign(wlm_events *e, double t, double *y)
{
    if (e->count == 0) return WARPLU_SUCCESS;
    turn u = {.fired = e->fired, .values = wlm_system_assignments(e->system, t, y)};
    warplu_status status = WARPLU_SUCCESS;
    memcpy(e->kept, y, (size_t)e->system->layout->n * sizeof *y);
    wlm_events_choose(e);
    for (; u.use < e->system->model->uses && status == WARPLU_SUCCESS; u.use++) {
        u.kind = kind_of(e->system, u.use), u.count = instances(e->system, u.use);
        if (u.count == 0) continue;
        status = assign_use(e, t, &u, y);
        u.fired += (int64_t)u.kind->events * u.count;
        for (int32_t k = 0; k < u.kind->events; k++) u.values += (int64_t)u.kind->event[k].assignments * u.count;
    }
    for (int32_t k = 0; k < e->count; k++) e->fired[k] = status == WARPLU_SUCCESS && e->fired[k] == 2;
    return status;
}
