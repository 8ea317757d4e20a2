/* The TILE region: panels, sources and targets of the tiles that the symbolic factorization chose. */
#ifndef WLU_LU_PANELS_H
#define WLU_LU_PANELS_H

#include "lu/lu.h"

/* Builds what the program's tiles lack: m, count, position and first are there, and `tiled`. Hands out slots from
 * *next on: the reciprocals of the tiled pivots, then, aligned, the panels; fills program->slot for the region's
 * logical slots of L, U, pivots and reciprocals, and tile_reciprocal and region_slots. Loads and vectors of the
 * tiles are left to the compiler. WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlu_panels_build(wlu_context *ctx, const wlu_pivots *pivots, wlu_program *program, int64_t *next);
void wlu_panels_free(wlu_context *ctx, wlu_tiles *tiles);
int64_t wlu_panels_bytes(const wlu_tiles *tiles);

#endif
