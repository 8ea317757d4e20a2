/* Block triangular form of a pattern (SuiteSparse BTF). See prep/analysis.h. */
#ifndef WLU_BTF_H
#define WLU_BTF_H

#include "base/sparse.h"

typedef struct wlu_btf {
    int32_t nblocks;
    int32_t largest_block;
    int32_t *row;   /* n: row[k] is the original row at position k */
    int32_t *col;   /* n: col[k] is the original column at position k; ascending in each block */
    int32_t *block; /* nblocks + 1 boundaries; n + 1 allocated */
} wlu_btf;

/* usable: one flag an entry, or NULL: the diagonal is sought among these entries first, and among all of them where
 * they do not suffice. blocks == 0: one block, the transversal alone (so that the diagonal is zero-free), or the identity if the
 * diagonal of A is zero-free as it stands. WARPLU_STRUCTURALLY_SINGULAR: the message names an unmatched
 * column and the structural rank. On failure nothing is owned. */
warplu_status wlu_btf_find(wlu_context *ctx, const wlu_pattern *a, const uint8_t *usable, int blocks,
                           wlu_btf *out);
void wlu_btf_free(wlu_context *ctx, wlu_btf *btf);

#endif
