/* A launch a vector. See launch.h, and exec/device/levels.h for what a launch does.
 *
 * A graph holds the vectors' launches, whose arguments never change; the loads before them and the guards or stores
 * behind them have the caller's addresses and are launched beside it. Graphs of the factorization and the solve are
 * made with the state; that of the transposed solve is made by the first one. Where the caller captures a graph, it is
 * not launched: the driver takes no graph within another's capture, so the caller's has the launches one by one. */
#include "exec/levels/launch.h"

#include "device/kernels.h"
#include "exec/device/replays.h"

typedef struct levels_state {
    wlu_resident of;
    wlu_cu_handle graph[WLU_STREAM_KINDS]; /* a stream's launches; NULL until it is wanted */
} levels_state;

static levels_state *of_levels(wlu_resident *d)
{
    return (levels_state *)d;
}

static warplu_status run_vectors(wlu_context *ctx, const wlu_resident *d, wlu_stream_kind which, wlu_cu_handle stream)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    const wlu_device_image *l = &im->stream[which];
    wlu_level_stream records = which == WLU_STREAM_FACTOR ? l->level_program.dot : l->level_solve.stream;
    void *v = d->state.v[0];
    warplu_status status = WARPLU_SUCCESS;
    for (int64_t k = 0; k < l->vectors && status == WARPLU_SUCCESS; k++) {
        wlu_level_vector vector = l->vector[k];
        void *parameters[] = {&records, &vector, &v};
        status = wlu_cuda_launch(ctx, im->kernels->levels_vector, wlu_level_threads(&vector), WLU_LEVEL_THREADS,
                                 parameters, stream);
    }
    return status;
}

/* ------------------------------------------------------------------ graphs */

static warplu_status make_graph(wlu_context *ctx, wlu_resident *d, wlu_stream_kind which)
{
    wlu_cu_handle captured = NULL, *graph = &of_levels(d)->graph[which];
    warplu_status status = WLU_CUDA(ctx, capture_begin, d->stream, WLU_CU_CAPTURE_OF_THREAD);
    if (status < 0) return status;
    status = run_vectors(ctx, d, which, d->stream);
    wlu_cu_result ended = wlu_cuda.capture_end(d->stream, &captured);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_check(ctx, ended, "capture_end");
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, graph_make, graph, captured, 0);
    if (status < 0) *graph = NULL;
    if (captured != NULL) wlu_cuda.graph_destroy(captured);
    return status;
}

static int one_by_one(const wlu_resident *d)
{
    return d->base.image->target.strategy == WLU_STRATEGY_LAUNCHES;
}

static warplu_status run(wlu_context *ctx, wlu_resident *d, wlu_stream_kind which, wlu_cu_handle stream)
{
    wlu_cu_handle *graph = &of_levels(d)->graph[which];
    warplu_status status = WARPLU_SUCCESS;
    int captures = 0;
    if (one_by_one(d)) return run_vectors(ctx, d, which, stream);
    if (wlu_resident_image_of(d)->stream[which].vectors == 0) return status;
    status = WLU_CUDA(ctx, stream_captures, stream, &captures);
    if (status < 0) return status;
    if (captures) return run_vectors(ctx, d, which, stream);
    if (*graph == NULL) status = make_graph(ctx, d, which);
    return status == WARPLU_SUCCESS ? WLU_CUDA(ctx, graph_launch, *graph, stream) : status;
}

static warplu_status attach(wlu_context *ctx, wlu_resident *d)
{
    warplu_status status = WARPLU_SUCCESS;
    if (one_by_one(d)) return status;
    for (int which = WLU_STREAM_FACTOR; which <= WLU_STREAM_SOLVE && status == WARPLU_SUCCESS; which++)
        if (wlu_resident_image_of(d)->stream[which].vectors > 0) status = make_graph(ctx, d, which);
    return status;
}

static void detach(wlu_resident *d)
{
    for (int which = 0; which < WLU_STREAM_KINDS; which++)
        if (of_levels(d)->graph[which] != NULL) wlu_cuda.graph_unmake(of_levels(d)->graph[which]);
}

/* ---------------------------------------------------------------- enqueued */

