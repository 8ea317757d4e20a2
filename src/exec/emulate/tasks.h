/* Warps and blocks of the emulated device: what each does from one look at memory to the next. See machine.h. */
#ifndef WLU_EMULATE_TASKS_H
#define WLU_EMULATE_TASKS_H

#include "exec/emulate/machine.h"

/* What a step came to. WAITING: it looked in vain. */
typedef enum wlu_step { WLU_STEP_WAITING, WLU_STEP_MOVED, WLU_STEP_LEFT } wlu_step;

/* Steps of a record whose operands are asked for together. */
enum { WLU_EMULATE_AHEAD = 4 };

typedef enum wlu_warp_phase { WLU_WARP_FIRST, WLU_WARP_TAKE, WLU_WARP_START, WLU_WARP_TERMS, WLU_WARP_FINISH, WLU_WARP_STORE, WLU_WARP_GONE } wlu_warp_phase;

/* A warp, which takes bundles; like the kernel's it holds the ticket of its next one while it works. */
typedef struct wlu_emulated_warp {
    wlu_agent agent;
    wlu_warp_phase phase;
    int behind;    /* it takes bundles of the stream behind the tiles */
    uint32_t next; /* ticket */
    int32_t k;     /* steps that are done */
    wlu_bundle bundle;
    wlu_device_record record[WLU_WARP];
    uint64_t start[WLU_WARP], divisor[WLU_WARP];
    double begin[WLU_WARP], sum[WLU_WARP];
    uint64_t operand[WLU_EMULATE_AHEAD][WLU_WARP][2];
} wlu_emulated_warp;

/* tickets: of its stream's queue. */
wlu_step wlu_warp_step(wlu_machine *m, wlu_emulated_warp *w, uint32_t *tickets);

/* Rows of a source on their way, as the kernel's ring has them. */
typedef struct wlu_emulated_stage {
    uint64_t corner[8 * 8], row[8 * WLU_TILE_CHUNK];
} wlu_emulated_stage;

/* A place among the chunks of a tile's sources: rows from `row` on of source g. */
typedef struct wlu_chunk {
    int32_t g, row;
} wlu_chunk;

typedef enum wlu_block_phase {
    WLU_BLOCK_ABSENT, WLU_BLOCK_ARRIVE, WLU_BLOCK_BUNDLES, WLU_BLOCK_POISON, WLU_BLOCK_TAKE, WLU_BLOCK_LOADS,
    WLU_BLOCK_SOURCES, WLU_BLOCK_ELIMINATE, WLU_BLOCK_ABOVE, WLU_BLOCK_PULLS, WLU_BLOCK_TRIANGLE, WLU_BLOCK_BEHIND,
    WLU_BLOCK_STAY
} wlu_block_phase;

/* A resident block: its warps first, then tiles. */
typedef struct wlu_emulated_block {
    wlu_agent agent;
    wlu_block_phase phase;
    int32_t tile;        /* in the queue */
    int32_t loads;       /* of the tile: asked for so far */
    wlu_chunk now, ahead;
    int32_t at;          /* stage of `now` */
    double *panel;
    uint64_t umax[8];
    uint64_t staged[4 * WLU_TILE_THREADS];
    wlu_emulated_stage ring[WLU_TILE_STAGES];
    int32_t pivot, pull; /* of a solve's tile: at hand */
    uint64_t start;
    uint64_t pulled[WLU_WARP][8];
    double y[8];
} wlu_emulated_block;

/* Begins tile number `tile` of the queue; wlu_tile_step goes on until the block's phase is TAKE again. */
void wlu_tile_begin(wlu_machine *m, wlu_emulated_block *b, int32_t tile);
wlu_step wlu_tile_step(wlu_machine *m, wlu_emulated_block *b);

/* The same for a solve's. */
void wlu_solve_begin(wlu_machine *m, wlu_emulated_block *b, int32_t tile);
wlu_step wlu_solve_step(wlu_machine *m, wlu_emulated_block *b);

#endif
