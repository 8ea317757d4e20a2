/* A launch a vector. See levels.h, and exec/device/levels.h for what a launch does.
 *
 * A graph holds the vectors' launches, whose arguments never change; the loads before them and the guards or stores
 * behind them have the caller's addresses and are launched beside it. Where the caller captures a graph, it is not
 * launched: the driver takes no graph within another's capture, so the caller's has the launches one by one. */
#include "exec/cuda/levels.h"

/* ---------------------------------------------------------------- images */

static warplu_status upload(wlu_context *ctx, wlu_cuda_levels *l, void *structure)
{
    const wlu_device_block *packed = &l->image.block;
    if (l->block != 0) wlu_cuda.free(l->block); /* only leaving the context had failed */
    l->block = 0;
    warplu_status status = wlu_cuda_upload(ctx, packed, &l->block);
    if (status < 0) return status;
    l->bytes = packed->bytes;
    wlu_block_place(packed, wlu_cuda_pointer(l->block), structure);
    return status;
}

static warplu_status enter_and_upload(wlu_context *ctx, wlu_cuda_image *im, wlu_cuda_levels *l, void *structure)
{
    warplu_status status = wlu_cuda_enter(ctx, im->device);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, upload(ctx, l, structure));
    wlu_block_free(ctx, &l->image.block);
    return status;
}

warplu_status wlu_cuda_levels_load(wlu_context *ctx, wlu_cuda_image *im)
{
    wlu_cuda_levels *l = &im->levels[WLU_LEVELS_FACTOR];
    warplu_status status = wlu_level_pack(ctx, im->program, &l->image);
    if (status < 0) return status;
    im->placed.slots = (int32_t)im->program->nslots;
    status = enter_and_upload(ctx, im, l, &l->image.of.program);
    im->placed.gather = l->image.of.program.gather;
    im->bytes = l->bytes;
    return status;
}

static int number_of(wlu_stream_kind kind)
{
    return kind == WLU_STREAM_SOLVE_TRANSPOSED ? WLU_LEVELS_TRANSPOSED : WLU_LEVELS_SOLVE;
}

warplu_status wlu_cuda_levels_load_solve(wlu_context *ctx, wlu_cuda_image *im, wlu_stream_kind kind)
{
    wlu_cuda_levels *l = &im->levels[number_of(kind)];
    wlu_level_image_free(ctx, &l->image);
    warplu_status status = wlu_level_pack_solve(ctx, im->program, kind, &l->image);
    if (status < 0) return status;
    status = enter_and_upload(ctx, im, l, &l->image.of.solve);
    im->solve[kind == WLU_STREAM_SOLVE_TRANSPOSED].bytes = l->bytes;
    return status;
}

void wlu_cuda_levels_free(wlu_context *ctx, wlu_cuda_image *im)
{
    for (int k = 0; k < WLU_LEVELS_STREAMS; k++) {
        if (im->levels[k].block != 0) wlu_cuda.free(im->levels[k].block);
        wlu_level_image_free(ctx, &im->levels[k].image);
    }
}

/* --------------------------------------------------------------- launches */

static warplu_status launch(wlu_context *ctx, wlu_cu_handle kernel, int64_t threads, int block, void **parameters,
                            wlu_cu_handle stream)
{
    unsigned grid = (unsigned)((threads + block - 1) / block);
    return WLU_CUDA(ctx, launch, kernel, grid, 1, 1, (unsigned)block, 1, 1, 0, stream, parameters, NULL);
}

static warplu_status run_vectors(wlu_context *ctx, const wlu_cuda_image *im, const wlu_on_device *d, int which,
                                 wlu_cu_handle stream)
{
    const wlu_level_image *l = &im->levels[which].image;
    wlu_level_stream records = which == WLU_LEVELS_FACTOR ? l->of.program.dot : l->of.solve.stream;
    void *v = d->state.v[0];
    warplu_status status = WARPLU_SUCCESS;
    for (int64_t k = 0; k < l->launches.count && status == WARPLU_SUCCESS; k++) {
        wlu_level_vector vector = l->launches.vector[k];
        void *parameters[] = {&records, &vector, &v};
        status =
            launch(ctx, im->kernels->levels_vector, wlu_level_threads(&vector), WLU_LEVEL_THREADS, parameters, stream);
    }
    return status;
}

