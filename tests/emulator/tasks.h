/* Warps and blocks of the emulated device: what each does from one look at memory to the next. See machine.h. */
#ifndef WLU_EMULATOR_TASKS_H
#define WLU_EMULATOR_TASKS_H

#include "emulator/machine.h"

/* What a step came to. WAITING: it looked in vain. */
typedef enum wlu_step { WLU_STEP_WAITING, WLU_STEP_MOVED, WLU_STEP_LEFT } wlu_step;

/* Steps of a record whose operands are asked for together. */
enum { WLU_EMULATE_AHEAD = 4 };

typedef enum wlu_warp_phase {
    WLU_WARP_FIRST,
    WLU_WARP_TAKE,
    WLU_WARP_START,
    WLU_WARP_TERMS,
    WLU_WARP_FINISH,
    WLU_WARP_STORE,
    WLU_WARP_GONE
} wlu_warp_phase;

/* Bundles that warps take: all of the stream, or those of one of a solve's tasks. */
typedef struct wlu_bundle_queue {
    const wlu_device_stream *stream;
    int32_t first, count;
    int32_t record;    /* whose result is place 0 */
    uint32_t *tickets; /* of all blocks, or the block's own */
} wlu_bundle_queue;

/* A warp; like the kernel's it holds the ticket of its next bundle while it works. */
typedef struct wlu_emulated_warp {
    wlu_agent agent;
    wlu_warp_phase phase;
    uint32_t next; /* ticket */
    int32_t k;     /* steps that are done */
    wlu_bundle bundle;
    wlu_device_instruction record[WLU_WARP];
    wlu_lane_bits start[WLU_WARP], divisor[WLU_WARP];
    wlu_lane_number begin[WLU_WARP], sum[WLU_WARP];
    wlu_lane_bits operand[WLU_EMULATE_AHEAD][WLU_WARP][2];
} wlu_emulated_warp;

wlu_step wlu_warp_step(wlu_machine *m, wlu_emulated_warp *w, const wlu_bundle_queue *queue);

/* Rows of a source on their way, as the kernel's ring has them. */
typedef struct wlu_emulated_stage {
    wlu_lane_bits corner[8 * 8], row[8 * WLU_TILE_CHUNK_MOST];
} wlu_emulated_stage;

/* A place among the chunks of a tile's sources: rows from `row` on of source g. */
typedef struct wlu_chunk {
    int32_t g, row;
} wlu_chunk;

typedef enum wlu_block_phase {
    WLU_BLOCK_ABSENT,
    WLU_BLOCK_ARRIVE,
    WLU_BLOCK_BUNDLES,
    WLU_BLOCK_POISON,
    WLU_BLOCK_TAKE,
    WLU_BLOCK_LOADS,
    WLU_BLOCK_SOURCES,
    WLU_BLOCK_ELIMINATE,
    WLU_BLOCK_ABOVE,
    WLU_BLOCK_PULLS,
    WLU_BLOCK_STARTS,
    WLU_BLOCK_TILE_PATH,
    WLU_BLOCK_REST
} wlu_block_phase;

/* A resident block: its warps first, then tiles; or a solve's tasks, some of which are its warps'. */
typedef struct wlu_emulated_block {
    wlu_agent agent;
    wlu_block_phase phase;
    int32_t tile;             /* or task, in the queue */
    wlu_bundle_queue bundles; /* of its warps */
    uint32_t tickets;         /* of a task's bundles */
    int32_t loads;            /* of the tile: asked for so far */
    wlu_chunk now, ahead;
    int32_t at; /* stage of `now` */
    wlu_lane_number *panel;
    uint64_t umax[8];
    wlu_lane_bits staged[4 * WLU_TILE_THREADS];
    wlu_emulated_stage ring[WLU_TILE_STAGES];
    int32_t pivot, pull;  /* of a task's pulls: at hand */
    wlu_lane_number rest; /* of the pivot's start */
    wlu_lane_bits pulled[WLU_WARP][8];
    int32_t done;                                   /* of a tile path: tiles */
    wlu_lane_bits start[WLU_TILE_PATH_PIVOTS_MOST]; /* a pull's is the first */
    wlu_lane_number acc[WLU_TILE_PATH_PIVOTS_MOST]; /* by pivot of the tile path */
} wlu_emulated_block;

/* Begins tile number `tile` of the queue; wlu_tile_step goes on until the block's phase is TAKE again. */
void wlu_tile_begin(wlu_machine *m, wlu_emulated_block *b, int32_t tile);
wlu_step wlu_tile_step(wlu_machine *m, wlu_emulated_block *b);

/* The same for a solve's task; phase BUNDLES: its warps have to be started. */
void wlu_solve_begin(wlu_machine *m, wlu_emulated_block *b, int32_t task);
wlu_step wlu_solve_step(wlu_machine *m, wlu_emulated_block *b);

#endif
