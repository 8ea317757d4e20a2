/* Block triangular form of a pattern (SuiteSparse BTF). See order/analysis.h. */
#ifndef WLU_ORDER_BTF_H
#define WLU_ORDER_BTF_H

#include "matrix/blocks.h"

/* Finds the form. matched: the transversal to be used, matched[i] being the column of row i. NULL: the diagonal of A if
 * it is zero-free, else a maximum transversal, sought first among the usable entries (one flag an entry, or NULL), and
 * among all entries if those do not suffice. blocks == 0: one block, the transversal alone.
 * WARPLU_STRUCTURALLY_SINGULAR: the message names an unmatched column and the structural rank. On failure nothing is
 * owned. */
warplu_status wlu_btf_find(wlu_context *ctx, const wlu_pattern *a, const int32_t *matched, const uint8_t *usable,
                           int blocks, wlu_btf *out);

#endif
