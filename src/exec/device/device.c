/* Devices: contexts and kernels. See device.h. */
#include "exec/device/device.h"

#include "device/kernels.h"
#include "exec/device/groups.h"
#include "exec/device/image.h"

#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

typedef const unsigned char embedded[];
extern embedded wlu_fatbin_flow, wlu_fatbin_solve, wlu_fatbin_levels, wlu_fatbin_batch;
extern embedded wlu_fatbin_flow_single, wlu_fatbin_solve_single, wlu_fatbin_levels_single, wlu_fatbin_batch_single;
extern embedded wlu_fatbin_flow_complex, wlu_fatbin_solve_complex, wlu_fatbin_batch_complex;
extern embedded wlu_fatbin_refine, wlu_fatbin_refine_single, wlu_fatbin_refine_complex;
extern embedded wlu_fatbin_batch_moves, wlu_fatbin_batch_moves_complex;
extern embedded wlu_fatbin_gather, wlu_fatbin_batch_ledger;

#define OF(module, numbers) [WLU_CUDA_##module + WLU_CUDA_##numbers * WLU_CUDA_OF_NUMBERS]
const unsigned char *const wlu_cuda_fatbin[WLU_CUDA_MODULES] = {
    OF(FLOW, DOUBLE) = wlu_fatbin_flow,
    OF(SOLVE, DOUBLE) = wlu_fatbin_solve,
    OF(LEVELS, DOUBLE) = wlu_fatbin_levels,
    OF(BATCH, DOUBLE) = wlu_fatbin_batch,
    OF(FLOW, SINGLE) = wlu_fatbin_flow_single,
    OF(SOLVE, SINGLE) = wlu_fatbin_solve_single,
    OF(LEVELS, SINGLE) = wlu_fatbin_levels_single,
    OF(BATCH, SINGLE) = wlu_fatbin_batch_single,
    OF(FLOW, COMPLEX) = wlu_fatbin_flow_complex,
    OF(SOLVE, COMPLEX) = wlu_fatbin_solve_complex,
    OF(BATCH, COMPLEX) = wlu_fatbin_batch_complex,
    OF(REFINE, DOUBLE) = wlu_fatbin_refine,
    OF(REFINE, SINGLE) = wlu_fatbin_refine_single,
    OF(REFINE, COMPLEX) = wlu_fatbin_refine_complex,
    OF(BATCH_MOVES, DOUBLE) = wlu_fatbin_batch_moves,
    OF(BATCH_MOVES, COMPLEX) = wlu_fatbin_batch_moves_complex,
    [WLU_CUDA_GATHER] = wlu_fatbin_gather,
    [WLU_CUDA_BATCH_LEDGER] = wlu_fatbin_batch_ledger,
};
#undef OF

enum { DEVICES_MAX = 64 };

