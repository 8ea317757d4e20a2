/* The lanes of one thread while it drives members: what the files here that drive them share. */
#ifndef WLU_MODEL_STEP_LANES_H
#define WLU_MODEL_STEP_LANES_H

#include <math.h>
#include <string.h>

#include "model/step/job.h"
#include "model/method/pace.h"

typedef struct wlm_step_lanes {
    const wlm_stepper *stepper;
    const wlm_drive *drive;
    wlu_context *ctx;
    wlm_workspace step, newton, charges, estimate, first_step, begin, crossing, assign;
    int64_t next, end;     /* members that no lane has yet */
    int32_t n, live, used; /* used: lanes below are all that a run must compute */
    wlm_pace pace[WLM_LANES];
    /* of lanes: */
    double t[WLM_LANES], h[WLM_LANES], last[WLM_LANES], first[WLM_LANES];
    double norm[WLM_LANES], factor[WLM_LANES], health[WLM_LANES]; /* of a step without an estimate 0, 1, 1 */
    warplu_status trouble[WLM_LANES];                             /* of iterations */
    /* n rows each, from one block: */
    double *block, *y;
    double *q, *f, *q_stage, *f_stage, *f_end, *f_before, *next_y, *base;
    double h_before[WLM_LANES];      /* of f_before; 0: there is none */
    const double *next_state;        /* n rows: what the attempt came to */
    double *pulse;                   /* 3 rows a pulse, then a row an event with its time */
    double *learnt;                  /* of each kind of edge, the first step behind it */
    double *before, *after;          /* rows of events' crossings */
    unsigned char *fired;            /* rows of events: this lane is to have its assignments */
    unsigned char jumped[WLM_LANES]; /* the step that was accepted ended at a jump */
    double *row;                     /* n */
} wlm_step_lanes;

#define WLM_ROW(rows, i) ((rows) + (int64_t)(i)*WLM_LANES)

/* What lanes have in n rows, from one place to another. */
static inline void wlm_step_lanes_copy(const wlm_step_lanes *l, double *to, const double *from, int32_t n)
{
    for (int32_t i = 0; i < n; i++) memcpy(WLM_ROW(to, i), WLM_ROW(from, i), (size_t)l->used * sizeof *to);
}

/* Norm, factor and health, from three rows. */
static inline void wlm_step_lanes_take_estimate(wlm_step_lanes *l, const double *rows)
{
    for (int32_t k = 0; k < l->used; k++) {
        l->norm[k] = rows[k];
        l->factor[k] = WLM_ROW(rows, 1)[k];
        l->health[k] = WLM_ROW(rows, 2)[k];
    }
}

/* Kinds of edges: 2 for each pulse, 1 for each event. */
static inline int32_t wlm_kinds(const wlm_step_lanes *l)
{
    return 2 * l->stepper->equations->pulses + l->stepper->equations->events;
}

/* The status of a weak pivot. Without algebraic rows a short step has none. */
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
/* The member of a lane is done with this status; unknown: which is at fault, or -1. */
void wlm_lane_finish(wlm_step_lanes *l, int32_t lane, warplu_status status, int32_t unknown);
/* It is done because of a step or an iteration from y to next (n rows). At fault is the first unknown that is not
 * finite, else the one that changes most beside the tolerances. */
void wlm_lane_fail(wlm_step_lanes *l, int32_t lane, warplu_status status, const double *next);

/* Ends the member whose state has left a range; 1 where that is so. */
int wlm_lane_leaves(wlm_step_lanes *l, int32_t lane);

/* Tries a step of every live lane: next_state, norm, factor, health, trouble. */
void wlm_step_lanes_attempt(wlm_step_lanes *l);
void wlm_step_lanes_attempt_newton(wlm_step_lanes *l);
/* Newton's method for the algebraic rows of the lanes that are marked; those for which it fails are done. */
void wlm_step_lanes_make_consistent(wlm_step_lanes *l, const unsigned char *marked);
/* Finds unknowns that follow the rates of others, once the rest is consistent; lanes for which it fails are done. */
void wlm_step_lanes_follow(wlm_step_lanes *l, const unsigned char *marked);

/* Crossings of all events at times and states. */
void wlm_step_lanes_cross(wlm_step_lanes *l, const double *t, const double *y, double *crossing);
/* 1 where an event's sign rises in the step that was tried. */
int wlm_lane_crosses(const wlm_step_lanes *l, int32_t lane);
/* Notes events whose sign rises in the step that is accepted. */
void wlm_lane_fire(wlm_step_lanes *l, int32_t lane);
/* At an edge: notes all events of its time. */
void wlm_lane_fire_timed(wlm_step_lanes *l, int32_t lane);
/* Lanes that jumped: assignments of what has fired, consistency, new edges, and a small step; those at the end are
 * done. */
void wlm_step_lanes_jump(wlm_step_lanes *l);

/* Tells of outputs that the lane has come to. */
void wlm_lane_report(wlm_step_lanes *l, int32_t lane);
/* A lane at its stop: outputs are told what is before a jump. */
void wlm_lane_arrive(wlm_step_lanes *l, int32_t lane);
/* The lane's next edge behind t, and its next stop. */
void wlm_lane_find_edge(wlm_step_lanes *l, int32_t lane);
void wlm_lane_find_stop(wlm_step_lanes *l, int32_t lane);
/* Behind a jump: a small step, and times of stages that are not before it. */
void wlm_lane_restart(wlm_step_lanes *l, int32_t lane, int32_t kind);

#endif
