/* Stages of a solver's growth (solver/grow.h), and limits of its factors, ahead of their time. */
#ifndef TESTS_SUPPORT_STAGES_H
#define TESTS_SUPPORT_STAGES_H

#include <warplu/warplu.h>

/* The solver's next stage is due at its next refactor: the program, or where there is one, another order, which is
 * taken whether it is better or not. A caller's order stays. */
void test_hasten_stage(warplu_solver *s);
/* From now on first factorizations are replays (solver/first_replay.h) however long they take. */
void test_replay_first(warplu_solver *s);
/* The limits of the solver's factors are sought after each checked solve (solver/limited.h). */
void test_hasten_limits(warplu_solver *s);
/* Whether limits of the factors vouch for solves with A by the last replay. */
int test_is_limited(const warplu_solver *s);

#endif
