/* Column approximate minimum degree (Davis, Gilbert, Larimore, Ng, ACM TOMS 30, 2004), by SuiteSparse's
 * COLAMD with its default parameters.
 *
 * Finds a column order that keeps B'B's factor sparse, whatever rows pivoting takes; it is applied to rows
 * and columns alike, so that the transversal stays on the diagonal. It wins where B + B' is much denser than
 * B. Work: 2.2 nnz + 11 n int32 from the context (COLAMD itself allocates nothing). */
#include "order/order.h"

#include <limits.h>
#include <string.h>
#include <suitesparse/colamd.h>

warplu_status wlu_order_colamd(wlu_context *ctx, const wlu_diagonal_block *block, int32_t *order)
{
    int32_t n = block->n;
    if (n <= 2) return wlu_order_natural(ctx, block, order);
    int32_t nnz = block->p[n];
    size_t length = colamd_recommended(nnz, n, n);
    if (length == 0 || length > INT_MAX)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "COLAMD: a block of %d rows and %d entries is too large", (int)n,
                        (int)nnz);
    warplu_status status = WARPLU_SUCCESS;
    int *rows = WLU_ALLOC(ctx, (int64_t)length, int);
    int *cols = WLU_ALLOC(ctx, (int64_t)n + 1, int);
    if (rows == NULL || cols == NULL) {
        status = wlu_fail_memory(ctx, "COLAMD");
        goto done;
    }
    memcpy(rows, block->i, (size_t)nnz * sizeof *rows);
    memcpy(cols, block->p, ((size_t)n + 1) * sizeof *cols);
    int stats[COLAMD_STATS];
    if (!colamd(n, n, (int)length, rows, cols, NULL, stats)) {
        status = wlu_fail(ctx, WARPLU_INTERNAL, "COLAMD refused a block of %d rows: status %d", (int)n,
                          stats[COLAMD_STATUS]);
        goto done;
    }
    for (int32_t k = 0; k < n; k++) order[k] = cols[k];
done:
    wlu_free(ctx, rows);
    wlu_free(ctx, cols);
    return status;
}
