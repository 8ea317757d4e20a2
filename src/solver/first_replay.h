/* The first factorization as a replay: pivots on the diagonal of an order, compiled and replayed without a search. */
#ifndef WLU_SOLVER_FIRST_REPLAY_H
#define WLU_SOLVER_FIRST_REPLAY_H

#include "solver/parts.h"

/* Whether the first factorization by these pivots of the first order would be such a replay. */
int wlu_solver_would_replay_first(const warplu_solver *s, const wlu_pivots *pivots);
/* For `values`, whose entries the solver has: where the diagonal of the first order is likely to hold, and a search is
 * predicted to take longer (cost/stages.h) than a program and its replay, makes these, and where the diagonal holds the
 * pivots in use; *replayed is 1, and the factors are at hand. Else it is 0, nothing has changed, and a search is to
 * follow: whatever fails says no more than that. WARPLU_CANCELLED. */
warplu_status wlu_solver_replay_first(warplu_solver *s, const double *values, int *replayed);

#endif
