/* The phases of a solver, and what calls do in each: one table, phase.def, also in docs/phases.md. */
#ifndef WLU_SOLVER_PHASE_H
#define WLU_SOLVER_PHASE_H

typedef enum wlu_phase {
    WLU_EMPTY,    /* nothing has been analyzed */
    WLU_ANALYZED, /* there are orders, but no pivots */
    WLU_PIVOTED,  /* there are pivots without factors: restored, cloned, or left by a call that failed */
    WLU_FACTORED, /* the factors are of the values that the pivots were chosen for */
    WLU_REPLAYED, /* the factors are of other values, and the replay serves */
    WLU_ENQUEUED, /* a replay is on the device, and nobody has judged it */
    WLU_PHASES
} wlu_phase;

typedef enum wlu_call {
#define WLU_CALL(ID, name, e, a, p, f, r, q, program, success, failure) WLU_CALL_##ID,
#include "solver/phase.def"
#undef WLU_CALL
    WLU_CALLS
} wlu_call;

/* The call's name in warplu.h. */
const char *wlu_call_name(wlu_call call);
/* Says in words what stands in the way of a call that is not allowed. */
const char *wlu_phase_text(wlu_phase phase);

int wlu_phase_allows(wlu_phase phase, wlu_call call);
/* Whether the call needs a program on an executor that takes device pointers. */
int wlu_call_needs_program(wlu_call call);

/* The phase without factors; has_pivots: there are some. */
wlu_phase wlu_phase_unfactored(int has_pivots);
/* The phase after an allowed call. now: the one that its work has led to. */
wlu_phase wlu_phase_after(wlu_call call, int failed, wlu_phase now, int has_pivots);

#endif
