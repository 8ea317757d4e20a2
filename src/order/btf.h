/* Block triangular form of a pattern (SuiteSparse BTF). See order/analysis.h. */
#ifndef WLU_ORDER_BTF_H
#define WLU_ORDER_BTF_H

#include "matrix/sparse.h"

typedef struct wlu_btf {
    int32_t nblocks;
    int32_t largest_block;
    int32_t *row;   /* n: row[k] is the original row at position k */
    int32_t *col;   /* n: col[k] is the original column at position k; ascending in each block */
    int32_t *block; /* nblocks + 1 boundaries; n + 1 allocated */
} wlu_btf;

/* matched: the transversal to be used, matched[i] the column of row i; or NULL: the diagonal of A if it is zero-free,
 * else a maximum transversal, sought among the usable entries (one flag an entry, or NULL) first, and among all of them
 * where they do not suffice. blocks == 0: one block, the transversal alone. WARPLU_STRUCTURALLY_SINGULAR: the message
 * names an unmatched column and the structural rank. On failure nothing is owned. */
warplu_status wlu_btf_find(wlu_context *ctx, const wlu_pattern *a, const int32_t *matched, const uint8_t *usable,
                           int blocks, wlu_btf *out);
void wlu_btf_free(wlu_context *ctx, wlu_btf *btf);

#endif
