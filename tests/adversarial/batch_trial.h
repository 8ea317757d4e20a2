/* One trial of a batch: a matrix, options, members, and several calls, each member's answer judged as a single one is.
 */
#ifndef WLU_ADVERSARIAL_BATCH_TRIAL_H
#define WLU_ADVERSARIAL_BATCH_TRIAL_H

#include "support/matrices.h"

/* One count: COUNTED(name, what it counts, of members of calls). */
#define BATCH_COUNTS \
    COUNTED(members, "members that took part in a call with right-hand sides") \
    COUNTED(successes, "of these: success") \
    COUNTED(refined, "of these: by the common program, with corrections") \
    COUNTED(others, "of these: by programs of other pivots") \
    COUNTED(solvers, "of these: by solvers of their own") \
    COUNTED(unchecked, "of these: unchecked") \
    COUNTED(warned, "INACCURATE, WEAK or UNCHECKED") \
    COUNTED(refused, "an error") \
    COUNTED(alarms, "refused or INACCURATE, with repairs, though a well-conditioned system has an accurate answer") \
    COUNTED(wrong, "WRONG: a success that breaks the promise") \
    COUNTED(odd, "what the header does not say: a status, a number where NaN belongs, x of a masked member")

typedef struct batch_counts {
#define COUNTED(name, what) int64_t name;
    BATCH_COUNTS
#undef COUNTED
    double worst, worst_unchecked; /* largest error of a checked success and of others, in units of the promise */
    int64_t say;                   /* findings that are still described */
} batch_counts;

/* Takes over m. Everything else is drawn from the seed. loud: says what it does. number: of the trial, for messages. */
void batch_trial_run(test_matrix *m, const char *name, uint64_t seed, int64_t number, int loud, batch_counts *out);

#endif
