/* One trial: a matrix, options, a solver, and several rounds of attack, refactor and solves, each answer judged. */
#ifndef WLU_ADVERSARIAL_TRIAL_H
#define WLU_ADVERSARIAL_TRIAL_H

#include "tally.h"

/* Takes over m. Everything else is drawn from the seed. loud: says what it does. name: of the matrix, for messages;
 * number: of the trial. */
void trial_run(test_matrix *m, const char *name, uint64_t seed, int64_t number, int loud, tallies *out);

#endif
