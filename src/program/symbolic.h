/* Symbolic decisions, before anything is emitted: counts, supernodes, and which pivots are compiled as flat DOT
 * streams and which are left to the COLUMN region.
 *
 * A COLUMN set must be closed upwards: whatever depends on a COLUMN pivot is one too. The candidates are the
 * closures of "pivots whose column of L and row of U both hold at least T entries" for T in a short list; the
 * cheapest by the cost model whose program fits max_program_bytes is taken. O(nnz(L + U)) a candidate. */
#ifndef WLU_SYMBOLIC_H
#define WLU_SYMBOLIC_H

#include "factor/pivots.h"

typedef struct wlu_symbolic {
    int32_t *width;    /* n: supernode width of each pivot (columns of one pattern of L) */
    int32_t *u_row;    /* n: entries of each row of U, strictly upper */
    uint8_t *columned; /* n: 1 for pivots of the COLUMN region */
    int64_t dot_pivots, dot_terms;
    int64_t bytes;        /* predicted bytes of the factorization program */
    double predicted_ns;  /* of one refactorization */
} wlu_symbolic;

/* Whether pivots k and k + 1 share a supernode: the pattern of L's column k is k + 1 followed by that of column
 * k + 1 (fundamental supernodes of L; Demmel et al., SIAM J. Matrix Anal. Appl. 20, 1999). */
int wlu_supernode_continues(const wlu_pivots *pivots, int32_t k);

/* nnz: entries of A. WARPLU_OUT_OF_MEMORY, WARPLU_PROGRAM_TOO_LARGE. */
warplu_status wlu_symbolic_find(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                const wlu_pivots *pivots, int32_t nnz, wlu_symbolic *out);
void wlu_symbolic_free(wlu_context *ctx, wlu_symbolic *symbolic);

#endif
