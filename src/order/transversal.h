/* Forms: which row meets which column on the diagonal, and the diagonal blocks that follow from it.
 *
 * Orders are sought for the diagonal blocks of a block triangular form, rows and columns alike, so that a transversal
 * stays on the diagonal. There may be two forms: that of the diagonal at hand, and where this diagonal is weak, that of
 * the largest entries (order/matching.h). Both have the same blocks and the same columns; only rows differ, within
 * their blocks. A third one may be joined: its blocks become one, as without a block triangular form. */
#ifndef WLU_ORDER_TRANSVERSAL_H
#define WLU_ORDER_TRANSVERSAL_H

#include "order/btf.h"
#include "order/order.h"

enum { WLU_FORMS_MAX = 3 };

/* How far an analysis goes: one form and one order of it, which is what the first answer needs; or all forms and orders
 * that replays may pay for (order/race.h). */
typedef enum wlu_depth { WLU_DEPTH_FIRST, WLU_DEPTH_RACED } wlu_depth;

typedef struct wlu_transversal {
    wlu_btf btf;
    wlu_blocks blocks;
    int matched; /* its transversal is a maximum product matching */
    int joined;  /* one block of many */
} wlu_transversal;

/* Finds the form or forms for these options, as warplu_options describes btf, ordering, the given orders and matching.
 * entries: the values, or NULL: then no transversal is sought by size. Without matching: A's diagonal if it is free of
 * zeros; else a transversal among the entries that pass the pivot threshold in their column (rows scaled) if one of
 * full size exists; else any. WLU_DEPTH_FIRST: values do not count unless the options say that a matching is always
 * sought. *count: the number of forms found. On failure nothing is owned. WARPLU_INVALID_ARGUMENT,
 * WARPLU_STRUCTURALLY_SINGULAR, WARPLU_OUT_OF_MEMORY, WARPLU_CANCELLED. */
warplu_status wlu_transversals_find(wlu_context *ctx, const warplu_options *options, const wlu_pattern *a,
                                    const double *entries, wlu_depth depth, wlu_transversal form[WLU_FORMS_MAX],
                                    int *count);
/* The same rows and columns with all blocks joined. On failure nothing is owned. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_transversal_join(wlu_context *ctx, const wlu_pattern *a, const wlu_transversal *form,
                                   wlu_transversal *out);
void wlu_transversals_free(wlu_context *ctx, wlu_transversal form[WLU_FORMS_MAX]);

typedef enum wlu_diagonal { WLU_DIAGONAL_STRONG = 0, WLU_DIAGONAL_WEAK = 1, WLU_DIAGONAL_HAS_ZEROS = 2 } wlu_diagonal;

/* Looks at the diagonal (row[k], col[k]), k < n, rows scaled: whether an entry is missing or zero, and whether one is
 * weak against its column (below a tenth, or the pivot threshold if that is more). row, col NULL: A's own diagonal.
 * WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_diagonal_judge(wlu_context *ctx, const warplu_options *options, const wlu_pattern *a,
                                 const double *entries, const int32_t *row, const int32_t *col, wlu_diagonal *out);

/* How often a matching may look at entries for these options: see wlu_matching_find. */
int64_t wlu_matching_budget(const warplu_options *options, const wlu_pattern *a);

#endif
