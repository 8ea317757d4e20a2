/* Approximate minimum degree on B + B' (Amestoy, Davis, Duff, SIAM J. Matrix Anal. Appl. 17, 1996), by
 * SuiteSparse's AMD with its default parameters (dense rows above 10 sqrt(n) last, aggressive absorption).
 *
 * Sorted columns without duplicates are taken as they are. AMD's own workspace, about 1.2 nnz(B + B') + 9 n
 * int32, comes from SuiteSparse's allocator, not the context's. Cost: O(n nnz) at worst, near nnz(L) in
 * practice. */
#include "order/order.h"

#include <suitesparse/amd.h>

warplu_status wlu_order_amd_counted(wlu_context *ctx, const wlu_diagonal_block *block, int32_t *order,
                                    wlu_amd_counts *counts)
{
    double info[AMD_INFO];
    *counts = (wlu_amd_counts){block->n - 1.0, block->n - 1.0, 0.0};
    if (block->n <= 2) return wlu_order_natural(ctx, block, order);
    int status = amd_order(block->n, block->p, block->i, order, NULL, info);
    if (status == AMD_OUT_OF_MEMORY) return wlu_fail_memory(ctx, "AMD");
    if (status < 0) return wlu_fail(ctx, WARPLU_INTERNAL, "AMD refused a block of %d rows", (int)block->n);
    *counts = (wlu_amd_counts){info[AMD_LNZ], info[AMD_NMULTSUBS_LU], info[AMD_NDENSE]};
    return WARPLU_SUCCESS;
}

warplu_status wlu_order_amd(wlu_context *ctx, const wlu_diagonal_block *block, int32_t *order)
{
    wlu_amd_counts counts;
    return wlu_order_amd_counted(ctx, block, order, &counts);
}
