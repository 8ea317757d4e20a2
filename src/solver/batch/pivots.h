/* The common pivots of a batch. */
#ifndef WLU_SOLVER_BATCH_PIVOTS_H
#define WLU_SOLVER_BATCH_PIVOTS_H

#include "solver/batch/parts.h"

/* Pivots that suit most of a sample of these values' members, of those that take part (some do), and their program, in
 * place of all programs before. Statuses as warplu_batch_factor. */
warplu_status wlu_batch_choose_pivots(warplu_batch *b, const wlu_batch_call *call, const unsigned char *mask);
/* The common program, of the solver's pivots. Statuses of wlu_batch_program_create. */
warplu_status wlu_batch_adopt_pivots(warplu_batch *b);

#endif
