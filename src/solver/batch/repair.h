/* Repairs members that their program does not serve. */
#ifndef WLU_SOLVER_BATCH_REPAIR_H
#define WLU_SOLVER_BATCH_REPAIR_H

#include "solver/batch/parts.h"

/* Runs the members by the program, checks solves that turn out doubtful, and judges: those that it does not serve are
 * added to `unserved`. check: which solves are. What a device answers. */
warplu_status wlu_batch_serve(warplu_batch *b, int32_t program, const wlu_batch_call *call, wlu_batch_check check,
                              const wlu_member_list *members, wlu_member_list *unserved);
/* Other programs, then others yet to be made from a member's own pivots, then solvers: all members of the list, in
 * b->left, have their final record afterwards. Members stay with what serves them. What a device answers. */
warplu_status wlu_batch_repair(warplu_batch *b, const wlu_batch_call *call, wlu_member_list *unserved);
/* Without repair: the member's record stands; x of one without factors becomes NaN. */
void wlu_batch_leave(warplu_batch *b, const wlu_batch_call *call, int32_t member);
/* Whether the options say so. */
int wlu_batch_mends(const warplu_batch *b);
/* Whether members that solvers answer for may still come to share a program. */
int wlu_batch_makes_programs(const warplu_batch *b);

#endif
