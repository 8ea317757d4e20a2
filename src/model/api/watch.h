/* What is asked of members: names, values, and definitions, which are computed from the unknowns. */
#ifndef WLU_MODEL_API_WATCH_H
#define WLU_MODEL_API_WATCH_H

#include "model/api/parts.h"

/* Initial values of all members, by their parameters. */
warplu_status wlm_initial_states(warplu_sim *sim);
/* Values of the watched handles of a member at a time with unknowns y, into watched.values. */
void wlm_watched_compute(warplu_sim *sim, int64_t member, double t, const double *y);
void wlm_watched_free(warplu_sim *sim);

#endif
