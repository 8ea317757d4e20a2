/* Options: defaults, sizes, ranges. See options.h. */
#include "solver/options.h"

#include "base/sized.h"
#include "base/team.h"
#include "exec/exec.h"
#include "order/order.h"

#include <float.h>
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

#define RANGE(member, least, most) WLU_OPTION_RANGE(warplu_options, member, least, most)

static const wlu_option_range ranges[] = {
    RANGE(storage, WARPLU_STORAGE_CSC, WARPLU_STORAGE_CSR),
    RANGE(matching, WARPLU_MATCHING_AUTO, WARPLU_MATCHING_ALWAYS),
    RANGE(scaling, WARPLU_SCALING_NONE, WARPLU_SCALING_MAX),
    RANGE(pivot_tolerance, 0, 1),
    RANGE(pivot_absolute, 0, DBL_MAX),
    RANGE(on_weak, WARPLU_ON_WEAK_REPIVOT, WARPLU_ON_WEAK_REPORT),
    RANGE(check, WARPLU_CHECK_OFF, WARPLU_CHECK_REPLAYS),
    RANGE(max_refinement_steps, 0, INFINITY),
    RANGE(precision, WARPLU_PRECISION_DOUBLE, WARPLU_PRECISION_MIXED),
    RANGE(threads, 0, WLU_TEAM_MOST),
    RANGE(expected_refactors, 0, INFINITY),
    RANGE(max_program_bytes, 1, INFINITY),
    RANGE(max_cache_bytes, 0, INFINITY),
    RANGE(max_factor_bytes, 0, INFINITY),
    RANGE(device, -1, INFINITY),
    RANGE(scalar, WARPLU_SCALAR_REAL, WARPLU_SCALAR_COMPLEX),
    RANGE(repeatable, WARPLU_REPEATABLE_NOT, WARPLU_REPEATABLE_STRICTLY),
};

/* What no range says. 0: *wrong is the first that is refused. */
static int rules_hold(const warplu_options *o, wlu_wrong_option *wrong)
{
    const struct {
        int valid;
        const char *name, *why;
    } rules[] = {
        {wlu_ordering_get(o->ordering) != NULL, "ordering", "its number is none of warplu_ordering"},
        {o->ordering != WARPLU_ORDERING_GIVEN || o->col_order != NULL, "ordering", "given needs col_order"},
        {wlu_executor_name(o->executor) != NULL, "executor", "its number is none of warplu_executor"},
        {wlu_strategy_name(o->device_strategy) != NULL, "device_strategy", "its number is none of warplu_strategy"},
        {(o->allocate == NULL) == (o->release == NULL), "allocate", "it goes with release, and release with it"},
    };
    for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
        if (rules[k].valid) continue;
        wlu_option_refuse(wrong, rules[k].name, rules[k].why);
        return 0;
    }
    return 1;
}

warplu_status wlu_options_check(const warplu_options *o, wlu_wrong_option *wrong)
{
    if (!wlu_options_hold(o, ranges, sizeof ranges / sizeof *ranges, wrong) || !rules_hold(o, wrong))
        return WARPLU_INVALID_ARGUMENT;
    if (o->threads == 1 || wlu_executor_threads(o->executor)) return WARPLU_SUCCESS;
    wlu_option_refuse(wrong, "threads", warplu_status_text(WARPLU_THREADS_UNSUPPORTED));
    return WARPLU_THREADS_UNSUPPORTED;
}
