/* The options of a batch: defaults, and what is refused. */
#include "solver/batch/options.h"

#include "base/sized.h"
#include "base/team.h"

#include <math.h>

void wlu_batch_options_default(warplu_batch_options *o)
{
    *o = (warplu_batch_options){.size = sizeof *o, .threads = 1, .repair = 1, .sample = 8};
}

#define RANGE(member, least, most) WLU_OPTION_RANGE(warplu_batch_options, member, least, most)

static const wlu_option_range ranges[] = {
    RANGE(layout, WARPLU_BATCH_CONTIGUOUS, WARPLU_BATCH_INTERLEAVED),
    RANGE(shared_values, 0, 1),
    RANGE(shared_rhs, 0, 1),
    RANGE(threads, 0, WLU_TEAM_MOST),
    RANGE(keep_factors, 0, 1),
    RANGE(repair, 0, 1),
    RANGE(sample, 1, INFINITY),
    RANGE(max_factor_bytes, 0, INFINITY),
    RANGE(device_count, 0, INFINITY),
    RANGE(fewer_devices, 0, 1),
};

/* An older header's options are shorter. */
warplu_status wlu_batch_options_take(const warplu_batch_options *given, warplu_batch_options *o,
                                     wlu_wrong_option *wrong)
{
    wlu_batch_options_default(o);
    if (given != NULL && !wlu_sized_take(o, sizeof *o, given)) {
        wlu_option_refuse(wrong, "size", "it is not set, no multiple of 8, or larger than this library's");
        return WARPLU_INVALID_ARGUMENT;
    }
    if (!wlu_options_hold(o, ranges, sizeof ranges / sizeof *ranges, wrong)) return WARPLU_INVALID_ARGUMENT;
    if (o->device_count == 0 || o->devices != NULL) return WARPLU_SUCCESS;
    wlu_option_refuse(wrong, "device_count", "devices is NULL");
    return WARPLU_INVALID_ARGUMENT;
}
