/* What kernels of tiles, guards and many right-hand sides run on: a program of which only what they read is filled in,
 * and a state whose slots a test fills. Tiles are random: any widths, rows and sources that are well formed. */
#ifndef WLU_TEST_MACHINE_H
#define WLU_TEST_MACHINE_H

#include "kernel_run.h"

enum {
    MACHINE_TILES = 16,
    MACHINE_PIVOTS = 8 * MACHINE_TILES,
    MACHINE_SOURCES = MACHINE_TILES * MACHINE_TILES,
    MACHINE_LOADS = 256,
    MACHINE_VALUES = 64
};

typedef struct machine {
    kernel_run *r;
    wlu_program program;
    wlu_lu lu; /* its own */
    wlu_cpu_state state;
    wlu_tiles *tiles;   /* the program's */
    wlu_guards *guards; /* the program's */
    double *v, *umax, *inverse, *x;
    double *many_v, *many_x; /* of WLU_MANY right-hand sides */
    int64_t slots;
    /* of tiles: */
    int32_t first[MACHINE_TILES + 1], above[MACHINE_TILES], below[MACHINE_TILES], turn[MACHINE_TILES];
    int32_t position[MACHINE_PIVOTS];
    int64_t row_ptr[MACHINE_TILES + 1], panel[MACHINE_TILES + 1], load[MACHINE_TILES + 1];
    int64_t source_ptr[MACHINE_TILES + 1];
    int32_t row[MACHINE_TILES * MACHINE_PIVOTS];
    wlu_tile_source source[MACHINE_SOURCES];
    int32_t target[MACHINE_SOURCES * MACHINE_PIVOTS];
    int32_t load_target[MACHINE_TILES * MACHINE_LOADS], load_source[MACHINE_TILES * MACHINE_LOADS];
    double load_scale[MACHINE_TILES * MACHINE_LOADS];
} machine;

/* Slots: reciprocals, panels, then `others` from the program's y on. Numbers are drawn; where tiles have no column
 * there are zeros. */
void machine_begin(machine *m, kernel_run *r, int32_t tiles, int64_t others);
void machine_end(machine *m);

/* Slot of tile t's row: rows of U above, then the diagonal block, then L, then the spare one. */
int64_t machine_row(const machine *m, int32_t tile, int64_t row);

/* One tile of a solve, forward or back, in plain loops (check_tiles.c). */
void machine_state_solve(const machine *m, int32_t tile, int forward, double *x);

#endif
