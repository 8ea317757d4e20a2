/* LU factorization of a small matrix of nodes, as nodes of the same graph: with lanes that are systems, a
 * factorization is a part of an expression like any other. What is constant folds, and structural zeros are never
 * there.
 *
 * Pivots are chosen before (pivots.h). One is inverted once; terms are multiplied and subtracted in one rounding.
 * Nothing looks at numbers as they come: `health` says afterwards whether a pivot was too small beside its row.
 *
 * Sizes: those of pivots.h. Measured on dense matrices, 64 lanes, AVX-512,
 * 2 MiB of second-level cache: 0.17 to 0.19 ns a term and system up to 57 000 terms, 0.22 at 85 000, 0.30 at 170 000,
 * 0.35 at 330 000; beyond the bound a batch of the solver is to be taken. Memory: 4 n^2 bytes. Cost: O(n^2 + n
 * terms). */
#ifndef WLU_MODEL_STEP_LU_H
#define WLU_MODEL_STEP_LU_H

#include "model/graph/derive.h"

typedef struct wlm_lu {
    wlu_context *ctx;
    wlm_graph *graph;
    int32_t n;
    const int32_t *row, *column; /* pivot k stands there; the caller's */
    int32_t *done;               /* of each row: k, or n while it has no pivot */
    int32_t *gone;               /* of each column */
    wlm_node *a;                 /* n x n, rows of the matrix: multipliers and rows of U; WLM_NONE where nothing is */
    wlm_node *inverse;           /* the inverse of pivot k */
    wlm_node health;             /* above 0 unless a pivot is below 1e-12 times its row's largest entry, or NaN */
    wlm_node sign;               /* the product of the signs of all pivots */
} wlm_lu;

/* row, column: of each pivot, as wlm_pivots_choose writes them; they must outlive *out. WARPLU_OUT_OF_MEMORY,
 * WARPLU_OVERFLOW. */
warplu_status wlm_lu_create(wlm_graph *graph, const wlm_jacobian *matrix, const int32_t *row, const int32_t *column,
                            wlm_lu **out);
/* Takes NULL, leaves NULL. */
void wlm_lu_destroy(wlm_lu **lu);

/* Makes the nodes of x in A x = b. Entries of b may be WLM_NONE, those of x are not; x may be b.
 * WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_lu_solve(const wlm_lu *lu, const wlm_node *b, wlm_node *x);

#endif
