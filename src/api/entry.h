/* What every call of warplu.h on a solver does around its work, in this order: the library's floating-point
 * environment, the solver's turn (base/turn.h), the arguments, the phase (solver/phase.def), the work, the next phase,
 * the turn given back, the caller's environment.
 *
 * The environment is entered and left in a file of its own, so that no arithmetic can move across: answers, pivots,
 * orders and messages do not depend on the caller's, and no trap is sprung. */
#ifndef WLU_API_ENTRY_H
#define WLU_API_ENTRY_H

#include "base/environment.h"
#include "solver/parts.h"

typedef struct wlu_entry {
    wlu_environment environment;
    warplu_solver *solver; /* NULL: none was given, or the call leaves it as it is */
    wlu_turn *turn;        /* to be given back; NULL: none was taken */
    wlu_call call;
    int allowed; /* the call has not been refused */
    warplu_status status;
} wlu_entry;

/* given: every pointer that the call needs is there; a missing solver is noticed without. Waits for calls of other
 * threads on the solver. Refuses with WARPLU_INVALID_ARGUMENT, WARPLU_NOT_COMPILED, WARPLU_WRONG_PHASE and a message; a
 * call from within a call of the solver without one. Returns whether it is allowed. */
int wlu_entry_begin(wlu_entry *e, warplu_solver *s, wlu_call call, int given);
/* The same for a solver that stays as it is, its message too. */
int wlu_entry_begin_const(wlu_entry *e, const warplu_solver *s, wlu_call call, int given);
/* Refuses shapes that do not fit: WARPLU_INVALID_ARGUMENT. Returns whether the call is still allowed. */
int wlu_entry_check_sides(wlu_entry *e, const warplu_solver *s, int32_t nrhs, const double *b, int32_t ldb,
                          const double *x, int32_t ldx);
/* The same where x is an output, which may take the place of b with one leading dimension, and overlaps it in no other
 * way. */
int wlu_entry_check_output(wlu_entry *e, const warplu_solver *s, int32_t nrhs, const double *b, int32_t ldb,
                           const double *x, int32_t ldx);
/* Refuses for a reason of the call's own. */
int wlu_entry_refuse(wlu_entry *e, warplu_status status, const char *why);
/* Moves the phase on; returns the call's status. */
warplu_status wlu_entry_end(wlu_entry *e);

#endif
