/* The handles that runs hand out as rows. */
#ifndef WLU_MODEL_API_WATCH_H
#define WLU_MODEL_API_WATCH_H

#include "model/api/parts.h"

void wlm_watched_free(warplu_sim *sim);

#endif
