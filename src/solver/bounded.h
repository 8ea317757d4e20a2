/* Whether solves by the factors at hand need no check, by a bound on the errors of all of them. */
#ifndef WLU_SOLVER_BOUNDED_H
#define WLU_SOLVER_BOUNDED_H

#include "solver/parts.h"

/* Whether every solve with A, or A', by the factors at hand is what a success promises: by the largest magnitudes
 * alone, O(1); or where these leave it open and values are kept, by all numbers, O(|L| + |U| + nnz) once a replay. */
int wlu_solver_is_bounded_at_once(const warplu_solver *s, int transposed);
int wlu_solver_is_bounded(warplu_solver *s, int transposed);

#endif
