/* Control of steps in time, for one lane: where the next step is to end, how long it is, and the search for an event.
 * Both engines step by it: lanes that are members by one of these each (src/model/step/lanes.h), large
 * systems by one (src/model/system).
 *
 * Steps end exactly at stops: outputs, edges (text/element_edges.c), timed events. Fixed steps are made equal between
 * stops. A controlled step that would leave a sliver before a stop is halved. An event by sign is searched by bisection
 * on the length of the step, from the same state. Behind a jump steps begin as small as served behind the last one of
 * its kind. */
#ifndef WLU_MODEL_METHOD_PACE_H
#define WLU_MODEL_METHOD_PACE_H

#include <math.h>
#include <stdint.h>
#include <warplu/status.h>

#include "model/graph/table.h"
#include "model/method/place.h"
#include "model/method/slack.h"

/* The state of control of one lane, or of one large system. */
typedef struct wlm_pace {
    int64_t member;   /* -1: idle */
    double want;      /* the next step if there were no stop; of fixed steps, an even share of the way to it */
    double stop;      /* the next time at which a step is to end */
    double edge;      /* the next edge or timed event */
    double probe;     /* a time at which to look behind an event (method/recurrence.h); 0: none */
    double low, high; /* lengths of steps that end before and behind a searched event; high 0: none */
    int32_t output;   /* the number of the next output */
    int32_t kind;     /* the kind of the edge at `edge`; after a restart, of the one behind */
    int32_t behind;   /* the kind of the edge where the lane began again; -1 once a step was accepted */
    int32_t here;     /* the kind of an edge that was offered and is now; -1: none is */
    int lost;         /* 1: the pulse that begins at `edge` is so short that rounding of times hides it */
    int ends;         /* 1: this step ends at the stop */
    int rejected;     /* 1: the step before was rejected */
} wlm_pace;

/* Forgets the edge, before others are offered. */
void wlm_pace_clear(wlm_pace *a);
/* Offers an edge at `time`, of this kind, which becomes the lane's where it is the first behind now. */
void wlm_pace_edge(wlm_pace *a, double now, double time, int32_t kind);
/* Offers the edges of a pulse; period 0: it comes once. It rises with `kind`, and falls with the next number. An edge
 * that is no pulse's has the width 0. */
void wlm_pace_pulse(wlm_pace *a, double now, double delay, double width, double period, int32_t kind);
/* The same or, with a table, offers the edges of that, of which there is one at least, where it is looked up by
 * (t - delay) / width. O(log of the table's edges). */
void wlm_pace_times(wlm_pace *a, double now, const wlm_table *table, double delay, double width, double period,
                    int32_t kind);
/* Says of a lost pulse why no step is short enough. */
extern const char wlm_pace_why_lost[];
/* Begins or goes on now, with the edges that were offered. An edge at 0 is still to come, for a run begins with the
 * values of 0 itself: 1 then, and `kind` is its. Any other that is now lies behind. *first: the first time that stages
 * may have. */
int wlm_pace_begin(wlm_pace *a, double now, double *first);
/* Returns the last time that stages may have before the edge. */
double wlm_pace_last(const wlm_pace *a);
/* Sets the next stop: this one or the edge. An edge that rounding alone sets apart from this stop is there, so that
 * what stops there is before the edge. fixed: the length of fixed steps; 0: they are controlled. */
void wlm_pace_stop(wlm_pace *a, double now, double stop, double fixed);
/* The number of the least of `count` limits, which stand `apart` numbers apart, or of the first one that is not above
 * 0; *least is it. -1 where all are infinite. */
int32_t wlm_pace_least(const double *limit, int64_t count, int64_t apart, double *least);
/* The message where a limit leaves no step: the time, its name and place, and why, by the status: it is no number, or
 * too small. */
#define WLM_LIMITED "at t = %g: %s (line " WLM_LINE_FORMAT ") %s"
const char *wlm_pace_why_limited(warplu_status status);
/* Bounds the next step by `cfl` times the least limit. shortest: that of the whole run. Returns WARPLU_STEP_TOO_SMALL
 * or WARPLU_NOT_FINITE where that leaves none. */
warplu_status wlm_pace_limit(wlm_pace *a, double now, double least, double cfl, double shortest);
/* Returns the length of the next step, and sets `ends`. longest 0: no bound. */
double wlm_pace_length(wlm_pace *a, double now, double fixed, double longest);
/* Returns 1 where a step of h, which has an event or not, has to be tried with another length, so that it ends at its
 * first event. */
int wlm_pace_searches(wlm_pace *a, double now, double h, int has_event);
/* Returns 1 where an event's expression rises through 0 from before to after a step. */
int wlm_pace_rises(double before, double after);
/* Whether a step has failed: by the norm of its error, the health of its pivots, and the sum of the new state's numbers
 * times 0. weak: the status of a weak pivot. */
warplu_status wlm_pace_verdict(double norm, double health, double sum, warplu_status weak);
/* The status that a step is refused with: that it has failed with, or WARPLU_STEP_TOO_SMALL where its error is too
 * large; fixed steps have none. */
warplu_status wlm_pace_judge(warplu_status failed, double norm, double fixed);
/* A step of h is taken, and may be followed by one that is `factor` times as long; *now is where it ends. 1 where that
 * is the stop. */
int wlm_pace_accept(wlm_pace *a, double *now, double h, double factor, double fixed);
/* Rejects a step of h: the next one is shorter, by the factor of its error unless it has failed. */
void wlm_pace_reject(wlm_pace *a, double h, warplu_status failed, double factor);
/* Begins again behind a jump of this kind, where steps of `learnt` served; table: at an edge of that, which steps go
 * over as they were where it is but a bend; NULL: it is none's. Steps are no shorter than 2^-24 t, for below
 * that rounding of t and of charges counts more than the equations. */
void wlm_pace_restart(wlm_pace *a, double now, int32_t kind, double learnt, const wlm_table *table);
/* Returns the shortest step that is tried; whole: the length of the run. */
double wlm_pace_shortest(double given, double now, double whole);
/* Returns a length up to which steps do not tell unknowns that follow rates. */
double wlm_pace_blur(double now, double end);

#endif
