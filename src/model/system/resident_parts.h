/* The plan of a resident system's memory, and the parts of its kernel, which the files that make it share. */
#ifndef WLU_MODEL_SYSTEM_RESIDENT_PARTS_H
#define WLU_MODEL_SYSTEM_RESIDENT_PARTS_H

#include "model/device/block.h"
#include "model/device/tables.h"
#include "model/ptx/writer.h"
#include "model/system/tiles.h"

#define WLM_RESIDENT_NAME "wlm_network"

/* The record, in words of 64 bits: the time where steps ended, the length of the last one, how many were taken, the
 * greatest error over its tolerance (NaN: a number is not finite), and the count of thread blocks that wait for each
 * other, whose bit 31 says the same of fixed steps. */
enum {
    WLM_RESIDENT_TIME,
    WLM_RESIDENT_LENGTH,
    WLM_RESIDENT_STEPS,
    WLM_RESIDENT_NORM,
    WLM_RESIDENT_COUNT,
    WLM_RESIDENT_WORDS
};

/* An array of the host that the block has a copy of. */
typedef struct wlm_resident_item {
    const void *host;
    int64_t bytes, at;
} wlm_resident_item;

/* Places of the lists of sums (tiles.h). */
typedef struct wlm_resident_sums {
    int64_t word, part, begin;
} wlm_resident_sums;

/* Places of what a pass reads. parameter: for each use's inputs that are parameters; else -1. */
typedef struct wlm_resident_pass {
    int64_t **parameter;
    int64_t use, local, row;
    wlm_resident_sums sum;
} wlm_resident_pass;

/* A tile's description, in words: of each pass its first slot and the one behind its last, its first sum and the one
 * behind its last, and the local number of the first, and alike of the parts of its sums, or of the rates' behind the
 * last pass; then its first unknown of nodes and the one behind its last, and those of states. */
enum {
    WLM_TILE_SLOT,
    WLM_TILE_SLOT_END,
    WLM_TILE_SUM,
    WLM_TILE_SUM_END,
    WLM_TILE_SUM_LOCAL,
    WLM_TILE_PART,
    WLM_TILE_PART_END,
    WLM_TILE_PART_LOCAL,
    WLM_TILE_OF_PASS
};
enum { WLM_TILE_NODE, WLM_TILE_NODE_END, WLM_TILE_STATE, WLM_TILE_STATE_END, WLM_TILE_OF_ALL };

/* Places are in bytes from the memory's beginning on. */
typedef struct wlm_resident_plan {
    wlu_context *ctx;
    const wlm_transient *transient;
    wlm_tiles tiles;
    int loops;       /* 1: the kernel takes many steps */
    int shared;      /* 1: each thread block has a tile at a time, whose local numbers are in shared memory; 0: there is
                      * one tile, of all thread blocks */
    int held;        /* 1: each block has one tile, a warp a slot of each pass, and a thread an unknown: what these read
                      * by stays in registers */
    int stages;      /* rates that are kept */
    int32_t threads; /* of a thread block */
    int32_t sharing; /* thread blocks that a multiprocessor has at one time */
    int64_t bytes, record, y[2], at, rates, mass, fixed, locals, lookup;
    int64_t description, node, state, state_local;
    wlm_resident_sums rate;
    wlm_resident_pass *pass;
    int32_t *descriptions; /* of all tiles */
    int32_t items, room;
    wlm_resident_item *item;
    wlm_device_tables tables;
} wlm_resident_plan;

/* Makes tiles for a device and a plan for them, and lists what the block has copies of. WARPLU_OUT_OF_MEMORY,
 * WARPLU_OVERFLOW. */
warplu_status wlm_resident_plan_make(const wlm_transient *transient, wlm_device_size device, wlm_resident_plan *out);
void wlm_resident_plan_free(wlm_resident_plan *plan);
/* Returns the words of a tile's description. */
int32_t wlm_resident_described(const wlm_resident_plan *plan);

/* Writes the kernel's module. WARPLU_OUT_OF_MEMORY. Parameters, in this order: name, type, and register. */
#define WLM_RESIDENT_PARAMETERS(X) \
    X(block, u64, "rd", WLM_RA_BLOCK) /* the memory's address */ \
    X(y, u64, "rd", WLM_RA_Y)         /* the state's, */ \
    X(next, u64, "rd", WLM_RA_NEXT)   /* of the next one, */ \
    X(first, u64, "rd", WLM_RA_FIRST) /* of the first stage's rates, */ \
    X(last, u64, "rd", WLM_RA_LAST)   /* of the last one's */ \
    X(t, f64, "fd", WLM_RF_T) \
    X(stop, f64, "fd", WLM_RF_STOP) \
    X(want, f64, "fd", WLM_RF_WANT) /* the length of a step */ \
    X(from, f64, "fd", WLM_RF_FROM) /* the least and the greatest time that equations are evaluated at */ \
    X(to, f64, "fd", WLM_RF_TO) \
    X(most, u32, "r", WLM_RW_MOST)     /* steps */ \
    X(blocks, u32, "r", WLM_RW_BLOCKS) /* thread blocks */ \
    X(known, u32, "r", WLM_RW_KNOWN)   /* 1: the first stage's rates are there */
