/* Solves on a CUDA device: images of both kinds, what a state needs for them, launches. */
#ifndef WLU_EXEC_CUDA_SOLVE_H
#define WLU_EXEC_CUDA_SOLVE_H

#include "exec/cuda/replay.h"

/* Packs a kind of solve and uploads it. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW, WARPLU_DEVICE_FAILED. */
warplu_status wlu_cuda_load_solve(wlu_context *ctx, wlu_cuda_image *image, wlu_stream_kind kind);
void wlu_cuda_free_solves(wlu_cuda_image *image);

/* What a state needs for solves of both kinds; within the device's context. */
warplu_status wlu_cuda_attach_solves(wlu_context *ctx, const wlu_cuda_image *image, wlu_on_device *d);
void wlu_cuda_detach_solves(wlu_on_device *d);

/* As the executor's functions of these names. */
warplu_status wlu_cuda_solve(wlu_context *ctx, const void *image, wlu_state *state, wlu_stream_kind kind,
                             const double *b, double *x, double *largest);
warplu_status wlu_cuda_solve_many(wlu_context *ctx, const void *image, wlu_state *state, wlu_stream_kind kind,
                                  int count, const double *b, int64_t ldb, double *x, int64_t ldx, double *largest);
warplu_status wlu_cuda_solve_async(wlu_context *ctx, const void *image, wlu_state *state, const wlu_async_solve *solve,
                                   void *stream);
warplu_status wlu_cuda_refactor_solve_async(wlu_context *ctx, const void *image, wlu_state *state, const double *values,
                                            const wlu_async_solve *solve, void *stream);

#endif
