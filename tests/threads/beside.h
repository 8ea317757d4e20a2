/* Calls of the public headers that solvers of one source make beside each other, each on what is its own: a clone of
 * the source, a batch over it, a file; or on the source, where a call leaves that as it is. */
#ifndef WLU_TEST_BESIDE_H
#define WLU_TEST_BESIDE_H

#include <warplu/batch.h>
#include <warplu/cache.h>

#include "support/matrices.h"

enum { BESIDE_N = 40, BESIDE_MEMBERS = 16, BESIDE_NUMBERS = 2 * BESIDE_MEMBERS * BESIDE_N };

/* What is shared. */
typedef struct beside_source {
    const test_matrix *m;
    warplu_options options;
    warplu_solver *solver;
    warplu_cache *cache;
} beside_source;

/* What an operation is given, from the least on. */
typedef enum beside_need {
    BESIDE_SOURCE,     /* the source */
    BESIDE_CLONE,      /* a clone of it */
    BESIDE_FACTORS,    /* one that has refactored */
    BESIDE_FILE,       /* one that has saved itself with its program */
    BESIDE_BATCH,      /* a batch over the source */
    BESIDE_ONE_BY_ONE, /* one of few members, which are replayed one by one */
    BESIDE_KEPT        /* one that has kept factors */
} beside_need;

typedef struct beside_actor {
    const beside_source *of;
    warplu_solver *solver;
    warplu_batch *batch;
    int32_t members;
    double *values, *b;       /* of the members, the first one's those of the solver; right-hand sides, two a member */
    double x[BESIDE_NUMBERS]; /* what the operation answers: the same, whatever is beside it */
    warplu_status status;     /* the first error, or a success */
    char path[64];
} beside_actor;

typedef struct beside_operation {
    const char *name;
    beside_need need;
    void (*run)(beside_actor *actor);
} beside_operation;

/* Ends with a name that is NULL. */
extern const beside_operation beside_operations[];

/* Before the actors run, and once they have; an error stands in the actor's status. */
void beside_begin(beside_actor *actor, const beside_source *of, beside_need need, const char *path);
void beside_end(beside_actor *actor);

#endif
