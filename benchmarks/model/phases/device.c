/* The device's memory is one block: index, code, table, arrays, sums. */
#include "phases/device.h"

#include "device/context.h"
#include "device/kernels.h"
#include "device/memory.h"

enum { KERNELS = WLM_ASSIGNMENTS };

extern const unsigned char wlm_fatbin_phases[];

struct wlm_phases_device {
    wlu_context *ctx;
    wlu_cuda_context on;
    wlu_cu_handle module, stream, kernel[KERNELS];
    wlu_cu_address memory;
    uint32_t *index, *code;
    unsigned char *table;
    double *array[WLM_PHASES_ARRAYS], *sum[2];
    int32_t phases, variables;
    wlm_phase *phase;
    double start;
    int64_t steps;
};

static warplu_status load_kernels(wlm_phases_device *d)
{
    static const char *const names[KERNELS] = {"wlm_phases_definitions", "wlm_phases_euler", "wlm_phases_rk4_first",
                                               "wlm_phases_rk4_middle", "wlm_phases_rk4_last"};
    warplu_status status = wlu_cuda_load(d->ctx, wlm_fatbin_phases, &d->module);
    for (int k = 0; k < KERNELS && status == WARPLU_SUCCESS; k++)
        status = WLU_CUDA(d->ctx, module_function, &d->kernel[k], d->module, names[k]);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(d->ctx, stream_create, &d->stream, WLU_CU_STREAM_NON_BLOCKING);
    return status;
}

static wlu_cu_address lay_out(wlm_phases_device *d, const wlm_phases *p)
{
    wlu_cu_address at = d->memory;
    int64_t numbers = (int64_t)sizeof(double) * p->variables;
    d->index = wlu_cuda_take(&at, (int64_t)sizeof *p->index * p->threads);
    d->code = wlu_cuda_take(&at, (int64_t)sizeof *p->code * p->words);
    d->table = wlu_cuda_take(&at, p->table_bytes);
    for (int k = 0; k < WLM_PHASES_ARRAYS; k++) d->array[k] = wlu_cuda_take(&at, numbers);
    for (int k = 0; k < 2; k++) d->sum[k] = wlu_cuda_take(&at, numbers);
    return at - d->memory;
}

static warplu_status send(wlm_phases_device *d, const void *to, const void *from, size_t bytes)
{
    return bytes > 0 ? WLU_CUDA(d->ctx, to_device, wlu_cuda_address(to), from, bytes, d->stream) : WARPLU_SUCCESS;
}

static warplu_status fill(wlm_phases_device *d, const wlm_phases *p, const wlm_phases_state *state)
{
    size_t numbers = sizeof(double) * (size_t)p->variables;
    warplu_status status = WLU_CUDA(d->ctx, alloc, &d->memory, (size_t)lay_out(d, p));
    if (status != WARPLU_SUCCESS) return status;
    lay_out(d, p);
    status = send(d, d->index, p->index, sizeof *p->index * (size_t)p->threads);
    if (status == WARPLU_SUCCESS) status = send(d, d->code, p->code, sizeof *p->code * (size_t)p->words);
    if (status == WARPLU_SUCCESS) status = send(d, d->table, p->table, (size_t)p->table_bytes);
    for (int k = 0; k < WLM_PHASES_ARRAYS && status == WARPLU_SUCCESS; k++)
        status = send(d, d->array[k], state->array[0], numbers);
    for (int k = 0; k < 2 && status == WARPLU_SUCCESS; k++)
        status = WLU_CUDA(d->ctx, clear, wlu_cuda_address(d->sum[k]), 0, numbers, d->stream);
    return status == WARPLU_SUCCESS ? WLU_CUDA(d->ctx, stream_wait, d->stream) : status;
}

warplu_status wlm_phases_device_create(wlu_context *ctx, const wlm_phases *phases, const wlm_phases_state *state,
                                       wlm_phases_device **out)
{
    *out = NULL;
    if (phases->stack > WLM_PHASES_STACK)
        return wlu_fail(ctx, WARPLU_INVALID_ARGUMENT, "phases: a stack of %d, kernels have %d", (int)phases->stack,
                        WLM_PHASES_STACK);
    wlm_phases_device *d = WLU_CALLOC(ctx, 1, wlm_phases_device);
    wlm_phase *phase = WLU_ALLOC(ctx, phases->phases, wlm_phase);
    if (d == NULL || phase == NULL) {
        wlu_free(ctx, d);
        wlu_free(ctx, phase);
        return wlu_fail_memory(ctx, "phases");
    }
    *d = (wlm_phases_device){.ctx = ctx,
                             .phases = phases->phases,
                             .variables = phases->variables,
                             .phase = phase,
                             .start = state->start,
                             .steps = state->steps};
    for (int32_t k = 0; k < phases->phases; k++) phase[k] = phases->phase[k];
    warplu_status status = wlu_cuda_context_open(ctx, 0, &d->on);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_enter(ctx, &d->on);
    if (status == WARPLU_SUCCESS) {
        status = load_kernels(d);
        if (status == WARPLU_SUCCESS) status = fill(d, phases, state);
        status = wlu_cuda_leave(ctx, status);
    }
    if (status != WARPLU_SUCCESS) wlm_phases_device_destroy(&d);
    *out = d;
    return status;
}

