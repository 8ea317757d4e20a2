/* Makes a queue of an event with a delay. States whose rate is 0 say when an occasion is due, and what it sets; so
 * runs go on, members differ, and every engine and device has them, as they have other states. The event itself fills
 * the first place that is free, whose time is -1; for each place another event is due there, which makes it free
 * again. Cost: for each place a state, and one for each value that is taken when the event happens. */
#include <math.h>
#include <stdio.h>

#include "model/method/recurrence.h"
#include "model/text/element.h"

/* Adds a state that rests and has no name in the text. Returns its number, or -1. */
static int32_t add_state(wlm_element *e, wlm_place place, double initial, const char *of, int32_t event, int slot)
{
    wlm_kind *kind = e->kind;
    char name[80];
    int length = snprintf(name, sizeof name, "%.40s@%d[%d]", of, (int)event, slot);
    char *text = wlm_take_text(e->r->kept, name, length);
    if (text == NULL) return wlm_fail_taking(e->r), -1;
    if (!wlm_more_for(e->r, e->r->kept, &kind->state, kind->states, sizeof *kind->state)) return -1;
    wlm_node none = WLM_NONE;
    kind->state[kind->states] = (wlm_state){text, place, none, none, none, none, -INFINITY, INFINITY, 1};
    kind->state[kind->states].initial = wlm_constant(kind->graph, initial);
    kind->state[kind->states].rate = wlm_constant(kind->graph, 0.0);
    return kind->states++;
}

static void add_event(wlm_element *e, const wlm_event *event)
{
    wlm_kind *kind = e->kind;
    if (!wlm_more_for(e->r, e->r->kept, &kind->event, kind->events, sizeof *kind->event)) return;
    kind->event[kind->events++] = *event;
}

/* Adds the event that is due at a place, and makes `queued` set what it needs where `chosen` holds. */
static void add_place(wlm_element *e, const wlm_event *event, wlm_event *queued, wlm_node chosen, int slot, int is_late)
{
    const wlm_kind *kind = e->kind;
    wlm_event due = {.place = event->place,
                     .crossing = WLM_NONE,
                     .at = WLM_NONE,
                     .due = 1 + queued->state[slot],
                     .priority = event->priority};
    for (int32_t i = 0; i < event->assignments && e->r->status == WARPLU_SUCCESS; i++) {
        wlm_node value = event->value[i];
        if (!is_late) {
            int32_t kept = add_state(e, event->place, 0.0, kind->state[event->state[i]].name, kind->events, slot);
            if (kept < 0) return;
            wlm_node held = wlm_element_leaf(e, WLM_LEAF_STATE, kept);
            wlm_element_assign(e, queued, kept, wlm_ternary(kind->graph, WLM_SELECT, chosen, value, held));
            value = held;
        }
        wlm_element_assign(e, &due, event->state[i], value);
    }
    wlm_element_assign(e, &due, queued->state[slot], wlm_constant(kind->graph, -1.0));
    add_event(e, &due);
}

void wlm_element_add_event(wlm_element *e, const wlm_event *event, wlm_node delay, int is_late)
{
    wlm_graph *g = e->kind->graph;
    if (delay == WLM_NONE) {
        add_event(e, event);
        return;
    }
    wlm_event queued = *event;
    wlm_node chosen[WLM_EVENT_WAITING_MOST], t = wlm_element_time(e), at = wlm_binary(g, WLM_ADD, t, delay),
                                             taken = WLM_NONE;
    queued.assignments = 0, queued.state = NULL, queued.value = NULL, queued.how = NULL;
    queued.slots = WLM_EVENT_WAITING_MOST;
    queued.priority = INFINITY;
    for (int k = 0; k < queued.slots && e->r->status == WARPLU_SUCCESS; k++) {
        int32_t due = add_state(e, event->place, -1.0, "due", e->kind->events, k);
        if (due < 0) return;
        wlm_node time = wlm_element_leaf(e, WLM_LEAF_STATE, due),
                 is_free = wlm_binary(g, WLM_LT, time, wlm_constant(g, 0.0));
        chosen[k] = taken == WLM_NONE ? is_free : wlm_binary(g, WLM_AND, is_free, wlm_unary(g, WLM_NOT, taken));
        taken = taken == WLM_NONE ? is_free : wlm_binary(g, WLM_OR, taken, is_free);
        wlm_element_assign(e, &queued, due, wlm_ternary(g, WLM_SELECT, chosen[k], at, time));
    }
    for (int k = 0; k < queued.slots && e->r->status == WARPLU_SUCCESS; k++)
        add_place(e, event, &queued, chosen[k], k, is_late);
    add_event(e, &queued);
}
