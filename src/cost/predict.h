/* Symbolic counts of B + B' under a symmetric permutation: elimination tree (Liu 1990) and column counts
 * (Gilbert, Ng, Peyton 1994), and the price of a refactorization by them, in almost linear time, without forming the
 * factor. */
#ifndef WLU_COST_PREDICT_H
#define WLU_COST_PREDICT_H

#include "cost/cost.h"
#include "matrix/blocks.h"

typedef struct wlu_counts {
    double terms;   /* sum over pivots of (entries below)^2 */
    double lu_nnz;  /* n + 2 * entries below the diagonal */
    int32_t height; /* nodes on the longest path of the elimination tree */
    double ns;      /* work of a refactorization, loads apart */
    double path_ns; /* its longest path, where paths count */
} wlu_counts;

/* What the counts are made of, by place in the order; arrays of n. */
typedef struct wlu_positions {
    int32_t *parent; /* in the elimination tree; -1 at roots */
    int32_t *tile;   /* of the TILE region, numbered in the block; -1: a DOT pivot */
} wlu_positions;

/* order[k]: block-local index eliminated k-th. n_all: unknowns of all blocks together. places: NULL, or where paths
 * count. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_predict_counts(wlu_context *ctx, const wlu_cost *cost, int32_t n_all, const wlu_diagonal_block *block,
                                 const int32_t *order, const wlu_positions *places, wlu_counts *out);

#endif
