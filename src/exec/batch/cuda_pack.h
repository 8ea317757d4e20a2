/* The stages of a flat program packed for a device: what kernels of batches get, in one block of memory each. */
#ifndef WLU_EXEC_BATCH_CUDA_PACK_H
#define WLU_EXEC_BATCH_CUDA_PACK_H

#include "exec/batch/cuda_schedule.h"
#include "base/block.h"

/* Blocks to be uploaded; pointers of the structure are set by wlu_block_place. warps: of a thread block. O(terms).
 * WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW: *block is empty. */
warplu_status wlu_group_pack_factor(wlu_context *ctx, const wlu_flat *flat, int32_t warps, wlu_group_factor *to,
                                    wlu_block *block);
warplu_status wlu_group_pack_solve(wlu_context *ctx, const wlu_flat *flat, const wlu_flat_solve *solve, int32_t warps,
                                   wlu_group_solve *to, wlu_block *block);
/* Sums of duplicates, or nothing where there are none. */
warplu_status wlu_group_pack_gather(wlu_context *ctx, const wlu_program *program, wlu_device_gather *to,
                                    wlu_block *block);

#endif
