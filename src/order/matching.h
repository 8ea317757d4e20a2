/* Maximum product matching: a transversal of the largest entries, and the scales that go with it.
 *
 * Of all ways to give every column a row of its own, this is the one whose entries have the largest product of
 * magnitudes. The dual solution of that assignment problem gives scales of rows and columns: matched entries get size
 * 1, and no entry is larger (Olschowka and Neumaier, Linear Algebra Appl. 240, 1996; Duff and Koster, SIAM J. Matrix
 * Anal. Appl. 20, 1999, and 22, 2001). */
#ifndef WLU_ORDER_MATCHING_H
#define WLU_ORDER_MATCHING_H

#include "matrix/sparse.h"

/* Logarithms are kept in units of 2^-WLU_MATCHING_FRACTION_BITS: sums of them are exact. Magnitudes closer than that
 * are ties. */
enum { WLU_MATCHING_FRACTION_BITS = 10, WLU_MATCHING_EXPONENT_MAX = 510 };

/* match[i]: the column matched to row i. entries: the gathered values of the pattern's entries, all finite; zeros
 * cannot be matched. Of equal products the one with more entries of A's diagonal is taken.
 *
 * The scales are powers of two, by row and by column: |a_ij| 2^(row_exponent[i] + col_exponent[j]) is at most 2^1.01,
 * and at least 2^-1.01 where matched. Exponents are cut at +-WLU_MATCHING_EXPONENT_MAX, so that their sums and the
 * sums' powers of two are normal numbers. Where one was cut the bounds may not hold, but no entry is brought further
 * from 1 than it was, or than the bounds.
 *
 * *found is 0, and match and exponents are undefined, where the nonzero entries have no full transversal, or where
 * finding it takes more than about max_looks looks at entries. WARPLU_OUT_OF_MEMORY, WARPLU_CANCELLED: *found is 0. */
warplu_status wlu_matching_find(wlu_context *ctx, const wlu_pattern *a, const double *entries, int64_t max_looks,
                                int32_t *match, int16_t *row_exponent, int16_t *col_exponent, int *found);

#endif
