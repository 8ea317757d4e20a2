/* Holds lanes on a device: compiles the kernel's text once by the driver, keeps rows and records of all lanes in one
 * allocation, which grows and never shrinks, copies them and launches 128 lanes a thread block, all in a stream of its
 * own. */
#include "model/device/lanes.h"

#include <string.h>

#include "base/clock.h"
#include "device/context.h"
#include "device/kernels.h"
#include "device/memory.h"

enum { THREADS = 128 };

struct wlm_device_lanes {
    wlu_context *ctx;
    wlm_kernel_shape shape;
    int64_t lanes, room; /* room: how many lanes the memory has room for */
    wlu_cuda_context on;
    wlu_cu_handle module, function, stream;
    wlu_cu_address rows, record; /* record: behind rows, in their allocation */
    wlu_cu_address tables;       /* 0: the kernel reads none */
    wlm_device_times times;
};

int64_t wlm_device_rows(const wlm_kernel_shape *shape)
{
    return (int64_t)shape->n + shape->parameters + wlm_kernel_more_rows(shape);
}

static size_t row_bytes(const wlm_device_lanes *d, int64_t lanes)
{
    return (size_t)(wlm_device_rows(&d->shape) * lanes) * sizeof(double);
}

static size_t record_bytes(int64_t records, int64_t lanes)
{
    return (size_t)(records * lanes) * sizeof(int32_t);
}

/* Copies the tables to the device, where they stay. */
static warplu_status copy_tables(wlm_device_lanes *d, const wlm_device_tables *tables)
{
    if (tables->numbers == 0) return WARPLU_SUCCESS;
    double *block = WLU_ALLOC(d->ctx, tables->numbers, double);
    if (block == NULL) return wlu_fail_memory(d->ctx, "tables on a device");
    size_t bytes = (size_t)tables->numbers * sizeof *block;
    wlm_device_tables_fill(tables, block);
    warplu_status status = WLU_CUDA(d->ctx, alloc, &d->tables, bytes);
    if (status == WARPLU_SUCCESS) {
        status = WLU_CUDA(d->ctx, to_device, d->tables, block, bytes, d->stream);
        status = wlu_cuda_wait(d->ctx, d->stream, status);
    }
    wlu_free(d->ctx, block);
    return status;
}

static warplu_status compile(wlm_device_lanes *d, const wlm_kernel_programs *programs)
{
    wlm_ptx text;
    wlm_device_tables tables;
    wlm_ptx_init(&text, d->ctx);
    warplu_status status = wlm_kernel_list_tables(d->ctx, programs, &tables);
    if (status == WARPLU_SUCCESS) status = wlm_kernel_write(&text, programs, &tables, &d->shape);
    if (status == WARPLU_SUCCESS) status = copy_tables(d, &tables);
    wlm_device_tables_free(d->ctx, &tables);
    int64_t begin = wlu_now_ns();
    if (status == WARPLU_SUCCESS) status = wlu_cuda_load(d->ctx, text.text, &d->module);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(d->ctx, module_function, &d->function, d->module, WLM_KERNEL_NAME);
    d->times.compile_seconds = (double)(wlu_now_ns() - begin) * 1e-9;
    wlm_ptx_free(&text);
    return status;
}

warplu_status wlm_device_create(wlu_context *ctx, int number, const wlm_kernel_programs *programs,
                                const wlm_kernel_shape *shape, wlm_device_lanes **out)
{
    *out = NULL;
    wlm_device_lanes *d = WLU_CALLOC(ctx, 1, wlm_device_lanes);
    if (d == NULL) return wlu_fail_memory(ctx, "lanes on a device");
    d->ctx = ctx, d->shape = *shape;
    warplu_status status = wlu_cuda_context_open(ctx, number, &d->on);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_enter(ctx, &d->on);
    if (status == WARPLU_SUCCESS) {
        status = WLU_CUDA(ctx, stream_create, &d->stream, WLU_CU_STREAM_NON_BLOCKING);
        status = wlu_cuda_leave(ctx, status == WARPLU_SUCCESS ? compile(d, programs) : status);
    }
    if (status < 0)
        wlm_device_destroy(&d);
    else
        *out = d;
    return status;
}

static void free_room(wlm_device_lanes *d)
{
    if (d->rows != 0) wlu_cuda.free(d->rows);
    d->rows = 0;
    d->room = 0;
}

static warplu_status make_room(wlm_device_lanes *d, int64_t lanes)
{
    wlu_cu_address rows = (wlu_cu_address)wlu_cuda_aligned((int64_t)row_bytes(d, lanes));
    free_room(d);
    warplu_status status = WLU_CUDA(d->ctx, alloc, &d->rows, (size_t)rows + record_bytes(WLM_KERNEL_RECORDS, lanes));
    if (status < 0) return status;
    d->record = d->rows + rows;
    d->room = lanes;
    return status;
}

