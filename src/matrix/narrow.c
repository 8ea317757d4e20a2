/* Indices of 64 bits in 32. See narrow.h. */
#include "matrix/narrow.h"

/* What wide arrays must show before they can be read by their own counts. */
static warplu_status check_counts(wlu_context *ctx, int64_t n, const int64_t *ptr, const int64_t *idx)
{
    if (n <= 0)
        return n == 0 ? wlu_fail(ctx, WARPLU_EMPTY, "the matrix has no rows")
                      : wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "n is %lld, expected a positive number", (long long)n);
    if (n >= INT32_MAX) return wlu_fail(ctx, WARPLU_OVERFLOW, "n is %lld, expected less than 2^31 - 1", (long long)n);
    if (ptr == NULL) return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "ptr is NULL");
    if (ptr[0] != 0) return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "ptr[0] is %lld, expected 0", (long long)ptr[0]);
    for (int64_t j = 0; j < n; j++)
        if (ptr[j + 1] < ptr[j])
            return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "ptr falls from %lld to %lld at line %lld", (long long)ptr[j],
                            (long long)ptr[j + 1], (long long)j);
    if (ptr[n] > INT32_MAX)
        return wlu_fail(ctx, WARPLU_OVERFLOW, "there are %lld entries, expected less than 2^31", (long long)ptr[n]);
    if (idx == NULL && ptr[n] > 0) return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "idx is NULL");
    return WARPLU_SUCCESS;
}

warplu_status wlu_narrow(wlu_context *ctx, int64_t n, const int64_t *ptr, const int64_t *idx, int32_t **narrow_ptr,
                         int32_t **narrow_idx)
{
    *narrow_ptr = *narrow_idx = NULL;
    warplu_status status = check_counts(ctx, n, ptr, idx);
    if (status < 0) return status;
    int64_t nnz = ptr[n];
    int32_t *p = WLU_ALLOC(ctx, n + 1 + nnz, int32_t), *i = p != NULL ? p + n + 1 : NULL;
    if (p == NULL) return wlu_fail_memory(ctx, "indices of 32 bits");
    for (int64_t j = 0; j <= n; j++) p[j] = (int32_t)ptr[j];
    for (int64_t q = 0; q < nnz; q++) {
        i[q] = (int32_t)idx[q];
        if (idx[q] >= 0 && idx[q] < n) continue;
        wlu_free(ctx, p);
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "idx[%lld] is %lld, expected 0 to %lld", (long long)q,
                        (long long)idx[q], (long long)n - 1);
    }
    *narrow_ptr = p;
    *narrow_idx = i;
    return WARPLU_SUCCESS;
}