static warplu_status make_graph(wlu_context *ctx, const wlu_cuda_image *im, wlu_on_device *d, int which)
{
    wlu_cu_handle captured = NULL;
    warplu_status status = WLU_CUDA(ctx, capture_begin, d->stream, WLU_CU_CAPTURE_OF_THREAD);
    if (status < 0) return status;
    status = run_vectors(ctx, im, d, which, d->stream);
    wlu_cu_result ended = wlu_cuda.capture_end(d->stream, &captured);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_check(ctx, ended, "capture_end");
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, graph_make, &d->graph[which], captured, 0);
    if (status < 0) d->graph[which] = NULL;
    if (captured != NULL) wlu_cuda.graph_destroy(captured);
    return status;
}

static warplu_status run(wlu_context *ctx, const wlu_cuda_image *im, wlu_on_device *d, int which, wlu_cu_handle stream)
{
    warplu_status status = WARPLU_SUCCESS;
    int captures = 0;
    if (im->strategy == WARPLU_STRATEGY_LEVELS) return run_vectors(ctx, im, d, which, stream);
    if (im->levels[which].image.launches.count == 0) return status;
    status = WLU_CUDA(ctx, stream_captures, stream, &captures);
    if (status < 0) return status;
    if (captures) return run_vectors(ctx, im, d, which, stream);
    if (d->graph[which] == NULL) status = make_graph(ctx, im, d, which);
    return status == WARPLU_SUCCESS ? WLU_CUDA(ctx, graph_launch, d->graph[which], stream) : status;
}

warplu_status wlu_cuda_levels_attach(wlu_context *ctx, const wlu_cuda_image *im, wlu_on_device *d)
{
    warplu_status status = WARPLU_SUCCESS;
    if (im->strategy != WARPLU_STRATEGY_LEVELS_GRAPH) return status;
    for (int which = WLU_LEVELS_FACTOR; which <= WLU_LEVELS_SOLVE && status == WARPLU_SUCCESS; which++)
        if (im->levels[which].image.launches.count > 0) status = make_graph(ctx, im, d, which);
    return status;
}

void wlu_cuda_levels_detach(wlu_on_device *d)
{
    for (int which = 0; which < WLU_LEVELS_STREAMS; which++)
        if (d->graph[which] != NULL) wlu_cuda.graph_unmake(d->graph[which]);
}

/* Threads that look at so many numbers, each at several where there are many. */
static int64_t lookers(const wlu_cuda_image *im, int64_t numbers)
{
    int64_t most = (int64_t)im->device->multiprocessors * WLU_TILE_THREADS;
    return numbers < most ? numbers : most;
}

static warplu_status load(wlu_context *ctx, const wlu_cuda_image *im, const wlu_on_device *d,
                          const wlu_level_loads *loads, const double *from, wlu_cu_handle stream)
{
    wlu_level_loads l = *loads;
    void *v = d->state.v[0];
    void *parameters[] = {&l, &from, &v};
    return launch(ctx, im->kernels->levels_load, l.count, WLU_LEVEL_THREADS, parameters, stream);
}

warplu_status wlu_cuda_levels_refactor(wlu_context *ctx, const wlu_cuda_image *im, wlu_on_device *d,
                                       const double *source, wlu_cu_handle stream)
{
    wlu_level_program program = im->levels[WLU_LEVELS_FACTOR].image.of.program;
    wlu_device_state state = d->state;
    void *parameters[] = {&program, &state};
    state.source = source;
    warplu_status status = load(ctx, im, d, &program.load, source, stream);
    if (status == WARPLU_SUCCESS) status = run(ctx, im, d, WLU_LEVELS_FACTOR, stream);
    if (status < 0) return status;
    return launch(ctx, im->kernels->levels_guard, lookers(im, program.reciprocal + program.guards.n), WLU_TILE_THREADS,
                  parameters, stream);
}

warplu_status wlu_cuda_levels_solve(wlu_context *ctx, const wlu_cuda_image *im, wlu_on_device *d, wlu_stream_kind kind,
                                    int sides, const double *b, const wlu_solve_of *of, wlu_cu_handle stream)
{
    wlu_level_solve solve = im->levels[number_of(kind)].image.of.solve;
    warplu_status status = WARPLU_SUCCESS;
    for (int k = 0; k < sides && status == WARPLU_SUCCESS; k++) {
        wlu_device_state state = d->solves.state;
        wlu_solve_of side = *of;
        void *parameters[] = {&solve, &state, &side};
        side.x += k * of->ldx;
        state.control += k;
        state.health += k;
        status = load(ctx, im, d, &solve.load, b + k * of->ldb, stream);
        if (status == WARPLU_SUCCESS) status = run(ctx, im, d, number_of(kind), stream);
        if (status == WARPLU_SUCCESS)
            status = launch(ctx, im->kernels->levels_store, lookers(im, solve.n), WLU_TILE_THREADS, parameters, stream);
    }
    return status;
}
