/* The options of a solver: defaults, and what a caller gives. */
#ifndef WLU_SOLVER_OPTIONS_H
#define WLU_SOLVER_OPTIONS_H

#include <warplu/warplu.h>

#include "solver/ranges.h"

void wlu_options_default(warplu_options *options);
/* The caller's options, NULL for the defaults; one who was built with an older header knows fewer of them.
 * WARPLU_INVALID_ARGUMENT: the size, then nothing else has been read. */
warplu_status wlu_options_take(const warplu_options *given, warplu_options *out);

/* WARPLU_INVALID_ARGUMENT, WARPLU_THREADS_UNSUPPORTED; *wrong says which option it is. */
warplu_status wlu_options_check(const warplu_options *options, wlu_wrong_option *wrong);

#endif
