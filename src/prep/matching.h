/* Maximum product matching: a transversal of the largest entries, and the scales that make them stand out.
 *
 * Among all ways to give every column a row of its own, the one whose entries have the largest product of magnitudes;
 * and, from the dual solution of that assignment problem, scales of rows and columns under which the matched entries
 * are of size 1 and no entry is larger (Olschowka and Neumaier, Linear Algebra Appl. 240, 1996; Duff and Koster, SIAM
 * J. Matrix Anal. Appl. 20, 1999, and 22, 2001). */
#ifndef WLU_MATCHING_H
#define WLU_MATCHING_H

#include "base/sparse.h"

/* Logarithms are kept in units of 2^-WLU_MATCHING_FRACTION_BITS: sums of them are exact. Magnitudes closer than that
 * are ties. */
enum { WLU_MATCHING_FRACTION_BITS = 10, WLU_MATCHING_EXPONENT_MAX = 510 };

/* match[i]: the column matched to row i. entries: the gathered values of the pattern's entries, all finite; zeros are no
 * candidates. Entries of A's diagonal count as 2^diagonal_bits (0 or more) times their magnitude. The scales,
 * powers of two, by row and by column: with d = 2^diagonal_bits,
 *     |a_ij| 2^(row_exponent[i] + col_exponent[j])  is at most 2^1.01, in [2^-1.01, 2^1.01] where matched, and for
 *     entries of the diagonal both bounds are divided by d.
 * Exponents are cut at +-WLU_MATCHING_EXPONENT_MAX, so that their sums and the sums' powers of two are normal numbers;
 * where one was cut the bounds do not hold, but no entry is brought further from 1 than it was, or than the bounds.
 * WARPLU_STRUCTURALLY_SINGULAR, without a message: the nonzero entries have no full transversal (*unmatched: a column
 * without a row; match and exponents are undefined). WARPLU_OUT_OF_MEMORY, WARPLU_CANCELLED. */
warplu_status wlu_matching_find(wlu_context *ctx, const wlu_pattern *a, const double *entries, int diagonal_bits,
                                int32_t *match, int16_t *row_exponent, int16_t *col_exponent, int32_t *unmatched);

#endif
