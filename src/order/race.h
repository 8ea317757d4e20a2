/* The candidates of an analysis: one order by the ordering that the options name, or a race of several. */
#ifndef WLU_ORDER_RACE_H
#define WLU_ORDER_RACE_H

#include "order/candidate.h"

/* Replays that an ordering may take to take part in a race. */
double wlu_race_replays(const warplu_options *options);

/* Fills in *count candidates of the pattern, sorted by predicted time; WLU_DEPTH_FIRST: AMD, of which only estimates
 * are known, or where METIS is predicted to take little of what its factors take, both. form: those to be ordered,
 * nforms of them; one with joined blocks may be added behind them. The caller frees the forms and the candidates,
 * whatever is returned, and hands in zeros. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW, WARPLU_NOT_COMPILED,
 * WARPLU_CANCELLED. */
warplu_status wlu_candidates_find(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                  const wlu_pattern *a, wlu_depth depth, wlu_transversal form[WLU_FORMS_MAX],
                                  int nforms, wlu_candidate candidate[WLU_CANDIDATES_MAX], int32_t *count);

#endif
