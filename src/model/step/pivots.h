/* The order of pivots of a small matrix, chosen once.
 *
 * By structure first: rows are matched with columns by a maximum transversal, entries that stay where a step is small
 * first; matched entries are pivots in the order of least (r - 1)(c - 1) of rows and columns that are left (Markowitz
 * 1957). Two samples of the matrix, one for steps as long as the system's own times and one for short ones, are
 * eliminated beside it: structure does not see where terms cancel. Where a pivot of a sample is nothing beside its row,
 * the order is chosen by both samples instead: the least price among entries that are a hundredth of their row's
 * largest, as sparse solvers do. Cost: O(n^2 + terms) a pivot by structure, O(n^2) more by numbers. */
#ifndef WLU_MODEL_STEP_PIVOTS_H
#define WLU_MODEL_STEP_PIVOTS_H

#include "model/graph/derive.h"

enum { WLM_LU_MOST = 1024, WLM_LU_TERMS = 100000, WLM_PIVOT_SAMPLES = 2 };

/* Writes row and column of each pivot. strong: entries that stay large where a step is small. value: of each sample the
 * entries of matrix, or NULL where they are not known. WARPLU_STRUCTURALLY_SINGULAR; WARPLU_PROGRAM_TOO_LARGE, beyond
 * WLM_LU_MOST unknowns or WLM_LU_TERMS terms of elimination; WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_pivots_choose(wlu_context *ctx, const wlm_jacobian *matrix, const wlm_jacobian *strong,
                                const double *const *value, int32_t *row, int32_t *column);

#endif
