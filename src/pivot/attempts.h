/* The policy of pivoting: which orders, scales and tolerances are tried, and which pivots are kept.
 *
 * Predictions count B + B' with diagonal pivots; off-diagonal pivots can exceed them, and scales can make a diagonal
 * look weak. Attempts follow each other in this order, and the pivots that are predicted to be fastest by their
 * patterns (cost/patterns.h) are kept. Where every solve of pivots with uneven scales is checked (on a device), they
 * count a check more.
 *
 *     attempt                                scales           when
 *     the order that served before           as they served   such pivots are given; alone if they do as well as then
 *     the first candidate                    its own          always
 *     the first candidate                    fewer            it exceeds its prediction, or its solves are checked
 *     the best candidate from matching       rows, columns    the first is none, and exceeds or leaves its diagonal
 *     the best candidate without a matching  rows             solves are checked, and it is predicted to be faster
 *     the runner-up                          its own          the first exceeds, or exchanges made its paths longer
 *     the first candidate, however large     its own          all attempts were given up
 *
 * Before orders have raced (WLU_DEPTH_FIRST) there are two attempts: the one order with its own scales, and with fewer
 * where these are given up. Where both are, there are no pivots, and orders have to race.
 *
 * A candidate's own scales are those of rows, as the options say, or where it is from matching, those of a matching of
 * the values at hand, of rows and columns; fewer: rows alone instead of both, none instead of rows. To exceed: 1.3
 * times the terms or the height predicted. To leave the diagonal: 1 % of the pivots. An attempt is not made where 4
 * times the terms at hand are predicted, and given up where it comes to as many more than predicted, or than at hand,
 * while others are left. The tolerance is the options'. Stricter pivots, where known systems fail those found, take 100
 * times that tolerance (at most 1), with the order and scales found, then with the best candidate from matching.
 *
 * Cost: that of the searches (pivot/search.h); O(entries of L and U) for each comparison. */
#ifndef WLU_PIVOT_ATTEMPTS_H
#define WLU_PIVOT_ATTEMPTS_H

#include "pivot/factors.h"

/* Chooses pivots for the gathered values x of the analysis' pattern, with the factors of these values. served: pivots
 * of the same analysis that served before, or NULL. WARPLU_SINGULAR (the message names the column of A),
 * WARPLU_NOT_FINITE, WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW, WARPLU_CANCELLED, WARPLU_FACTORS_TOO_LARGE. */
warplu_status wlu_pivots_create(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                const wlu_analysis *analysis, const double *x, const wlu_pivots *served,
                                wlu_pivots **out, wlu_factors **factors);

/* Stricter pivots than those found of this analysis by these options, and no slower than those with a check of each
 * solve. *out is NULL, and that no error, where there are none. Statuses as above. */
warplu_status wlu_pivots_create_stricter(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                         const wlu_analysis *analysis, const double *x, const wlu_pivots *found,
                                         wlu_pivots **out, wlu_factors **factors);

#endif
