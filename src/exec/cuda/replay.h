/* The CUDA executor's image and states: what lies on the device, launches, and what comes back. */
#ifndef WLU_EXEC_CUDA_REPLAY_H
#define WLU_EXEC_CUDA_REPLAY_H

#include "exec/cuda/device.h"
#include "exec/device/pack_levels.h"
#include "exec/device/refine.h"
#include "exec/device/state.h"
#include "exec/exec.h"

/* A kind of solve on the device. */
typedef struct wlu_cuda_solve_image {
    wlu_device_solve placed; /* pointers into `block` */
    wlu_cu_address block;
    int64_t bytes; /* of it */
} wlu_cuda_solve_image;

/* Rows for residuals. */
typedef struct wlu_cuda_rows {
    wlu_device_rows placed; /* pointers into `block` */
    wlu_cu_address block;
    int64_t bytes; /* of it */
} wlu_cuda_rows;

/* A stream for the strategy `levels`; of it: pointers into the device's block. */
typedef struct wlu_cuda_levels {
    wlu_level_image image;
    wlu_cu_address block;
    int64_t bytes;
} wlu_cuda_levels;

/* Streams for `levels`: their numbers. */
enum { WLU_LEVELS_FACTOR, WLU_LEVELS_SOLVE, WLU_LEVELS_TRANSPOSED, WLU_LEVELS_STREAMS };

/* Immutable, shared by states. */
typedef struct wlu_cuda_image {
    const wlu_program *program;
    const wlu_cuda_device *device;
    const wlu_cuda_kernels *kernels; /* of the device, for the precision */
    warplu_strategy strategy;
    warplu_precision precision;
    int slot_bytes; /* 8, or 4 */
    wlu_device_program
        placed; /* pointers into `block`; of `levels`: what a state's layout and sums of duplicates need */
    wlu_cu_address block;
    int64_t bytes;                              /* of it */
    unsigned grid;                              /* blocks of a launch */
    unsigned shared_bytes;                      /* of a block */
    int panels_apart;                           /* the largest panel does not fit into that */
    wlu_cuda_solve_image solve[2];              /* A; A', once it is wanted */
    wlu_cuda_rows rows[2];                      /* the same, where solves refine */
    wlu_cuda_levels levels[WLU_LEVELS_STREAMS]; /* of LEVELS and LEVELS_GRAPH, instead of block and solve */
} wlu_cuda_image;

/* Solves of one state: for so many right-hand sides at once. */
typedef struct wlu_on_device_solves {
    wlu_device_state state; /* of the first */
    wlu_cu_address block;
    int64_t bytes; /* of it */
    int sides;
    double *b, *x;             /* on the device, n a side: for host pointers */
    double *staging;           /* pinned: those on their way */
    wlu_device_health *health; /* pinned, one a side */
} wlu_on_device_solves;

/* What solves refine with, where they do. */
typedef struct wlu_on_device_refine {
    wlu_device_refine of; /* without what is the caller's */
    wlu_cu_address block;
    int64_t bytes;     /* of it */
    wlu_refined *each; /* pinned: of each right-hand side of the last solve */
    int fresh; /* controls, the first ones, that solves have left as they found them; 0 once one could not be enqueued
                */
} wlu_on_device_refine;

/* Of one state: slots and what else a replay works on, a stream, and pinned memory of the host. */
typedef struct wlu_on_device {
    const wlu_cuda_device *device;
    wlu_device_state state;
    wlu_cu_address block;
    wlu_cu_handle stream;      /* of replays for values of the host */
    double *staging;           /* pinned: values on their way */
    wlu_device_health *health; /* pinned, the device writes it */
    wlu_refined *refined;      /* behind it: of solves since the replay */
    int elsewhere; /* a stream of the caller's has been used: it may be gone by now, or in a graph that runs again */
    wlu_on_device_solves solves;
    wlu_on_device_refine refine;
    wlu_cu_handle graph[WLU_LEVELS_STREAMS]; /* of LEVELS_GRAPH: a stream's launches; NULL until it is wanted */
    uint32_t fetched;                        /* generation of what the host's slots hold */
} wlu_on_device;

/* Addresses as pointers, and back; address of slot k of a buffer. */
static inline void *wlu_cuda_pointer(wlu_cu_address address)
{
    return (void *)(uintptr_t)address;
}

static inline wlu_cu_address wlu_cuda_address(const void *pointer_on_device)
{
    return (wlu_cu_address)(uintptr_t)pointer_on_device;
}

static inline wlu_cu_address wlu_cuda_slot(const wlu_cuda_image *image, const void *slots, int64_t k)
{
    return wlu_cuda_address(slots) + (wlu_cu_address)(image->slot_bytes * k);
}

/* A packed block on the device: `*block`, or 0 where it fails, so that it may be asked for again. Within the device's
 * context. */
warplu_status wlu_cuda_upload(wlu_context *ctx, const wlu_device_block *packed, wlu_cu_address *block);

/* Bytes of what stands in a block with others. */
enum { WLU_CUDA_ALIGN = 256 };

static inline int64_t wlu_cuda_aligned(int64_t bytes)
{
    return (bytes + WLU_CUDA_ALIGN - 1) / WLU_CUDA_ALIGN * WLU_CUDA_ALIGN;
}

/* Poison in buffers of so many slots, one behind the other, the first slot of each being slot `first` of the program,
 * but for its constants. */
warplu_status wlu_cuda_poison(wlu_context *ctx, const wlu_cuda_image *image, const void *slots, int64_t count,
                              int64_t buffers, int64_t first, wlu_cu_handle stream);

/* Grid and shared memory of launches. */
warplu_status wlu_cuda_shape(wlu_context *ctx, wlu_cuda_image *image);

/* Waits for what callers have enqueued on streams of their own. ctx may be NULL. */
warplu_status wlu_cuda_settle(wlu_context *ctx, const wlu_on_device *d);

/* Of values on the device; within the device's context. */
warplu_status wlu_cuda_enqueue_refactor(wlu_context *ctx, const wlu_cuda_image *image, wlu_on_device *d,
                                        const double *values, wlu_cu_handle stream);

/* As the executor's functions of these names. */
warplu_status wlu_cuda_attach(wlu_context *ctx, const void *image, wlu_state *state);
void wlu_cuda_detach(wlu_context *ctx, wlu_state *state);
warplu_status wlu_cuda_refactor(wlu_context *ctx, const void *image, wlu_state *state, const double *values);
warplu_status wlu_cuda_refactor_async(wlu_context *ctx, const void *image, wlu_state *state, const double *values,
                                      void *stream);
warplu_status wlu_cuda_finish(wlu_context *ctx, const void *image, wlu_state *state, void *stream);
warplu_status wlu_cuda_vouch(wlu_context *ctx, const void *image, wlu_state *state);
warplu_status wlu_cuda_fetch(wlu_context *ctx, const void *image, wlu_state *state);

#endif
