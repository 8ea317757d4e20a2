/* Peers: other solvers beside warplu in the benchmark, each behind one table of functions.
 *
 * A peer that this build leaves out keeps its line in the list, without functions, so that reports name it
 * and say how to get it. A peer counts its own time for everything from the caller's values to usable
 * factors; the harness holds the clock. Peers are used by one thread at a time. */
#ifndef WLU_PEERS_H
#define WLU_PEERS_H

#include <warplu/warplu.h>

/* Square, CSC, rows ascending, no duplicates; outlives what is made of it. */
typedef struct peer_matrix {
    int32_t n;
    const int32_t *ptr, *idx;
} peer_matrix;

typedef struct peer_facts {
    const char *ordering; /* as the command line spells orderings */
    int32_t blocks;
    int64_t lu_nnz; /* entries of L, U and off-diagonal blocks, L's unit diagonal not counted */
    int64_t bytes;  /* held by the peer, -1 where it cannot tell */
} peer_facts;

typedef struct peer_functions {
    /* Orders and analyzes the pattern; variant is the list's, ordering one of the peer's orderings below. On
     * failure *state is NULL. WARPLU_OUT_OF_MEMORY, WARPLU_STRUCTURALLY_SINGULAR, WARPLU_OVERFLOW,
     * WARPLU_INVALID_ARGUMENT. */
    warplu_status (*analyze)(const peer_matrix *a, int variant, int ordering, void **state);
    /* With pivoting. WARPLU_SINGULAR too. */
    warplu_status (*factor)(void *state, const double *values);
    /* With the pivots of the last factor; without any it factors. */
    warplu_status (*refactor)(void *state, const double *values);
    /* One right-hand side; x may be b. */
    warplu_status (*solve)(void *state, const double *b, double *x);
    void (*describe)(const void *state, peer_facts *facts);
    void (*destroy)(void **state);
    int orderings; /* how many analyze takes; 0 is the peer's default */
} peer_functions;

typedef struct peer {
    const char *name;    /* of the entry in reports */
    const char *library; /* what --peers calls it; one library may have several entries */
    const char *about, *get;
    int variant;
    const peer_functions *run; /* NULL: not in this build */
} peer;

extern const peer peer_list[];
extern const int peer_count;

#endif
