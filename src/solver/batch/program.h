/* A program in the form for batches, and its members' replays. */
#ifndef WLU_SOLVER_BATCH_PROGRAM_H
#define WLU_SOLVER_BATCH_PROGRAM_H

#include "solver/batch/parts.h"

/* Of the plan, which it becomes an owner of, compiled unless it is. places: members whose factors are kept, at most.
 * Statuses of wlu_lu_compile, and those of the executor's create. On failure *out is zeros. */
warplu_status wlu_batch_program_create(warplu_batch *b, wlu_plan *plan, int32_t places, wlu_batch_program *out);
void wlu_batch_program_free(warplu_batch *b, wlu_batch_program *program);
/* Makes solves with A' possible. Statuses of wlu_lu_compile, and what a device answers. */
warplu_status wlu_batch_program_add_transposed(warplu_batch *b, wlu_batch_program *program);
/* Whether known systems of these values, by the solver, whose pivots are the program's, prove them for solves with A:
 * program->proven. A replay, and a solve and a residual for each known system. */
void wlu_batch_program_prove(warplu_batch *b, wlu_batch_program *program, warplu_solver *solver, const double *values);

/* Which of the program's solves are checked in the call. */
wlu_batch_check wlu_batch_check_of(const warplu_batch *b, const wlu_batch_program *program, const wlu_batch_call *call);
/* Replays and solves of the listed members, whose places are set where factors are kept. Results are in b->result.
 * What a device answers. */
warplu_status wlu_batch_program_run(warplu_batch *b, wlu_batch_program *program, const wlu_batch_call *call,
                                    wlu_batch_check check, const wlu_member_list *members);

#endif
