/* Targets: what executors there are, by numbers and names. See exec.h. */
#include "exec/exec.h"

/* A line of exec_list.def. */
typedef struct listed {
    warplu_executor id;
    const char *name;
    warplu_strategy strategy;
    int threads;
    const wlu_executor *executor;
} listed;

static const listed list[] = {
#define WLU_EXECUTOR(table, id, public_name, strategy, threads) \
    {(id), (public_name), (strategy), (threads), &wlu_executor_##table},
#include "exec/exec_list.def"
#undef WLU_EXECUTOR
};

static listed registered = {.id = WLU_EXECUTOR_REGISTERED};

void wlu_executor_register(const wlu_executor *executor)
{
    registered.name = executor->name;
    registered.executor = executor;
}

/* The first line of this number that has the strategy, or takes any; NULL: there is none. */
static const listed *find(warplu_executor id, warplu_strategy strategy)
{
    for (size_t k = 0; k < sizeof list / sizeof *list; k++)
        if ((id == WARPLU_EXECUTOR_AUTO || list[k].id == id) &&
            (strategy == WARPLU_STRATEGY_AUTO || list[k].strategy == WARPLU_STRATEGY_AUTO ||
             list[k].strategy == strategy))
            return &list[k];
    return id == registered.id && registered.executor != NULL ? &registered : NULL;
}

const char *wlu_executor_name(warplu_executor id)
{
    const listed *found = find(id, WARPLU_STRATEGY_AUTO);
    return id == WARPLU_EXECUTOR_AUTO ? "auto" : found != NULL ? found->name : NULL;
}

const char *wlu_strategy_name(warplu_strategy strategy)
{
    for (size_t k = 0; k < sizeof list / sizeof *list && strategy != WARPLU_STRATEGY_AUTO; k++)
        if (list[k].strategy == strategy) return list[k].executor->name;
    return strategy == WARPLU_STRATEGY_AUTO ? "auto" : NULL;
}

int wlu_executor_threads(warplu_executor id)
{
    const listed *found = find(id, WARPLU_STRATEGY_AUTO);
    return found != NULL && found->threads;
}

warplu_status wlu_target_find(wlu_context *ctx, const warplu_options *o, wlu_target *out, const wlu_cost **cost)
{
    const listed *found = find(o->executor, o->device_strategy);
    *out = (wlu_target){0};
    *cost = NULL;
    if (found == NULL)
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "there is no executor %d with strategy %d", (int)o->executor,
                        (int)o->device_strategy);
    *out = (wlu_target){.executor = found->executor,
                        .device = o->device,
                        .precision = o->precision,
                        .strategy = o->device_strategy,
                        .doubles = wlu_options_doubles(o)};
    return wlu_target_open(ctx, out, cost);
}

warplu_status wlu_target_open(wlu_context *ctx, wlu_target *target, const wlu_cost **cost)
{
    *cost = NULL;
    if (target->doubles > 1 && wlu_precision_is_single(target->precision))
        return wlu_fail(ctx, WARPLU_PRECISION_UNSUPPORTED, "complex values are computed in double precision alone");
    return target->executor->open(ctx, target, cost);
}
