/* The lanes of one thread while it drives members, and the calls that the files which drive them share. */
#ifndef WLU_MODEL_STEP_LANES_H
#define WLU_MODEL_STEP_LANES_H

#include <math.h>
#include <string.h>

#include "model/step/job.h"
#include "model/method/pace.h"
#include "model/method/recurrence.h"

typedef struct wlm_step_lanes {
    const wlm_stepper *stepper;
    const wlm_drive *drive;
    wlu_context *ctx;
    union {
        struct {
            wlm_workspace step, newton, charges, estimate, first_step, begin, limit, crossing, assign;
        };
        wlm_workspace workspace[WLM_PARTS]; /* of each part of the stepper */
    };
    int64_t next, end;     /* members that no lane has yet */
    int32_t n, live, used; /* used: lanes below are all that a run must compute */
    wlm_pace pace[WLM_LANES];
    /* One for each lane: */
    double t[WLM_LANES], h[WLM_LANES], last[WLM_LANES], first[WLM_LANES];
    double norm[WLM_LANES], factor[WLM_LANES], health[WLM_LANES]; /* 0, 1, 1 of a step without an estimate */
    warplu_status trouble[WLM_LANES];                             /* the failure of iterations */
    /* n rows each, of one block: */
    double *block, *y;
    double *q, *f, *q_stage, *f_stage, *f_end, *f_before, *next_y, *base;
    double h_before[WLM_LANES]; /* the step before, that of f_before; 0: there is none */
    const double *next_state;   /* n rows: the state at the end of the attempt */
    double *pulse;              /* 3 rows a pulse, then a row an event with its time */
    double *learnt;             /* a row for each kind of edge: the first step behind it */
    double *before, *after;     /* rows of events' crossings */
    wlm_recurrence *recurrence; /* a row for each event: how it happened before */
    int32_t *setter; /* n: while a lane gets assignments, 1 + the event that has set the state, negative where
                                 * it was by the state itself; else 0 */
    unsigned char
        *fired; /* a row for each event: 1 where this lane gets its assignments, 2: behind others of the time */
    unsigned char jumped[WLM_LANES];  /* 1: the accepted step, or the start, is at a jump */
    unsigned char strayed[WLM_LANES]; /* 1: the accepted step was too short to tell unknowns that follow rates */
    double *row;                      /* n */
} wlm_step_lanes;

#define WLM_ROW(rows, i) ((rows) + (int64_t)(i)*WLM_LANES)

/* Copies n rows of the lanes in use. */
static inline void wlm_step_lanes_copy(const wlm_step_lanes *l, double *to, const double *from, int32_t n)
{
    for (int32_t i = 0; i < n; i++) memcpy(WLM_ROW(to, i), WLM_ROW(from, i), (size_t)l->used * sizeof *to);
}

/* Runs a workspace at times and states, as its first inputs are. */
static inline void wlm_step_lanes_run(const wlm_step_lanes *l, const wlm_workspace *workspace, const double *t,
                                      const double *y)
{
    wlm_step_lanes_copy(l, wlm_workspace_input(workspace, 0), t, 1);
    wlm_step_lanes_copy(l, wlm_workspace_input(workspace, 1), y, l->n);
    wlm_workspace_run(workspace, l->used);
}

/* Makes what Newton's iteration has come to its next beginning. */
static inline void wlm_lane_iterate(const wlm_step_lanes *l, int32_t lane)
{
    for (int32_t i = 0; i < l->n; i++)
        wlm_workspace_input(&l->newton, 1 + i)[lane] = wlm_workspace_output(&l->newton, i)[lane];
}

/* Returns the rows of Newton's inputs behind the parameters: dh, then n charges. */
static inline double *wlm_newton_lengths(const wlm_step_lanes *l)
{
    return wlm_workspace_input(&l->newton, 1 + l->n + l->stepper->parameters);
}

static inline double *wlm_newton_charges(const wlm_step_lanes *l)
{
    return WLM_ROW(wlm_newton_lengths(l), 1);
}

/* Takes norm, factor and health from three rows. */
static inline void wlm_step_lanes_take_estimate(wlm_step_lanes *l, const double *rows)
{
    for (int32_t k = 0; k < l->used; k++) {
        l->norm[k] = rows[k];
        l->factor[k] = WLM_ROW(rows, 1)[k];
        l->health[k] = WLM_ROW(rows, 2)[k];
    }
}

/* Returns the number of kinds of edges: 2 for each pulse, 1 for each event. */
static inline int32_t wlm_kinds(const wlm_step_lanes *l)
{
    return 2 * l->stepper->equations->pulses + l->stepper->equations->events;
}

/* Returns the time by which equations are evaluated now: at an edge a little before it, once behind it a little
 * later. */
