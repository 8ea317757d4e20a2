/* Where the factors of members are kept. */
#ifndef WLU_SOLVER_BATCH_PLACES_H
#define WLU_SOLVER_BATCH_PLACES_H

#include "solver/batch/parts.h"

/* Makes all places of a program of other pivots vacant. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_batch_make_places(warplu_batch *b, wlu_batch_program *program);
/* The member's factors are to be kept by this program, or by its solver (WLU_BY_SOLVER): it has a place there, and
 * unless they were kept there before no factors yet. 0: no place is vacant, and all is as it was. */
int wlu_batch_settle(warplu_batch *b, int32_t member, int32_t program);
/* The member's solver is not needed any more. */
void wlu_batch_drop_solver(warplu_batch *b, int32_t member);

#endif
