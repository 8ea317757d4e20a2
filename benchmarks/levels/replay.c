/* Replays of a scalar program on the device. See replay.h. */
#include "replay.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/power.h"
#include "device/kernels.h"

extern const unsigned char wlu_fatbin_scalar[];

typedef struct replay {
    wlu_context *ctx;
    const replay_kernels *k;
    const scalar_program *p;
    int single;
    wlu_cu_address block, v, start; /* v, start: slots; start is what v begins with */
    size_t bytes;                   /* of the slots */
    scalar_records records;
    wlu_cu_handle graph; /* NULL: launches one by one */
} replay;

warplu_status replay_open(wlu_context *ctx, replay_kernels *k)
{
    *k = (replay_kernels){0};
    warplu_status status = wlu_cuda_device_find(ctx, 0, &k->device);
    if (status < 0) return status;
    status = wlu_cuda_enter(ctx, &k->device->on);
    if (status < 0) return status;
    status = wlu_cuda_load(ctx, wlu_fatbin_scalar, &k->module);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, module_function, &k->of_double, k->module, "scalar_double");
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, module_function, &k->of_float, k->module, "scalar_float");
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, stream_create, &k->stream, WLU_CU_STREAM_NON_BLOCKING);
    return wlu_cuda_leave(ctx, status);
}

void replay_close(replay_kernels *k)
{
    if (k->device == NULL || wlu_cuda_enter(NULL, &k->device->on) < 0) return;
    if (k->stream != NULL) wlu_cuda.stream_destroy(k->stream);
    if (k->module != NULL) wlu_cuda.module_unload(k->module);
    wlu_cuda_leave(NULL, WARPLU_SUCCESS);
}

static size_t round_up(size_t bytes)
{
    return (bytes + 255) / 256 * 256;
}

/* Records and start values to the device. */
static warplu_status upload(replay *r)
{
    const scalar_program *p = r->p;
    size_t n = (size_t)p->nrecords, slots = (size_t)p->slots;
    r->bytes = slots * (r->single ? sizeof(float) : sizeof(double));
    const struct {
        const void *from;
        size_t bytes;
    } piece[] = {{p->t, 4 * n},
                 {p->a, 4 * n},
                 {p->b, 4 * n},
                 {p->opcode, n},
                 {r->single ? (const void *)p->start_float : p->start, r->bytes},
                 {NULL, r->bytes}};
    enum { PIECES = sizeof piece / sizeof *piece };
    size_t at[PIECES + 1] = {0};
    for (int k = 0; k < PIECES; k++) at[k + 1] = at[k] + round_up(piece[k].bytes);
    warplu_status status = WLU_CUDA(r->ctx, alloc, &r->block, at[PIECES]);
    for (int k = 0; k < PIECES && status == WARPLU_SUCCESS; k++)
        if (piece[k].from != NULL)
            status = WLU_CUDA(r->ctx, to_device, r->block + at[k], piece[k].from, piece[k].bytes, r->k->stream);
    r->records = (scalar_records){(const int32_t *)(uintptr_t)r->block, (const int32_t *)(uintptr_t)(r->block + at[1]),
                                  (const int32_t *)(uintptr_t)(r->block + at[2]),
                                  (const uint8_t *)(uintptr_t)(r->block + at[3])};
    r->start = r->block + at[4];
    r->v = r->block + at[5];
    return status;
}

static warplu_status launch_all(replay *r)
{
    wlu_cu_handle kernel = r->single ? r->k->of_float : r->k->of_double;
    warplu_status status = WARPLU_SUCCESS;
    for (int64_t k = 0; k < r->p->nvectors && status == WARPLU_SUCCESS; k++) {
        scalar_vector vector = r->p->vector[k];
        void *parameters[] = {&r->records, &vector, &r->v};
        unsigned grid = (unsigned)(((int64_t)vector.count + SCALAR_THREADS - 1) / SCALAR_THREADS);
        status = WLU_CUDA(r->ctx, launch, kernel, grid, 1, 1, SCALAR_THREADS, 1, 1, 0, r->k->stream, parameters, NULL);
    }
    return status;
}