static wlu_cuda_device devices[DEVICES_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A module's kernel, and where its handle goes: in wlu_cuda_kernels of what slots are, or in the device. */
static const struct {
    int module;
    const char *name;
    size_t at;
} kernels[] = {
#define OF_NUMBERS(module, name, member) \
    { \
        WLU_CUDA_##module, name, offsetof(wlu_cuda_kernels, member) \
    }
#define OF_DEVICE(module, name, member) \
    { \
        WLU_CUDA_##module, name, offsetof(wlu_cuda_device, member) \
    }
    OF_NUMBERS(FLOW, "wlu_tile_flow", flow),
    OF_NUMBERS(SOLVE, "wlu_solve", solve),
    OF_NUMBERS(SOLVE, "wlu_solve_early", early),
    OF_NUMBERS(LEVELS, "wlu_levels_load", levels_load),
    OF_NUMBERS(LEVELS, "wlu_levels_vector", levels_vector),
    OF_NUMBERS(LEVELS, "wlu_levels_guard", levels_guard),
    OF_NUMBERS(LEVELS, "wlu_levels_store", levels_store),
    OF_NUMBERS(BATCH, "wlu_batch_refactor", batch_refactor),
    OF_NUMBERS(BATCH, "wlu_batch_substitute", batch_substitute),
    OF_DEVICE(GATHER, "wlu_gather", gather),
    OF_NUMBERS(REFINE, "wlu_refine", refine),
    OF_NUMBERS(REFINE, "wlu_refine_early", refine_early),
    OF_NUMBERS(REFINE, "wlu_refine_begin", refine_begin),
    OF_NUMBERS(BATCH_MOVES, "wlu_batch_in", batch_in),
    OF_NUMBERS(BATCH_MOVES, "wlu_batch_out", batch_out),
    OF_NUMBERS(BATCH_MOVES, "wlu_batch_look", batch_look),
    OF_NUMBERS(BATCH_MOVES, "wlu_batch_deliver", batch_deliver),
    OF_NUMBERS(BATCH_MOVES, "wlu_batch_results", batch_results),
    OF_DEVICE(BATCH_LEDGER, "wlu_batch_pick", batch_pick),
    OF_DEVICE(BATCH_LEDGER, "wlu_batch_vouch", batch_vouch),
    OF_DEVICE(BATCH_LEDGER, "wlu_batch_copy", batch_copy),
#undef OF_NUMBERS
#undef OF_DEVICE
};

/* The kernels of a module. */
static warplu_status find_kernels(wlu_context *ctx, int module, wlu_cuda_device *d)
{
    static const char *const suffix[WLU_CUDA_NUMBERS] = {"", "_single", "_complex"};
    int common = module >= WLU_CUDA_GATHER, numbers = common ? WLU_CUDA_DOUBLE : module / WLU_CUDA_OF_NUMBERS;
    int listed = common ? module : module % WLU_CUDA_OF_NUMBERS;
    char *to = common ? (char *)d : (char *)&d->of[numbers], name[64];
    warplu_status status = WARPLU_SUCCESS;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels && status == WARPLU_SUCCESS; i++) {
        if (kernels[i].module != listed) continue;
        snprintf(name, sizeof name, "%s%s", kernels[i].name, suffix[numbers]);
        status = WLU_CUDA(ctx, module_function, (wlu_cu_handle *)(void *)(to + kernels[i].at), d->module[module], name);
    }
    return status;
}

/* How many blocks of a kernel of solves a multiprocessor holds. */
static warplu_status count_blocks(wlu_context *ctx, const wlu_cuda_kernels *k, wlu_cu_handle kernel, int *blocks)
{
    warplu_status status = WLU_CUDA(ctx, function_set, kernel, WLU_CU_FUNCTION_DYNAMIC_SHARED, k->solve_bytes);
    if (status < 0) return status;
    return WLU_CUDA(ctx, occupancy, blocks, kernel, WLU_TILE_THREADS, (size_t)k->solve_bytes);
}

/* Early solves have to wait for the kernel before them, which only code for EARLY_PTX and later does: a later device
 * may have been given what was compiled from older PTX. A graph that has captured one keeps the order since CUDA 12.3.
 */
static warplu_status count_early(wlu_context *ctx, const wlu_cuda_kernels *k, wlu_cu_handle kernel, int *blocks)
{
    enum { EARLY_PTX = 90, EARLY_DRIVER = 12030 };
    int ptx = 0, version = 0;
    warplu_status status = WLU_CUDA(ctx, function_get, &ptx, WLU_CU_FUNCTION_PTX, kernel);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, driver_version, &version);
    if (status < 0 || ptx < EARLY_PTX || version < EARLY_DRIVER) return status;
    return count_blocks(ctx, k, kernel, blocks);
}

static warplu_status prepare_flow(wlu_context *ctx, int shared_bytes, wlu_cuda_kernels *k)
{
    int taken = 0;
    warplu_status status = WLU_CUDA(ctx, function_get, &taken, WLU_CU_FUNCTION_SHARED, k->flow);
    k->shared_bytes = shared_bytes - taken;
    if (status < 0) return status;
    return WLU_CUDA(ctx, function_set, k->flow, WLU_CU_FUNCTION_DYNAMIC_SHARED, k->shared_bytes);
}

/* Of shared memory that a block of solves has. */
static int solve_bytes(int numbers)
{
    static const int bytes[WLU_CUDA_NUMBERS] = {WLU_SOLVE_ROOM(8), WLU_SOLVE_ROOM(4), WLU_SOLVE_ROOM(16)};
    return bytes[numbers];
}

static warplu_status prepare_solve(wlu_context *ctx, int numbers, wlu_cuda_kernels *k)
{
    k->solve_bytes = solve_bytes(numbers);
    warplu_status status = count_blocks(ctx, k, k->solve, &k->solve_blocks);
    return status == WARPLU_SUCCESS ? count_early(ctx, k, k->early, &k->early_blocks) : status;
}

