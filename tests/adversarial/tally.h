/* What became of the answers, and where it is written down: a line an attack, an option, a kind of right-hand side. */
#ifndef WLU_ADVERSARIAL_TALLY_H
#define WLU_ADVERSARIAL_TALLY_H

#include "attack.h"

/* One count of the table: TALLY(name, head of its column, what it counts). */
#define TALLY_LIST \
    TALLY(replays, "replays", "refactors, the first factorizations too") \
    TALLY(refused, "refused", "of these: an error") \
    TALLY(repivots, "repiv", "times pivoted again, by refactors and solves") \
    TALLY(solves, "solves", "calls after a refactor that did not fail") \
    TALLY(plain, "plain", "of these: success, accurate") \
    TALLY(resolved, "resolved", "of these: pivoted again, accurate") \
    TALLY(inaccurate, "inacc", "of these: INACCURATE") \
    TALLY(unchecked, "unchk", "of these: UNCHECKED") \
    TALLY(failed, "failed", "of these: an error") \
    TALLY(needless, "needless", "pivoted again where the old pivots' x is accurate as it is") \
    TALLY(alarms, "alarms", "refused, failed or INACCURATE without need") \
    TALLY(overcautious, "strict", "of these: INACCURATE with an x that is accurate") \
    TALLY(graded, "graded", "success, every equation accurate as a whole, not in its small unknowns; nobody checked") \
    TALLY(blind, "blind", "WRONG: a success code, and the library's own check sees nothing") \
    TALLY(unlooked, "unlooked", "WRONG: a success code, and nobody checked") \
    TALLY(odd, "odd", "a status that has no business there")

typedef struct tally {
#define TALLY(name, head, what) int64_t name;
    TALLY_LIST
#undef TALLY
    double worst; /* backward error of a success */
} tally;

enum { TALLY_START = ATTACKS, TALLY_LINES = ATTACKS + 1, TALLY_OPTIONS = 40 };

typedef struct tallies {
    tally total, attack[TALLY_LINES], option[TALLY_OPTIONS];
    const char *option_name[TALLY_OPTIONS];
    int64_t say_wrong, say_alarms; /* so many are described */
    int of_complex;                /* attacks have imaginary parts */
} tallies;

/* The line of an option or right-hand side, made where it is new. */
tally *tally_option(tallies *t, const char *name);
void tally_print(const tallies *t);

#endif
