/* The regions of a solve, packed for a device: tile paths, their tiles, what they take from each other. */
#ifndef WLU_EXEC_DEVICE_PACK_TILE_SOLVE_H
#define WLU_EXEC_DEVICE_PACK_TILE_SOLVE_H

#include "exec/device/image.h"
#include "lu/lu.h"

typedef struct wlu_tile_solve {
    wlu_solve_task
        *task;    /* pulls and tile paths, forward, then back, of regions that need nothing of each other together */
    int64_t *end; /* by region: the task behind its own */
    wlu_solve_tile *tile;
    wlu_solve_pull *pull;
    int32_t *target, *forward, *back, *tile_y, *tile_x, *start;
    int64_t tasks, tiles, pulls, targets;
    int32_t tiled;   /* pivots, if this solve has regions */
    int32_t partial; /* slots of results that are not final, after both kinds of unknowns */
} wlu_tile_solve;

/* Zeros where the solve has no regions. On failure free it all the same. WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_tile_solve_pack(wlu_context *ctx, const wlu_program *program, const wlu_triangular *solve,
                                  wlu_tile_solve *out);
void wlu_tile_solve_free(wlu_context *ctx, wlu_tile_solve *solve);

#endif
