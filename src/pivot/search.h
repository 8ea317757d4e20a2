/* The pivot search: one order and one kind of scales, factored by threshold partial pivoting. See search.c for the
 * method, pivot/attempts.h for which orders and scales are tried. */
#ifndef WLU_PIVOT_SEARCH_H
#define WLU_PIVOT_SEARCH_H

#include "pivot/pivots.h"

/* One candidate's factorization. col_exponent may be NULL; every sum of a row's and
 * a column's exponent lies within [-1021, 1021]. *out is NULL, and that no error, where it would take more than so many
 * terms, or, unless these are infinite, more bytes than the options allow. */
typedef warplu_status wlu_pivot_searcher(wlu_context *ctx, const warplu_options *options, const wlu_analysis *analysis,
                                         const wlu_candidate *candidate, const int16_t *exponent,
                                         const int16_t *col_exponent, const double *x, double most_terms,
                                         wlu_pivots **out, wlu_factors **factors);

/* Of real values, and of complex ones. */
wlu_pivot_searcher wlu_pivot_search, wlu_pivot_search_complex;

#endif
