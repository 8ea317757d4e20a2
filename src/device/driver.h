/* The CUDA driver, opened at run time: nothing links libcuda, and the host code compiles without a toolkit. Its words,
 * which another driver has to have, stand in this file alone (CONTRIBUTING.md, Another driver).
 *
 * libcuda.so.1, or what WARPLU_LIBCUDA in the environment names, is opened once in a process, when it is first asked
 * for. The driver's types are declared here as its ABI has them: handles are pointers, device addresses 64-bit numbers.
 * Entry points by the names that the library exports; those with a suffix are what cuda.h calls by the name without.
 * All have been there since CUDA 11.8, and older drivers do not take code of the compilers that know all architectures
 * of the build. */
#ifndef WLU_DEVICE_DRIVER_H
#define WLU_DEVICE_DRIVER_H

#include "base/context.h"

typedef int wlu_cu_result; /* 0: success */
typedef int wlu_cu_device;
typedef void *wlu_cu_handle; /* context, module, function, stream, graph */
typedef uint64_t wlu_cu_address;

enum { WLU_CU_OUT_OF_MEMORY = 2, WLU_CU_NO_DEVICE = 100 };
/* Attributes of devices, and of functions. */
enum { WLU_CU_MULTIPROCESSORS = 16, WLU_CU_SHARED_OPTIN = 97, WLU_CU_MAJOR = 75, WLU_CU_MINOR = 76 };
enum {
    WLU_CU_FUNCTION_SHARED = 1,
    WLU_CU_FUNCTION_PTX = 5,
    WLU_CU_FUNCTION_DYNAMIC_SHARED = 8,
    WLU_CU_FUNCTION_CARVEOUT = 9
};
enum { WLU_CU_CARVEOUT_MOST = 100 };                         /* percent of what a multiprocessor has: shared memory */
enum { WLU_CU_JIT_ERRORS = 5, WLU_CU_JIT_ERRORS_BYTES = 6 }; /* options: room for the compiler's words */
enum { WLU_CU_STREAM_NON_BLOCKING = 1, WLU_CU_CAPTURE_OF_THREAD = 1 };
enum { WLU_CU_HOST_PORTABLE = 1, WLU_CU_HOST_MAPPED = 2 };
enum {
    WLU_CU_LAUNCH_TOGETHER = 2, /* value 1: all blocks are resident at one time, or the launch fails */
    WLU_CU_LAUNCH_BEHIND = 6    /* value 1: it may begin when all blocks of the kernel before it allow that */
};

typedef struct wlu_cu_launch_attribute {
    int32_t id;
    union {
        int32_t value;
        uint64_t room[8];
    } of;
} wlu_cu_launch_attribute;

typedef struct wlu_cu_launch {
    unsigned gx, gy, gz, bx, by, bz, shared_bytes;
    wlu_cu_handle stream;
    wlu_cu_launch_attribute *attributes;
    unsigned count;
} wlu_cu_launch;

