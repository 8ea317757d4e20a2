/* Which blocks a solve has regions of the TILE kind for, and the order in which it meets them. */
#ifndef WLU_LU_SOLVE_REGIONS_H
#define WLU_LU_SOLVE_REGIONS_H

#include "lu/lu.h"

typedef struct wlu_solve_regions {
    uint8_t *tiled;   /* n: 1 for pivots that a region solves for */
    int32_t *segment; /* 2 n: the segment of the solve's stream that computes y of each pivot, x of each */
} wlu_solve_regions;

/* A region for every block with solve_pivots tiled pivots or more (wlu_cost). Fills regions and region of the solve,
 * too, as early in it as F allows: regions that need nothing of each other follow each other. O(n + entries of F). On
 * failure free it all the same. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_solve_regions_find(wlu_context *ctx, const wlu_pivots *pivots, const wlu_program *program,
                                     wlu_triangular *solve, wlu_solve_regions *out);
void wlu_solve_regions_free(wlu_context *ctx, wlu_solve_regions *regions);

#endif
