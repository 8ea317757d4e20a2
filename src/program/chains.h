/* Chains: the compiled records of a stream in the making, over logical slots (opcodes.def says what a record does).
 *
 * The scalar records of one target are one chain: its MSUBs are its terms, a MUL or DIV closes it, a MOVE opens it from
 * another slot. A front end lists the chains of a stream in an order of execution, each when its last scalar record is
 * done: a slot is finished before it is read. It counts terms and names levels: one more than the highest level among a
 * chain's operands; slots that the stream does not write have level 0. When they are ordered and their slots are
 * placed, it walks once more and puts the terms' operands in.
 *
 * For caches, a long stream is cut into chunks by when a chain was finished, which are levelled one by one: the order
 * is chunk, level, opcode, longer chains first. Levels stay those of the whole stream. A stream may have groups before
 * that, one after the other: such that are levelled, and behind them such whose chains nothing in the stream reads,
 * each a chunk of one level. Where groups are in turn, none being begun before the one before it is done, levels begin
 * anew in each: a front end counts only operands of the same group.
 *
 * Ordering sorts by one key, digit by digit, each of about as many values as there are chains: O(chains) a digit, of
 * which there is mostly one. 48 bytes a chain beside the result. */
#ifndef WLU_PROGRAM_CHAINS_H
#define WLU_PROGRAM_CHAINS_H

#include "program/program.h"

/* Longer chains than this are not told apart when chains are ordered. */
enum { WLU_CHAIN_LENGTHS = 2048 };

/* Scalar records a tick of `finished`: 2^39 of them fit 32 bits. So many, and the caller is asked whether to go on. */
enum { WLU_CHAIN_TICK = 8, WLU_CHAIN_POLL = 11 };

typedef struct wlu_chain {
    int32_t target, start, divisor; /* divisor: -1 if it has none */
    int32_t length, level, finished;
    int32_t chunk; /* group, until all chains are there */
    uint8_t opcode;
} wlu_chain;

typedef struct wlu_chains {
    wlu_context *ctx;
    int split;             /* one opcode per vector */
    int32_t levelled;      /* groups that are, */
    int32_t groups;        /* of so many */
    int32_t ticks;         /* of `finished` in a chunk, 0: one chunk */
    int64_t clock, polled; /* scalar records seen; and when the caller was asked last */
    int64_t count, terms;
    int32_t nlevels, nchunks;         /* chunks of a levelled group */
    wlu_chain *chain;                 /* as they were listed */
    int64_t *term;                    /* of each: where its next term goes */
    uint8_t there[WLU_CHAIN_LENGTHS]; /* which lengths there are, */
    uint8_t used[WLU_OPCODES];        /* and which opcodes */
} wlu_chains;

/* Room for so many chains. WARPLU_OUT_OF_MEMORY; free them all the same. */
warplu_status wlu_chains_allocate(wlu_chains *chains, int64_t most);
void wlu_chains_free(wlu_chains *chains);

/* Lists a chain that is finished; returns its number. */
static inline int32_t wlu_chains_put(wlu_chains *c, wlu_opcode opcode, int32_t target, int32_t start, int32_t divisor,
                                     int32_t length, int32_t level, int32_t group)
{
    int32_t number = (int32_t)c->count++;
    c->chain[number] = (wlu_chain){.target = target,
                                   .start = start,
                                   .divisor = divisor,
                                   .length = length,
                                   .level = level,
                                   .finished = (int32_t)(c->clock >> WLU_CHAIN_TICK),
                                   .chunk = group,
                                   .opcode = (uint8_t)opcode};
    c->clock++;
    c->terms += length;
    c->nlevels = level > c->nlevels ? level : c->nlevels;
    c->there[length < WLU_CHAIN_LENGTHS ? length : WLU_CHAIN_LENGTHS - 1] = 1;
    c->used[opcode] = 1;
    return number;
}

/* So many terms have been seen. WARPLU_CANCELLED. */
static inline warplu_status wlu_chains_pass(wlu_chains *c, int64_t terms)
{
    c->clock += terms;
    if (c->clock >> WLU_CHAIN_POLL == c->polled) return WARPLU_SUCCESS;
    c->polled = c->clock >> WLU_CHAIN_POLL;
    return wlu_poll_cancel(c->ctx);
}

/* Orders what was listed and fills out, but for its operands; slots are logical. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_chains_order(wlu_chains *chains, wlu_stream *out);
/* First chunk of a group, once chains are ordered. */
int32_t wlu_chains_chunk(const wlu_chains *chains, int32_t group);

/* Once ordered: the next term of a chain, its operands being physical slots. */
static inline void wlu_chains_put_term(int64_t *term, int32_t *operand, int32_t chain, int32_t a, int32_t b)
{
    int32_t *at = operand + 2 * term[chain]++;
    at[0] = a;
    at[1] = b;
}

#endif
