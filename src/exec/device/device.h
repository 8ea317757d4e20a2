/* A CUDA device as this process uses it: its primary context, the kernels loaded into it, and what limits a launch.
 *
 * Made when first asked for, each module when an image first needs it, and kept until the process ends, as the runtime
 * API keeps its own; shared by all threads. */
#ifndef WLU_EXEC_DEVICE_DEVICE_H
#define WLU_EXEC_DEVICE_DEVICE_H

#include "device/context.h"

/* What slots are: FP64, FP32, complex numbers of FP64. */
enum { WLU_CUDA_DOUBLE, WLU_CUDA_SINGLE, WLU_CUDA_COMPLEX, WLU_CUDA_NUMBERS };

/* Modules: those up to MOVES for each of these, but that `levels` takes no complex numbers, and what works in doubles
 * is not there for FP32: NULL. */
enum {
    WLU_CUDA_FLOW,
    WLU_CUDA_SOLVE,
    WLU_CUDA_LEVELS,
    WLU_CUDA_BATCH,
    WLU_CUDA_REFINE,
    WLU_CUDA_BATCH_MOVES,
    WLU_CUDA_OF_NUMBERS
};
enum { WLU_CUDA_GATHER = WLU_CUDA_NUMBERS * WLU_CUDA_OF_NUMBERS, WLU_CUDA_BATCH_LEDGER, WLU_CUDA_MODULES };

/* What depends on what slots are. */
typedef struct wlu_cuda_kernels {
    wlu_cu_handle flow;  /* kernel of the factorization, */
    wlu_cu_handle solve; /* of solves, */
    wlu_cu_handle early; /* of solves that begin before the factorization ends */
    wlu_cu_handle levels_load, levels_vector, levels_guard, levels_store; /* of the strategy `levels` */
    wlu_cu_handle batch_refactor, batch_substitute;                       /* of batches */
    wlu_cu_handle refine, refine_early, refine_begin;                     /* of solves with refinement */
    /* In doubles, real or complex: of what batches do beside replays. */
    wlu_cu_handle batch_in, batch_out, batch_look, batch_deliver, batch_results;
    int shared_bytes;                       /* that a block of `flow` can be given at a launch */
    int solve_bytes;                        /* and one of solves has */
    int solve_blocks;                       /* of solves, that a multiprocessor holds */
    int early_blocks;                       /* of early ones; 0: there are to be none */
    int refine_blocks, refine_early_blocks; /* the same with refinement */
} wlu_cuda_kernels;

typedef struct wlu_cuda_device {
    wlu_cuda_context on; /* open once it is ready */
    wlu_cuda_kernels of[WLU_CUDA_NUMBERS];
    wlu_cu_handle gather;                              /* kernel of sums over duplicates */
    wlu_cu_handle batch_pick, batch_vouch, batch_copy; /* of calls on device pointers */
    int multiprocessors;
    int shared_bytes; /* of a block at most */
    const unsigned char *const *fatbin;
    wlu_cu_handle module[WLU_CUDA_MODULES]; /* NULL until it is needed */
} wlu_cuda_device;

/* Kernels for what is doubles whatever the precision of slots is. */
static inline const wlu_cuda_kernels *wlu_cuda_of_wide(const wlu_cuda_device *device, int doubles)
{
    return &device->of[doubles > 1 ? WLU_CUDA_COMPLEX : WLU_CUDA_DOUBLE];
}

/* The module of these kernels, as a bit. */
static inline unsigned wlu_cuda_wide_module(int module, int doubles)
{
    return 1u << (module + (doubles > 1 ? WLU_CUDA_COMPLEX : WLU_CUDA_DOUBLE) * WLU_CUDA_OF_NUMBERS);
}

/* Machine code for the architectures of this build, and PTX for later ones, by module. */
extern const unsigned char *const wlu_cuda_fatbin[WLU_CUDA_MODULES];

/* Device `number`, from 0, or -1 (device/driver.h), which takes its modules from here. fatbin lives as long.
 * WARPLU_NO_DEVICE, WARPLU_DEVICE_FAILED, WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_cuda_device_prepare(wlu_context *ctx, int number, const unsigned char *const *fatbin,
                                      wlu_cuda_device *d);
/* Loads those of these modules (bit k: module k) that there are and that are not loaded yet. WARPLU_DEVICE_FAILED,
 * WARPLU_OUT_OF_MEMORY. */
warplu_status wlu_cuda_device_load(wlu_context *ctx, unsigned modules, wlu_cuda_device *d);

/* The one of this number that all of a process share. Statuses as above. */
warplu_status wlu_cuda_device_find(wlu_context *ctx, int number, const wlu_cuda_device **out);
/* wlu_cuda_device_load for one that was found, whatever other threads do. */
warplu_status wlu_cuda_device_need(wlu_context *ctx, const wlu_cuda_device *device, unsigned modules);

#endif
