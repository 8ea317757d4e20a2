/* The strategy `levels` on a CUDA device: images, launches one by one or as graphs. */
#ifndef WLU_EXEC_CUDA_LEVELS_H
#define WLU_EXEC_CUDA_LEVELS_H

#include "exec/cuda/replay.h"

/* Packs and uploads the factorization, a kind of solve. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW, WARPLU_DEVICE_FAILED,
 * WARPLU_PROGRAM_TOO_LARGE. */
warplu_status wlu_cuda_levels_load(wlu_context *ctx, wlu_cuda_image *image);
warplu_status wlu_cuda_levels_load_solve(wlu_context *ctx, wlu_cuda_image *image, wlu_stream_kind kind);
/* Within the device's context. */
void wlu_cuda_levels_free(wlu_context *ctx, wlu_cuda_image *image);

/* Graphs, where the strategy wants them, of the factorization and the solve; that of the transposed solve is made by
 * the first one. Within the device's context, as all that follows. */
warplu_status wlu_cuda_levels_attach(wlu_context *ctx, const wlu_cuda_image *image, wlu_on_device *d);
void wlu_cuda_levels_detach(wlu_on_device *d);

/* Enqueued; source, b and what `of` points to on the device. */
warplu_status wlu_cuda_levels_refactor(wlu_context *ctx, const wlu_cuda_image *image, wlu_on_device *d,
                                       const double *source, wlu_cu_handle stream);
warplu_status wlu_cuda_levels_solve(wlu_context *ctx, const wlu_cuda_image *image, wlu_on_device *d,
                                    wlu_stream_kind kind, int sides, const double *b, const wlu_solve_of *of,
                                    wlu_cu_handle stream);

#endif
