/* Members for which a solver of their own answers. */
#ifndef WLU_SOLVER_BATCH_ALONE_H
#define WLU_SOLVER_BATCH_ALONE_H

#include "solver/batch/parts.h"

/* A member's values, right-hand side or solution, one number after the other. */
const double *wlu_batch_values_of(warplu_batch *b, const wlu_batch_call *call, int32_t member);
const double *wlu_batch_rhs_of(warplu_batch *b, const wlu_batch_call *call, int32_t member, int32_t column);
const double *wlu_batch_solution_of(warplu_batch *b, const wlu_batch_call *call, int32_t member, int32_t column);
/* NaN to all of a member's solutions. */
void wlu_batch_spoil(const warplu_batch *b, const wlu_batch_call *call, int32_t member);

/* The solver that answers for the member: the one all share, or where factors are kept its own. NULL: no memory, and
 * the message says so. */
warplu_solver *wlu_batch_solver_of(warplu_batch *b, const wlu_batch_call *call, int32_t member);
/* What the call asks for, by the member's solver; anew: by new pivots. The record has the status. WARPLU_CANCELLED. */
warplu_status wlu_batch_answer_alone(warplu_batch *b, const wlu_batch_call *call, int32_t member, int anew);

#endif
