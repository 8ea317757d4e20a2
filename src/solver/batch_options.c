/* The options of a batch: defaults, and what is refused. */
#include "solver/batch_options.h"

#include <string.h>

#include "base/team.h"

void wlu_batch_options_default(warplu_batch_options *o)
{
    *o = (warplu_batch_options){.size = sizeof *o, .threads = 1, .repair = 1, .sample = 8};
}

/* An older header's options are shorter. */
warplu_status wlu_batch_options_take(const warplu_batch_options *given, warplu_batch_options *o)
{
    wlu_batch_options_default(o);
    if (given != NULL && (given->size < sizeof given->size || given->size > sizeof *given))
        return WARPLU_INVALID_ARGUMENT;
    if (given != NULL) memcpy(o, given, given->size);
    o->size = sizeof *o;
    int layout = o->layout == WARPLU_BATCH_CONTIGUOUS || o->layout == WARPLU_BATCH_INTERLEAVED;
    int flags = (o->shared_values | o->shared_rhs | o->keep_factors | o->repair | o->fewer_devices) & ~1;
    int list = o->device_count >= 0 && (o->device_count == 0 || o->devices != NULL);
    return !layout || !list || flags != 0 || o->threads < 0 || o->threads > WLU_TEAM_MOST || o->sample < 1 ||
                   o->max_factor_bytes < 0
               ? WARPLU_INVALID_ARGUMENT
               : WARPLU_SUCCESS;
}
