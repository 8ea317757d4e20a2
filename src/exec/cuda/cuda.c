/* The CUDA executor: the program packed for a device (exec/device), replayed by the kernels of cuda/.
 *
 * The image is uploaded once; a state's slots stay on the device and come to the host when somebody looks at them.
 * Never the choice of AUTO. */
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
    warplu_status status = wlu_cuda_upload(ctx, &packed->block, &im->block);
    if (status < 0) return status;
    im->bytes = packed->block.bytes;
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

static warplu_status load(wlu_context *ctx, const wlu_program *program, warplu_strategy strategy,
                          warplu_precision precision, void **out)
{
    wlu_cuda_image *im = WLU_CALLOC(ctx, 1, wlu_cuda_image);
    *out = im;
    if (im == NULL) return wlu_fail_memory(ctx, "image of the CUDA executor");
    im->program = program;
    im->strategy = strategy;
    im->precision = precision;
    im->slot_bytes = wlu_precision_is_single(precision) ? 4 : 8;
    warplu_status status = wlu_cuda_device_find(ctx, &im->device);
    if (status == WARPLU_SUCCESS) im->kernels = &im->device->of[wlu_precision_is_single(precision)];
    if (status == WARPLU_SUCCESS)
        status = strategy == WARPLU_STRATEGY_FLOW ? pack_and_upload(ctx, im) : wlu_cuda_levels_load(ctx, im);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_load_solve(ctx, im, WLU_STREAM_SOLVE);
    if (status < 0) destroy(ctx, out);
    return status;
}

static warplu_status load_transposed(wlu_context *ctx, void *image)
{
    return wlu_cuda_load_solve(ctx, image, WLU_STREAM_SOLVE_TRANSPOSED);
}

static const warplu_device_health *record(const wlu_state *state)
{
    return (const warplu_device_health *)state->device->health;
}

static int64_t bytes(const void *image, int solves)
{
    const wlu_cuda_image *im = image;
    return solves ? im->solve[0].bytes + im->solve[1].bytes + im->rows[0].bytes + im->rows[1].bytes : im->bytes;
}

#define LOAD(name, of_strategy, of_precision) \
    static warplu_status name(wlu_context *ctx, const wlu_program *program, void **out) \
    { \
        return load(ctx, program, (of_strategy), (of_precision), out); \
    }

LOAD(load_flow, WARPLU_STRATEGY_FLOW, WARPLU_PRECISION_DOUBLE)
LOAD(load_flow_single, WARPLU_STRATEGY_FLOW, WARPLU_PRECISION_SINGLE)
LOAD(load_flow_mixed, WARPLU_STRATEGY_FLOW, WARPLU_PRECISION_MIXED)
LOAD(load_flow_refined, WARPLU_STRATEGY_FLOW, WLU_DOUBLE_REFINED)
LOAD(load_levels, WARPLU_STRATEGY_LEVELS, WARPLU_PRECISION_DOUBLE)
LOAD(load_levels_single, WARPLU_STRATEGY_LEVELS, WARPLU_PRECISION_SINGLE)
LOAD(load_graph, WARPLU_STRATEGY_LEVELS_GRAPH, WARPLU_PRECISION_DOUBLE)
LOAD(load_graph_single, WARPLU_STRATEGY_LEVELS_GRAPH, WARPLU_PRECISION_SINGLE)

#define EXECUTOR(of_precision, of_cost, of_load) \
    { \
        .name = "cuda", .precision = (of_precision), .cost = (of_cost), .available = available, .load = (of_load), \
        .load_transposed = load_transposed, .refactor = wlu_cuda_refactor, .solve = wlu_cuda_solve, \
        .solve_many = wlu_cuda_solve_many, .bytes = bytes, .destroy = destroy, .attach = wlu_cuda_attach, \
        .detach = wlu_cuda_detach, .fetch = wlu_cuda_fetch, .refactor_async = wlu_cuda_refactor_async, \
        .solve_async = wlu_cuda_solve_async, .refactor_solve_async = wlu_cuda_refactor_solve_async, \
        .finish = wlu_cuda_finish, .vouch = wlu_cuda_vouch, .record = record, .with = with \
    }

static const wlu_executor *with(warplu_strategy strategy, warplu_precision precision);

const wlu_executor wlu_executor_cuda = EXECUTOR(WARPLU_PRECISION_DOUBLE, &wlu_cost_cuda, load_flow);
static const wlu_executor flow_single = EXECUTOR(WARPLU_PRECISION_SINGLE, &wlu_cost_cuda, load_flow_single);
static const wlu_executor flow_mixed = EXECUTOR(WARPLU_PRECISION_MIXED, &wlu_cost_cuda, load_flow_mixed);
static const wlu_executor flow_refined = EXECUTOR(WLU_DOUBLE_REFINED, &wlu_cost_cuda, load_flow_refined);
static const wlu_executor levels = EXECUTOR(WARPLU_PRECISION_DOUBLE, &wlu_cost_levels, load_levels);
static const wlu_executor levels_single = EXECUTOR(WARPLU_PRECISION_SINGLE, &wlu_cost_levels, load_levels_single);
static const wlu_executor graph = EXECUTOR(WARPLU_PRECISION_DOUBLE, &wlu_cost_levels, load_graph);
static const wlu_executor graph_single = EXECUTOR(WARPLU_PRECISION_SINGLE, &wlu_cost_levels, load_graph_single);

static const wlu_executor *with(warplu_strategy strategy, warplu_precision precision)
{
    static const wlu_executor *const flow[] = {&wlu_executor_cuda, &flow_single, &flow_mixed, &flow_refined};
    int single = wlu_precision_is_single(precision);
    if (strategy != WARPLU_STRATEGY_LEVELS && strategy != WARPLU_STRATEGY_LEVELS_GRAPH) return flow[precision];
    if (wlu_precision_refines(precision)) return NULL;
    return strategy == WARPLU_STRATEGY_LEVELS ? (single ? &levels_single : &levels) : single ? &graph_single : &graph;
}
