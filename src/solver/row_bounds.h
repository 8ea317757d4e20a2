/* The bound on the errors of all solves by the factors at hand (numerics/bound.h): with what the replay itself has
 * seen, O(1); where that leaves rows open, by these rows' entries of L and F, of A' of U and F (numerics/means.h), a
 * small part of a replay. They are listed once for replays like the one at hand, or a little worse. */
#ifndef WLU_SOLVER_ROW_BOUNDS_H
#define WLU_SOLVER_ROW_BOUNDS_H

#include "solver/parts.h"

/* Whether every solve with A, or A', by the factors at hand is what a success promises, as far as is known, or by the
 * largest magnitudes alone: O(1). */
int wlu_solver_is_bounded_at_once(const warplu_solver *s, int transposed);
/* The same of strictly repeatable solvers, by what depends on the values at hand alone, their own numbers too: O(|L| +
 * |U|), once a replay. */
int wlu_solver_is_bounded_by_values(warplu_solver *s, int transposed);
/* On the host, where these leave rows open: by the rows' magnitudes of now, O(n); of programs, by the numbers of open
 * rows. values: the caller's, of the replay, or NULL. Once a replay. */
int wlu_solver_is_bounded_by_rows(warplu_solver *s, int transposed, const double *values);
/* Whether open rows keep the promise with the magnitudes of this look, which gets its numbers here; where loads_alone,
 * as far as sums over other diagonal blocks go. */
int wlu_solver_rows_hold(warplu_solver *s, int transposed, wlu_mean_look *look, int loads_alone);
/* The same where values are kept, in case rows' largest entries have given way to others: O(nnz). */
int wlu_solver_is_bounded_by_all(warplu_solver *s, int transposed);
/* Whether sums over other diagonal blocks are bounded, in solves with A, whatever the rest of the factors is. */
int wlu_solver_loads_are_bounded(warplu_solver *s);

#endif
