/* Why a matrix is singular, as far as single rows and columns show it: empty ones, zero ones, and pairs that are
 * multiples of each other.
 *
 * Proportional lines are found by sorting signatures. A signature is a hash of the pattern and signs of the nonzero
 * values, and a sum of weighted logarithms relative to the line's first value, which scaling does not change and
 * rounding moves little. Neighbours in that order are compared entry by entry by products of fractions, exponents
 * apart, so that nothing overflows; PROPORTIONAL roundings are allowed. A pair may be missed, though hardly ever; none
 * is invented.
 *
 * Cost: O(n + nnz) but for a sort of n keys, only when a factorization fails. Memory: 40 n + 12 nnz bytes while it
 * runs; without it, the failure is reported without a diagnosis. Rows and columns are numbered as in the caller's A,
 * from 0. */
#ifndef WLU_ORDER_DIAGNOSE_H
#define WLU_ORDER_DIAGNOSE_H

#include "base/context.h"
#include "matrix/sparse.h"

/* Where pivoting stopped. */
typedef struct wlu_stop {
    int32_t col, row;
    int32_t position; /* pivots before it */
    double absolute;  /* none exceeds this magnitude */
    int row_is_given; /* by row_order: no other row was tried */
} wlu_stop;

/* Diagnoses the gathered values x, keeps the findings in the context (wlu_context.singularity) and reports them in one
 * line. Returns WARPLU_SINGULAR. */
warplu_status wlu_fail_singular(wlu_context *ctx, const wlu_pattern *a, const double *x, const wlu_stop *stop);

/* The same for a pattern without a transversal: lines without entries, pairs with one entry each in the same place.
 * Column col is left without a row, row without a column. Returns WARPLU_STRUCTURALLY_SINGULAR. */
warplu_status wlu_fail_structurally_singular(wlu_context *ctx, const wlu_pattern *a, int32_t rank, int32_t col,
                                             int32_t row);

#endif
