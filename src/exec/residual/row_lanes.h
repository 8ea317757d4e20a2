/* Rows of A, or of A', eight side by side for residuals of one right-hand side: rows of as many entries each, so that
 * each has its sums in the order of numerics/refine.h. Rows of more than WLU_REFINE_LONG entries are left to
 * refine.c. Made and run on the host. */
#ifndef WLU_EXEC_RESIDUAL_ROW_LANES_H
#define WLU_EXEC_RESIDUAL_ROW_LANES_H

#include "exec/residual/rows_image.h"

/* The arrays are in the block. */
typedef struct wlu_row_lanes {
    wlu_block block;
    int64_t groups;
    int32_t *row;    /* eight a group; the last one of a length repeats rows */
    int32_t *steps;  /* by group: entries of each of its rows */
    int32_t *word;   /* by group and step: eight sources, eight columns */
    uint16_t *power; /* eight a group */
    int32_t longs;
    int32_t *long_row;
} wlu_row_lanes;

/* O(n + nnz). WARPLU_OUT_OF_MEMORY: *out is zeros. */
warplu_status wlu_row_lanes_pack(wlu_context *ctx, const wlu_refine_rows *rows, wlu_row_lanes *out);

/* What wlu_refine_look_at does with the rows of all groups. */
typedef void wlu_look_at_rows(const wlu_row_lanes *lanes, int32_t n, const double *entries, const double *b,
                              const double *x, double *r, wlu_refine_control *control);
/* Of the fastest instruction set of this machine, whatever the executor, for numbers of so many doubles. */
wlu_look_at_rows *wlu_looking_kernel(int doubles);

#endif
