/* New pivots for the values whose entries the solver has. */
#ifndef WLU_SOLVER_REPIVOT_H
#define WLU_SOLVER_REPIVOT_H

#include "solver/parts.h"

/* On failure the old pivots stay, without factors. The new ones' factors answer by columns, or where the options expect
 * enough replays, a state for their program waits for its first replay. Statuses as warplu_factor. */
warplu_status wlu_solver_pivot(warplu_solver *s);
/* The same by the order and scales of the pivots in use, without a program: WARPLU_REPIVOTED, or what pivoting fails
 * with; then the old pivots stay, and their factors. */
warplu_status wlu_solver_pivot_again(warplu_solver *s);
/* After that: another analysis from the same values, if the pivots just chosen show that they need it. Whatever fails,
 * these pivots stand. */
void wlu_solver_reconsider_analysis(warplu_solver *s);

#endif
