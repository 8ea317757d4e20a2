/* The rows of A, or of A', packed for residuals (numerics/refine.h), on the host or to be uploaded. */
#ifndef WLU_EXEC_RESIDUAL_ROWS_IMAGE_H
#define WLU_EXEC_RESIDUAL_ROWS_IMAGE_H

#include "base/block.h"
#include "lu/lu.h"
#include "numerics/refine.h"

/* rows point into the block. */
typedef struct wlu_rows_image {
    wlu_block block;
    wlu_refine_rows rows;
} wlu_rows_image;

/* Of a kind of solve that the program has: A's knows the longest of either. The program need not outlive the image.
 * O(n + nnz). WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_rows_image_pack(wlu_context *ctx, const wlu_program *program, wlu_stream_kind kind,
                                  wlu_rows_image *out);

#endif
