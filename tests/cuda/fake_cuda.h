/* A driver without a device: what the library calls in libcuda, on the host's memory. The tests load it as
 * WARPLU_LIBCUDA.
 *
 * Addresses of the device are those of the host moved by FAKE_CUDA_APART, so that a host that follows one crashes.
 * Copies and launches happen at once; on a stream that is captured, when the graph is launched. Any call can be made to
 * fail; one that frees does so all the same.
 *
 * Kernels that are texts run here (ptx/ptx.h); of the others, launch is told.
 *
 * There are several devices, each with a context of its own: streams, memory, modules and kernels of another one than
 * that of the current context are misuses. Device k has k + 1 times the first one's multiprocessors. */
#ifndef WLU_FAKE_CUDA_H
#define WLU_FAKE_CUDA_H

#include "device/driver.h"
#include "exec/device/image.h"
#include "exec/device/levels.h"
#include "exec/device/state.h"

#define FAKE_CUDA_APART (UINT64_C(1) << 62)

#define FAKE_CUDA_NAME "a device that is none"

/* A block's shared memory has room for a solve and little more. The kernel of factorizations has so much of it taken
 * that larger panels have none. */
enum {
    FAKE_CUDA_SHARED = WLU_SOLVE_ROOM(8) + 512,
    FAKE_CUDA_TAKEN = FAKE_CUDA_SHARED - WLU_TILE_RING_BYTES(8) - 2048,
    FAKE_CUDA_TAKEN_SINGLE = FAKE_CUDA_SHARED - WLU_TILE_RING_BYTES(4) - 1024,
    FAKE_CUDA_TAKEN_COMPLEX = FAKE_CUDA_SHARED - WLU_TILE_RING_BYTES(16) - 4096
};
enum { FAKE_CUDA_MULTIPROCESSORS = 7, FAKE_CUDA_BLOCKS = 3, FAKE_CUDA_DEVICES = 3, FAKE_CUDA_DEEP = 8 };
enum {
    FAKE_CUDA_MAJOR = 9,
    FAKE_CUDA_MINOR = 1,
    FAKE_CUDA_VERSION = 13020,
    FAKE_CUDA_PTX = 90,
    FAKE_CUDA_MEMORY = 1 << 30
};

typedef struct fake_cuda_launch {
    const char *kernel; /* its name */
    unsigned grid, grid_y, shared_bytes;
    int behind; /* it may begin before the kernel before it has ended */
    int device;
    void **parameters;
} fake_cuda_launch;

typedef struct fake_cuda {
    int64_t calls, fail_at; /* call number fail_at answers `failure`, and all that follow if lasting; 0: none */
    int lasting;
    int only;          /* device only - 1 alone fails, and its calls alone are counted; 0: any */
    int sure_contexts; /* contexts are made current all the same: without one nothing can be freed */
    wlu_cu_result failure;
    const char *failed;       /* the entry point that was call number fail_at */
    int version, ptx;         /* of the driver; that all kernels were compiled from */
    size_t memory;            /* that is free; 0: all of it */
    int64_t alive;            /* blocks of the device and of the host, streams, modules that are texts */
    int64_t texts;            /* modules loaded from texts */
    const char *refusal;      /* what the compiler says of every text; NULL: it takes those that are right */
    int64_t launches, graphs; /* graphs: their launches; those within are launches too */
    int64_t behind;           /* of the launches, those that may begin before the kernel before them has ended */
    int64_t depth;            /* contexts on the stack, */
    int on[FAKE_CUDA_DEEP];   /* and their devices */
    int64_t misuses;          /* calls out of a context, and of other shapes than they should have */
    int64_t retained;         /* primary contexts */
    void (*launch)(const fake_cuda_launch *launch, void *user);
    void *user;
} fake_cuda;

/* Exported by the driver; fake_cuda_state: of its name. */
typedef fake_cuda *fake_cuda_state_fn(void);

#endif