warplu_status wlm_device_set_lanes(wlm_device_lanes *lanes, int64_t count)
{
    wlm_device_lanes *d = lanes;
    int64_t rows = wlm_device_rows(&d->shape);
    if (count > (int64_t)THREADS * INT32_MAX || count > INT64_MAX / 16 / rows)
        return wlu_fail(d->ctx, WARPLU_OVERFLOW, "%lld lanes of %lld numbers", (long long)count, (long long)rows);
    d->lanes = count;
    if (count <= d->room) return WARPLU_SUCCESS;
    warplu_status status = wlu_cuda_enter(d->ctx, &d->on);
    return status < 0 ? status : wlu_cuda_leave(d->ctx, make_room(d, count));
}

void wlm_device_destroy(wlm_device_lanes **lanes)
{
    wlm_device_lanes *d = *lanes;
    if (d == NULL) return;
    if (d->on.handle != NULL && wlu_cuda_enter(NULL, &d->on) == WARPLU_SUCCESS) {
        free_room(d);
        if (d->tables != 0) wlu_cuda.free(d->tables);
        if (d->module != NULL) wlu_cuda.module_unload(d->module);
        if (d->stream != NULL) wlu_cuda.stream_destroy(d->stream);
        wlu_cuda_leave(NULL, WARPLU_SUCCESS);
    }
    if (d->on.handle != NULL) wlu_cuda_context_close(&d->on);
    wlu_free(d->ctx, d);
    *lanes = NULL;
}

warplu_status wlm_device_write(wlm_device_lanes *lanes, const double *rows, const int32_t *records)
{
    wlm_device_lanes *d = lanes;
    size_t bytes = record_bytes(WLM_KERNEL_RECORDS, d->lanes);
    warplu_status status = wlu_cuda_enter(d->ctx, &d->on);
    if (status < 0) return status;
    status = WLU_CUDA(d->ctx, to_device, d->rows, rows, row_bytes(d, d->lanes), d->stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(d->ctx, to_device, d->record, records, bytes, d->stream);
    return wlu_cuda_leave(d->ctx, wlu_cuda_wait(d->ctx, d->stream, status));
}

/* All rows, unless they are NULL, and so many of records. */
static warplu_status fetch(wlm_device_lanes *d, double *rows, int32_t *records, int64_t record_rows)
{
    size_t bytes = record_bytes(record_rows, d->lanes);
    warplu_status status = wlu_cuda_enter(d->ctx, &d->on);
    if (status < 0) return status;
    if (rows != NULL) status = WLU_CUDA(d->ctx, to_host, rows, d->rows, row_bytes(d, d->lanes), d->stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(d->ctx, to_host, records, d->record, bytes, d->stream);
    return wlu_cuda_leave(d->ctx, wlu_cuda_wait(d->ctx, d->stream, status));
}

warplu_status wlm_device_read(wlm_device_lanes *lanes, double *rows, int32_t *records)
{
    return fetch(lanes, rows, records, WLM_KERNEL_RECORDS);
}

warplu_status wlm_device_read_statuses(wlm_device_lanes *lanes, int32_t *status)
{
    return fetch(lanes, NULL, status, WLM_RECORD_STATUS + 1);
}

warplu_status wlm_device_advance(wlm_device_lanes *lanes, const double numbers[WLM_KERNEL_NUMBERS], uint32_t most,
                                 uint32_t now)
{
    wlm_device_lanes *d = lanes;
    uint64_t count = (uint64_t)d->lanes;
    double number[WLM_KERNEL_NUMBERS];
    void *parameters[3 + WLM_KERNEL_NUMBERS + 3] = {&d->rows, &d->record, &count};
    memcpy(number, numbers, sizeof number);
    for (int k = 0; k < WLM_KERNEL_NUMBERS; k++) parameters[3 + k] = &number[k];
    parameters[3 + WLM_KERNEL_NUMBERS] = &most, parameters[4 + WLM_KERNEL_NUMBERS] = &now;
    parameters[5 + WLM_KERNEL_NUMBERS] = &d->tables;
    warplu_status status = wlu_cuda_enter(d->ctx, &d->on);
    if (status < 0) return status;
    int64_t begin = wlu_now_ns();
    status = wlu_cuda_launch(d->ctx, d->function, d->lanes, THREADS, parameters, d->stream);
    status = wlu_cuda_wait(d->ctx, d->stream, status);
    d->times.run_seconds += (double)(wlu_now_ns() - begin) * 1e-9;
    return wlu_cuda_leave(d->ctx, status);
}

wlm_device_times wlm_device_times_of(const wlm_device_lanes *lanes)
{
    return lanes->times;
}
