/* Options: defaults, sizes, ranges. See options.h. */
#include "solver/options.h"

#include <warplu/cache.h>

#include "base/sized.h"
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
    return wlu_sized_take(out, sizeof *out, given) ? WARPLU_SUCCESS : WARPLU_INVALID_ARGUMENT;
}

static int within(int value, int least, int most)
{
    return value >= least && value <= most;
}

warplu_status wlu_options_check(const warplu_options *o, wlu_wrong_option *wrong)
{
    const struct {
        int valid;
        wlu_wrong_option option;
    } checks[] = {
        {o->size == sizeof *o, {"size", (double)o->size}},
        {within((int)o->storage, WARPLU_STORAGE_CSC, WARPLU_STORAGE_CSR), {"storage", o->storage}},
        {wlu_ordering_get(o->ordering) != NULL, {"ordering", o->ordering}},
        {within((int)o->matching, WARPLU_MATCHING_AUTO, WARPLU_MATCHING_ALWAYS), {"matching", o->matching}},
        {within((int)o->scaling, WARPLU_SCALING_NONE, WARPLU_SCALING_MAX), {"scaling", o->scaling}},
        {o->pivot_tolerance >= 0.0 && o->pivot_tolerance <= 1.0, {"pivot_tolerance", o->pivot_tolerance}},
        {o->pivot_absolute >= 0.0 && isfinite(o->pivot_absolute), {"pivot_absolute", o->pivot_absolute}},
        {within((int)o->on_weak, WARPLU_ON_WEAK_REPIVOT, WARPLU_ON_WEAK_REPORT), {"on_weak", o->on_weak}},
        {within((int)o->check, WARPLU_CHECK_OFF, WARPLU_CHECK_REPLAYS), {"check", o->check}},
        {o->max_refinement_steps >= 0, {"max_refinement_steps", o->max_refinement_steps}},
        {wlu_executor_name(o->executor) != NULL, {"executor", o->executor}},
        {wlu_strategy_name(o->device_strategy) != NULL, {"device_strategy", o->device_strategy}},
        {within((int)o->precision, WARPLU_PRECISION_DOUBLE, WARPLU_PRECISION_MIXED), {"precision", o->precision}},
        {within(o->threads, 0, WLU_TEAM_MOST), {"threads", o->threads}},
        {o->expected_refactors >= 0.0, {"expected_refactors", o->expected_refactors}},
        {o->max_program_bytes > 0, {"max_program_bytes", (double)o->max_program_bytes}},
        {o->max_cache_bytes >= 0, {"max_cache_bytes", (double)o->max_cache_bytes}},
        {o->max_factor_bytes >= 0, {"max_factor_bytes", (double)o->max_factor_bytes}},
        {o->device >= -1, {"device", o->device}},
        {within((int)o->scalar, WARPLU_SCALAR_REAL, WARPLU_SCALAR_COMPLEX), {"scalar", o->scalar}},
        {within(o->repeatable, WARPLU_REPEATABLE_NOT, WARPLU_REPEATABLE_STRICTLY), {"repeatable", o->repeatable}},
        {(o->allocate == NULL) == (o->release == NULL), {"allocate without release, or the other way,", 0}},
        {o->ordering != WARPLU_ORDERING_GIVEN || o->col_order != NULL, {"ordering without col_order", o->ordering}},
    };
    for (size_t k = 0; k < sizeof checks / sizeof *checks; k++) {
        if (checks[k].valid) continue;
        *wrong = checks[k].option;
        return WARPLU_INVALID_ARGUMENT;
    }
    *wrong = (wlu_wrong_option){"threads", o->threads};
    int alone = o->threads != 1 && !wlu_executor_threads(o->executor);
    return alone ? WARPLU_THREADS_UNSUPPORTED : WARPLU_SUCCESS;
}
