/* Holds lanes on a device: compiles the kernel's text once by the driver, keeps rows and records of all lanes in two
 * allocations, which grow and never shrink, copies them and launches 128 lanes a thread block. The driver's words
 * about a text that it refuses become the message. */
#include "model/device/lanes.h"

#include <string.h>

#include "base/clock.h"
#include "model/device/context.h"

enum { THREADS = 128, SAID_BYTES = 400 };

struct wlm_device_lanes {
    wlu_context *ctx;
    wlm_kernel_shape shape;
    int64_t lanes, room; /* room: lanes that the memory is for */
    wlm_device_context on;
    wlu_cu_handle module, function;
    wlu_cu_address rows, record;
    wlm_device_times times;
};

static int64_t row_count(const wlm_device_lanes *d)
{
    return (int64_t)d->shape.n + d->shape.parameters + wlm_kernel_more_rows(&d->shape);
}

/* A text that the driver's compiler refuses: its words, on one line. */
static warplu_status load(wlm_device_lanes *d, const char *text)
{
    char said[SAID_BYTES] = "";
    int options[] = {WLU_CU_JIT_ERRORS, WLU_CU_JIT_ERRORS_BYTES};
    void *values[] = {said, (void *)(uintptr_t)sizeof said};
    wlu_cu_result result = wlu_cuda.module_compile(&d->module, text, 2, options, values);
    said[SAID_BYTES - 1] = '\0';
    warplu_status status = wlu_cuda_check(said[0] != '\0' ? NULL : d->ctx, result, "module_compile");
    if (status == WARPLU_SUCCESS || said[0] == '\0') return status;
    for (char *c = said; *c != '\0'; c++)
        if (*c == '\n') *c = ' ';
    return wlu_fail(d->ctx, status, "the CUDA driver does not compile a model's kernel (%d): %s", result, said);
}

static warplu_status compile(wlm_device_lanes *d, const wlm_kernel_programs *programs)
{
    wlm_ptx text;
    wlm_ptx_init(&text, d->ctx);
    warplu_status status = wlm_kernel_write(&text, programs, &d->shape);
    int64_t begin = wlu_now_ns();
    if (status == WARPLU_SUCCESS) status = load(d, text.text);
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
    warplu_status status = wlm_device_context_open(&d->on, ctx, number);
    if (status == WARPLU_SUCCESS) status = wlm_device_context_enter(&d->on);
    if (status == WARPLU_SUCCESS) status = wlm_device_context_leave(&d->on, compile(d, programs));
    if (status < 0)
        wlm_device_destroy(&d);
    else
        *out = d;
    return status;
}

static void free_room(wlm_device_lanes *d)
{
    if (d->rows != 0) wlu_cuda.free(d->rows);
    if (d->record != 0) wlu_cuda.free(d->record);
    d->rows = d->record = 0;
    d->room = 0;
}

static warplu_status make_room(wlm_device_lanes *d, int64_t lanes)
{
    size_t bytes = (size_t)(row_count(d) * lanes * 8), words = (size_t)(WLM_KERNEL_RECORDS * lanes * 4);
    free_room(d);
    warplu_status status = WLU_CUDA(d->ctx, alloc, &d->rows, bytes);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(d->ctx, alloc, &d->record, words);
    if (status == WARPLU_SUCCESS)
        d->room = lanes;
    else
        free_room(d);
    return status;
}

warplu_status wlm_device_set_lanes(wlm_device_lanes *lanes, int64_t count)
{
    wlm_device_lanes *d = lanes;
    int64_t rows = row_count(d);
    if (count > (int64_t)THREADS * INT32_MAX || count > INT64_MAX / 16 / rows)
        return wlu_fail(d->ctx, WARPLU_OVERFLOW, "%lld lanes of %lld numbers", (long long)count, (long long)rows);
    d->lanes = count;
    if (count <= d->room) return WARPLU_SUCCESS;
    warplu_status status = wlm_device_context_enter(&d->on);
    return status < 0 ? status : wlm_device_context_leave(&d->on, make_room(d, count));
}

