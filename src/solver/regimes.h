/* Earlier pivots: put away when others take their place, taken up again where they serve. */
#ifndef WLU_SOLVER_REGIMES_H
#define WLU_SOLVER_REGIMES_H

#include "solver/parts.h"

/* Pivots that have been compiled, or replayed, go to the cache, others are let go: none are in use. */
void wlu_solver_put_away(warplu_solver *s);
/* New pivots are in use, with their factors by column; those before go to the cache if they have replayed anything. */
void wlu_solver_change_pivots(warplu_solver *s, wlu_plan *plan, wlu_factors *factors);
/* Replays the values, whose entries the solver has, with earlier pivots. Their verdict if some serve and have become
 * those in use, else weak. */
wlu_verdict wlu_solver_try_earlier(warplu_solver *s, const double *values);
/* Before a replay: pivots whose time is up where regimes take turns give way to those that follow; 1 if they have. Not
 * on a device, where captured graphs hold the program. */
int wlu_solver_foresee(warplu_solver *s);

#endif
