/* A CUDA device's primary context, which the driver shares among all that use the device in a process: both libraries,
 * the runtime API, callers. It is entered around calls and left behind them, so that the caller's own context is
 * current again. */
#ifndef WLU_DEVICE_CONTEXT_H
#define WLU_DEVICE_CONTEXT_H

#include "device/driver.h"

typedef struct wlu_cuda_context {
    wlu_cu_device device;
    wlu_cu_handle handle; /* NULL: none is open */
} wlu_cuda_context;

/* That of device `number`, from 0, or -1 (driver.h). It is there as long as somebody has it open, with all that was
 * made in it. WARPLU_NO_DEVICE, WARPLU_DEVICE_FAILED, WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_cuda_context_open(wlu_context *ctx, int number, wlu_cuda_context *c);
/* Closes one that is open. */
void wlu_cuda_context_close(wlu_cuda_context *c);

/* Between these two it is the calling thread's current one. leave: keeps a failure, or adds its own. ctx may be NULL:
 * nothing is said. */
warplu_status wlu_cuda_enter(wlu_context *ctx, const wlu_cuda_context *c);
warplu_status wlu_cuda_leave(wlu_context *ctx, warplu_status status);

/* Within it: waits for a stream, after a failure too, for what is under way may still use the host's memory. The first
 * failure counts. */
warplu_status wlu_cuda_wait(wlu_context *ctx, wlu_cu_handle stream, warplu_status status);

#endif
