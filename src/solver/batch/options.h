/* The options of a batch. */
#ifndef WLU_SOLVER_BATCH_OPTIONS_H
#define WLU_SOLVER_BATCH_OPTIONS_H

#include <warplu/batch.h>

#include "solver/options.h"

void wlu_batch_options_default(warplu_batch_options *options);
/* given: the caller's, or NULL for defaults. WARPLU_INVALID_ARGUMENT: one is out of its range, *wrong says which. */
warplu_status wlu_batch_options_take(const warplu_batch_options *given, warplu_batch_options *options,
                                     wlu_wrong_option *wrong);

#endif
