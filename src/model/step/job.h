/* A drive says what is to be driven, a fate what became of a member; drive.h explains both. */
#ifndef WLU_MODEL_STEP_JOB_H
#define WLU_MODEL_STEP_JOB_H

#include "model/step/stepper.h"

/* The outcome of one member. */
typedef struct wlm_fate {
    warplu_status status; /* WARPLU_SUCCESS: it is at t1 */
    double t;             /* where it is, or failed */
    int32_t unknown;      /* of one that failed: what is not finite, else what a step changes most; -1: not known */
    int64_t steps, rejected, iterations, events;
} wlm_fate;

/* A member has come to an output time: number `output`, with y of n numbers. Threads call it for different members. */
typedef void wlm_row_fn(void *user, int64_t member, int32_t output, const double *y);

typedef struct wlm_drive {
    double t0, t1; /* t0 < t1 */
    int32_t outputs;
    const double *output;    /* ascending, from t0 to t1 */
    const double *parameter; /* of member m: lane_parameters numbers at m lane_parameters */
    const double *start;     /* of member m: n at m n; NULL: the equations' initial values */
    wlm_row_fn *row;         /* NULL: nobody asks */
    void *user;
    double *end;    /* of member m: n at m n, what it has at t1, NaN where it failed; or NULL */
    wlm_fate *fate; /* of each member */
    int settled;    /* `start` is what another drive came to at t0: it is consistent */
} wlm_drive;

#endif