static warplu_status shape(wlu_context *ctx, wlu_resident_image *im)
{
    (void)ctx;
    im->buffers = 1;
    im->slots = im->base.program->nslots;
    im->gather = im->stream[WLU_STREAM_FACTOR].level_program.gather;
    return WARPLU_SUCCESS;
}

/* Launches wait for each other, so that slots hold nothing that is waited for. */
static warplu_status begin(wlu_context *ctx, wlu_resident *d)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    return WLU_CUDA(ctx, clear, wlu_cuda_address(d->state.v[0]), 0, (size_t)im->slot_bytes * (size_t)im->slots,
                    d->stream);
}

/* Threads that look at so many numbers, each at several where there are many. */
static int64_t lookers(const wlu_resident_image *im, int64_t numbers)
{
    int64_t most = (int64_t)im->device->multiprocessors * WLU_TILE_THREADS;
    return numbers < most ? numbers : most;
}

static warplu_status load(wlu_context *ctx, const wlu_resident *d, const wlu_level_loads *loads, const double *from,
                          wlu_cu_handle stream)
{
    wlu_level_loads l = *loads;
    void *v = d->state.v[0];
    void *parameters[] = {&l, &from, &v};
    return wlu_cuda_launch(ctx, wlu_resident_image_of(d)->kernels->levels_load, l.count, WLU_LEVEL_THREADS, parameters,
                           stream);
}

static warplu_status refactor(wlu_context *ctx, wlu_resident *d, const double *source, wlu_cu_handle stream)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    wlu_level_program program = im->stream[WLU_STREAM_FACTOR].level_program;
    wlu_device_state state = d->state;
    void *parameters[] = {&program, &state};
    state.source = source;
    warplu_status status = load(ctx, d, &program.load, source, stream);
    if (status == WARPLU_SUCCESS) status = run(ctx, d, WLU_STREAM_FACTOR, stream);
    if (status < 0) return status;
    return wlu_cuda_launch(ctx, im->kernels->levels_guard, lookers(im, program.reciprocal + program.guards.n),
                           WLU_TILE_THREADS, parameters, stream);
}

/* Number k of the right-hand sides. */
static warplu_status solve_one(wlu_context *ctx, wlu_resident *d, const wlu_async_solve *a, int32_t k,
                               wlu_cu_handle stream)
{
    const wlu_resident_image *im = wlu_resident_image_of(d);
    wlu_level_solve solve = im->stream[a->kind].level_solve;
    wlu_device_state state = d->solves.state;
    wlu_solve_of of = {.v = {d->state.v[0], d->state.v[1]},
                       .control = d->state.control,
                       .x = a->x + k * a->ldx,
                       .ldb = a->ldb,
                       .ldx = a->ldx,
                       .withheld = a->withhold ? WLU_WEAK : WLU_DEVICE_VOID};
    void *parameters[] = {&solve, &state, &of};
    state.source = a->b;
    state.control += k;
    state.health += k;
    warplu_status status = load(ctx, d, &solve.load, a->b + k * a->ldb, stream);
    if (status == WARPLU_SUCCESS) status = run(ctx, d, a->kind, stream);
    if (status < 0) return status;
    return wlu_cuda_launch(ctx, im->kernels->levels_store, lookers(im, solve.n), WLU_TILE_THREADS, parameters, stream);
}

static warplu_status solve(wlu_context *ctx, wlu_resident *d, const double *values, const wlu_async_solve *a,
                           int refines, wlu_cu_handle stream)
{
    wlu_async_solve share = *a;
    (void)refines; /* which open refuses */
    warplu_status status = wlu_resident_put_aside(ctx, d, &share, stream);
    if (status == WARPLU_SUCCESS && values != NULL) status = wlu_resident_enqueue_refactor(ctx, d, values, stream);
    for (int32_t k = 0; k < share.nrhs && status == WARPLU_SUCCESS; k++) status = solve_one(ctx, d, &share, k, stream);
    return status;
}

const wlu_residence wlu_levels_residence = {sizeof(wlu_resident_image),
                                            sizeof(levels_state),
                                            1u << WLU_CUDA_LEVELS,
                                            wlu_level_pack,
                                            shape,
                                            begin,
                                            attach,
                                            detach,
                                            refactor,
                                            solve};
