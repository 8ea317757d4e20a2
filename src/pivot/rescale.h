/* Factors in scales of the values at hand.
 *
 * Pivots keep the scales that they were chosen with. Values that have moved by hundreds of powers of two since are at
 * one end of the range of numbers in these scales, where right-hand sides and solutions of the usual size leave it.
 * Scales are powers of two: what L, U and F are in others is known without another factorization.
 *
 * New ones bring the largest entry of each row close to 1, then that of each column; what the old ones were does not
 * matter. O(n + nnz), and O(|L| + |U| + |F|) where they are wanted; memory: 4 n. */
#ifndef WLU_PIVOT_RESCALE_H
#define WLU_PIVOT_RESCALE_H

#include "pivot/factors.h"

/* Whether the largest scaled entry of each row and column is nowhere near the ends of the range. room: 2 n. */
int wlu_scales_fit(const wlu_pattern *a, const wlu_pivots *pivots, const double *entries, int16_t *room);

/* New scales for the factors, which are the pivots' for these entries. *out: pivots of these scales, whose other parts
 * are the pivots' own; exponent: 2 n, which it points into. */
void wlu_factors_rescale(wlu_factors *f, const wlu_pattern *a, const wlu_pivots *pivots, const double *entries,
                         int16_t *exponent, wlu_pivots *out);

#endif
