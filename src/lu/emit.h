/* Emission: the chains of LU factorization and triangular solves, in elimination order, and their terms.
 *
 * Slots are logical here: the place of an entry in the patterns of the pivots.
 *
 *     pivot k           k                       reciprocal k      n + k
 *     L entry q         2 n + q                 U entry q         2 n + nnz(L) + q
 *     F entry q         2 n + nnz(L) + nnz(U) + q
 *     y_k, x_k          after F; the same slot when in_place is set
 *
 * Streams: FACTOR (u and pivots are DOT, a pivot's RCP follows, l is DOTS by that), SOLVE (y is DOT, x opens from y and
 * is DOTS) and SOLVE_TRANSPOSED (y is DOTS, x opens from y and is DOT), this one whole. What a TILE region makes is
 * left out. Loaded values that nothing is taken from are no chains. Cost: O(terms + entries), twice; 12 bytes an
 * unknown, 4 a slot that the stream writes, 4 an entry of L. */
#ifndef WLU_LU_EMIT_H
#define WLU_LU_EMIT_H

#include "pivot/pivots.h"
#include "program/chains.h"

typedef enum wlu_stream_kind {
    WLU_STREAM_FACTOR,
    WLU_STREAM_SOLVE,
    WLU_STREAM_SOLVE_TRANSPOSED,
    WLU_STREAM_KINDS
} wlu_stream_kind;

/* First logical slot of each kind, and the number of them all. */
typedef struct wlu_layout {
    int64_t pivot, reciprocal, l, u, f, y, x, count;
} wlu_layout;

wlu_layout wlu_layout_of(const wlu_pivots *pivots, int in_place);

/* What is known of an unknown, or a row of the column at hand, before its chain is listed. */
typedef struct wlu_emit_cell {
    int32_t level, length;
} wlu_emit_cell;

typedef struct wlu_emission {
    wlu_context *ctx;
    const wlu_pivots *p;
    wlu_stream_kind kind;
    const uint8_t *tiled; /* n: 1 for pivots that the TILE region factors, or solves for; not of a transposed solve */
    /* Groups. A factorization's: the part of a chain's pivot, the earlier of row and column (part NULL: one part); or,
     * behind the top, the tile of its column, to whose panel it goes. A solve's: segments. */
    const int32_t *part, *tile; /* n; of factorizations */
    int32_t parts;
    const int32_t *segment; /* 2 n, of y and of x; NULL: one segment */
    /* Emission's own: */
    wlu_layout layout;
    wlu_emit_cell *cell; /* n rows of a factorization's column, or 2 n: y and x */
    int32_t *chain; /* by slot from the first that the stream writes: number of its chain; only where there is one */
    int32_t *level; /* of L's entries, in a factorization */
} wlu_emission;

/* Lists the chains; the emission is to be freed whatever is returned. WARPLU_OVERFLOW, WARPLU_OUT_OF_MEMORY,
 * WARPLU_CANCELLED. */
warplu_status wlu_emit_chains(wlu_emission *emission, wlu_chains *chains);
/* Then, once they are ordered, puts their operands in: slot names the physical ones. WARPLU_CANCELLED. */
warplu_status wlu_emit_terms(wlu_emission *emission, wlu_chains *chains, const int32_t *slot, int32_t *operand);
void wlu_emission_free(wlu_emission *emission);

#endif
