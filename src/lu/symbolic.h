/* Symbolic decisions, before anything is emitted: tiles, and which pivots are compiled as flat DOT streams and which
 * as tiles.
 *
 * A tile is up to eight pivots of a path in the elimination tree, consecutive in its postorder, that are eliminated
 * together: fundamental supernodes, cut or merged to the width of a register (relaxed supernodes: Ashcraft and Grimes,
 * ACM TOMS 15, 1989), explicit zeros being allowed up to a share of its panel. Every pivot belongs to one. The TILE
 * region is the set of tiles, closed upwards in the tree, that costs least together with the DOT streams of all other
 * pivots: found exactly by dynamic programming from the leaves to the roots, under a price for bytes where
 * max_program_bytes asks for one. O(nnz(L + U)) in all. */
#ifndef WLU_LU_SYMBOLIC_H
#define WLU_LU_SYMBOLIC_H

#include "lu/partition.h"

typedef struct wlu_symbolic {
    uint8_t *tiled;    /* n: 1 for pivots of the TILE region */
    int32_t *position; /* m: pivots of the region, in the order of the tree */
    int32_t *first;    /* ntiles + 1: first pivot of each tile, counted in that order */
    int32_t m, ntiles;
    int32_t parts;       /* not more than asked for, and each with some work */
    wlu_cut cut;         /* of more than one part */
    int64_t bytes;       /* predicted bytes of the factorization program */
    double predicted_ns; /* of one refactorization */
} wlu_symbolic;

/* nnz: entries of A. parts: see partition.h. WARPLU_OUT_OF_MEMORY, WARPLU_PROGRAM_TOO_LARGE. */
warplu_status wlu_symbolic_find(wlu_context *ctx, const warplu_options *options, const wlu_cost *cost,
                                const wlu_pivots *pivots, int32_t nnz, int32_t parts, wlu_symbolic *out);
void wlu_symbolic_free(wlu_context *ctx, wlu_symbolic *symbolic);

#endif
