/* Modules of kernels, and launches of them; within a device's context. */
#ifndef WLU_DEVICE_KERNELS_H
#define WLU_DEVICE_KERNELS_H

#include "device/driver.h"

/* Loads machine code, or a text (PTX) that the driver compiles: what its compiler says of one that it refuses becomes
 * the message. The driver keeps what it has compiled in a cache of its own on disk, so that another process has it at
 * once. WARPLU_DEVICE_FAILED, WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_cuda_load(wlu_context *ctx, const void *image, wlu_cu_handle *module);

/* Launches so many threads, in blocks of so many. */
warplu_status wlu_cuda_launch(wlu_context *ctx, wlu_cu_handle kernel, int64_t threads, int block, void **parameters,
                              wlu_cu_handle stream);

#endif
