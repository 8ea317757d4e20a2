/* Pivots without a search: the diagonal of an order, where it is likely to hold.
 *
 * A search keeps the diagonal entry of each column that is large enough beside the column's others when its turn
 * comes. Where it keeps them all, its pivots are known from the pattern, its scales and largest entries from A:
 * nothing is left to find but how large the factors become, which a replay shows, by a program or by columns. So the
 * pivots are made first, and replayed; the replay's largest |l| then is the search's test of all pivots at once. What
 * passes is what the search would have found; what does not has cost the replay, and a compilation where there was
 * one. */
#ifndef WLU_PIVOT_DIAGONAL_H
#define WLU_PIVOT_DIAGONAL_H

#include "pivot/pivots.h"

/* Pivots on the diagonal of the analysis' first candidate, for the gathered values x, with rows scaled as the
 * options say. *out is NULL, and that no error, where an entry of the diagonal fails the search's test in its column
 * of A, the candidate wants the scales of a matching, the factors would be larger than the options allow, or where
 * symmetric_alone A has an entry without a counterpart across the diagonal. Their
 * quality is what A alone tells, with infinite growth. O(nnz), and for a symmetric pattern O(entries of L and U),
 * else as wlu_pivots_find_patterns. WARPLU_OUT_OF_MEMORY, WARPLU_CANCELLED. */
warplu_status wlu_pivots_on_diagonal(wlu_context *ctx, const warplu_options *options, const wlu_analysis *analysis,
                                     const double *x, int symmetric_alone, wlu_pivots **out);

/* What their first replay, of the same values, adds to the quality. Whether it passes the search's test: each pivot is
 * at least the tolerance times the largest number of its column, and larger than the absolute bound. */
int wlu_pivots_take_replay(const warplu_options *options, const wlu_health *replay, wlu_pivot_quality *quality);

#endif
