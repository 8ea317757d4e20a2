/* The rows of A, or of A', packed for residuals (refine.h). */
#ifndef WLU_EXEC_DEVICE_PACK_ROWS_H
#define WLU_EXEC_DEVICE_PACK_ROWS_H

#include "exec/device/block.h"
#include "exec/device/refine.h"
#include "lu/lu.h"

/* rows point into the block. */
typedef struct wlu_rows_image {
    wlu_device_block block;
    wlu_device_rows rows;
} wlu_rows_image;

/* Of a kind of solve that the program has. The program need not outlive the image. O(n + nnz). WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_device_pack_rows(wlu_context *ctx, const wlu_program *program, wlu_stream_kind kind,
                                   wlu_rows_image *out);
void wlu_rows_image_free(wlu_context *ctx, wlu_rows_image *image);

/* How many corrections a solve of this program has at most, by factors in FP32 or in FP64. */
static inline int wlu_refine_steps(const wlu_program *program, int single)
{
    int most = single ? WLU_REFINE_STEPS : WLU_REFINE_STEPS_DOUBLE;
    return program->refinement_steps < most ? program->refinement_steps : most;
}

#endif
