/* The reference executor of `phases`, which is the specification of the kernels: launches one after the other, lanes
 * of a warp one after the other.
 *
 * Definitions are computed where they are read; ODEs write the next array, which then takes the old one's place.
 * Runge and Kutta's classical method of order four computes all phases four times a step. Cost: O(instructions) a
 * step. */
#ifndef PHASES_RUN_H
#define PHASES_RUN_H

#include "phases/interpret.h"
#include "phases/phases.h"

enum { WLM_PHASES_ARRAYS = 3 };

typedef struct wlm_phases_state {
    double *array[WLM_PHASES_ARRAYS]; /* of all variables; the first one is now */
    double *sum[2];
    double start; /* t of step 0 */
    int64_t steps;
} wlm_phases_state;

/* The launches of one step, by the numbers of the arrays at its beginning. The last stage's `out` is then the first. */
typedef struct wlm_phases_stage {
    int in, out, sum, next_sum, base; /* of arrays and of sums */
    wlm_phases_assignment assignment; /* of its ODEs */
    double step, ahead;               /* memory.step; how far behind the step's beginning `out` is */
} wlm_phases_stage;

enum { WLM_PHASES_STAGES_MOST = 4 };
/* Stages of a step of size h: 1 by Euler's method, 4 by Runge and Kutta's. */
int wlm_phases_plan(wlm_method method, double h, wlm_phases_stage stage[WLM_PHASES_STAGES_MOST]);

/* The time that a stage's `out` is at, in step number `steps` from `start` on. */
double wlm_phases_time(const wlm_phases_stage *stage, int is_last, double start, int64_t steps, double h);

/* States begin at y, or, where that is NULL, as the equations say; parameter: of lanes, in their order. To be freed
 * after failures too. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_phases_state_create(wlu_context *ctx, const wlm_phases *phases, const wlm_equations *equations,
                                      double start, const double *y, const double *parameter, wlm_phases_state *out);
void wlm_phases_state_free(wlu_context *ctx, wlm_phases_state *state);

/* WARPLU_INVALID_ARGUMENT: the method is neither WLM_EULER nor WLM_RK4. */
warplu_status wlm_phases_run(wlu_context *ctx, const wlm_phases *phases, wlm_phases_state *state, wlm_method method,
                             double h, int64_t steps);
/* Computes definitions for the states that are now: after steps they are those of the last stage. */
void wlm_phases_define(const wlm_phases *phases, wlm_phases_state *state);

#endif
