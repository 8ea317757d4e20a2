/* Maximum transversals of patterns: rows matched with columns, one by one. */
#ifndef WLU_MODEL_METHOD_TRANSVERSAL_H
#define WLU_MODEL_METHOD_TRANSVERSAL_H

#include "model/graph/derive.h"

/* match[row]: a column of its own, with an entry of the matrix; where `any` is 0 rows with strong entries use these
 * alone, and the search ends at the first row that finds none. How many rows have one; -1 where there is no memory.
 * *open: a row that has none, if there is one. */
int32_t wlm_transversal(wlu_context *ctx, const wlm_jacobian *matrix, const wlm_jacobian *strong, int any,
                        int32_t *match, int32_t *open);

#endif
