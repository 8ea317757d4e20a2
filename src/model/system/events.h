/* Events of all instances of a large system: when they happen, and what they set.
 *
 * Events are numbered use by use, event by event, instance by instance. Timed ones are sorted by time. Cost: a run of
 * the crossings' programs for each step where there are events by sign; else nothing. */
#ifndef WLU_MODEL_SYSTEM_EVENTS_H
#define WLU_MODEL_SYSTEM_EVENTS_H

#include "model/method/pace.h"
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
    wlm_timed *time;      /* `timed` of them, ascending */
    double *before;       /* for each event: its crossing at the beginning of a step */
    const double *after;  /* the same at the end of the last step that was looked at */
    unsigned char *fired; /* for each event: 1 where it has happened */
} wlm_events;

/* Lists the events of a system, which may have none. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_events_create(wlm_system *system, wlm_events *out);
void wlm_events_free(wlm_events *events);

/* Evaluates crossings at t and y into `after`. Returns 1 where one has risen from below 0. */
int wlm_events_look(wlm_events *events, double t, const double *y);
/* Fires events that rise between before and after, and makes after the new before. Returns 1 where one fires: *row is
 * the first one's. */
int wlm_events_fire(wlm_events *events, int32_t *row);
/* Evaluates `before` where a run begins, or begins again. */
void wlm_events_begin(wlm_events *events, double t, const double *y);
/* Offers the next time of an event as an edge of this kind. */
void wlm_events_edge(const wlm_events *events, wlm_pace *pace, double now, int32_t kind);
/* Fires events whose time is t. */
void wlm_events_fire_timed(wlm_events *events, double t);
/* Makes the assignments of events that have fired, into y; all read the values before any of them. */
void wlm_events_assign(wlm_events *events, double t, double *y);

#endif
