/* Fusing: a stream of scalar records becomes levelled ones of chains (opcodes.def says which).
 *
 * The MSUBs of one target are one chain; a MUL closes it as a DOTS, a MOVE opens it from another slot. A record's
 * level is one more than the highest level among its operands; loaded slots
 * have level 0. Works on any stream that finishes a slot before it reads it (checked).
 *
 * For caches, a long stream is cut into chunks by when the emitter finished a record, and levelled inside each: the
 * order is chunk, level, opcode, longer chains first. Levels stay those of the whole stream. A stream may be cut into
 * groups before that, one after the other: such that are levelled, and behind them such whose records nothing in the
 * stream reads, each a chunk of one level. Where groups are in turn, none being begun before the one before it is done,
 * levels begin anew in each.
 *
 * Two passes over the emitter: wlu_fuse_begin finds chains, levels and order; the caller then names the
 * physical slots, and wlu_fuse_finish fills in the operands. O(records) time; 4 bytes a slot and 44 a
 * compiled record beside the result. */
#ifndef WLU_PROGRAM_FUSE_H
#define WLU_PROGRAM_FUSE_H

#include "program/emitter.h"
#include "program/program.h"

/* A compiled record in the making; logical slots. All of it in one place, for records are visited in many orders. */
typedef struct wlu_fused {
    int32_t target, start, divisor, level, length, finished;
    int32_t chunk; /* group, until all records are there */
    uint8_t opcode, closed;
} wlu_fused;

typedef struct wlu_fuse {
    wlu_context *ctx;
    wlu_emitter *emitter;
    int split;             /* one opcode per vector */
    int64_t chunk_records; /* scalar records in a chunk, 0: one chunk; */
    int64_t chunk_slots;   /* streams of no more slots are one chunk too */
    wlu_grouping grouping;
    int32_t *chain; /* logical slot: its record in emission order, -1 if none */
    int64_t nrecords;
    int32_t step;      /* that is being emitted */
    int32_t chunk;     /* ticks of `finished` in a chunk */
    int32_t nchunks;   /* of a levelled group */
    int64_t clock;     /* scalar records seen */
    wlu_fused *record; /* emission order; room for the emitter's slots */
    int32_t *order;    /* by place in the program: the record */
} wlu_fuse;

/* First chunk of a group. */
int32_t wlu_fuse_chunk(const wlu_fuse *fuse, int32_t group);

/* Fills fuse and the vectors, begin[] and opcode[] of out. */
warplu_status wlu_fuse_begin(wlu_fuse *fuse, wlu_stream *out);
/* slot: logical to physical. Fills the operands of out; loads, if not NULL, takes the stream's LOAD records. */
warplu_status wlu_fuse_finish(wlu_fuse *fuse, const int32_t *slot, wlu_stream *out, wlu_record *loads);
void wlu_fuse_free(wlu_fuse *fuse);

#endif
