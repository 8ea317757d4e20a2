/* See batch_make.h. */
#include "batch_make.h"
#include "machine.h"

warplu_options batch_solver_options(const warplu_options *options)
{
    warplu_options host = *options;
    if (host.precision == WARPLU_PRECISION_DOUBLE) host.executor = WARPLU_EXECUTOR_AUTO;
    return host;
}

warplu_status batch_make(const batch_wish *wish, warplu_batch **out)
{
    warplu_batch_options options;
    warplu_batch_init_options(&options);
    options.executor = wish->executor;
    options.devices = wish->devices;
    options.device_count = wish->device_count;
    options.fewer_devices = wish->fewer_devices;
    options.threads = wish->threads;
    options.shared_rhs = 1;
    options.keep_factors = wish->keep_factors;
    /* A device says itself what it has no room for. */
    if (wish->keep_factors && wish->executor != WARPLU_EXECUTOR_CUDA)
        options.max_factor_bytes = machine_free_bytes() / 2;
    warplu_status status = warplu_batch_create(out, wish->solver, wish->count, &options);
    return status >= 0 ? warplu_batch_factor(*out, wish->values) : status;
}
