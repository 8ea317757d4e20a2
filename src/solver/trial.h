/* New pivots are on trial: each solve by them is checked until WLU_TRIAL_SOLVES in a row have been accurate. */
#ifndef WLU_SOLVER_TRIAL_H
#define WLU_SOLVER_TRIAL_H

#include "solver/known_systems.h"

/* Whether new pivots are put to the test when they are chosen: on a device, where nobody sees the first solves. */
int wlu_solver_proves_ahead(const warplu_solver *s);
/* Puts new pivots for the solver's entries to the test by their first factors. accurate_solves: of A and A', as the
 * pivots have them. */
void wlu_solver_test_on_known_systems(warplu_solver *s, const wlu_pivots *pivots, wlu_factors *factors,
                                      int accurate_solves[2]);
/* Before a solve on the host: puts pivots on trial that have a program to the test, once, where nothing else has the
 * solve checked. */
void wlu_solver_prove(warplu_solver *s, int transposed);
/* After a checked solve with A, where limits are due: the same, although the bound is open. */
void wlu_solver_prove_unbounded(warplu_solver *s);
/* What a checked solve for b, of this backward error after so many steps of refinement, says of the pivots in use. */
void wlu_solver_count_solve(warplu_solver *s, int transposed, const double *b, double error, int32_t steps);
/* The trial begins anew: a solve that should have been accurate was not. */
void wlu_solver_begin_trial(warplu_solver *s, int transposed);
/* Whether pivots with such accurate_solves are to be replayed by the target that refines, where there is one: solves on
 * device pointers are to be checked, and nobody else sees what they come to. */
int wlu_solver_refines(const warplu_solver *s, const int accurate_solves[2]);
const wlu_target *wlu_solver_target(const warplu_solver *s, const int accurate_solves[2]);

#endif
