/* Copies to a CUDA device: of what is packed, and of what slots hold before a replay; waits for streams of callers.
 * Within the context of the device. */
#ifndef WLU_EXEC_DEVICE_COPIES_H
#define WLU_EXEC_DEVICE_COPIES_H

#include "exec/device/resident.h"

/* A block that was packed on the host, and the structure that points into it. */
typedef struct wlu_upload {
    wlu_block block;
    void *structure;
} wlu_upload;

/* Bytes on the device. */
int64_t wlu_upload_bytes(const wlu_upload *list, int count);
/* To the device, all in one allocation, *out, into which the structures then point; 0 after a failure. The host's
 * blocks may go. */
warplu_status wlu_cuda_upload(wlu_context *ctx, const wlu_upload *list, int count, wlu_cu_address *out);

/* Poison in buffers of so many bytes, one behind the other, the first slot of each being slot `first` of the program,
 * but for its constants. Four calls at most, however many buffers. */
warplu_status wlu_cuda_poison(wlu_context *ctx, const wlu_resident_image *image, const void *slots, int64_t pitch,
                              int64_t buffers, int64_t first, wlu_cu_handle stream);

/* Waits for what callers have enqueued on streams of their own, where a state says that they have. ctx may be NULL. */
warplu_status wlu_cuda_settle(wlu_context *ctx, int elsewhere);

#endif