/* X(name here, name exported, parameters). */
#define WLU_CUDA_DRIVER(X) \
    X(init, cuInit, (unsigned flags)) \
    X(error_name, cuGetErrorName, (wlu_cu_result result, const char **name)) \
    X(device_count, cuDeviceGetCount, (int *count)) \
    X(device_get, cuDeviceGet, (wlu_cu_device * device, int ordinal)) \
    X(driver_version, cuDriverGetVersion, (int *version)) \
    X(device_name, cuDeviceGetName, (char *name, int bytes, wlu_cu_device device)) \
    X(device_memory, cuDeviceTotalMem_v2, (size_t * bytes, wlu_cu_device device)) \
    X(memory_info, cuMemGetInfo_v2, (size_t * bytes, size_t * all)) \
    X(device_attribute, cuDeviceGetAttribute, (int *value, int attribute, wlu_cu_device device)) \
    X(context_retain, cuDevicePrimaryCtxRetain, (wlu_cu_handle * context, wlu_cu_device device)) \
    X(context_release, cuDevicePrimaryCtxRelease_v2, (wlu_cu_device device)) \
    X(context_current, cuCtxGetCurrent, (wlu_cu_handle * context)) \
    X(context_device, cuCtxGetDevice, (wlu_cu_device * device)) \
    X(context_push, cuCtxPushCurrent_v2, (wlu_cu_handle context)) \
    X(context_pop, cuCtxPopCurrent_v2, (wlu_cu_handle * context)) \
    X(module_load, cuModuleLoadDataEx, \
      (wlu_cu_handle * module, const void *image, unsigned count, int *options, void **values)) \
    X(module_unload, cuModuleUnload, (wlu_cu_handle module)) \
    X(module_function, cuModuleGetFunction, (wlu_cu_handle * function, wlu_cu_handle module, const char *name)) \
    X(function_get, cuFuncGetAttribute, (int *value, int attribute, wlu_cu_handle function)) \
    X(function_set, cuFuncSetAttribute, (wlu_cu_handle function, int attribute, int value)) \
    X(occupancy, cuOccupancyMaxActiveBlocksPerMultiprocessor, \
      (int *blocks, wlu_cu_handle function, int threads, size_t shared_bytes)) \
    X(launch, cuLaunchKernel, \
      (wlu_cu_handle function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, \
       unsigned shared_bytes, wlu_cu_handle stream, void **parameters, void **extra)) \
    X(launch_with, cuLaunchKernelEx, \
      (const wlu_cu_launch *how, wlu_cu_handle function, void **parameters, void **extra)) \
    X(alloc, cuMemAlloc_v2, (wlu_cu_address * address, size_t bytes)) \
    X(free, cuMemFree_v2, (wlu_cu_address address)) \
    X(host_alloc, cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags)) \
    X(host_free, cuMemFreeHost, (void *pointer)) \
    X(host_address, cuMemHostGetDevicePointer_v2, (wlu_cu_address * address, void *pointer, unsigned flags)) \
    X(to_device, cuMemcpyHtoDAsync_v2, (wlu_cu_address to, const void *from, size_t bytes, wlu_cu_handle stream)) \
    X(to_host, cuMemcpyDtoHAsync_v2, (void *to, wlu_cu_address from, size_t bytes, wlu_cu_handle stream)) \
    X(on_device, cuMemcpyDtoDAsync_v2, (wlu_cu_address to, wlu_cu_address from, size_t bytes, wlu_cu_handle stream)) \
    X(clear, cuMemsetD8Async, (wlu_cu_address to, unsigned char value, size_t count, wlu_cu_handle stream)) \
    X(fill, cuMemsetD32Async, (wlu_cu_address to, unsigned value, size_t count, wlu_cu_handle stream)) \
    X(fill_rows, cuMemsetD2D32Async, \
      (wlu_cu_address to, size_t pitch, unsigned value, size_t width, size_t rows, wlu_cu_handle stream)) \
    X(stream_create, cuStreamCreate, (wlu_cu_handle * stream, unsigned flags)) \
    X(stream_destroy, cuStreamDestroy_v2, (wlu_cu_handle stream)) \
    X(context_wait, cuCtxSynchronize, (void)) \
    X(stream_wait, cuStreamSynchronize, (wlu_cu_handle stream)) \
    X(stream_captures, cuStreamIsCapturing, (wlu_cu_handle stream, int *captures)) \
    X(capture_begin, cuStreamBeginCapture_v2, (wlu_cu_handle stream, int mode)) \
    X(capture_end, cuStreamEndCapture, (wlu_cu_handle stream, wlu_cu_handle * graph)) \
    X(graph_make, cuGraphInstantiateWithFlags, (wlu_cu_handle * made, wlu_cu_handle graph, unsigned long long flags)) \
    X(graph_launch, cuGraphLaunch, (wlu_cu_handle made, wlu_cu_handle stream)) \
    X(graph_destroy, cuGraphDestroy, (wlu_cu_handle graph)) \
    X(graph_unmake, cuGraphExecDestroy, (wlu_cu_handle made))

typedef struct wlu_cuda_driver {
#define WLU_CUDA_ENTRY(name, exported, parameters) wlu_cu_result(*name) parameters;
    WLU_CUDA_DRIVER(WLU_CUDA_ENTRY)
#undef WLU_CUDA_ENTRY
} wlu_cuda_driver;

/* The entry points, once wlu_cuda_open has succeeded. */
extern wlu_cuda_driver wlu_cuda;

/* Opens the driver and makes sure of a device; count: of them. WARPLU_NO_DEVICE says which of it is missing. */
warplu_status wlu_cuda_open(wlu_context *ctx, int *count);

/* The number, from 0, of the device that `asked` means; -1: the one whose context is current for the calling thread,
 * the first where there is none. WARPLU_NO_DEVICE. */
warplu_status wlu_cuda_number(wlu_context *ctx, int asked, int32_t *number);

/* The status of a call that has answered `result`; what: its name, for the message. WARPLU_DEVICE_FAILED,
 * WARPLU_OUT_OF_MEMORY, WARPLU_NO_DEVICE. ctx may be NULL: nothing is said. */
warplu_status wlu_cuda_check(wlu_context *ctx, wlu_cu_result result, const char *what);

/* WLU_CUDA(ctx, alloc, &address, bytes): calls, and checks. */
#define WLU_CUDA(ctx, name, ...) wlu_cuda_check((ctx), wlu_cuda.name(__VA_ARGS__), #name)

#endif
