/* A drive says what to integrate, a fate is the outcome of one member; drive.h explains both. */
#ifndef WLU_MODEL_STEP_JOB_H
#define WLU_MODEL_STEP_JOB_H

#include "model/method/recurrence.h"
#include "model/step/stepper.h"

/* The outcome of one member. */
typedef struct wlm_fate {
    warplu_status status;      /* WARPLU_SUCCESS: it is at t1 */
    double t;                  /* the time that it has come to, or where it failed */
    double clock;              /* that time, but behind an edge that is there (wlm_lane_clock) */
    double step;               /* the length of the last step; 0 where the lane has begun again behind it */
    int32_t unknown;           /* of a failure: the one that is not finite, else that a step changes most; -1: none */
    int32_t limit;             /* of a failure by a limit: 1 + its number; else 0 */
    wlm_event_trouble trouble; /* of a failure by events */
    int is_lost;               /* 1: a pulse is too short to be told from none */
    int64_t steps, rejected, iterations, events;
} wlm_fate;

/* Takes the state of a member at output time number `output`: y has n numbers. clock: the time for what is computed
 * from it, on the same side of an edge (wlm_lane_clock). step: the length of the step that has come there, 0 where the
 * drive begins. Threads call it for different members. */
typedef void wlm_row_fn(void *user, int64_t member, int32_t output, double clock, double step, const double *y);

typedef struct wlm_drive {
    double t0, t1; /* t0 < t1 */
    int32_t outputs;
    const double *output;    /* ascending, from t0 to t1 */
    const double *parameter; /* [member][lane parameter] */
    const double *start;     /* [member][unknown]; NULL: the equations' initial values */
    wlm_row_fn *row;         /* NULL: outputs are not wanted */
    void *user;
    double *end;    /* [member][unknown] at t1, NaN where it failed; or NULL */
    wlm_fate *fate; /* for each member */
    int settled;    /* 1: `start` is the end of another drive at t0, and so consistent */
} wlm_drive;

#endif
