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
 * wlu_fuse_begin walks by the emitter, finds chains, levels and order, notes the terms and lists the records by logical
 * slots; the caller then names the physical slots, and wlu_fuse_finish renames those of the records and fills in the
 * operands from the notes. O(records) time; beside the result, 8 bytes a slot, 48 a compiled record, 4 a term and 12 a
 * series. */
#ifndef WLU_PROGRAM_FUSE_H
#define WLU_PROGRAM_FUSE_H

#include "program/emitter.h"
#include "program/program.h"

/* A compiled record in the making; logical slots. All of it in one place, for records are visited in many orders. */
typedef struct wlu_fused {
    int32_t target, start, divisor, level, length, finished;
    int32_t chunk; /* group, until all records are there */
    uint8_t opcode;
} wlu_fused;

typedef struct wlu_fuse {
    wlu_sink sink;
    wlu_context *ctx;
    wlu_emitter *emitter;
    int split;             /* one opcode per vector */
    int64_t chunk_records; /* scalar records in a chunk, 0: one chunk; */
    int64_t chunk_slots;   /* streams of no more slots are one chunk too */
    wlu_grouping grouping;
    int32_t *level; /* logical slot: twice its record's, and one until it is read; 0 if there is none */
    int32_t *chain; /* logical slot that has a level: its record in emission order */
    int64_t nrecords;
    int32_t chunk;                       /* ticks of `finished` in a chunk */
    int32_t nchunks;                     /* of a levelled group */
    int64_t clock;                       /* scalar records seen */
    wlu_fused *record;                   /* emission order; room for the emitter's slots */
    int64_t *term;                       /* of each: where its terms begin, then where the next one goes */
    struct wlu_fuse_notes *notes, *last; /* of terms, in emission order */
    int32_t *note;                       /* behind the last one */
} wlu_fuse;

/* First chunk of a group. */
int32_t wlu_fuse_chunk(const wlu_fuse *fuse, int32_t group);

/* Of what f->level holds. */
static inline int32_t wlu_fuse_level(int32_t level)
{
    return level >> 1;
}

/* Fills fuse, makes room for out and fills it, but for its operands; slots are logical. */
warplu_status wlu_fuse_begin(wlu_fuse *fuse, wlu_stream *out);
/* slot: logical to physical. Fills the operands of out, and names all its slots anew. */
warplu_status wlu_fuse_finish(wlu_fuse *fuse, const int32_t *slot, wlu_stream *out);
void wlu_fuse_free(wlu_fuse *fuse);

/* Of wlu_fuse_begin: orders what it found, and fills out. */
warplu_status wlu_fuse_order(wlu_fuse *fuse, wlu_stream *out);

#endif
