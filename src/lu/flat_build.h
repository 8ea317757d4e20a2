/* What the files that write a program out flat share: flat_create.c (the driver, loads, guards),
 * flat_records.c (room, levels, records of streams), flat_tiles.c and flat_solve.c.
 *
 * Slots get their numbers when they are first written, or read, whichever comes first. Until then the maps say what is
 * known of a slot of the program: WLU_FLAT_ZERO, which is the constant's number, of what nothing has been put into, so
 * that terms by it are left out; WLU_FLAT_LOADED of what a load fills. */
#ifndef WLU_LU_FLAT_BUILD_H
#define WLU_LU_FLAT_BUILD_H

#include "base/sort.h"
#include "lu/flat.h"

enum { WLU_FLAT_LOADED = -1, WLU_FLAT_ZERO = 0, WLU_FLAT_MINUS_ONE = 1, WLU_FLAT_CONSTANTS = 2 };

typedef struct wlu_flat_builder {
    wlu_context *ctx;
    const wlu_program *p;
    wlu_flat *flat;
    int32_t *own;                      /* program's slots from y on: where the stage at hand has them */
    wlu_sort_entry *entries, *scratch; /* as many as the longest stream has records */
    int64_t *digits;
    /* The stage at hand: */
    wlu_flat_stream *out;
    int64_t records, terms; /* room */
    int32_t base, next;     /* the first slot that it keeps levels of, and the one to be given next */
    int32_t *written;       /* by slot from base on: level of its last writer, */
    int32_t *read;          /* and the highest of its readers; NULL in the first stage */
} wlu_flat_builder;

/* Where the number of a slot of the program is. */
static inline int32_t *wlu_flat_at(const wlu_flat_builder *b, int64_t slot)
{
    return slot < b->p->y ? &b->flat->slot[slot] : &b->own[slot - b->p->y];
}

static inline int wlu_flat_is_zero(const wlu_flat_builder *b, int64_t slot)
{
    return *wlu_flat_at(b, slot) == WLU_FLAT_ZERO;
}

/* The number of a slot that is read. */
static inline int32_t wlu_flat_read(wlu_flat_builder *b, int64_t slot)
{
    int32_t *at = wlu_flat_at(b, slot);
    if (*at == WLU_FLAT_LOADED) *at = b->next++;
    return *at;
}

/* The number of a slot that is written. */
static inline int32_t wlu_flat_write(wlu_flat_builder *b, int64_t slot)
{
    int32_t *at = wlu_flat_at(b, slot);
    if (*at <= WLU_FLAT_ZERO) *at = b->next++;
    return *at;
}

/* Begins a stage of so many slots at most, which are numbered behind constants, and behind the first stage's.
 * WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_flat_begin(wlu_flat_builder *b, wlu_flat_stream *out, int64_t slots);
/* What the builder keeps of it; takes one that has not begun. */
void wlu_flat_forget_levels(wlu_flat_builder *b);
/* Ends it: gives back what room its stream does not need. */
warplu_status wlu_flat_end(wlu_flat_builder *b);
/* Makes room for so many more records and terms. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlu_flat_reserve(wlu_flat_builder *b, int64_t records, int64_t terms);
/* Where the operands of the next record go. */
static inline int32_t *wlu_flat_operands(const wlu_flat_builder *b)
{
    return b->out->operand + 2 * b->out->nterms;
}
/* The next record, whose operands are there already; there is room. divisor: -1 for none. O(terms). */
void wlu_flat_put(wlu_flat_builder *b, wlu_opcode opcode, wlu_sum sum, int32_t target, int32_t start, int32_t divisor,
                  int64_t terms);
void wlu_flat_stream_free(wlu_context *ctx, wlu_flat_stream *stream);

/* How a record of so many terms is summed. */
static inline wlu_sum wlu_flat_sum(int64_t terms)
{
    return terms > WLU_DOT_IN_ORDER_MAX ? WLU_SUM_LANES : WLU_SUM_IN_ORDER;
}
/* Puts the terms of a record that are not zero to `to`, zeros between them where places matter; returns their number, 0
 * where all are zero. */
int64_t wlu_flat_put_terms(wlu_flat_builder *b, const wlu_stream *stream, int64_t record, int32_t *to);
/* Record r of a stream of the program. What it leaves zero is left out. */
warplu_status wlu_flat_copy(wlu_flat_builder *b, const wlu_stream *stream, int64_t r);
/* Records first .. end - 1, which are levelled, in the order in which they were finished; until the next call. */
const wlu_sort_entry *wlu_flat_sort(const wlu_flat_builder *b, const wlu_stream *stream, int64_t first, int64_t end);

/* The TILE region, and the records of the stream that are not into panels, end of them: as many as each tile needs come
 * before it, so that what it reads of them is still close. */
warplu_status wlu_flat_put_factor(wlu_flat_builder *b, int64_t end);
/* The second stage of the program, once the first one's slots are named. */
warplu_status wlu_flat_put_solve(wlu_flat_builder *b, const wlu_triangular *t, wlu_flat_solve *solve);

#endif
