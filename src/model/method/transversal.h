/* Finds maximum transversals of patterns: matches rows with columns, one to one. */
#ifndef WLU_MODEL_METHOD_TRANSVERSAL_H
#define WLU_MODEL_METHOD_TRANSVERSAL_H

#include "model/graph/derive.h"

/* Sets match[row] to a column of its own, where the matrix has an entry: a strong one where the row has some and it can
 * be. Returns how many rows have a column; -1 where there is no memory. *open: a row that has none, if there is one. */
int32_t wlm_transversal(wlu_context *ctx, const wlm_jacobian *matrix, const wlm_jacobian *strong, int32_t *match,
                        int32_t *open);

#endif
