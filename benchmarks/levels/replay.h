/* Replays of a scalar program on the device, timed. */
#ifndef SCALAR_REPLAY_H
#define SCALAR_REPLAY_H

#include "exec/device/device.h"
#include "scalar.h"

/* Wall time from the first launch to the end of the wait, values in place. */
typedef struct replay_times {
    double median_ms, least_ms, most_ms;
    int same_bits; /* as the records in the order of emission; NaN is NaN */
} replay_times;

typedef struct replay_kernels {
    const wlu_cuda_device *device;
    wlu_cu_handle module, of_double, of_float, stream;
} replay_kernels;

/* WARPLU_NO_DEVICE and what else a driver answers. Close it whatever open answers. */
warplu_status replay_open(wlu_context *ctx, replay_kernels *kernels);
void replay_close(replay_kernels *kernels);

/* repeats: replays that are timed, after one that is not. */
warplu_status replay_time(wlu_context *ctx, const replay_kernels *kernels, const scalar_program *program, int single,
                          int graph, int repeats, replay_times *out);

#endif
