/* Sums of a name over a range of nodes or instances, "sum cell[3..9].r". totals.c explains them. */
#ifndef WLU_MODEL_API_TOTALS_H
#define WLU_MODEL_API_TOTALS_H

#include "model/api/engine.h"

/* Returns 1 where a name is that of a sum over a range, whether there is one or not. */
int wlm_names_total(const char *name);
/* Finds its handle. WARPLU_INVALID_ARGUMENT, with a message; WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_total_find(warplu_sim *sim, const char *name, int64_t *handle);
/* Returns what a handle is of; NULL where it is the engine's. */
const wlm_total *wlm_total_of(const warplu_sim *sim, int64_t handle);
/* Computes it of members. */
warplu_status wlm_total_get(warplu_sim *sim, const wlm_total *total, int64_t first, int64_t count, double *out);

#endif
