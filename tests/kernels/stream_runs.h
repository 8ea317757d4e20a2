/* The forms of runs that a test puts into a stream. See stream_image.h. */
#ifndef WLU_TEST_STREAM_RUNS_H
#define WLU_TEST_STREAM_RUNS_H

#include "stream_image.h"

/* Most of what a run may have; a benchmark has so many bundles. */
enum { STREAM_BUNDLES = 64, STREAM_TERMS = 16, STREAM_LONG = 64, STREAM_GROUPS = 64 };

/* Groups of single records: their opcode, or RCP for a pivot's group, and the length of their chains. least .. most
 * terms. */
typedef struct stream_singles {
    int opcode, least, most;
} stream_singles;

/* What a record of this opcode is, of its chain and its divisor. */
static inline double stream_closed(int opcode, double sum, double divisor)
{
    if (opcode == WLU_RCP) return 1.0 / divisor;
    return opcode == WLU_DOTS ? sum * divisor : opcode == WLU_DOTR ? divisor - sum : sum;
}

#endif
