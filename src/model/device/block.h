/* A block of a device's memory, and a kernel that works on it: compiled from its text by the driver, launched on as
 * many threads as are resident at one time, so that they may wait for each other.
 *
 * Calls wait until what they do is done. Statuses: WARPLU_NO_DEVICE, WARPLU_DEVICE_FAILED, WARPLU_OUT_OF_MEMORY. */
#ifndef WLU_MODEL_DEVICE_BLOCK_H
#define WLU_MODEL_DEVICE_BLOCK_H

#include "base/context.h"

typedef struct wlm_device_block wlm_device_block;

/* Threads of a thread block. */
enum { WLM_BLOCK_THREADS = 128 };

/* Device `number`, from 0, or -1 (device/driver.h). The block has so many bytes, which are undefined; text: the module,
 * of which `kernel` is launched. */
warplu_status wlm_device_block_create(wlu_context *ctx, int number, const char *text, const char *kernel, int64_t bytes,
                                      wlm_device_block **out);
/* Takes NULL, leaves NULL. */
void wlm_device_block_destroy(wlm_device_block **block);

/* Returns the block's address on the device. */
uint64_t wlm_device_block_address(const wlm_device_block *block);

/* Write or read bytes from place `at` of the block on. */
warplu_status wlm_device_block_write(wlm_device_block *block, int64_t at, const void *from, int64_t bytes);
warplu_status wlm_device_block_read(wlm_device_block *block, int64_t at, void *to, int64_t bytes);

/* Launches the kernel on `threads` threads, or on fewer where so many are not resident at one time; the number of
 * thread blocks is written to *blocks before, so that a parameter may be it. */
warplu_status wlm_device_block_launch(wlm_device_block *block, int64_t threads, void **parameters, uint32_t *blocks);

/* Seconds that the driver took to compile the kernel, or to find it. */
double wlm_device_block_compile_seconds(const wlm_device_block *block);

#endif
