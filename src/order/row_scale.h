/* Row scales, rounded to powers of two so that scaling is exact. */
#ifndef WLU_ORDER_ROW_SCALE_H
#define WLU_ORDER_ROW_SCALE_H

#include "matrix/sparse.h"

/* exponent[i] for each row: 2^exponent[i] times the row's largest magnitude (WARPLU_SCALING_MAX) or sum of
 * magnitudes (WARPLU_SCALING_SUM) lies in (0.5, 1]; 0 for WARPLU_SCALING_NONE and for rows that are all zero.
 * Exponents are kept where a scaled entry neither overflows nor loses bits to underflow because of the scale
 * alone: within [-1021, 1021]. x: the gathered values of the pattern's entries, all finite; work: n. */
void wlu_row_scale(const wlu_pattern *a, const double *x, warplu_scaling scaling, int16_t *exponent, double *work);

#endif
