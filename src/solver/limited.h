/* Whether the factors of a program are within limits that vouch for their solves. */
#ifndef WLU_SOLVER_LIMITED_H
#define WLU_SOLVER_LIMITED_H

#include "solver/parts.h"

/* Solves by a program that were checked, or looked at O(nnz), before limits are sought. */
enum { WLU_LIMITS_AFTER = 16 };

/* Whether every solve with A by the program at hand is what a success promises, by its limits: O(slots) once a replay,
 * and O(nnz) where equations have shrunk. */
int wlu_solver_is_limited(warplu_solver *s);
/* After a solve with A that took a check, or a look at the values: counts it. Whether there have been enough, so that
 * limits are to be sought by the factors at hand once their pivots are not on trial. */
int wlu_solver_limits_are_due(warplu_solver *s);
/* Then: seeks them. x: the solution, or NULL where there is none yet. Takes memory of the factors while it does. */
void wlu_solver_seek_limits(warplu_solver *s, const double *x);
/* Whether what vouches for solves with A are limits that vouch for like solutions alone. */
int wlu_solver_limits_reach(const warplu_solver *s);
/* Then: whether this one, of this largest magnitude, is like them. */
int wlu_solver_is_in_reach(const warplu_solver *s, const double *x, double largest);
/* Limits are sought anew, after as many solves as if these had not been found. */
void wlu_solver_drop_limits(warplu_solver *s);

#endif
