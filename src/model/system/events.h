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

typedef struct wlm_events {
    wlu_context *ctx;
    wlm_system *system;
    int32_t count; /* events of all instances */
    int32_t rows;  /* events of kinds, counted for each use */
    int has_sign;  /* 1: some happen at a crossing */
    int32_t timed;
    wlm_timed *time;            /* `timed` of them, ascending */
    double *before;             /* for each event: its crossing at the beginning of a step */
    const double *after;        /* the same at the end of the last step that was looked at */
    double *kept;               /* unknowns before a round of assignments */
    wlm_recurrence *recurrence; /* for each event: how it happened before */
    unsigned char *fired;       /* for each event: 1 where it has happened */
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
/* Looks behind them at that time. WARPLU_STEP_TOO_SMALL. */
warplu_status wlm_events_probe(wlm_events *events, double t);
/* Evaluates `before` where a run begins, or begins again. */
void wlm_events_begin(wlm_events *events, double t, const double *y);
/* Offers the next time of an event as an edge of this kind. */
void wlm_events_edge(const wlm_events *events, wlm_pace *pace, double now, int32_t kind);
/* Fires events whose time is t. */
void wlm_events_fire_timed(wlm_events *events, double t);
/* Makes the assignments of events that have fired, into y; all read the values before any of them.
 * WARPLU_MODEL_EQUATIONS where two set one state. */
warplu_status wlm_events_assign(wlm_events *events, double t, double *y);

#endif