void wlm_device_destroy(wlm_device_lanes **lanes)
{
    wlm_device_lanes *d = *lanes;
    if (d == NULL) return;
    if (d->on.context != NULL) {
        wlu_cu_handle old;
        if (wlu_cuda.context_push(d->on.context) == 0) {
            free_room(d);
            if (d->module != NULL) wlu_cuda.module_unload(d->module);
            wlu_cuda.context_pop(&old);
        }
        wlm_device_context_close(&d->on);
    }
    wlu_free(d->ctx, d);
    *lanes = NULL;
}

typedef wlu_cu_result copy_fn(void *host, wlu_cu_address device, size_t bytes);

static wlu_cu_result copy_in(void *host, wlu_cu_address device, size_t bytes)
{
    return wlu_cuda.to_device(device, host, bytes, NULL);
}

static wlu_cu_result copy_out(void *host, wlu_cu_address device, size_t bytes)
{
    return wlu_cuda.to_host(host, device, bytes, NULL);
}

/* Copies all rows, unless they are NULL, and the first rows of records. */
static warplu_status copy(wlm_device_lanes *d, copy_fn *way, void *rows, void *records, int32_t record_rows)
{
    size_t bytes = (size_t)(row_count(d) * d->lanes) * sizeof(double);
    size_t words = (size_t)(record_rows * d->lanes) * sizeof(int32_t);
    warplu_status status = wlm_device_context_enter(&d->on);
    if (status < 0) return status;
    if (rows != NULL) status = wlu_cuda_check(d->ctx, way(rows, d->rows, bytes), "copy");
    if (status == WARPLU_SUCCESS) status = wlu_cuda_check(d->ctx, way(records, d->record, words), "copy");
    return wlm_device_context_leave(&d->on, status == WARPLU_SUCCESS ? WLU_CUDA(d->ctx, stream_wait, NULL) : status);
}

/* A copy to the device only reads what it is given. */
static void *of_const(const void *pointer)
{
    void *same;
    memcpy(&same, &pointer, sizeof same);
    return same;
}

warplu_status wlm_device_write(wlm_device_lanes *lanes, const double *rows, const int32_t *records)
{
    return copy(lanes, copy_in, of_const(rows), of_const(records), WLM_KERNEL_RECORDS);
}

warplu_status wlm_device_read(wlm_device_lanes *lanes, double *rows, int32_t *records)
{
    return copy(lanes, copy_out, rows, records, WLM_KERNEL_RECORDS);
}

warplu_status wlm_device_read_statuses(wlm_device_lanes *lanes, int32_t *status)
{
    return copy(lanes, copy_out, NULL, status, WLM_RECORD_STATUS + 1);
}

warplu_status wlm_device_advance(wlm_device_lanes *lanes, const double numbers[WLM_KERNEL_NUMBERS], uint32_t most,
                                 uint32_t now)
{
    wlm_device_lanes *d = lanes;
    uint64_t count = (uint64_t)d->lanes;
    double number[WLM_KERNEL_NUMBERS];
    void *parameters[3 + WLM_KERNEL_NUMBERS + 2] = {&d->rows, &d->record, &count};
    memcpy(number, numbers, sizeof number);
    for (int k = 0; k < WLM_KERNEL_NUMBERS; k++) parameters[3 + k] = &number[k];
    parameters[3 + WLM_KERNEL_NUMBERS] = &most, parameters[4 + WLM_KERNEL_NUMBERS] = &now;
    warplu_status status = wlm_device_context_enter(&d->on);
    if (status < 0) return status;
    unsigned blocks = (unsigned)((d->lanes + THREADS - 1) / THREADS);
    int64_t begin = wlu_now_ns();
    status = WLU_CUDA(d->ctx, launch, d->function, blocks, 1, 1, THREADS, 1, 1, 0, NULL, parameters, NULL);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(d->ctx, stream_wait, NULL);
    d->times.run_seconds += (double)(wlu_now_ns() - begin) * 1e-9;
    return wlm_device_context_leave(&d->on, status);
}

wlm_device_times wlm_device_times_of(const wlm_device_lanes *lanes)
{
    return lanes->times;
}
