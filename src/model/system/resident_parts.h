/* The plan of a resident system's memory, and the parts of its kernel, which the files that make it share. */
#ifndef WLU_MODEL_SYSTEM_RESIDENT_PARTS_H
#define WLU_MODEL_SYSTEM_RESIDENT_PARTS_H

#include "model/device/tables.h"
#include "model/ptx/writer.h"
#include "model/system/stepping.h"

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

/* A pass whose contributions are summed: those of a level's sums, or of the rates.
 *
 * Where every sum has one contribution at most, instances write it themselves. Else, where no target has more than
 * WLM_RESIDENT_WIDTH of them, `idx` is a table of `width` words for each target, [k][target]; what is missing names a
 * number that adds nothing. Else it is the gather's list, and `ptr` says where each target's begin. */
enum { WLM_RESIDENT_WIDTH = 8 };
typedef struct wlm_resident_pass {
    const wlm_pass *pass;
    const wlm_gather *gather;
    int64_t **input;  /* for each use's inputs: the places of its parameter or of its nodes' numbers; -1: it has none */
    int64_t **target; /* the same for its addends' targets; NULL unless instances write sums */
    int32_t width;    /* 0: the gather's list */
    int64_t ptr, idx;
    int32_t *table; /* the host's idx; NULL: the gather's */
} wlm_resident_pass;

/* Places are in bytes from the block's beginning on. */
typedef struct wlm_resident_plan {
    wlu_context *ctx;
    const wlm_transient *transient;
    int loops;      /* 1: the kernel takes many steps */
    int has_masses; /* 1: a mass is not 1 */
    int stages;     /* rates that are kept */
    int64_t bytes;  /* of the block */
    int64_t record, y[2], at, rates, mass, sums, fixed, contributions, tables;
    int32_t nothing; /* the number among contributions that adds nothing; behind it stands a 0 */
    int32_t passes;  /* the levels', then that of the rates */
    wlm_resident_pass *pass;
    int32_t items, room;
    wlm_resident_item *item;
    wlm_device_tables lookups;
} wlm_resident_plan;

/* Makes a plan, and lists what the block has copies of. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_resident_plan_make(const wlm_transient *transient, wlm_resident_plan *out);
void wlm_resident_plan_free(wlm_resident_plan *plan);

/* Writes the kernel's module. WARPLU_OUT_OF_MEMORY. Parameters, in this order: */
#define WLM_RESIDENT_PARAMETERS(X) \
    X(block, u64) /* the block's address */ \
    X(y, u64)     /* the state's, */ \
    X(next, u64)  /* of the next one, */ \
    X(first, u64) /* of the first stage's rates, */ \
    X(last, u64)  /* of the last one's */ \
    X(t, f64) \
    X(stop, f64) \
    X(want, f64) /* the length of a step */ \
    X(from, f64) /* the least and the greatest time that equations are evaluated at */ \
    X(to, f64) \
    X(most, u32)   /* steps */ \
    X(blocks, u32) /* thread blocks */ \
    X(known, u32)  /* 1: the first stage's rates are there */
warplu_status wlm_resident_write(const wlm_resident_plan *plan, wlm_ptx *out);

/* Registers of the kernel's own: doubles, words of 64 and of 32 bits, truths. */
enum { WLM_RF_T, WLM_RF_STOP, WLM_RF_WANT, WLM_RF_H, WLM_RF_FROM, WLM_RF_TO, WLM_RF_TIME, WLM_RF_NORM, WLM_RF_COUNT };
enum {
    WLM_RA_BLOCK,
    WLM_RA_Y,
    WLM_RA_NEXT,
    WLM_RA_AT,
    WLM_RA_RATES,
    WLM_RA_FIRST,
    WLM_RA_LAST,
    WLM_RA_TABLES,
    WLM_RA_COUNT
};
enum {
    WLM_RW_THREAD,
    WLM_RW_THREADS,
    WLM_RW_STAGE,
    WLM_RW_STEPS,
    WLM_RW_MOST,
    WLM_RW_BLOCKS,
    WLM_RW_KNOWN,
    WLM_RW_DUE,
    WLM_RW_ITEM,
    WLM_RW_SEEN,
    WLM_RW_COUNT
};
enum { WLM_RP_FIRST, WLM_RP_LEADS, WLM_RP_BAD, WLM_RP_SEES, WLM_RP_COUNT };

/* A kernel that is being written. */
typedef struct wlm_resident_kernel {
    wlm_ptx *w;
    const wlm_resident_plan *plan;
    int32_t loop, behind; /* labels of the loop over items that is open */
} wlm_resident_kernel;

/* resident_items.c: loops over items, which threads share. */
void wlm_resident_open(wlm_resident_kernel *k, int64_t items);
void wlm_resident_close(wlm_resident_kernel *k);
/* Loads or stores the number at base + place + 8 index; returns its register. */
int32_t wlm_resident_load(const wlm_resident_kernel *k, int base, int64_t place, int32_t index);
void wlm_resident_store(const wlm_resident_kernel *k, int base, int64_t place, int32_t index, int32_t real);
/* Writes all instances of a pass. WARPLU_OUT_OF_MEMORY. */
warplu_status wlm_resident_run_banks(wlm_resident_kernel *k, const wlm_resident_pass *pass);
/* Writes the sum of the target whose number is in the register; returns the register of the sum. */
int32_t wlm_resident_sum(const wlm_resident_kernel *k, const wlm_resident_pass *pass, int32_t target);

#endif
