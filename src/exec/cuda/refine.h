/* Refinement on a CUDA device: rows for residuals, what a state needs beside its solves, launches of cuda/refine.cu. */
#ifndef WLU_EXEC_CUDA_REFINE_H
#define WLU_EXEC_CUDA_REFINE_H

#include "exec/cuda/replay.h"

/* Packs the rows of a kind of solve and uploads them, once. WARPLU_OUT_OF_MEMORY, WARPLU_DEVICE_FAILED. */
warplu_status wlu_cuda_load_rows(wlu_context *ctx, wlu_cuda_image *image, wlu_stream_kind kind);
/* Within the device's context, as all that follows. */
void wlu_cuda_free_rows(wlu_cuda_image *image);

/* After solves have been attached. */
warplu_status wlu_cuda_attach_refine(wlu_context *ctx, const wlu_cuda_image *image, wlu_on_device *d);
void wlu_cuda_detach_refine(wlu_on_device *d);

/* The refinement of these right-hand sides, as many as there is room for. */
wlu_device_refine wlu_cuda_refine_of(const wlu_on_device *d, const wlu_async_solve *solve);
/* Residuals: of the right-hand sides (begins), or of trials; then the best to the caller. Enqueued. */
warplu_status wlu_cuda_look(wlu_context *ctx, const wlu_cuda_image *image, const wlu_device_refine *f,
                            const wlu_async_solve *solve, int begins, wlu_cu_handle stream);
warplu_status wlu_cuda_deliver(wlu_context *ctx, const wlu_cuda_image *image, const wlu_device_refine *f,
                               const wlu_async_solve *solve, wlu_cu_handle stream);

#endif
