/* Whether the factors of a program are within limits that vouch for their solves. */
#ifndef WLU_SOLVER_LIMITED_H
#define WLU_SOLVER_LIMITED_H

#include "solver/parts.h"

/* Solves by a program that were checked, or looked at O(nnz), before limits are sought. */
enum { WLU_LIMITS_AFTER = 8 };

/* Whether every solve with A by the program at hand is what a success promises, by its limits: O(slots) once a replay,
 * and O(nnz) where equations have shrunk. */
int wlu_solver_is_limited(warplu_solver *s);
/* After a solve with A that took a check, or a look at the values: counts it, and finds limits by the factors at hand
 * once there have been enough. Takes memory of the factors while it does. */
void wlu_solver_seek_limits(warplu_solver *s);

#endif
