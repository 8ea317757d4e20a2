/* Opens libcuda. See driver.h. */
#include "device/driver.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REASON_BYTES = 256 };

#if UINTPTR_MAX > 0xffffffff
_Static_assert(sizeof(wlu_cu_launch_attribute) == 72 && offsetof(wlu_cu_launch_attribute, of) == 8 &&
                   sizeof(wlu_cu_launch) == 56 && offsetof(wlu_cu_launch, stream) == 32 &&
                   offsetof(wlu_cu_launch, count) == 48,
               "as in cuda.h");
#endif

wlu_cuda_driver wlu_cuda;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char missing[REASON_BYTES]; /* why there is no driver, "" if there is one */

/* ISO C knows no conversion from an object's address to a function's; POSIX promises that the bits are the same. */
static int find(void *library, const char *name, void *entry, size_t size)
{
    void *symbol = dlsym(library, name);
    memcpy(entry, &symbol, size);
    if (symbol == NULL) snprintf(missing, sizeof missing, "the CUDA driver has no %s: it is too old", name);
    return symbol != NULL;
}

/* The library stays open: a process that has used a driver cannot do without. */
static void open_library(void)
{
    const char *asked = getenv("WARPLU_LIBCUDA");
    const char *name = asked != NULL && *asked != '\0' ? asked : "libcuda.so.1";
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *reason = dlerror();
        snprintf(missing, sizeof missing, "no CUDA driver: %s", reason != NULL ? reason : name);
        return;
    }
#define WLU_CUDA_ENTRY(name, exported, parameters) \
    if (!find(library, #exported, &wlu_cuda.name, sizeof wlu_cuda.name)) return;
    WLU_CUDA_DRIVER(WLU_CUDA_ENTRY)
#undef WLU_CUDA_ENTRY
}

static const char *name_of(wlu_cu_result result)
{
    const char *name = NULL;
    return wlu_cuda.error_name(result, &name) == 0 && name != NULL ? name : "unknown error";
}

warplu_status wlu_cuda_open(wlu_context *ctx, int *count)
{
    *count = 0;
    pthread_once(&once, open_library);
    if (missing[0] != '\0') return wlu_fail(ctx, WARPLU_NO_DEVICE, "%s", missing);
    wlu_cu_result result = wlu_cuda.init(0);
    if (result == 0) result = wlu_cuda.device_count(count);
    if (result != 0) return wlu_fail(ctx, WARPLU_NO_DEVICE, "the CUDA driver finds no device: %s", name_of(result));
    return *count > 0 ? WARPLU_SUCCESS : wlu_fail(ctx, WARPLU_NO_DEVICE, "the CUDA driver finds no device");
}

warplu_status wlu_cuda_check(wlu_context *ctx, wlu_cu_result result, const char *what)
{
    if (result == 0) return WARPLU_SUCCESS;
    warplu_status status = result == WLU_CU_OUT_OF_MEMORY ? WARPLU_OUT_OF_MEMORY
                           : result == WLU_CU_NO_DEVICE   ? WARPLU_NO_DEVICE
                                                          : WARPLU_DEVICE_FAILED;
    return ctx != NULL ? wlu_fail(ctx, status, "CUDA driver, %s: %s (%d)", what, name_of(result), result) : status;
}

/* Of the calling thread's current context. */
static warplu_status find_current(wlu_context *ctx, int count, int32_t *number)
{
    wlu_cu_handle current = NULL;
    wlu_cu_device device = 0;
    warplu_status status = WLU_CUDA(ctx, context_current, &current);
    if (status == WARPLU_SUCCESS && current != NULL) status = WLU_CUDA(ctx, context_device, &device);
    *number = 0;
    for (int k = 0; k < count && status == WARPLU_SUCCESS && current != NULL; k++) {
        wlu_cu_device other = 0;
        status = WLU_CUDA(ctx, device_get, &other, k);
        if (other == device) *number = k;
    }
    return status;
}

warplu_status wlu_cuda_number(wlu_context *ctx, int asked, int32_t *number)
{
    int count = 0;
    warplu_status status = wlu_cuda_open(ctx, &count);
    *number = asked;
    if (status == WARPLU_SUCCESS && asked == -1) status = find_current(ctx, count, number);
    if (status == WARPLU_SUCCESS && (*number < 0 || *number >= count))
        return wlu_fail(ctx, WARPLU_NO_DEVICE, "there is no CUDA device %d: the driver has %d, from 0 on", *number,
                        count);
    return status;
}
