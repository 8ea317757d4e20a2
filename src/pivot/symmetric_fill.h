/* The patterns of L and U where A is symmetric in its pivots' order, from the elimination tree. */
#ifndef WLU_PIVOT_SYMMETRIC_FILL_H
#define WLU_PIVOT_SYMMETRIC_FILL_H

#include "pivot/pivots.h"

/* Fills in the patterns, terms and height of pivots whose orders and blocks are known. *symmetric is 0, and nothing is
 * filled in, where A has an entry without a counterpart across the pivots' diagonal. O(entries of A, L and U); 4 bytes
 * an entry of A, 40 n beside the result. WARPLU_OUT_OF_MEMORY, WARPLU_CANCELLED. */
warplu_status wlu_pivots_find_symmetric_patterns(wlu_context *ctx, const wlu_pattern *a, wlu_pivots *pivots,
                                                 int *symmetric);

#endif
