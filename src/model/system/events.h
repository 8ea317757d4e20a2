/* Events of all instances of a large system: when they happen, and what they set.
 *
 * Events are numbered use by use, event by event, instance by instance. Timed ones are sorted by time. Cost: a run of
 * the crossings' programs for each step where there are events by sign; else nothing. */
#ifndef WLU_MODEL_SYSTEM_EVENTS_H
#define WLU_MODEL_SYSTEM_EVENTS_H

#include "model/method/pace.h"
#include "model/method/recurrence.h"
#include "model/system/system.h"

typedef struct wlm_timed {
    double time;
    int32_t event;
} wlm_timed;

/* An event whose time is a state. */
typedef struct wlm_due {
    int32_t event, unknown;
} wlm_due;

typedef struct wlm_events {
    wlu_context *ctx;
    wlm_system *system;
    int32_t count; /* events of all instances */
    int32_t rows;  /* events of kinds, counted for each use */
    int has_sign;  /* 1: some happen at a crossing */
    int32_t timed, dues;
    wlm_due *due;               /* `dues` of them */
    wlm_timed *time;            /* `timed` of them, ascending */
    double *before;             /* for each event: its crossing at the beginning of a step */
    const double *after;        /* the same at the end of the last step that was looked at */
    double *kept;               /* unknowns before a round of assignments */
    wlm_recurrence *recurrence; /* for each event: how it happened before */
    unsigned char *fired;       /* for each event: 1 where it has happened, 2 where it waits for others of the time */
} wlm_events;

/* Lists the events of a system, which may have none. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW;
 * WARPLU_MODEL_EQUATIONS where the time of one is not behind 0. */
warplu_status wlm_events_create(wlm_system *system, wlm_events *out);
void wlm_events_free(wlm_events *events);

/* Evaluates crossings at t and y into `after`. Returns 1 where one has risen from below 0. */
int wlm_events_look(wlm_events *events, double t, const double *y);
/* Fires events that rise between before and after at t, and makes after the new before. *row: the first one's; -1: none
 * does. step: above 0 where one of this length ends at a jump, so that others may join (method/recurrence.h).
 * WARPLU_STEP_TOO_SMALL where they come ever closer. */
warplu_status wlm_events_fire(wlm_events *events, double t, double step, int32_t *row);
/* Fails with WARPLU_MODEL_EQUATIONS and an event that fires, after too many rounds at t. */
warplu_status wlm_events_fail_rounds(const wlm_events *events, double t);
/* Returns the time at which to look behind events of time t (method/recurrence.h); 0: there is nothing to look for. */
double wlm_events_leave(wlm_events *events, double t);
/* Looks behind them at that time; *probe: when to look again, or 0. WARPLU_STEP_TOO_SMALL. */
warplu_status wlm_events_probe(wlm_events *events, double t, double *probe);
/* Evaluates `before` where a run begins, or begins again. */
void wlm_events_begin(wlm_events *events, double t, const double *y);
/* Fires events that are to happen at the start where they have risen there. Returns 1 where there are any. */
int wlm_events_begin_initially(wlm_events *events);
/* Offers the next time of an event as an edge of this kind. */
void wlm_events_edge(const wlm_events *events, wlm_pace *pace, double now, const double *y, int32_t kind);
/* Fires events whose time is t. */
void wlm_events_fire_timed(wlm_events *events, double t, const double *y);
/* Returns 1 where events have fired that have not made their assignments. */
int wlm_events_wait(const wlm_events *events);
/* Makes the assignments of events that have fired and have the highest priority, into y; all read the values before any
 * of them. WARPLU_MODEL_EQUATIONS where two set one state, or a queue cannot take what is to wait. */
warplu_status wlm_events_assign(wlm_events *events, double t, double *y);

/* Return the event of a number, and the unknown that is its time. */
const wlm_event *wlm_events_event(const wlm_events *events, int32_t number);
int32_t wlm_events_due_unknown(const wlm_events *events, int32_t number);
/* due.c: lists events whose times are states (WARPLU_OUT_OF_MEMORY), offers and fires them; lets those that have fired
 * wait for others of a higher priority. */
warplu_status wlm_events_list_dues(wlm_events *events);
void wlm_events_edge_due(const wlm_events *events, wlm_pace *pace, double now, const double *y, int32_t kind);
void wlm_events_fire_due(wlm_events *events, double t, const double *y);
void wlm_events_choose(wlm_events *events);

#endif
