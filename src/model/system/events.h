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
    int32_t count; /* of all instances */
    int32_t rows;  /* of uses: events of their kinds */
    int has_sign;  /* some are by sign */
    int32_t timed;
    wlm_timed *time;      /* timed, ascending */
    double *before;       /* count: crossings at the beginning of a step */
    const double *after;  /* at the end of the last one that was looked at */
    unsigned char *fired; /* count */
} wlm_events;

/* Lists the events of a system, which may have none. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_events_create(wlm_system *system, wlm_events *out);
void wlm_events_free(wlm_events *events);

/* Crossings at t and y into `after`. 1 where one rises from below 0. */
int wlm_events_look(wlm_events *events, double t, const double *y);
/* Fires events that rise between before and after; then after is before. 1 where one does: *row is the first one's. */
int wlm_events_fire(wlm_events *events, int32_t *row);
/* Where a run begins, or begins again: before. */
void wlm_events_begin(wlm_events *events, double t, const double *y);
/* Times of events are edges, all of this kind. */
void wlm_events_edge(const wlm_events *events, wlm_pace *pace, double now, int32_t kind);
/* Fires those at t. */
void wlm_events_fire_timed(wlm_events *events, double t);
/* Assignments of what has fired, all with the values before them, into y. */
void wlm_events_assign(wlm_events *events, double t, double *y);

#endif
