/* The short way: replays and solves of small strictly repeatable systems, for programs in which a call counts.
 *
 * A system of a few unknowns is refactored and solved in some ten nanoseconds, in which nothing else has room: phases,
 * findings, what is to be done about them. So what has to be found for such a call to be as it should be is looked at
 * first, in a few comparisons: factors with lists (pivot/column_lists.h) of the pivots that the last factorization
 * chose, a replay that is not weak; a bound that proves all solves, or a residual that shows this one to need no
 * refinement. Where all of that holds the call is done, with the bits that the long way has; where anything does not,
 * it is left to that. Nothing is allocated, and no lock is waited for.
 *
 * Solves by a program go it too, whose pivots are no longer on trial and whose bound proves all solves at once. */
#ifndef WLU_SOLVER_SHORT_H
#define WLU_SOLVER_SHORT_H

#include "solver/parts.h"

/* wlu_solver_refactor, where the replay is not weak; 0: that has to be called, and until then there may be no factors.
 */
int wlu_short_refactor(warplu_solver *s, const double *values);
/* wlu_solver_solve for one right-hand side; x may be b. 0: as above. */
int wlu_short_solve(warplu_solver *s, int transposed, const double *b, double *x);

#endif