warplu_status wlm_resident_write(const wlm_resident_plan *plan, wlm_ptx *out);

/* Registers of the kernel's own: doubles, words of 64 bits. LOCAL: local numbers. */
enum { WLM_RF_T, WLM_RF_STOP, WLM_RF_WANT, WLM_RF_H, WLM_RF_FROM, WLM_RF_TO, WLM_RF_TIME, WLM_RF_NORM, WLM_RF_COUNT };
enum {
    WLM_RA_BLOCK,
    WLM_RA_Y,
    WLM_RA_NEXT,
    WLM_RA_AT,
    WLM_RA_FIRST,
    WLM_RA_LAST,
    WLM_RA_LOCAL,
    WLM_RA_TABLES,
    WLM_RA_COUNT
};
/* Words of 32 bits. THREAD, WARP: the numbers of this one among the THREADS and WARPS that share a tile; DUE: the count
 * of blocks that is waited for; behind them stands the tile's description. */
enum {
    WLM_RW_BLOCK,
    WLM_RW_THREAD,
    WLM_RW_THREADS,
    WLM_RW_WARP,
    WLM_RW_WARPS,
    WLM_RW_LANE,
    WLM_RW_TILE,
    WLM_RW_STAGE,
    WLM_RW_STEPS,
    WLM_RW_MOST,
    WLM_RW_BLOCKS,
    WLM_RW_KNOWN,
    WLM_RW_DUE,
    WLM_RW_DESCRIPTION
};
/* Truths. FIRST: the first thread of its block; LEADS: the first of all. */
enum { WLM_RP_FIRST, WLM_RP_LEADS, WLM_RP_BAD, WLM_RP_SEES, WLM_RP_COUNT };

/* What a lane reads by in a slot of a pass: registers of the use, the local number, and its words. */
typedef struct wlm_resident_slot {
    int32_t use, local, *word;
} wlm_resident_slot;

/* What a thread reads by for an unknown: its number (-1: none), and the words of its sum or its local number. */
typedef struct wlm_resident_own {
    int32_t unknown, word[WLM_TILE_WIDTH];
} wlm_resident_own;

/* A kernel that is being written. */
typedef struct wlm_resident_kernel {
    wlm_ptx *w;
    const wlm_resident_plan *plan;
    wlm_resident_slot *slot; /* for each pass */
    wlm_resident_own node, state;
} wlm_resident_kernel;

/* A loop over items of a tile or of all, by threads that share them. */
typedef struct wlm_resident_loop {
    int32_t item, stride, label, behind;
} wlm_resident_loop;

/* resident_items.c. The register of a word of the description of the tile at hand, of a pass or, -1, of all. */
int32_t wlm_resident_word(const wlm_resident_kernel *k, int32_t pass, int word);
/* Opens a loop: items from `first` on, each thread or warp its own, to `end`; all are registers. */
wlm_resident_loop wlm_resident_open(const wlm_resident_kernel *k, int32_t first, int32_t own, int32_t stride,
                                    int32_t end);
void wlm_resident_close(const wlm_resident_kernel *k, const wlm_resident_loop *loop);
/* Loads or stores the number at base + place + 8 index; returns its register. */
int32_t wlm_resident_load(const wlm_resident_kernel *k, int base, int64_t place, int32_t index);
void wlm_resident_store(const wlm_resident_kernel *k, int base, int64_t place, int32_t index, int32_t real);
/* The same of local numbers, `numbers` behind an index. */
int32_t wlm_resident_load_local(const wlm_resident_kernel *k, int32_t index);
void wlm_resident_store_local(const wlm_resident_kernel *k, int32_t index, int32_t numbers, int32_t real);
/* Gives registers to what threads read by; loads what they hold. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_resident_open_slots(wlm_resident_kernel *k);
void wlm_resident_hold(const wlm_resident_kernel *k);
/* Loads what a thread reads by for an item of the tile's nodes, or of its states. */
void wlm_resident_load_node(const wlm_resident_kernel *k, int32_t item);
void wlm_resident_load_state(const wlm_resident_kernel *k, int32_t item);
/* Writes all slots of a pass. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_resident_run_slots(const wlm_resident_kernel *k, int32_t pass);
/* Write a sum by a table whose words are in registers; return its register. */
int32_t wlm_resident_sum_words(const wlm_resident_kernel *k, const int32_t *word, int32_t width);
/* Writes the parts of the sums behind a pass. */
void wlm_resident_run_parts(const wlm_resident_kernel *k, int32_t pass, const wlm_resident_sums *at);
/* Writes sum `item` of those behind a pass, whose parts are there; returns its register. */
int32_t wlm_resident_sum(const wlm_resident_kernel *k, int32_t pass, const wlm_tile_sums *sums,
                         const wlm_resident_sums *at, int32_t item);

#endif
