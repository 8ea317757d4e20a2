/* What `levels` enqueues: see wlu_residence. */
#ifndef WLU_EXEC_LEVELS_LAUNCH_H
#define WLU_EXEC_LEVELS_LAUNCH_H

#include "exec/device/resident.h"

/* A strategy beside the options': the same launches one by one, as the paper has them, where `levels` captures them in
 * a graph. For comparisons and tests. */
#define WLU_STRATEGY_LAUNCHES ((warplu_strategy)(WARPLU_STRATEGY_LEVELS + 1))

extern const wlu_residence wlu_levels_residence;

#endif
