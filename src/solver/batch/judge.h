/* Judges a member's replay and its solves. */
#ifndef WLU_SOLVER_BATCH_JUDGE_H
#define WLU_SOLVER_BATCH_JUDGE_H

#include "solver/batch/parts.h"

typedef enum wlu_member_finding {
    WLU_MEMBER_SERVED,   /* its record has the status, which is final */
    WLU_MEMBER_DOUBTFUL, /* its solves have to be checked */
    WLU_MEMBER_UNSERVED  /* this program is not the one for it; its record has the status if nothing else is */
} wlu_member_finding;

/* The largest backward error of a success. */
double wlu_batch_accurate(const warplu_batch *b);
/* Of the member's result by this program, in its record. O(1), but for a solution that is not finite or whose error is
 * close to the promise: O(n + nnz). */
wlu_member_finding wlu_batch_judge(warplu_batch *b, int32_t program, const wlu_batch_call *call, int32_t member);

#endif
