/* A CUDA device's primary context, which is entered around calls and left behind them. */
#ifndef WLU_MODEL_DEVICE_CONTEXT_H
#define WLU_MODEL_DEVICE_CONTEXT_H

#include "base/driver.h"

typedef struct wlm_device_context {
    wlu_context *ctx;
    wlu_cu_device device;
    wlu_cu_handle context; /* NULL: none is open */
} wlm_device_context;

/* Device `number`, from 0, or -1 (base/driver.h). WARPLU_NO_DEVICE, WARPLU_DEVICE_FAILED. */
warplu_status wlm_device_context_open(wlm_device_context *d, wlu_context *ctx, int number);
/* Releases a context that is open. */
void wlm_device_context_close(wlm_device_context *d);

warplu_status wlm_device_context_enter(const wlm_device_context *d);
/* The first failure counts. */
warplu_status wlm_device_context_leave(const wlm_device_context *d, warplu_status status);

#endif
