/* What replays a batch's members, and on which devices. See target.h. Devices that a driver does not have are
 * found here, before anything is made for them; one that is there and fails is the executor's affair. */
#include "solver/batch/target.h"

/* The options' list, which may go after the call. */
static warplu_status copy_devices(warplu_batch *b)
{
    wlu_context *ctx = wlu_batch_context(b);
    const warplu_batch_options *o = &b->options;
    int64_t bytes = (int64_t)sizeof *b->devices + o->device_count * (int64_t)sizeof *b->devices->number;
    for (int32_t k = 0; k < o->device_count; k++) {
        if (o->devices[k] < 0)
            return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "warplu_batch_create: there is no device %d", o->devices[k]);
        for (int32_t other = 0; other < k; other++)
            if (o->devices[other] == o->devices[k])
                return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "warplu_batch_create: device %d is named twice",
                                o->devices[k]);
    }
    b->devices = wlu_alloc(ctx, bytes, 1);
    if (b->devices == NULL) return wlu_fail_memory(ctx, "devices of a batch");
    b->devices->count = o->device_count;
    b->devices->fewer = o->fewer_devices;
    for (int32_t k = 0; k < o->device_count; k++) b->devices->number[k] = o->devices[k];
    b->options.devices = NULL;
    return WARPLU_SUCCESS;
}

/* Each device is there, or some are where that will do. */
static warplu_status open_devices(warplu_batch *b, warplu_options *o)
{
    wlu_context *ctx = wlu_batch_context(b);
    const wlu_device_list *list = b->devices;
    const wlu_cost *cost;
    warplu_status status = WARPLU_SUCCESS, absent = WARPLU_SUCCESS;
    wlu_target found = {0};
    for (int32_t k = 0; k < list->count; k++) {
        o->device = list->number[k];
        status = wlu_target_find(ctx, o, &b->target, &cost);
        if (status == WARPLU_NO_DEVICE && list->fewer) {
            absent = status;
            continue;
        }
        if (status < 0) return status;
        if (b->target.executor->device == NULL)
            return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "warplu_batch_create: the executor '%s' runs on no device",
                            b->target.executor->name);
        found = b->target;
    }
    b->target = found;
    b->target.several = list->count > 1 ? list : NULL;
    return found.executor == NULL ? absent : WARPLU_SUCCESS;
}

warplu_status wlu_batch_find_target(warplu_batch *b)
{
    const wlu_cost *cost;
    warplu_options o = b->base->options;
    if (b->options.executor == WARPLU_EXECUTOR_AUTO && b->options.device_count == 0) {
        b->target = b->base->target;
        return WARPLU_SUCCESS;
    }
    if (b->options.executor != WARPLU_EXECUTOR_AUTO) {
        if (o.executor != b->options.executor) o.device_strategy = WARPLU_STRATEGY_AUTO;
        o.executor = b->options.executor;
    }
    if (b->options.device_count == 0) return wlu_target_find(wlu_batch_context(b), &o, &b->target, &cost);
    warplu_status status = copy_devices(b);
    return status < 0 ? status : open_devices(b, &o);
}

int32_t wlu_batch_devices_at_work(const warplu_batch *b)
{
    if (b->programs == 0) return 0;
    return b->target.several != NULL ? b->program[0].state->devices : b->target.executor->device != NULL;
}
