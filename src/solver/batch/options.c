/* The options of a batch: defaults, and what is refused. */
#include "solver/batch/options.h"

#include "base/sized.h"
#include "base/team.h"

void wlu_batch_options_default(warplu_batch_options *o)
{
    *o = (warplu_batch_options){.size = sizeof *o, .threads = 1, .repair = 1, .sample = 8};
}

static int is_flag(int value)
{
    return value == 0 || value == 1;
}

/* An older header's options are shorter. */
warplu_status wlu_batch_options_take(const warplu_batch_options *given, warplu_batch_options *o,
                                     wlu_wrong_option *wrong)
{
    wlu_batch_options_default(o);
    *wrong = (wlu_wrong_option){"size", given != NULL ? (double)given->size : 0};
    if (given != NULL && !wlu_sized_take(o, sizeof *o, given)) return WARPLU_INVALID_ARGUMENT;
    const struct {
        int valid;
        wlu_wrong_option option;
    } checks[] = {
        {o->layout == WARPLU_BATCH_CONTIGUOUS || o->layout == WARPLU_BATCH_INTERLEAVED, {"layout", o->layout}},
        {is_flag(o->shared_values), {"shared_values", o->shared_values}},
        {is_flag(o->shared_rhs), {"shared_rhs", o->shared_rhs}},
        {o->threads >= 0 && o->threads <= WLU_TEAM_MOST, {"threads", o->threads}},
        {is_flag(o->keep_factors), {"keep_factors", o->keep_factors}},
        {is_flag(o->repair), {"repair", o->repair}},
        {o->sample >= 1, {"sample", o->sample}},
        {o->max_factor_bytes >= 0, {"max_factor_bytes", (double)o->max_factor_bytes}},
        {o->device_count >= 0 && (o->device_count == 0 || o->devices != NULL), {"device_count", o->device_count}},
        {is_flag(o->fewer_devices), {"fewer_devices", o->fewer_devices}},
    };
    for (size_t k = 0; k < sizeof checks / sizeof *checks; k++) {
        if (checks[k].valid) continue;
        *wrong = checks[k].option;
        return WARPLU_INVALID_ARGUMENT;
    }
    return WARPLU_SUCCESS;
}