static inline double wlm_lane_clock(const wlm_step_lanes *l, int32_t lane)
{
    return fmax(fmin(l->t[lane], l->last[lane]), l->first[lane]);
}

/* Returns the status of a weak pivot. Without algebraic rows short steps have none. */
static inline warplu_status wlm_weak_pivot(const wlm_stepper *s)
{
    return s->algebraic > 0 ? WARPLU_SINGULAR : WARPLU_STEP_TOO_SMALL;
}

warplu_status wlm_step_lanes_open(wlm_step_lanes *l, const wlm_stepper *stepper, const wlm_drive *drive);
void wlm_step_lanes_close(wlm_step_lanes *l);
/* Gives idle lanes the next members. */
void wlm_step_lanes_load(wlm_step_lanes *l);
/* Gives all programs the parameters of the members in the lanes that are marked. */
void wlm_step_lanes_write_parameters(wlm_step_lanes *l, const unsigned char *marked);
/* Ends a lane's member with this status; unknown: the one at fault, or -1. */
void wlm_lane_finish(wlm_step_lanes *l, int32_t lane, warplu_status status, int32_t unknown);
/* Ends it because of a step or an iteration from y to next (n rows). At fault is the first unknown that is not finite,
 * else the one that changes most beside the tolerances. */
void wlm_lane_fail(wlm_step_lanes *l, int32_t lane, warplu_status status, const double *next);

/* Ends it because of a limit of the step. */
void wlm_lane_fail_limit(wlm_step_lanes *l, int32_t lane, warplu_status status, int32_t limit);

/* Ends the member where something that has to stay above 0 has not or, where that is due, its state has left a range;
 * returns 1 then. */
int wlm_lane_leaves(wlm_step_lanes *l, int32_t lane, int is_due);

/* Tries a step of every live lane: next_state, norm, factor, health, trouble. */
void wlm_step_lanes_attempt(wlm_step_lanes *l);
void wlm_step_lanes_attempt_newton(wlm_step_lanes *l);
/* Solves the algebraic rows of the marked lanes by Newton's method; lanes for which it fails are done. */
void wlm_step_lanes_make_consistent(wlm_step_lanes *l, const unsigned char *marked);
/* Finds unknowns that follow the rates of others, once the rest is consistent; lanes for which it fails are done. */
void wlm_step_lanes_follow(wlm_step_lanes *l, const unsigned char *marked);
/* Finds them anew in lanes that have strayed. */
void wlm_step_lanes_follow_strays(wlm_step_lanes *l);

/* Evaluates the crossings of all events at times and states. */
void wlm_step_lanes_cross(wlm_step_lanes *l, const double *t, const double *y, double *crossing);
/* Returns 1 where an event's crossing rises in the tried step. */
int wlm_lane_crosses(const wlm_step_lanes *l, int32_t lane);
/* Begins with the events of a fresh lane, whose crossings are in `after`. Returns 0 where the lane is done, for one has
 * no time. */
int wlm_lane_begin_events(wlm_step_lanes *l, int32_t lane);
/* Notes events whose crossing rises in the accepted step, which ends at an edge or not, and at a jump those that would
 * rise at once behind it. Returns 0 where the lane is done, for events come ever closer. */
int wlm_lane_end_step(wlm_step_lanes *l, int32_t lane, int is_edge);
/* Returns the time at which an event is due, which may have gone by; NaN of others. */
double wlm_lane_event_time(const wlm_step_lanes *l, int32_t event, int32_t lane);
/* Notes all events whose time is the edge's. */
void wlm_lane_fire_timed(wlm_step_lanes *l, int32_t lane);
/* Looks behind events whose probe the lane has come to; where one cannot be followed, the lane is done. */
void wlm_lane_probe(wlm_step_lanes *l, int32_t lane);
/* Goes on in lanes that jumped: makes rounds of assignments and consistency, new edges and a small step; lanes at the
 * end are done. */
void wlm_step_lanes_jump(wlm_step_lanes *l);

/* Hands out the outputs that the lane has come to. */
void wlm_lane_report(wlm_step_lanes *l, int32_t lane);
/* Handles a lane at its stop: outputs get the state before a jump. */
void wlm_lane_arrive(wlm_step_lanes *l, int32_t lane);
/* Finds the lane's next edge behind t, and its next stop. */
void wlm_lane_find_edge(wlm_step_lanes *l, int32_t lane);
void wlm_lane_find_stop(wlm_step_lanes *l, int32_t lane);
/* Begins again behind a jump: with a small step, and stages whose times are not before it. */
void wlm_lane_restart(wlm_step_lanes *l, int32_t lane, int32_t kind);

#endif
