/* A compiled program written out flat, for executors whose lanes are members of a batch: tiles and regions of solves
 * become chains like all others, one record for each entry of L and U.
 *
 * Replaying these records one after the other gives the program's own bits (exec/reference/reference.c is what they
 * are compared with), but for one thing: a tile has zeros where L and U have no entry, and what they are multiplied
 * with is left out here. That shows only in the sign of a zero where a value or a right-hand side is -0.0, or where
 * numbers underflow; and where a factor or a right-hand side is not finite, whose products with these zeros are NaN.
 *
 * Slots are numbered anew, in the order in which the records write them, without the tiles' zeros:
 *     0 .. count - 1              numbers of the factorization: what A's entries are loaded into, L, U, F, reciprocals,
 *                                 partial sums, and the constants
 *     count .. count + own - 1    those of a solve
 * Constants are slots that hold 0 and -1; whoever makes room for slots writes them, once.
 * Immutable once built. */
#ifndef WLU_LU_FLAT_H
#define WLU_LU_FLAT_H

#include "lu/lu.h"

/* How a record's terms are summed; start and end are as opcodes.def says. */
typedef enum wlu_sum {
    WLU_SUM_IN_ORDER, /* fma(-v[a], v[b], x), from x = v[start] on, term by term */
    WLU_SUM_LANES,    /* long chains: term k to accumulator k mod 8 as fma(v[a], v[b], acc), zeros behind the last; then
                         x = v[start] - the pairwise tree (program/opcodes.h, numerics/sums.h) */
    WLU_SUM_TREE /* eight terms at most: products, rounded, zeros behind the last; x = v[start] - the pairwise tree.
                        What is zero among them is a term of the constant 0 times itself. */
} wlu_sum;

/* Records in an order of execution that keeps what belongs together close; records of one level, 1 .. nlevels, need
 * nothing of each other, and level l only what lower ones leave. Records of a stage write a slot once, but for those
 * whose start it is: they update it in place, above the levels of all that read what was there. */
typedef struct wlu_flat_stream {
    int64_t nrecords, nterms;
    int32_t nlevels;
    uint8_t *opcode; /* RCP, DOT, DOTS, DOTR */
    uint8_t *sum;    /* wlu_sum */
    int32_t *level;
    int32_t *target, *start, *divisor; /* divisor: -1 where the opcode has none; start: any slot where it has none */
    int64_t *begin;                    /* nrecords + 1, in terms */
    int32_t *operand;                  /* pairs (a, b), 2 nterms */
} wlu_flat_stream;

/* v[slot[k]] = scale[k] * source_values[k]; slot -1: entry k goes nowhere. */
typedef struct wlu_flat_loads {
    int64_t count;
    int32_t *slot;
    double *scale;
} wlu_flat_loads;

/* A second stage: loads of b, records, x[k] = scale[k] * v[slot[k]]. scale NULL: all 1. */
typedef struct wlu_flat_solve {
    int64_t own; /* slots */
    wlu_flat_loads load;
    wlu_flat_stream stream;
    int32_t *store;
    double *store_scale;
} wlu_flat_solve;

typedef struct wlu_flat {
    const wlu_program *program;
    int64_t count;           /* slots of the factorization, constants included */
    int32_t zero, minus_one; /* constants, below count */
    int32_t *slot; /* program->y: of each of the program's slots of the factorization; `zero` of what nothing goes to */
    uint8_t *area; /* count: wlu_area that guards look at, WLU_AREA_NONE for others */
    int32_t *u_column;   /* count: of computed u, and of all u of tiles, the place of its column in the guards'
                                lists (wlu_guards: a_scale, a_source); else -1. For the second bound of growth. */
    wlu_flat_loads load; /* by entry of A, duplicates summed: wlu_program_sources(program) */
    wlu_flat_stream factor;
    wlu_flat_solve solve[2]; /* A; A', where the program has it, else zeros */
} wlu_flat;

/* Of a program, which must outlive them. O(records + terms). WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlu_flat_create(wlu_context *ctx, const wlu_program *program, wlu_flat **out);
/* Adds the transposed solve where the program has one now. */
warplu_status wlu_flat_add_transposed(wlu_context *ctx, wlu_flat *flat);
/* Takes NULL, leaves NULL. */
void wlu_flat_destroy(wlu_context *ctx, wlu_flat **flat);
int64_t wlu_flat_bytes(const wlu_flat *flat);

#endif