static warplu_status prepare_refine(wlu_context *ctx, int numbers, wlu_cuda_kernels *k)
{
    k->solve_bytes = solve_bytes(numbers);
    warplu_status status = count_blocks(ctx, k, k->refine, &k->refine_blocks);
    return status == WARPLU_SUCCESS ? count_early(ctx, k, k->refine_early, &k->refine_early_blocks) : status;
}

/* All that is not theirs is first-level cache, which has operands that records share. */
static warplu_status prepare_batch(wlu_context *ctx, const wlu_cuda_kernels *k)
{
    warplu_status status = WLU_CUDA(ctx, function_set, k->batch_refactor, WLU_CU_FUNCTION_CARVEOUT, WLU_GROUP_CARVEOUT);
    if (status < 0) return status;
    return WLU_CUDA(ctx, function_set, k->batch_substitute, WLU_CU_FUNCTION_CARVEOUT, WLU_GROUP_CARVEOUT);
}

static warplu_status prepare_module(wlu_context *ctx, int module, wlu_cuda_device *d)
{
    int numbers = module / WLU_CUDA_OF_NUMBERS;
    warplu_status status = find_kernels(ctx, module, d);
    if (status < 0 || module >= WLU_CUDA_GATHER) return status;
    switch (module % WLU_CUDA_OF_NUMBERS) {
    case WLU_CUDA_FLOW: return prepare_flow(ctx, d->shared_bytes, &d->of[numbers]);
    case WLU_CUDA_SOLVE: return prepare_solve(ctx, numbers, &d->of[numbers]);
    case WLU_CUDA_BATCH: return prepare_batch(ctx, &d->of[numbers]);
    case WLU_CUDA_REFINE: return prepare_refine(ctx, numbers, &d->of[numbers]);
    default: return status;
    }
}

static warplu_status load_module(wlu_context *ctx, int module, wlu_cuda_device *d)
{
    warplu_status status = wlu_cuda_load(ctx, d->fatbin[module], &d->module[module]);
    if (status == WARPLU_SUCCESS) status = prepare_module(ctx, module, d);
    if (status < 0 && d->module[module] != NULL) wlu_cuda.module_unload(d->module[module]);
    if (status < 0) d->module[module] = NULL;
    return status;
}

warplu_status wlu_cuda_device_load(wlu_context *ctx, unsigned modules, wlu_cuda_device *d)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int k = 0; k < WLU_CUDA_MODULES && status == WARPLU_SUCCESS; k++) {
        if ((modules >> k & 1) == 0 || d->fatbin[k] == NULL || d->module[k] != NULL) continue;
        status = wlu_cuda_enter(ctx, &d->on);
        if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, load_module(ctx, k, d));
    }
    return status;
}

warplu_status wlu_cuda_device_prepare(wlu_context *ctx, int number, const unsigned char *const *fatbin,
                                      wlu_cuda_device *d)
{
    *d = (wlu_cuda_device){.fatbin = fatbin};
    warplu_status status = wlu_cuda_context_open(ctx, number, &d->on);
    if (status < 0) return status;
    status = WLU_CUDA(ctx, device_attribute, &d->multiprocessors, WLU_CU_MULTIPROCESSORS, d->on.device);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, device_attribute, &d->shared_bytes, WLU_CU_SHARED_OPTIN, d->on.device);
    if (status < 0) wlu_cuda_context_close(&d->on);
    return status;
}

warplu_status wlu_cuda_device_find(wlu_context *ctx, int asked, const wlu_cuda_device **out)
{
    int32_t number;
    *out = NULL;
    warplu_status status = wlu_cuda_number(ctx, asked, &number);
    if (status < 0) return status;
    if (number >= DEVICES_MAX)
        return wlu_fail(ctx, WARPLU_NO_DEVICE, "CUDA device %d: expected one below %d", number, DEVICES_MAX);
    pthread_mutex_lock(&lock);
    if (devices[number].on.handle == NULL)
        status = wlu_cuda_device_prepare(ctx, number, wlu_cuda_fatbin, &devices[number]);
    pthread_mutex_unlock(&lock);
    if (status == WARPLU_SUCCESS) *out = &devices[number];
    return status;
}

warplu_status wlu_cuda_device_need(wlu_context *ctx, const wlu_cuda_device *device, unsigned modules)
{
    pthread_mutex_lock(&lock);
    warplu_status status = wlu_cuda_device_load(ctx, modules, &devices[device - devices]);
    pthread_mutex_unlock(&lock);
    return status;
}
