/* Patterns whose indices have 64 bits: checked and converted once, for everything behind the door counts in 32. */
#ifndef WLU_MATRIX_NARROW_H
#define WLU_MATRIX_NARROW_H

#include "base/context.h"

/* The same pattern in 32 bits; one block, which *ptr begins and wlu_free takes. Numbers that 32 bits cannot hold are
 * refused, others are left to wlu_pattern_create. n: at least 1 where the arrays are to be read. O(n + nnz).
 *
 * WARPLU_OVERFLOW: n or the number of entries; WARPLU_INVALID_ARGUMENT: an index, a pointer that falls or is missing;
 * WARPLU_OUT_OF_MEMORY. *ptr is NULL then. */
warplu_status wlu_narrow(wlu_context *ctx, int64_t n, const int64_t *ptr, const int64_t *idx, int32_t **narrow_ptr,
                         int32_t **narrow_idx);

#endif