void wlm_phases_device_destroy(wlm_phases_device **device)
{
    wlm_phases_device *d = *device;
    if (d == NULL) return;
    if (d->on.handle != NULL && wlu_cuda_enter(NULL, &d->on) == WARPLU_SUCCESS) {
        if (d->stream != NULL) wlu_cuda.stream_wait(d->stream);
        if (d->memory != 0) wlu_cuda.free(d->memory);
        if (d->stream != NULL) wlu_cuda.stream_destroy(d->stream);
        if (d->module != NULL) wlu_cuda.module_unload(d->module);
        wlu_cuda_leave(NULL, WARPLU_SUCCESS);
    }
    if (d->on.handle != NULL) wlu_cuda_context_close(&d->on);
    wlu_free(d->ctx, d->phase);
    wlu_free(d->ctx, d);
    *device = NULL;
}

/* ------------------------------------------------------------------- steps */

static warplu_status launch(wlm_phases_device *d, wlm_phases_memory m, int32_t phase, wlm_phases_assignment assignment)
{
    int32_t threads = d->phase[phase].threads;
    void *parameters[] = {&m, &threads};
    if (threads == 0) return WARPLU_SUCCESS;
    m.index = d->index + d->phase[phase].first;
    m.code = d->code;
    m.table = d->table;
    return wlu_cuda_launch(d->ctx, d->kernel[assignment], threads, WLU_WARP, parameters, d->stream);
}

static warplu_status define(wlm_phases_device *d, double *array)
{
    wlm_phases_memory m = {.in = array, .out = array};
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t phase = 0; phase + 1 < d->phases && status == WARPLU_SUCCESS; phase++)
        status = launch(d, m, phase, WLM_ASSIGN_DEFINITION);
    return status;
}

static warplu_status run_stage(wlm_phases_device *d, const wlm_phases_stage *s, double time)
{
    wlm_phases_memory m = {.in = d->array[s->in],
                           .out = d->array[s->out],
                           .base = d->array[s->base],
                           .sum = d->sum[s->sum],
                           .next_sum = d->sum[s->next_sum],
                           .step = s->step,
                           .time = time};
    warplu_status status = define(d, d->array[s->in]);
    return status == WARPLU_SUCCESS ? launch(d, m, d->phases - 1, s->assignment) : status;
}

warplu_status wlm_phases_device_run(wlm_phases_device *d, wlm_method method, double h, int64_t steps)
{
    wlm_phases_stage stage[WLM_PHASES_STAGES_MOST];
    int stages = wlm_phases_plan(method, h, stage);
    if (stages == 0) return wlu_fail(d->ctx, WARPLU_INVALID_ARGUMENT, "phases: steps are made by euler or rk4");
    warplu_status status = wlu_cuda_enter(d->ctx, &d->on);
    if (status != WARPLU_SUCCESS) return status;
    for (int64_t k = 0; k < steps && status == WARPLU_SUCCESS; k++) {
        for (int i = 0; i < stages && status == WARPLU_SUCCESS; i++)
            status = run_stage(d, &stage[i], wlm_phases_time(&stage[i], i + 1 == stages, d->start, d->steps, h));
        double *now = d->array[0];
        d->array[0] = d->array[stage[stages - 1].out];
        d->array[stage[stages - 1].out] = now;
        d->steps++;
    }
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(d->ctx, stream_wait, d->stream);
    return wlu_cuda_leave(d->ctx, status);
}

warplu_status wlm_phases_device_define(wlm_phases_device *d)
{
    warplu_status status = wlu_cuda_enter(d->ctx, &d->on);
    if (status != WARPLU_SUCCESS) return status;
    status = define(d, d->array[0]);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(d->ctx, stream_wait, d->stream);
    return wlu_cuda_leave(d->ctx, status);
}

warplu_status wlm_phases_device_fetch(wlm_phases_device *d, wlm_phases_state *state)
{
    warplu_status status = wlu_cuda_enter(d->ctx, &d->on);
    if (status != WARPLU_SUCCESS) return status;
    status = WLU_CUDA(d->ctx, to_host, state->array[0], wlu_cuda_address(d->array[0]),
                      sizeof(double) * (size_t)d->variables, d->stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(d->ctx, stream_wait, d->stream);
    state->steps = d->steps;
    return wlu_cuda_leave(d->ctx, status);
}
