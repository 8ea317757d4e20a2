/* Solves on device pointers. See on_device.h. The driver is opened at run time; memory grows with the largest case, and
 * is never given back. */
#include <warplu/device.h>

#include "on_device.h"

#include <dlfcn.h>
#include <stddef.h>

typedef unsigned long long address;

enum { VALUES, RIGHT, SOLUTION, BUFFERS };

static struct {
    int (*init)(unsigned), (*get)(int *, int), (*retain)(void **, int), (*use)(void *);
    int (*allocate)(address *, size_t), (*release)(address), (*to)(address, const void *, size_t),
        (*from)(void *, address, size_t);
} cuda;

static struct {
    address at;
    size_t bytes;
} buffer[BUFFERS];

/* A function's pointer, of whatever type, from the driver's library. */
static int find(void *library, const char *name, void *function)
{
    *(void **)function = dlsym(library, name);
    return *(void **)function != NULL;
}

int on_device_open(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW), *context = NULL;
    int device = 0;
    return library != NULL && find(library, "cuInit", &cuda.init) && find(library, "cuDeviceGet", &cuda.get) &&
           find(library, "cuDevicePrimaryCtxRetain", &cuda.retain) && find(library, "cuCtxSetCurrent", &cuda.use) &&
           find(library, "cuMemAlloc_v2", &cuda.allocate) && find(library, "cuMemFree_v2", &cuda.release) &&
           find(library, "cuMemcpyHtoD_v2", &cuda.to) && find(library, "cuMemcpyDtoH_v2", &cuda.from) &&
           cuda.init(0) == 0 && cuda.get(&device, 0) == 0 && cuda.retain(&context, device) == 0 &&
           cuda.use(context) == 0;
}

/* Room for so many numbers. */
static int make_room(int k, size_t bytes)
{
    if (buffer[k].bytes >= bytes) return 1;
    if (buffer[k].bytes > 0) cuda.release(buffer[k].at);
    buffer[k].bytes = cuda.allocate(&buffer[k].at, 2 * bytes) == 0 ? 2 * bytes : 0;
    return buffer[k].bytes > 0;
}

static double *numbers(int k)
{
    return (double *)(size_t)buffer[k].at;
}

warplu_status on_device_solve(warplu_solver *s, int32_t nnz, const double *values, int transposed, int32_t nrhs,
                              const double *b, int32_t n, double *x)
{
    size_t of_values = (size_t)nnz * sizeof *values, of_sides = (size_t)n * (size_t)nrhs * sizeof *b;
    if (!make_room(VALUES, of_values) || !make_room(RIGHT, of_sides) || !make_room(SOLUTION, of_sides))
        return WARPLU_OUT_OF_MEMORY;
    if (cuda.to(buffer[VALUES].at, values, of_values) != 0 || cuda.to(buffer[RIGHT].at, b, of_sides) != 0)
        return WARPLU_DEVICE_FAILED;
    warplu_status status =
        transposed ? warplu_solve_transposed(s, nrhs, b, n, x, n) : WARPLU_SUCCESS; /* makes the program */
    for (int round = 0; round < 2 && status >= 0; round++) {
        status = warplu_refactor_solve_device(s, numbers(VALUES), transposed, nrhs, numbers(RIGHT), n,
                                              numbers(SOLUTION), n, NULL);
        if (status >= 0) status = warplu_finish_device(s, values, NULL);
        if (status != WARPLU_REPIVOTED) break;
    }
    return status >= 0 && cuda.from(x, buffer[SOLUTION].at, of_sides) != 0 ? WARPLU_DEVICE_FAILED : status;
}
