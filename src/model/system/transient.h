/* A transient steps a large system in time.
 * The methods are those of method/methods.def that the large engine has: split is its own.
 *
 * Implicit methods solve by Newton's iterations through the solver, Rosenbrock's once for each stage with one
 * matrix a step: analysis once, pivots once, replays. Fixed steps are made equal so that they end at output times.
 * Steps end at edges and at events, which are found as those of small systems are (method/pace.h); beyond
 * one, controlled steps begin small again. A step whose iterations do not converge, or meet a number that is not
 * finite, is tried again with a quarter of its length, where steps are controlled; of fixed steps it ends the run.
 *
 * Rows without charges must hold at the start: damped Newton (Deuflhard, Newton Methods for Nonlinear Problems, 2004,
 * chapter 3) makes them, charges held; else gmin stepping, then source stepping; each is counted. What follows the
 * rates of others (index 2) is found behind that (method/follow.h). */
#ifndef WLU_MODEL_SYSTEM_TRANSIENT_H
#define WLU_MODEL_SYSTEM_TRANSIENT_H

#include "model/system/system.h"

typedef struct wlm_transient_options {
    wlm_method method; /* NONE: rodas4, but tr-bdf2 where charges are not linear */
    double step;       /* above 0: fixed steps of this length; 0: controlled steps, by methods that estimate errors */
    double cfl;        /* above 0, in place of `step`: times the least limit of all instances */
    double relative, absolute; /* 0: 1e-6 and 1e-9; method/tolerance.h says what they mean */
    double longest, shortest;  /* bounds of controlled steps; 0: none, and what rounding of t asks for */
    int threads;
    wlm_isa isa;
    int on_device,
        device;         /* on_device: 1: an explicit method's steps are taken on a CUDA device, of this number or -1 */
    warplu_check check; /* of linear solves of split and Rosenbrock's methods; Newton's iterations judge themselves */
} wlm_transient_options;

typedef struct wlm_transient_statistics {
    int64_t steps, rejected;
    int64_t iterations;                              /* Newton's iterations: a stamp, a replay and a solve each */
    int64_t start_damped, start_gmin, start_sources; /* those of them at starts, by how they were helped */
    double evaluate_ns, factor_ns, solve_ns;         /* wall time */
} wlm_transient_statistics;

typedef struct wlm_transient wlm_transient;

/* Sets defaults: backward Euler without a step, one thread, the best instruction set. */
void wlm_transient_options_init(wlm_transient_options *options);

/* Makes a transient at t = 0 with the model's initial values. The model and the context have to outlive it.
 * WARPLU_INVALID_ARGUMENT where options do not fit; WARPLU_MODEL_EQUATIONS where the model is not for this method, or
 * its structure is singular; WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_transient_create(wlu_context *ctx, const wlm_model *model, const wlm_transient_options *options,
                                   wlm_transient **out);
void wlm_transient_destroy(wlm_transient **transient);

/* Allows at most so many steps from here on, refused ones counted; no bound before. */
void wlm_transient_allow(wlm_transient *transient, int64_t most);

/* Steps to time t, beyond the present one, and makes what jumps there. After an error the state is that of the last
 * step that was taken.
 * WARPLU_NO_CONVERGENCE, WARPLU_STEP_TOO_SMALL, WARPLU_NOT_FINITE: the message names time, residual, unknown, element
 * and lines; WARPLU_SINGULAR, WARPLU_OUT_OF_RANGE: the unknown; WARPLU_TOO_MANY_STEPS; those of the solver. */
warplu_status wlm_transient_run(wlm_transient *transient, double t);
/* Do the same in parts: a start, before the first step towards t; steps to t; what jumps there. */
warplu_status wlm_transient_settle(wlm_transient *transient, double t);
warplu_status wlm_transient_approach(wlm_transient *transient, double t);
warplu_status wlm_transient_jump(wlm_transient *transient);
/* Returns the method in use. */
wlm_method wlm_transient_method(const wlm_transient *transient);
double wlm_transient_time(const wlm_transient *transient);
/* Returns the time by which equations are evaluated now: at an edge a little before it, once the run goes on or ends
 * behind it a little later. */
double wlm_transient_clock(const wlm_transient *transient);
/* Returns the length of the step before; 0 where a run or, behind a jump, its steps begin. */
double wlm_transient_length(const wlm_transient *transient);
/* Return the layout of unknowns, and their values to be changed; then the next run starts anew, and makes algebraic
 * rows hold again. */
const wlm_layout *wlm_transient_layout(const wlm_transient *transient);
double *wlm_transient_change(wlm_transient *transient);
/* Returns the system that implicit methods stamp; NULL of other methods. */
wlm_system *wlm_transient_system(wlm_transient *transient);
/* Reads count numbers at the present time, from number `first` of a memory on (wlm_layout_find); sums that are no
 * unknowns are computed for the call. WARPLU_INVALID_ARGUMENT where there are not so many. */
warplu_status wlm_transient_read(wlm_transient *transient, wlm_memory memory, int32_t first, int32_t count,
                                 double *out);
void wlm_transient_get_statistics(const wlm_transient *transient, wlm_transient_statistics *statistics);

#endif
