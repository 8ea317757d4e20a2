/* What both engines know of an event beyond its expression: how it happened before, and what is wrong with events that
 * cannot be carried out. Such a run ends with the line of the event (wlm_event_say).
 *
 * Behind an event whose expression is not below 0, steps go on by a probe: a step of 2^-24 t. Where the expression is
 * below 0 then, the event can be sought again: a ball has left the floor. Where it is not, mostly nothing was to
 * change it; but where it was behind the events before, at distances from which the next one would be within the
 * probe, events come ever closer (Zeno), and no step can tell them apart. Nor can it where an event happens a hundred
 * times at distances below 2^-36 t, as of a relay without hysteresis. What an event has set to 0 may leave it and be
 * back within the probe, as a ball that hits the floor slowly; so that is looked at by a step of 2^-34 t first. What is
 * above 0 again at the last probe, by more than rounding, was to be held at 0 by one event after another.
 *
 * Where a step ends at a jump, an event joins whose expression would rise within 2e-10 of the step, or 2^-36 t:
 * rounding alone, of this step or of those before it, has kept it below 0, and it would happen at once behind the jump,
 * with other values. Differences over steps that are hardly longer are of rounding themselves: no more than 2^-10 of a
 * step.
 *
 * Cost: some comparisons for each event that happens; one short step behind those that are not set back below 0. */
#ifndef WLU_MODEL_METHOD_RECURRENCE_H
#define WLU_MODEL_METHOD_RECURRENCE_H

#include <stddef.h>
#include <stdint.h>
#include <warplu/status.h>

#include "model/method/place.h"

typedef enum wlm_event_fault {
    WLM_EVENT_FINE,
    WLM_EVENT_TIME,     /* its time is not behind the start */
    WLM_EVENT_CONFLICT, /* two events of one time set a state to different values */
    WLM_EVENT_ROUNDS,   /* events make each other happen without an end */
    WLM_EVENT_CLOSER,   /* they come ever closer */
    WLM_EVENT_DELAY,    /* its delay is not above 0, or has no end */
    WLM_EVENT_FULL      /* too many of it wait */
} wlm_event_fault;

/* The most rounds of events at one time, and occasions of an event with a delay that may wait. */
enum { WLM_EVENT_ROUNDS_MOST = 100, WLM_EVENT_WAITING_MOST = 8 };

typedef struct wlm_recurrence {
    double fired; /* when it happened last; NaN: not yet */
    double last,
        gap;       /* when it happened with a probe that found it below 0, and how long after the one before; NaN: no */
    double over;   /* its expression when it happened last, where it has set that to 0 since; else 0 */
    double below;  /* its expression when it has joined others before it rose; else 0 */
    int32_t quick; /* how often in succession it has happened almost at once */
    double probe;  /* the time of its next probe */
    int32_t pending; /* how many of them are due */
} wlm_recurrence;

/* An event with a fault; unknown: the state of a conflict, else -1. */
typedef struct wlm_event_trouble {
    wlm_event_fault fault;
    int32_t event, other; /* their numbers; other: the conflict's second event */
    int32_t unknown;
} wlm_event_trouble;

void wlm_recurrence_begin(wlm_recurrence *r);
/* Returns 1 where an expression that is below 0 at t, the end of a step of h, will rise at once. */
int wlm_event_is_ahead(double before, double after, double t, double h);

/* The event happens at t, where its expression is `crossing`. CLOSER or FINE. */
wlm_event_fault wlm_recurrence_fire(wlm_recurrence *r, double t, double crossing);
/* Returns its expression behind a round of the jump at t as the next round compares it: 0 where rounding alone keeps
 * what has happened there below 0, for it may wait while others happen first, and is not to rise again. */
double wlm_recurrence_level(const wlm_recurrence *r, double t, double crossing);
/* *crossing is its expression behind the jump at t, which becomes its level. Probes may be due then. */
void wlm_recurrence_leave(wlm_recurrence *r, double t, double *crossing);
/* Its expression at t, where its probe may be. CLOSER or FINE. Another probe may be due then. */
wlm_event_fault wlm_recurrence_probe(wlm_recurrence *r, double t, double crossing);
/* Makes *probe, which is 0 where there is none, the time of its next probe where this is earlier. */
void wlm_recurrence_ahead(const wlm_recurrence *r, double *probe);

/* Returns 1 where an event whose time is a state happens at t. Steps round states that rest. */
int wlm_event_is_due(double due, double t);
/* What is wrong at t with an event that has a queue: times of its slots before and behind its assignments. */
wlm_event_fault wlm_queue_fault(const double *before, const double *behind, int32_t slots, double t);

/* Returns 1 where an event may have this time, in a run from t0 or one that goes on there. */
int wlm_event_has_time(double at, double t0);
warplu_status wlm_event_status(wlm_event_fault fault);
/* Writes what is wrong with the event at a place; other: that of the conflict's second event, name: its state. */
void wlm_event_say(wlm_event_fault fault, wlm_place place, wlm_place other, const char *name, char *text, size_t bytes);

#endif
