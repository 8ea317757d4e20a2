/* The CUDA executor: the program packed for a device (exec/device), replayed by the kernels of cuda/.
 *
 * The image is uploaded once; a state's slots stay on the device and come to the host when somebody looks at them. Never
 * the choice of AUTO. */
#include "exec/cuda/levels.h"
#include "exec/cuda/solve.h"
#include "exec/device/pack.h"

static warplu_status available(wlu_context *ctx)
{
    return wlu_cuda_open(ctx);
}

static void destroy(wlu_context *ctx, void **out)
{
    wlu_cuda_image *im = *out;
    *out = NULL;
    if (im == NULL) return;
    if (im->device != NULL && wlu_cuda_enter(NULL, im->device) == WARPLU_SUCCESS) {
        wlu_cuda_free_solves(im);
        wlu_cuda_levels_free(ctx, im);
        if (im->block != 0) wlu_cuda.free(im->block);
        wlu_cuda_leave(NULL, WARPLU_SUCCESS);
    }
    wlu_free(ctx, im);
}

/* Packed on the host, copied to the device, where the addresses become those of the device. */
static warplu_status upload(wlu_context *ctx, wlu_cuda_image *im, const wlu_device_image *packed)
{
    im->bytes = packed->block.bytes;
    warplu_status status = WLU_CUDA(ctx, alloc, &im->block, (size_t)packed->block.bytes);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, to_device, im->block, packed->block.memory, (size_t)packed->block.bytes, NULL);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, stream_wait, NULL);
    if (status < 0) return status;
    im->placed = wlu_device_place(packed, (const void *)(uintptr_t)im->block);
    return wlu_cuda_shape(ctx, im);
}

static warplu_status pack_and_upload(wlu_context *ctx, wlu_cuda_image *im)
{
    wlu_device_image packed;
    warplu_status status = wlu_device_pack(ctx, im->program, &packed);
    if (status < 0) return status;
    status = wlu_cuda_enter(ctx, im->device);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, upload(ctx, im, &packed));
    wlu_device_image_free(ctx, &packed);
    return status;
}

static warplu_status load(wlu_context *ctx, const wlu_program *program, warplu_strategy strategy, void **out)
{
    wlu_cuda_image *im = WLU_CALLOC(ctx, 1, wlu_cuda_image);
    *out = im;
    if (im == NULL) return wlu_fail_memory(ctx, "image of the CUDA executor");
    im->program = program;
    im->strategy = strategy;
    warplu_status status = wlu_cuda_device_find(ctx, &im->device);
    if (status == WARPLU_SUCCESS)
        status = strategy == WARPLU_STRATEGY_FLOW ? pack_and_upload(ctx, im) : wlu_cuda_levels_load(ctx, im);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_load_solve(ctx, im, WLU_STREAM_SOLVE);
    if (status < 0) destroy(ctx, out);
    return status;
}

static warplu_status load_flow(wlu_context *ctx, const wlu_program *program, void **out)
{
    return load(ctx, program, WARPLU_STRATEGY_FLOW, out);
}

static warplu_status load_levels(wlu_context *ctx, const wlu_program *program, void **out)
{
    return load(ctx, program, WARPLU_STRATEGY_LEVELS, out);
}

static warplu_status load_levels_graph(wlu_context *ctx, const wlu_program *program, void **out)
{
    return load(ctx, program, WARPLU_STRATEGY_LEVELS_GRAPH, out);
}

static warplu_status load_transposed(wlu_context *ctx, void *image)
{
    return wlu_cuda_load_solve(ctx, image, WLU_STREAM_SOLVE_TRANSPOSED);
}

static const warplu_device_record *record(const wlu_state *state)
{
    return (const warplu_device_record *)state->device->health;
}

static int64_t bytes(const void *image, int solves)
{
    const wlu_cuda_image *im = image;
    return solves ? im->solve[0].bytes + im->solve[1].bytes : im->bytes;
}

#define EXECUTOR(of_cost, of_load) \
    { \
        .name = "cuda", .cost = (of_cost), .available = available, .load = (of_load), .load_transposed = load_transposed, \
        .refactor = wlu_cuda_refactor, .solve = wlu_cuda_solve, .solve_many = wlu_cuda_solve_many, .bytes = bytes, \
        .destroy = destroy, .attach = wlu_cuda_attach, .detach = wlu_cuda_detach, .fetch = wlu_cuda_fetch, \
        .refactor_async = wlu_cuda_refactor_async, .solve_async = wlu_cuda_solve_async, \
        .refactor_solve_async = wlu_cuda_refactor_solve_async, .finish = wlu_cuda_finish, .vouch = wlu_cuda_vouch, .record = record, .with_strategy = with_strategy \
    }

static const wlu_executor *with_strategy(warplu_strategy strategy);

const wlu_executor wlu_executor_cuda = EXECUTOR(&wlu_cost_cuda, load_flow);
static const wlu_executor levels = EXECUTOR(&wlu_cost_levels, load_levels);
static const wlu_executor levels_graph = EXECUTOR(&wlu_cost_levels, load_levels_graph);

static const wlu_executor *with_strategy(warplu_strategy strategy)
{
    return strategy == WARPLU_STRATEGY_LEVELS         ? &levels
           : strategy == WARPLU_STRATEGY_LEVELS_GRAPH ? &levels_graph
                                                      : &wlu_executor_cuda;
}
