/* What a plug-in implements: one solver beside warplu behind one table of functions.
 *
 * Each plug-in is a program of its own (host.c is its main), so that libraries with clashing symbols, their own
 * threads, or the habit of ending the process cost nobody else anything. The harness (process.c) tells it what to do
 * and judges the answers; the host holds the clock around each call. A plug-in keeps the solver's own ways: its
 * defaults but for what the variant says, its own fastest path for a matrix of known pattern.
 *
 * Everything a call gets lies in memory shared with the harness and outlives the state. A failed call says what the
 * solver said through peer_fail. */
#ifndef WLU_PEER_H
#define WLU_PEER_H

#include <warplu/warplu.h>

enum {
    PEER_ORDERING_DEFAULT = 0,
    PEER_ORDERING_GIVEN = -1 /* row_order and col_order of the request */
};

/* Square, CSC, rows ascending, no duplicates. values: those of the first factorization. */
typedef struct peer_matrix {
    int32_t n;
    int32_t doubles; /* of a value: 1, or 2 where it is complex, the real part first */
    const int32_t *ptr, *idx;
    const double *values;
} peer_matrix;

typedef struct peer_request {
    int32_t variant;  /* the list's (peers.c); its meaning is the plug-in's */
    int32_t threads;  /* to run on; BLAS runs on one in any case, unless the solver's threads are its BLAS's */
    int32_t ordering; /* PEER_ORDERING_GIVEN, or the place of one of the table's orderings */
    int32_t attempt;  /* 0, 1, ...: how often this matrix ended the process; for storage that has to be guessed */
    /* PEER_ORDERING_GIVEN: the k-th pivot of warplu is the entry (row_order[k], col_order[k]). NULL else. */
    const int32_t *row_order, *col_order;
} peer_request;

/* Many matrices of the analyzed pattern, the members of a batch. */
typedef struct peer_members {
    int32_t count;
    const double *values; /* count * nnz, member by member */
    const double *b;      /* n, the same for all */
    double *x;            /* count * n */
} peer_members;

/* Filled with -1 and empty texts before describe; what a solver cannot tell stays so. */
typedef struct peer_facts {
    char version[64];   /* as the library at hand tells it, at run time if it can */
    char ordering[32];  /* used */
    char settings[192]; /* what differs from the solver's defaults, and which BLAS or device: "scale=-1" */
    int32_t blocks;
    int32_t refinement_steps; /* of the last solve */
    int64_t lu_nnz;           /* entries of L, U and off-diagonal blocks, L's unit diagonal not counted */
    int64_t bytes;            /* held by the solver, as far as it tells: analysis and factors, or these alone */
    int64_t perturbed;        /* pivots replaced by something larger in the last factorization */
} peer_facts;

typedef struct peer_functions {
    /* Optional, outside the clock, before the first analysis of each matrix: what users have paid once, before their
     * first matrix (a device's context), and what it takes to fill the table of orderings. WARPLU_NO_DEVICE. */
    warplu_status (*start)(void);
    /* Orders and analyzes. On failure *state is NULL. WARPLU_OUT_OF_MEMORY, WARPLU_STRUCTURALLY_SINGULAR,
     * WARPLU_OVERFLOW, WARPLU_INVALID_ARGUMENT, WARPLU_NO_DEVICE. */
    warplu_status (*analyze)(const peer_matrix *a, const peer_request *request, void **state);
    /* Optional, outside the clock of the others and timed apart: brings values, a right-hand side to where the
     * solver's users would hold them (device memory, a row-wise array), and the solution back. What is staged
     * is what factor, refactor and solve then use; their own array arguments are to be ignored. */
    warplu_status (*stage_values)(void *state, const double *values);
    warplu_status (*stage_rhs)(void *state, const double *b);
    warplu_status (*fetch_solution)(void *state, double *x);
    /* From values to usable factors, with whatever pivoting the solver does. WARPLU_SINGULAR too. */
    warplu_status (*factor)(void *state, const double *values);
    /* The same with what the last factor decided; without any it factors. */
    warplu_status (*refactor)(void *state, const double *values);
    /* One right-hand side, b kept; x is not b. */
    warplu_status (*solve)(void *state, const double *b, double *x);
    /* Optional, for what is staged: refactor and solve, waiting for the device once, at the end. */
    warplu_status (*both)(void *state);
    /* Optional, for a solver that has a way of its own with batches; the host gives others one member after the other.
     * begin_members, after a factor and outside the clock: whatever objects it takes, and values and b to where users
     * hold them. The others replay all members, and solve too; fetch_members, outside the clock, brings solutions to
     * the members' x, if they are not there. request's threads share the members. */
    warplu_status (*begin_members)(void *state, const peer_members *members);
    warplu_status (*refactor_members)(void *state);
    warplu_status (*both_members)(void *state);
    warplu_status (*fetch_members)(void *state);
    /* Optional, for a solver that is a program and times itself: what the last analyze, factor or refactor took as the
     * solver tells it, reported instead of the clock; the settings say so. */
    int64_t (*reported_ns)(const void *state);
    void (*describe)(const void *state, peer_facts *facts);
    void (*destroy)(void **state); /* takes NULL */
    const char *const *orderings;  /* names, the default first, ended by NULL */
    int takes_order;               /* PEER_ORDERING_GIVEN is understood */
    int takes_complex;             /* values may be complex */
} peer_functions;

/* The plug-in's table; host.c runs it. */
extern const peer_functions peer_plugin;

/* Keeps a text for the harness beside the status it returns. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
warplu_status
peer_fail(warplu_status status, const char *format, ...);
/* That text, "" while there is none; static storage. */
const char *peer_failure(void);

#endif
