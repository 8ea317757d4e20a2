/* Blocks on their way to a CUDA device, and what slots hold before a replay. Within the device's context. */
#ifndef WLU_EXEC_DEVICE_COPIES_H
#define WLU_EXEC_DEVICE_COPIES_H

#include "exec/block.h"
#include "exec/device/resident.h"

/* A packed block on the device: `*block`, or 0 where it fails, so that it may be asked for again. */
warplu_status wlu_cuda_upload(wlu_context *ctx, const wlu_block *packed, wlu_cu_address *block);

/* Poison in buffers of so many slots, one behind the other, the first slot of each being slot `first` of the program,
 * but for its constants. */
warplu_status wlu_cuda_poison(wlu_context *ctx, const wlu_resident_image *image, const void *slots, int64_t count,
                              int64_t buffers, int64_t first, wlu_cu_handle stream);

/* Waits for what callers have enqueued on streams of their own. ctx may be NULL. */
warplu_status wlu_cuda_settle(wlu_context *ctx, const wlu_resident *state);

#endif
