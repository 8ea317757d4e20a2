/* What slots on a CUDA device hold before a replay, and waits for streams of callers. Within the context of the
 * device. */
#ifndef WLU_EXEC_DEVICE_COPIES_H
#define WLU_EXEC_DEVICE_COPIES_H

#include "exec/device/resident.h"

/* Poison in buffers of so many bytes, one behind the other, the first slot of each being slot `first` of the program,
 * but for its constants. Four calls at most, however many buffers. */
warplu_status wlu_cuda_poison(wlu_context *ctx, const wlu_resident_image *image, const void *slots, int64_t pitch,
                              int64_t buffers, int64_t first, wlu_cu_handle stream);

/* Waits for what callers have enqueued on streams of their own, where a state says that they have. ctx may be NULL. */
warplu_status wlu_cuda_settle(wlu_context *ctx, int elsewhere);

#endif
