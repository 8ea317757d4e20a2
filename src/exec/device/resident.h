/* Images and states of executors whose slots stay on a CUDA device: what `flow` and `levels` have alike. Theirs begin
 * with these structures, and say by wlu_residence what differs. */
#ifndef WLU_EXEC_DEVICE_RESIDENT_H
#define WLU_EXEC_DEVICE_RESIDENT_H

#include "device/memory.h"
#include "exec/device/device.h"
#include "exec/device/pack.h"
#include "exec/device/state.h"
#include "exec/residual/rows_image.h"
#include "exec/state.h"

typedef struct wlu_resident wlu_resident;
typedef struct wlu_resident_image wlu_resident_image;

/* What an executor does in a way of its own; within the device's context. */
typedef struct wlu_residence {
    size_t image_bytes, state_bytes; /* of its structures */
    unsigned modules;                /* that it launches, bit k: module k of a precision */
    wlu_device_pack_fn *pack;
    /* Once the factorization is on the device: slots, and what launches take. */
    warplu_status (*shape)(wlu_context *ctx, wlu_resident_image *image);
    /* Poisons or zeroes the slots of the factorization, and of solves where they have slots of their own, on the
     * state's stream. */
    warplu_status (*begin)(wlu_context *ctx, wlu_resident *state);
    /* What else a state needs: made after all that all have, freed before. */
    warplu_status (*attach)(wlu_context *ctx, wlu_resident *state);
    void (*detach)(wlu_resident *state);
    /* Enqueued: a refactorization; source is what loads read, on the device. */
    warplu_status (*refactor)(wlu_context *ctx, wlu_resident *state, const double *source, wlu_cu_handle stream);
    /* Enqueued: a refactorization unless `values` is NULL, then solves for as many right-hand sides as there is room
     * for. refines: solutions, where the executor can. */
    warplu_status (*solve)(wlu_context *ctx, wlu_resident *state, const double *values, const wlu_async_solve *solve,
                           int refines, wlu_cu_handle stream);
} wlu_residence;

/* Immutable, shared by states. */
struct wlu_resident_image {
    wlu_image base;
    const wlu_residence *residence;
    const wlu_cuda_device *device;
    const wlu_cuda_kernels *kernels;           /* of the device, for the precision */
    wlu_device_image stream[WLU_STREAM_KINDS]; /* each points into a block on the device; */
    wlu_rows_image rows[WLU_STREAM_KINDS];     /* so do rows for residuals of solves that refine */
    wlu_cu_address block, transposed_block;    /* of the transposed solve: 0 until it is wanted */
    int slot_bytes;                            /* 8, 4, or where numbers are complex 16 */
    int buffers;                               /* of slots that take turns */
    int64_t slots, tiles;                      /* of a buffer; that say their largest u */
    int64_t solve_slots;                       /* of a buffer of solves; 0: they have them among the factorization's */
    int64_t panels_bytes;                      /* for panels that do not fit into shared memory, of all blocks */
    wlu_device_gather gather;                  /* on the device */
};

/* Solves of one state: for so many right-hand sides at once. */
typedef struct wlu_resident_solves {
    wlu_device_state state; /* of the first */
    int sides;
    double *b, *x;             /* on the device, n numbers a side: for host pointers */
    double *staging;           /* pinned: those on their way, where values are in a replay */
    wlu_device_health *health; /* pinned, one a side */
    const wlu_refined *each;   /* pinned: of each right-hand side of the last solve; NULL: none refines */
} wlu_resident_solves;

/* Of one state: slots and what else a replay works on, a stream, and pinned memory of the host. */
struct wlu_resident {
    wlu_state base;
    wlu_health of_last; /* the base's health */
    wlu_device_state state;
    wlu_cu_address block;
    wlu_cu_handle stream;      /* of replays for values of the host */
    double *staging;           /* pinned: values on their way */
    wlu_device_health *health; /* pinned, the device writes it */
    wlu_refined *refined;      /* behind it: of solves since the replay */
    int elsewhere; /* a stream of the caller's has been used: it may be gone by now, or in a graph that runs again */
    wlu_resident_solves solves;
    double *host;     /* slots and umax for who looks at them; NULL until somebody does */
    uint32_t fetched; /* generation of what they hold */
};

/* Doubles of a vector. */
static inline int64_t wlu_resident_vector(const wlu_resident *d)
{
    const wlu_program *p = d->base.image->program;
    return p->doubles * (int64_t)p->n;
}

static inline wlu_resident *wlu_resident_of(wlu_state *state)
{
    return (wlu_resident *)state;
}

static inline const wlu_resident_image *wlu_resident_image_of(const wlu_resident *d)
{
    return (const wlu_resident_image *)d->base.image;
}

/* The address of slot k of a buffer. */
static inline wlu_cu_address wlu_cuda_slot(const wlu_resident_image *image, const void *slots, int64_t k)
{
    return wlu_cuda_address(slots) + (wlu_cu_address)(image->slot_bytes * k);
}

#endif
