/* What the harness and a plug-in's program share: commands and answers over a socket, arrays in one piece of shared
 * memory that the harness lays out (process.c) and the host reads (host.c). Both are of one build: no versions. */
#ifndef WLU_PEER_CHANNEL_H
#define WLU_PEER_CHANNEL_H

#include "peer.h"

enum { CHANNEL_CALLS = 8, CHANNEL_ORDERINGS = 16, CHANNEL_TEXT = 512 };

typedef enum channel_op {
    CHANNEL_OPEN, /* a new system lies in the memory, bytes long */
    CHANNEL_ANALYZE,
    CHANNEL_FACTOR,
    CHANNEL_REFACTOR,
    CHANNEL_SOLVE,
    CHANNEL_BOTH, /* refactor and solve as one call, of who does_both */
    CHANNEL_PASS, /* through all steps: the first factored, the others refactored, each solved */
    CHANNEL_LIFE, /* analysis, factorization and solve, then refactor and solve for the steps' values in turn */
    CHANNEL_BEGIN_MEMBERS, /* the steps are members of a batch */
    CHANNEL_REFACTOR_MEMBERS,
    CHANNEL_BOTH_MEMBERS, /* refactor and solve */
    CHANNEL_DESCRIBE
} channel_op;

typedef struct channel_command {
    int32_t op;
    int32_t step;         /* whose values */
    int32_t calls;        /* timed ones, CHANNEL_CALLS at most; of a life its solves */
    int32_t warm;         /* one call before them, outside the clock; before a life one to its first solve */
    int64_t budget_ns;    /* no further call once they took this long */
    int64_t bytes;        /* CHANNEL_OPEN */
    peer_request request; /* CHANNEL_ANALYZE, CHANNEL_LIFE; its pointers mean nothing here */
} channel_command;

typedef struct channel_answer {
    int32_t status;
    int32_t count; /* of times */
} channel_answer;

/* Head of the shared memory; places are bytes from its beginning, 0 for none. */
typedef struct channel_memory {
    int32_t n, steps, solves; /* solves: of the longest life */
    int32_t members;          /* 1: the steps are members of a batch, and each has a solution; else 0 */
    int32_t doubles;          /* of a value */
    int64_t nnz;
    int64_t ptr_at, idx_at, values_at, b_at, x_at, row_order_at, col_order_at; /* values: steps * nnz */
    int64_t anew_at; /* CHANNEL_PASS, steps int64_t: 1 where the replay is known to fall short and a factorization
                        follows */
    int64_t refactor_ns_at, solve_ns_at; /* times, steps or solves int64_t; of a life, the first is its factorization */
    int64_t ns[CHANNEL_CALLS];
    volatile int64_t begun; /* calls of the solver so far: the harness's limit is for each of them */
    int64_t stage_ns;       /* of the last staging of values and right-hand side, 0 where there is none */
    char message[CHANNEL_TEXT];
    char orderings[CHANNEL_ORDERINGS][32]; /* by CHANNEL_OPEN; empty names end them */
    int32_t takes_order, does_both;
    peer_facts facts;
} channel_memory;

#endif