static warplu_status make_graph(replay *r)
{
    wlu_cu_handle captured = NULL;
    warplu_status status = WLU_CUDA(r->ctx, capture_begin, r->k->stream, WLU_CU_CAPTURE_OF_THREAD);
    if (status < 0) return status;
    status = launch_all(r);
    wlu_cu_result ended = wlu_cuda.capture_end(r->k->stream, &captured);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_check(r->ctx, ended, "capture_end");
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(r->ctx, graph_make, &r->graph, captured, 0);
    if (captured != NULL) wlu_cuda.graph_destroy(captured);
    return status;
}

static warplu_status run_once(replay *r, double *ms)
{
    warplu_status status = WLU_CUDA(r->ctx, on_device, r->v, r->start, r->bytes, r->k->stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(r->ctx, stream_wait, r->k->stream);
    if (status < 0) return status;
    int64_t begun = wlu_now_ns();
    status = r->graph != NULL ? WLU_CUDA(r->ctx, graph_launch, r->graph, r->k->stream) : launch_all(r);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(r->ctx, stream_wait, r->k->stream);
    *ms = 1e-6 * (double)(wlu_now_ns() - begun);
    return status;
}

static int same_double(const double *a, const double *b, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (wlu_bits_of_double(a[k]) != wlu_bits_of_double(b[k]) && (a[k] == a[k] || b[k] == b[k])) return 0;
    return 1;
}

static int same_float(const float *a, const float *b, int64_t count)
{
    for (int64_t k = 0; k < count; k++)
        if (memcmp(&a[k], &b[k], sizeof *a) != 0 && (a[k] == a[k] || b[k] == b[k])) return 0;
    return 1;
}

static warplu_status compare(replay *r, int *same)
{
    void *v = wlu_alloc(r->ctx, (int64_t)r->bytes, 1);
    if (v == NULL) return wlu_fail_memory(r->ctx, "results of the device");
    warplu_status status = WLU_CUDA(r->ctx, to_host, v, r->v, r->bytes, r->k->stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(r->ctx, stream_wait, r->k->stream);
    if (status == WARPLU_SUCCESS)
        *same = r->single ? same_float(v, r->p->end_float, r->p->slots) : same_double(v, r->p->end, r->p->slots);
    wlu_free(r->ctx, v);
    return status;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static warplu_status measure(replay *r, int graph, int repeats, double *ms, replay_times *out)
{
    warplu_status status = upload(r);
    if (status == WARPLU_SUCCESS && graph) status = make_graph(r);
    for (int k = -1; k < repeats && status == WARPLU_SUCCESS; k++) status = run_once(r, &ms[k < 0 ? 0 : k]);
    if (status == WARPLU_SUCCESS) status = compare(r, &out->same_bits);
    if (status < 0) return status;
    qsort(ms, (size_t)repeats, sizeof *ms, ascending);
    out->median_ms = ms[repeats / 2];
    out->least_ms = ms[0];
    out->most_ms = ms[repeats - 1];
    return WARPLU_SUCCESS;
}

warplu_status replay_time(wlu_context *ctx, const replay_kernels *kernels, const scalar_program *program, int single,
                          int graph, int repeats, replay_times *out)
{
    replay r = {.ctx = ctx, .k = kernels, .p = program, .single = single};
    double *ms = WLU_ALLOC(ctx, repeats, double);
    if (ms == NULL) return wlu_fail_memory(ctx, "times");
    warplu_status status = wlu_cuda_enter(ctx, &kernels->device->on);
    if (status == WARPLU_SUCCESS) {
        status = measure(&r, graph, repeats, ms, out);
        if (r.graph != NULL) wlu_cuda.graph_unmake(r.graph);
        if (r.block != 0) wlu_cuda.free(r.block);
        status = wlu_cuda_leave(ctx, status);
    }
    wlu_free(ctx, ms);
    return status;
}
