/* What a cache of solvers looks for: a pattern as the caller gives it, and options.
 *
 * A hash tells most keys apart, then everything is compared: pointers, indices, given orders and options. Indices of 32
 * and 64 bits are read in place, and the same pattern has the same hash in both. Options are compared byte by byte:
 * padding that differs costs a pattern known twice, never a wrong match. */
#ifndef WLU_SOLVER_PATTERN_KEY_H
#define WLU_SOLVER_PATTERN_KEY_H

#include "base/context.h"

/* A pattern that a caller looks for. */
typedef struct wlu_sought {
    warplu_options options; /* as wlu_options_take makes them */
    int64_t n;
    int wide; /* 1: its indices have 64 bits, in the second pair of arrays */
    const int32_t *ptr, *idx;
    const int64_t *ptr64, *idx64;
    uint64_t hash; /* set by wlu_sought_hash */
} wlu_sought;

/* A pattern that is known, with copies of its own in one block behind it. */
typedef struct wlu_pattern_key {
    warplu_options options; /* row_order and col_order are copies, or NULL where the order is not given */
    int32_t n, nnz;
    int32_t *ptr, *idx;
    uint64_t hash;
} wlu_pattern_key;

/* Whether the arrays can be read at all, n at least 1 and within 32 bits: else nothing is like it. */
int wlu_sought_is_readable(const wlu_sought *sought);
/* O(n + nnz), of a readable one. */
void wlu_sought_hash(wlu_sought *sought);

/* Copies what is sought, whose indices are within their range. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_pattern_key_create(wlu_context *ctx, const wlu_sought *sought, wlu_pattern_key *out);
void wlu_pattern_key_free(wlu_context *ctx, wlu_pattern_key *key);
int wlu_pattern_key_fits(const wlu_pattern_key *key, const wlu_sought *sought);
int64_t wlu_pattern_key_bytes(const wlu_pattern_key *key);

#endif
