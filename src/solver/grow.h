/* A solver that grows: what it makes, and when.
 *
 *     stage          made of                                        taken
 *     first answer   one order, pivots, factors by column; or a     in warplu_factor
 *                    program and its replay (first_replay.h)
 *     program        compiled from the pivots at hand               once three quarters of what was spent pay for it
 *     better order   the race (order/race.h), pivots, program anew  once a tenth of it does
 *
 * What has been spent is predicted (cost/stages.h) for one solve to each refactorization, so each stage begins after a
 * number of refactorizations that is known beforehand: rent or buy (Karlin, Manasse, Rudolph and Sleator, Algorithmica
 * 3, 1988). No call takes longer than that share of all calls before it, as far as predictions hold. A solver that is
 * told to expect many refactorizations (expected_refactors), and one on a device, begins with what these pay for. */
#ifndef WLU_SOLVER_GROW_H
#define WLU_SOLVER_GROW_H

#include "solver/parts.h"

/* Whether one replay by columns is predicted to take longer than a program and its replay: factors that leave the
 * cache. Then pivots are compiled before their first replay. Not on a device. */
int wlu_grow_exceeds_columns(const warplu_solver *s, const wlu_pivots *pivots);
/* Whether a program is predicted to replay no sooner than columns do: a few unknowns, or chains of a dozen. Then it is
 * made where somebody expects refactorizations, saves it or clones the solver, never of itself. */
int wlu_grow_stays_by_columns(const warplu_solver *s, const wlu_pivots *pivots);
/* Replays by columns before the first pivots are compiled; WLU_COMPILE_AFTER where fewer have been expected. */
int64_t wlu_grow_compile_after(const warplu_solver *s, const wlu_pivots *pivots);
/* Whether a race now is within its share of what has been spent at least, by columns alone. */
int wlu_grow_pays_for_race(const warplu_solver *s);
/* A program has just been compiled: when orders are to race, unless they have. */
void wlu_grow_plan_race(warplu_solver *s);
/* Before a replay of these values: the better order, where its time has come and it is better. Whatever fails, the
 * solver stays as it is; what fails by these values or is cancelled is put off until as many refactorizations have come
 * again. WARPLU_CANCELLED. */
warplu_status wlu_grow(warplu_solver *s, const double *values);

#endif
