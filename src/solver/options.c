/* Options: defaults, sizes, ranges. See options.h. */
#include "solver/options.h"

#include <warplu/cache.h>

#include "base/team.h"
#include "exec/exec.h"
#include "order/order.h"

#include <math.h>
#include <string.h>

void wlu_options_default(warplu_options *options)
{
    memset(options, 0, sizeof *options); /* padding too: options are compared by bytes in solver/pattern_key.c */
    options->size = sizeof *options;
    options->storage = WARPLU_STORAGE_CSC;
    options->ordering = WARPLU_ORDERING_AUTO;
    options->scaling = WARPLU_SCALING_MAX;
    options->check = WARPLU_CHECK_SUSPECT;
    options->executor = WARPLU_EXECUTOR_AUTO;
    options->btf = 1;
    options->threads = 1;
    options->max_refinement_steps = 5;
    options->pivot_tolerance = 0.001;
    options->max_program_bytes = (int64_t)4 << 30;
    options->max_cache_bytes = (int64_t)256 << 20;
}

warplu_status wlu_options_take(const warplu_options *given, warplu_options *out)
{
    wlu_options_default(out);
    if (given == NULL) return WARPLU_SUCCESS;
    size_t size = given->size;
    if (size < sizeof size || size > sizeof *out || size % sizeof size != 0) return WARPLU_INVALID_ARGUMENT;
    memcpy(out, given, size);
    out->size = sizeof *out;
    return WARPLU_SUCCESS;
}

warplu_status wlu_options_check(const warplu_options *o)
{
    int valid = o->size == sizeof *o && o->storage >= WARPLU_STORAGE_CSC && o->storage <= WARPLU_STORAGE_CSR &&
                wlu_ordering_get(o->ordering) != NULL && o->scaling >= WARPLU_SCALING_NONE &&
                o->scaling <= WARPLU_SCALING_MAX && o->check >= WARPLU_CHECK_OFF && o->check <= WARPLU_CHECK_REPLAYS &&
                wlu_executor_name(o->executor) != NULL && o->threads >= 0 && o->threads <= WLU_TEAM_MOST &&
                o->max_refinement_steps >= 0 && o->pivot_tolerance >= 0.0 && o->pivot_tolerance <= 1.0 &&
                o->pivot_absolute >= 0.0 && isfinite(o->pivot_absolute) && o->expected_refactors >= 0.0 &&
                o->max_program_bytes > 0 && o->max_cache_bytes >= 0 && o->max_factor_bytes >= 0 &&
                o->on_weak >= WARPLU_ON_WEAK_REPIVOT && o->on_weak <= WARPLU_ON_WEAK_REPORT &&
                wlu_strategy_name(o->device_strategy) != NULL && o->device >= -1 &&
                o->precision >= WARPLU_PRECISION_DOUBLE && o->precision <= WARPLU_PRECISION_MIXED &&
                o->scalar >= WARPLU_SCALAR_REAL && o->scalar <= WARPLU_SCALAR_COMPLEX &&
                o->repeatable >= WARPLU_REPEATABLE_NOT && o->repeatable <= WARPLU_REPEATABLE_STRICTLY &&
                o->matching >= WARPLU_MATCHING_AUTO && o->matching <= WARPLU_MATCHING_ALWAYS &&
                (o->allocate == NULL) == (o->release == NULL) &&
                (o->ordering != WARPLU_ORDERING_GIVEN || o->col_order != NULL);
    if (!valid) return WARPLU_INVALID_ARGUMENT;
    int alone = o->threads != 1 && !wlu_executor_threads(o->executor);
    return alone ? WARPLU_THREADS_UNSUPPORTED : WARPLU_SUCCESS;
}
