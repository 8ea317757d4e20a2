/* Factorizations that do not depend on earlier ones: of solvers whose options ask for it (repeatable). repeat.c says
 * how. */
#ifndef WLU_SOLVER_REPEAT_H
#define WLU_SOLVER_REPEAT_H

#include "solver/parts.h"

/* Of the analysis at hand: it is what a repeatable solver begins with, and says whether that is strictly so. */
void wlu_solver_take_first(warplu_solver *s);
/* What a repeatable solver answers from now on is what it would answer just after its analysis. Others stay. */
void wlu_solver_begin_anew(warplu_solver *s);
/* Whether a repeatable solver has factored nothing yet since it began, so that pivots at hand are no answer's. */
int wlu_solver_has_to_factor(const warplu_solver *s);
/* The pivots in use are those that a factorization has found, of a strictly repeatable solver. */
void wlu_solver_note_base(warplu_solver *s);
/* Before a refactorization: those are in use again, by columns, whatever has taken their place.
 * WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_solver_return_to_base(warplu_solver *s);
/* A factorization by a replay, of values whose entries the solver has, where a search would find these pivots; else
 * *replayed is 0 and a search has to follow. WARPLU_CANCELLED. */
warplu_status wlu_solver_replay_again(warplu_solver *s, const double *values, int *replayed);

#endif
