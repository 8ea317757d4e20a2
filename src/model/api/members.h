/* The engine whose lanes are members: the whole model in one program (model/step), on threads or a device. Handles are
 * unknowns, then definitions, then varying parameters. */
#ifndef WLU_MODEL_API_MEMBERS_H
#define WLU_MODEL_API_MEMBERS_H

#include "model/api/engine.h"
#include "model/exec/formula.h"
#include "model/device/lanes.h"
#include "model/step/stepper.h"

typedef struct wlm_members {
    wlm_equations *equations;
    wlm_stepper *stepper;
    wlm_device_lanes *device; /* NULL unless the executor is CUDA */
    double *state;            /* [member][unknown]: the end of a run, where the next one begins */
    double *clock;            /* [member]: the time by which definitions are computed, behind edges */
    double *step;             /* [member]: the length of the step before, for these */
    unsigned char *given;     /* [member][unknown]: 1 of initial values that were set; NULL: none */
    wlm_formula watched;      /* the watched definitions; empty where there are none */
    int64_t steps, rejected, iterations;
    int begun;   /* a run has begun */
    int settled; /* the state is what a run has come to, and was not set since */
} wlm_members;

/* Returns the engine's own part of a simulation; NULL where lanes are instances. */
static inline wlm_members *wlm_members_of(const warplu_sim *sim)
{
    return sim->engine == &wlm_members_engine ? sim->own : NULL;
}

/* Functions of the engine's table (engine.h). */
int64_t wlm_members_handles(const warplu_sim *sim);
warplu_handle_kind wlm_members_kind(const warplu_sim *sim, int64_t handle);
int64_t wlm_members_find(const warplu_sim *sim, const char *name, wlm_suggestion *suggestion);
void wlm_members_name(const warplu_sim *sim, int64_t handle, char *name, size_t bytes);
wlm_place wlm_members_place(const warplu_sim *sim, int64_t handle);
warplu_status wlm_members_get(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, double *out);
warplu_status wlm_members_set(warplu_sim *sim, int64_t handle, int64_t first, int64_t count, const double *in);
warplu_status wlm_members_watch(warplu_sim *sim);
void wlm_members_forget(warplu_sim *sim);
warplu_status wlm_members_run(warplu_sim *sim, double t, const wlm_outputs *outputs);

/* Computes initial values of all members, from their parameters. */
warplu_status wlm_members_begin(warplu_sim *sim);
/* Computes a member's watched handles at time t, behind a step of this length, with unknowns y, into watched.values. */
void wlm_members_compute(warplu_sim *sim, int64_t member, double t, double step, const double *y);

#endif
