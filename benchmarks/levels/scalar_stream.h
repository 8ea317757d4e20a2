/* Scalar streams of LU factorization and triangular solves, as the method of Tominaga and Maekawa (2013) has them
 * before anything is fused: one record an operation, in elimination order, over the logical slots of lu/emit.h.
 *
 * FACTOR: LOAD, MSUB, DIV (or RCP and MUL), GUARD. SOLVE and SOLVE_TRANSPOSED: LOAD of the right-hand side, MSUB, DIV
 * or MUL, MOVE; the transposed one whole. Cost: O(1) a record; 4 bytes an unknown. */
#ifndef WLU_LEVELS_SCALAR_STREAM_H
#define WLU_LEVELS_SCALAR_STREAM_H

#include "lu/emit.h"

typedef struct wlu_scalar_options {
    wlu_stream_kind kind;
    int in_place;         /* solves: x_k takes the slot of y_k, no MOVE (the method's paper) */
    int reciprocals;      /* an RCP for each pivot, and products with it; else divisions */
    const uint8_t *tiled; /* n: 1 for pivots whose own records are left out; NULL for none */
} wlu_scalar_options;

/* Takes the next record. What it answers below 0 ends the stream. */
typedef warplu_status wlu_scalar_take(void *user, const wlu_record *record);

/* WARPLU_OVERFLOW, WARPLU_OUT_OF_MEMORY, what take answers. */
warplu_status wlu_scalar_stream(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *pivots,
                                const wlu_scalar_options *options, wlu_scalar_take *take, void *user);

#endif
