/* Whether the factors of a program are within limits that vouch for their solves. */
#ifndef WLU_SOLVER_LIMITED_H
#define WLU_SOLVER_LIMITED_H

#include "solver/parts.h"

/* Checked solves by a program before limits are sought. */
enum { WLU_LIMITS_AFTER = 8 };

/* Whether every solve with A by the program at hand is what a success promises, by its limits: O(slots) once a replay,
 * and O(nnz) where equations have shrunk. */
int wlu_solver_is_limited(warplu_solver *s);
/* After a checked solve with A: counts it, and finds limits by the factors at hand once there have been enough. Takes
 * memory of the factors while it does. */
void wlu_solver_seek_limits(warplu_solver *s);

#endif
