/* States of the executor `levels`: a launch for each vector of records (cuda/levels.cu), after Tominaga and Maekawa
 * (2013). */
#ifndef WLU_EXEC_LEVELS_IMAGE_H
#define WLU_EXEC_LEVELS_IMAGE_H

#include "exec/device/resident.h"

/* A strategy beside the options': the same launches one by one, as the paper has them, where `levels` captures them in
 * a graph. For comparisons and tests. */
#define WLU_STRATEGY_LAUNCHES ((warplu_strategy)(WARPLU_STRATEGY_LEVELS + 1))

typedef struct wlu_levels_state {
    wlu_resident of;
    wlu_cu_handle graph[WLU_STREAM_KINDS]; /* a stream's launches; NULL until it is wanted */
} wlu_levels_state;

#endif
