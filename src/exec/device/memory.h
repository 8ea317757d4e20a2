/* A device and its memory, for who hands device pointers to the library without a toolkit of its own: the command line,
 * tests.
 *
 * Calls wait until what they do is done. Statuses: WARPLU_NOT_COMPILED, WARPLU_NO_DEVICE, WARPLU_OUT_OF_MEMORY,
 * WARPLU_DEVICE_FAILED. Only `open` is there in a build without CUDA; it says so, and the others need its success. */
#ifndef WLU_EXEC_DEVICE_MEMORY_H
#define WLU_EXEC_DEVICE_MEMORY_H

#include "base/context.h"

typedef struct wlu_device_facts {
    char name[96];
    int major, minor; /* of what it can compute */
    int multiprocessors;
    int64_t memory_bytes;
    int driver; /* 1000 major + 10 minor: the newest CUDA that the driver knows */
} wlu_device_facts;

typedef struct wlu_device_memory {
    /* The device of this number, -1 as the option `device` has it: context and kernels are made here unless they are
     * there. */
    warplu_status (*open)(wlu_context *ctx, int number, const void **device);
    warplu_status (*describe)(wlu_context *ctx, const void *device, wlu_device_facts *out);
    warplu_status (*alloc)(wlu_context *ctx, const void *device, int64_t bytes, void **out);
    void (*free)(const void *device, void *memory);
    warplu_status (*to_device)(wlu_context *ctx, const void *device, void *to, const void *from, int64_t bytes);
    warplu_status (*to_host)(wlu_context *ctx, const void *device, void *to, const void *from, int64_t bytes);
    /* For all that a stream was given; NULL: the default stream. */
    warplu_status (*wait)(wlu_context *ctx, const void *device, void *stream);
} wlu_device_memory;

extern const wlu_device_memory wlu_device_memory_cuda;

#endif
