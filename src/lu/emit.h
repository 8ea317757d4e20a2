/* Emission: LU factorization and triangular solves as streams of scalar records, in elimination order.
 *
 * Slots are logical here: the place of an entry in the patterns of the pivots.
 *
 *     pivot k           k                       reciprocal k      n + k
 *     L entry q         2 n + q                 U entry q         2 n + nnz(L) + q
 *     F entry q         2 n + nnz(L) + nnz(U) + q
 *     y_k, x_k          after F; the same slot when in_place is set
 *
 * Streams: FACTOR (LOAD, MSUB, DIV or RCP and MUL, GUARD), SOLVE and SOLVE_TRANSPOSED (LOAD of the right-hand
 * side, MSUB, DIV or MUL, MOVE), the transposed one whole. Records that a TILE region makes are left out.
 * Cost: O(1) a record, and one series for each column that is multiplied; n int32 of workspace. */
#ifndef WLU_LU_EMIT_H
#define WLU_LU_EMIT_H

#include "pivot/pivots.h"
#include "program/emitter.h"

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

typedef struct wlu_emit_options {
    wlu_stream_kind kind;
    int in_place;         /* solves: x_k takes the slot of y_k, no MOVE (the method's paper) */
    int reciprocals;      /* an RCP for each pivot, and products with it; else divisions */
    int whole;            /* LOAD and GUARD records too, which the compiler passes over */
    const uint8_t *tiled; /* n: 1 for pivots that the TILE region factors, or solves for; NULL for none */
} wlu_emit_options;

/* WARPLU_OVERFLOW, WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_lu_emitter_create(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *pivots,
                                    const wlu_emit_options *options, wlu_emitter **out);

#endif
