/* A block of a device's memory, and a kernel that works on it: compiled from its text by the driver, launched on as
 * many thread blocks as are resident at one time, so that they may wait for each other.
 *
 * Calls wait until what they do is done. Statuses: WARPLU_NO_DEVICE, WARPLU_DEVICE_FAILED, WARPLU_OUT_OF_MEMORY. */
#ifndef WLU_MODEL_DEVICE_BLOCK_H
#define WLU_MODEL_DEVICE_BLOCK_H

#include "base/context.h"

typedef struct wlm_device_block wlm_device_block;

/* What a device has: multiprocessors, and shared memory for a thread block, in bytes. */
typedef struct wlm_device_size {
    int32_t processors, shared_bytes;
} wlm_device_size;

/* Opens device `number`, from 0, or -1 (device/driver.h). */
warplu_status wlm_device_block_open(wlu_context *ctx, int number, wlm_device_block **out);
/* Takes NULL, leaves NULL. */
void wlm_device_block_destroy(wlm_device_block **block);
wlm_device_size wlm_device_block_size(const wlm_device_block *block);

/* Compiles the module whose `kernel` is launched, in thread blocks of so many threads and bytes of shared memory. */
warplu_status wlm_device_block_compile(wlm_device_block *block, const char *text, const char *kernel, int32_t threads,
                                       int32_t shared_bytes);
/* Makes the memory, which is undefined; once. */
warplu_status wlm_device_block_alloc(wlm_device_block *block, int64_t bytes);
/* Returns its address on the device. */
uint64_t wlm_device_block_address(const wlm_device_block *block);

/* Write or read bytes from place `at` of the memory on. */
warplu_status wlm_device_block_write(wlm_device_block *block, int64_t at, const void *from, int64_t bytes);
warplu_status wlm_device_block_read(wlm_device_block *block, int64_t at, void *to, int64_t bytes);

/* Launches so many thread blocks, or as many as are resident at one time; their number is written to *blocks before, so
 * that a parameter may be it. */
warplu_status wlm_device_block_launch(wlm_device_block *block, int64_t wanted, void **parameters, uint32_t *blocks);

#endif
