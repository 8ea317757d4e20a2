/* Whether solves by the factors at hand need no check, by a bound on the errors of all of them. */
#ifndef WLU_SOLVER_BOUNDED_H
#define WLU_SOLVER_BOUNDED_H

#include "solver/parts.h"

/* Whether every solve with A, or A', by the factors at hand is what a success promises, by all that is at hand: where
 * values are kept also by the magnitudes of all their entries, O(nnz) once a replay. */
int wlu_solver_is_bounded(warplu_solver *s, int transposed);

#endif
