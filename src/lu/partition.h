/* Parts of a program for several threads: who does what is decided once, when the program is compiled.
 *
 * Whole subtrees of the elimination tree go to one part each, so that they need nothing of each other; what is left at
 * the top is worked on together, tile after tile, each by the part that is expected to end it first. The cut between
 * the two is found as Geist and Ng do (Int. J. Parallel Programming 18, 1989): the heaviest subtree is split into those
 * of its root's children while the longest part and a fair share of the top, which is not quite as parallel, take less
 * time for it. O(units + parts^2) but for the heaviest subtrees, at most 64 a part, which are kept sorted. */
#ifndef WLU_LU_PARTITION_H
#define WLU_LU_PARTITION_H

#include "lu/lu.h"

/* More parts than this are not made: the top is too small for them, and the cut takes its time. */
enum { WLU_PARTS_MOST = 64 };

/* Who does what; NULL for one part. */
typedef struct wlu_cut {
    int32_t *part;      /* n: the part of each pivot, 0 .. parts - 1, or parts: the top */
    int32_t *tile_part; /* of each tile, likewise */
    int32_t *owner;     /* of each tile, where it is known which part eliminates it; else NULL, and: */
    double *arrivals;   /* of each tile: ns that it spends on terms of DOT pivots */
    double *load;       /* parts: ns below the top */
} wlu_cut;

/* part[u], 0 .. parts - 1, or parts for the top: of each unit of a forest, parent[u] > u or -1, that costs ns[u]. load:
 * ns of each part. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_partition_forest(wlu_context *ctx, int32_t count, const int32_t *parent, const double *ns,
                                   int32_t parts, int32_t *part, double *load);

/* Fills of the tiles owner, turn, list and list_ptr: the top's tiles are spread by a simulation of what they cost and
 * wait for, unless their owners are known. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_partition_tiles(wlu_context *ctx, const wlu_cut *cut, wlu_program *program);

#endif
