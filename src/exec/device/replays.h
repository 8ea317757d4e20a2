/* Replays and solves on a CUDA device, for values and right-hand sides of the host or of callers on the device: staged,
 * enqueued as the executor has it (wlu_residence), waited for, judged by the record that the device writes. */
#ifndef WLU_EXEC_DEVICE_REPLAYS_H
#define WLU_EXEC_DEVICE_REPLAYS_H

#include "exec/device/images.h"
#include "exec/device/states.h"

/* As the executor's functions of these names. */
warplu_status wlu_resident_refactor(wlu_context *ctx, wlu_state *state, const double *values);
warplu_status wlu_resident_solve(wlu_context *ctx, wlu_state *state, wlu_stream_kind kind, int nrhs, const double *b,
                                 int64_t ldb, double *x, int64_t ldx, double *largest);
/* On device pointers. */
extern const wlu_executor_device wlu_resident_device;

/* What the tables of these executors have alike. */
#define WLU_RESIDENT_FUNCTIONS \
    .refines = 1, .device = &wlu_resident_device, .unload = wlu_resident_unload, .create = wlu_resident_create, \
    .destroy = wlu_resident_destroy, .refactor = wlu_resident_refactor, .solve = wlu_resident_solve, \
    .fetch = wlu_resident_fetch

/* What executors' solves begin with, within the device's context. A refactorization of values on the device: sums of
 * duplicates first. */
warplu_status wlu_resident_enqueue_refactor(wlu_context *ctx, wlu_resident *state, const double *values,
                                            wlu_cu_handle stream);
/* Unknowns are stored as they come, when others have not read their right-hand side yet: where both have one place,
 * that is put aside. */
warplu_status wlu_resident_put_aside(wlu_context *ctx, const wlu_resident *state, wlu_async_solve *share,
                                     wlu_cu_handle stream);

#endif
