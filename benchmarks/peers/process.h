/* A peer in a process of its own, as the harness sees it.
 *
 *     peer_process *p = peer_process_create(&peer_list[k], threads, limit_s);
 *     status = peer_process_open(p, &system);              starts the program where it does not run
 *     status = peer_process_analyze(p, ordering, attempt, &ns);
 *     status = peer_process_turn(p, CHANNEL_REFACTOR, step, &turn, ns, &count);
 *     peer_process_pause(p);                               until the next call
 *     peer_process_destroy(&p);
 *
 * A program that ends, or takes longer than the limit for a call of its solver (and is then killed, after twice the
 * limit at the latest), makes that call fail with PEER_ENDED or PEER_TIMED_OUT, and all until the next open, which
 * starts it anew. One that answers what no host does, or closes its socket and stays, is killed too. While paused it
 * cannot run at all, so that threads which spin between calls disturb nobody. BLAS and OpenMP are told their number of
 * threads before it starts. Cost: a start is milliseconds, a call some 20 us, all outside the peer's clock. */
#ifndef WLU_PEER_PROCESS_H
#define WLU_PEER_PROCESS_H

#include "channel.h"
#include "peers.h"
#include "turn.h"

/* Beside the library's own statuses. */
#define PEER_ENDED ((warplu_status)-1001)
#define PEER_TIMED_OUT ((warplu_status)-1002)
#define PEER_NOT_STARTED ((warplu_status)-1003)

/* There is no program any more, so that no further call can do better. */
static inline int peer_is_gone(warplu_status status)
{
    return status == PEER_ENDED || status == PEER_TIMED_OUT || status == PEER_NOT_STARTED;
}

typedef struct peer_process peer_process;

/* One system, the values of `steps` matrices of one pattern. */
typedef struct peer_system {
    int32_t n, steps, solves; /* solves: of the longest life */
    int32_t members;          /* 1: the steps are members of a batch */
    int32_t doubles;          /* of a value: 1, or 2 where it is complex */
    const int32_t *ptr, *idx;
    const double *const *values;          /* steps arrays of ptr[n] */
    const double *b;                      /* n values */
    const int32_t *row_order, *col_order; /* warplu's pivots, or NULL */
} peer_system;

/* NULL: out of memory. */
peer_process *peer_process_create(const peer *p, int threads, double limit_s);
void peer_process_destroy(peer_process **p); /* takes NULL */

/* Starts the program if need be and copies the system to where both see it. */
warplu_status peer_process_open(peer_process *p, const peer_system *system);
/* ordering: see peer_request. ns: the wall time of the analysis. */
warplu_status peer_process_analyze(peer_process *p, int32_t ordering, int32_t attempt, int64_t *ns);
/* op: CHANNEL_FACTOR, CHANNEL_REFACTOR, CHANNEL_SOLVE, CHANNEL_BOTH, or one for all members, CHANNEL_REFACTOR_MEMBERS
 * or CHANNEL_BOTH_MEMBERS. ns: t->calls places. */
warplu_status peer_process_turn(peer_process *p, channel_op op, int32_t step, const turn *t, int64_t *ns,
                                int32_t *count);
/* After a factorization, before calls for all members. */
warplu_status peer_process_begin_members(peer_process *p);
/* All steps in their order: the first factored, the others refactored, each solved. anew: 1 where a replay is known to
 * fall short, so that a factorization and another solve follow on the clock. All arrays: the system's steps. */
warplu_status peer_process_pass(peer_process *p, const int64_t *anew, int64_t *refactor_ns, int64_t *solve_ns);
/* Analysis, factorization and solve, then refactor and solve for the steps' values in turn. A failure ends it. ns: 2 *
 * solves + 1, the calls' times in their order. */
typedef struct peer_life {
    int32_t ordering, attempt; /* see peer_request */
    int32_t warm;              /* one to its first solve before, outside the clock */
    int32_t solves;            /* the system's at most */
} peer_life;
warplu_status peer_process_life(peer_process *p, const peer_life *life, int64_t *ns);
warplu_status peer_process_describe(peer_process *p, peer_facts *facts);
void peer_process_pause(peer_process *p);
/* Ends the program; the next open starts it anew. */
void peer_process_stop(peer_process *p);
/* Another limit for the calls to come. */
void peer_process_limit(peer_process *p, double limit_s);

/* Names of orderings, ended by an empty one, and what else the program tells of itself; valid after open. */
const channel_memory *peer_process_memory(const peer_process *p);
/* The solution of the last solve, or those of all members one after the other; and the time that staging took
 * (0: there was none). */
const double *peer_process_solution(const peer_process *p);
/* What the last failed call said; "" for nothing. */
const char *peer_process_message(const peer_process *p);

#endif
