/* Addresses on a device, parts of a block of its memory, and memory that it shares with the host. */
#ifndef WLU_DEVICE_MEMORY_H
#define WLU_DEVICE_MEMORY_H

#include "device/driver.h"

/* Addresses as pointers, and back. */
static inline void *wlu_cuda_pointer(wlu_cu_address address)
{
    return (void *)(uintptr_t)address;
}

static inline wlu_cu_address wlu_cuda_address(const void *pointer_on_device)
{
    return (wlu_cu_address)(uintptr_t)pointer_on_device;
}

/* Bytes of what stands in a block with others. */
enum { WLU_CUDA_ALIGN = 256 };

static inline int64_t wlu_cuda_aligned(int64_t bytes)
{
    return (bytes + WLU_CUDA_ALIGN - 1) / WLU_CUDA_ALIGN * WLU_CUDA_ALIGN;
}

/* The next part of a block, of so many bytes; *at moves behind it. */
static inline void *wlu_cuda_take(wlu_cu_address *at, int64_t bytes)
{
    void *part = wlu_cuda_pointer(*at);
    *at += (wlu_cu_address)wlu_cuda_aligned(bytes);
    return part;
}

/* Pinned memory, within a device's context; its addresses for the host, which frees it even after a failure, and for
 * the device. */
warplu_status wlu_cuda_pin(wlu_context *ctx, size_t bytes, void **host, void **on_device);

#endif
