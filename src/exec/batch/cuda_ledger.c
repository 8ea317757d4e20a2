/* Ledgers on a CUDA device. Marks and results are the device's own, and copied when they are collected; entries are the
 * host's, pinned, and read by the device where they are. */
#include "exec/batch/cuda_ledger.h"

#include "exec/device/copies.h"

#include <string.h>

enum { DEEDS = WLU_BATCH_DEEDS };

/* Of a carried parcel, on the device at a time. */
#define CARRIED_BYTES (INT64_C(64) << 20)

typedef struct device_ledger {
    wlu_batch_ledger base;
    const wlu_cuda_device *device;
    void *pinned;
    wlu_cu_address block;
    wlu_ledger_entry *entry; /* the device's addresses from here on */
    unsigned char *mark;     /* of the deeds, one after the other */
    wlu_group_result *told;
    int32_t *member, *place, *live;
} device_ledger;

/* ------------------------------------------------------------ open, close */

/* Parts of the pinned memory; returns how much it is. */
static size_t place_host(device_ledger *d, wlu_cu_address at)
{
    int64_t count = d->base.count;
    wlu_cu_address begin = at;
    d->base.entry = wlu_cuda_take(&at, count * (int64_t)sizeof *d->base.entry);
    unsigned char *mark = wlu_cuda_take(&at, DEEDS * count);
    wlu_member_result *told = wlu_cuda_take(&at, DEEDS * count * (int64_t)sizeof *told);
    for (int k = 0; k < DEEDS && begin != 0; k++) {
        d->base.mark[k] = mark + k * count;
        d->base.told[k] = told + k * count;
    }
    return (size_t)(at - begin);
}

static size_t place_device(device_ledger *d, wlu_cu_address at)
{
    int64_t count = d->base.count;
    wlu_cu_address begin = at;
    d->mark = wlu_cuda_take(&at, DEEDS * count);
    d->told = wlu_cuda_take(&at, DEEDS * count * (int64_t)sizeof *d->told);
    d->member = wlu_cuda_take(&at, count * (int64_t)sizeof *d->member);
    d->place = wlu_cuda_take(&at, count * (int64_t)sizeof *d->place);
    d->live = wlu_cuda_take(&at, (int64_t)sizeof *d->live);
    return (size_t)(at - begin);
}

static warplu_status clear_marks(wlu_context *ctx, const device_ledger *d, wlu_cu_handle stream)
{
    warplu_status status = WLU_CUDA(ctx, clear, wlu_cuda_address(d->mark), 0, DEEDS * (size_t)d->base.count, stream);
    return status < 0 ? status : WLU_CUDA(ctx, stream_wait, stream);
}

static warplu_status attach(wlu_context *ctx, device_ledger *d)
{
    void *on_device = NULL;
    warplu_status status = wlu_cuda_pin(ctx, place_host(d, 0), &d->pinned, &on_device);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, alloc, &d->block, place_device(d, 0));
    if (status < 0) return status;
    memset(d->pinned, 0, place_host(d, wlu_cuda_address(d->pinned)));
    d->entry = on_device; /* the first of the pinned parts */
    place_device(d, d->block);
    return clear_marks(ctx, d, NULL);
}

void wlu_batch_ledger_close(wlu_context *ctx, wlu_batch_ledger **ledger)
{
    device_ledger *d = (device_ledger *)*ledger;
    *ledger = NULL;
    if (d == NULL) return;
    if (d->device != NULL && wlu_cuda_enter(NULL, &d->device->on) == WARPLU_SUCCESS) {
        wlu_cuda.context_wait();
        if (d->block != 0) wlu_cuda.free(d->block);
        if (d->pinned != NULL) wlu_cuda.host_free(d->pinned);
        wlu_cuda_leave(NULL, WARPLU_SUCCESS);
    }
    wlu_free(ctx, d);
}

warplu_status wlu_batch_ledger_open(wlu_context *ctx, const wlu_target *target, int32_t count, wlu_batch_ledger **out)
{
    device_ledger *d = WLU_CALLOC(ctx, 1, device_ledger);
    *out = NULL;
    if (d == NULL) return wlu_fail_memory(ctx, "ledger of a batch");
    *out = &d->base;
    d->base.count = count;
    warplu_status status = wlu_cuda_device_find(ctx, target->device, &d->device);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_device_need(ctx, d->device, 1u << WLU_CUDA_BATCH_LEDGER);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_enter(ctx, &d->device->on);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_leave(ctx, attach(ctx, d));
    if (status < 0) wlu_batch_ledger_close(ctx, out);
    return status;
}

/* ------------------------------------------------------------------- calls */

static warplu_status launch(wlu_context *ctx, wlu_cu_handle kernel, int32_t blocks, int threads, void *parameter,
                            wlu_cu_handle stream)
{
    void *parameters[] = {parameter};
    return WLU_CUDA(ctx, launch, kernel, (unsigned)blocks, 1, 1, (unsigned)threads, 1, 1, 0, stream, parameters, NULL);
}

static wlu_ledger_column column_of(wlu_batch_deed deed)
{
    switch (deed) {
    case WLU_BATCH_AT_ONCE: return WLU_LEDGER_PROGRAM;
    case WLU_BATCH_FACTORED: return WLU_LEDGER_KEPT;
    case WLU_BATCH_SOLVED:
    case WLU_BATCH_DEEDS: break;
    }
    return WLU_LEDGER_FACTORS;
}

static warplu_status pick(wlu_context *ctx, const device_ledger *d, const wlu_batch_turn *t, wlu_cu_handle stream)
{
    wlu_ledger_pick p = {.mask = t->mask,
                         .entry = d->entry,
                         .mark = d->mark + t->deed * (int64_t)d->base.count,
                         .member = d->member,
                         .place = d->place,
                         .live = d->live,
                         .count = d->base.count,
                         .program = t->program,
                         .most = t->most,
                         .column = column_of(t->deed),
                         .rest = t->rest,
                         .fresh = t->fresh};
    return t->all ? WARPLU_SUCCESS : launch(ctx, d->device->batch_pick, 1, WLU_LEDGER_PICKERS, &p, stream);
}

static warplu_status vouch(wlu_context *ctx, const device_ledger *d, const wlu_batch_job *job, const wlu_batch_turn *t,
                           wlu_cu_handle stream)
{
    wlu_ledger_verdicts v = {.promise = t->promise,
                             .told = t->program >= 0 ? d->told + t->deed * (int64_t)d->base.count : NULL,
                             .mark = d->mark + t->deed * (int64_t)d->base.count,
                             .entry = t->deed == WLU_BATCH_FACTORED ? d->entry : NULL,
                             .member = t->all ? NULL : d->member,
                             .live = t->all ? NULL : d->live,
                             .count = t->most,
                             .program = t->program,
                             .n = t->n,
                             .doubles = t->doubles,
                             .x = job->x.at,
                             .by_member = job->x.by_member,
                             .by_column = job->x.by_column,
                             .by_number = job->x.by_number};
    return launch(ctx, d->device->batch_vouch, t->most, WLU_LEDGER_THREADS, &v, stream);
}

static warplu_status serve(wlu_context *ctx, device_ledger *d, wlu_batch_state *state, const wlu_batch_job *job,
                           const wlu_batch_turn *t, void *stream)
{
    wlu_batch_job mine = *job;
    mine.count = t->most;
    mine.member = t->all ? NULL : d->member;
    mine.live = t->all ? NULL : d->live;
    mine.place = t->keeps ? d->place : NULL;
    mine.result = (wlu_member_result *)(d->told + t->deed * (int64_t)d->base.count);
    warplu_status status = pick(ctx, d, t, stream);
    if (status == WARPLU_SUCCESS && t->program >= 0)
        status = state->executor->device->enqueue(ctx, state, &mine, stream);
    return status < 0 ? status : vouch(ctx, d, job, t, stream);
}

warplu_status wlu_batch_ledger_serve(wlu_context *ctx, wlu_batch_ledger *ledger, wlu_batch_state *state,
                                     const wlu_batch_job *job, const wlu_batch_turn *t, void *stream)
{
    device_ledger *d = (device_ledger *)ledger;
    warplu_status status = wlu_cuda_enter(ctx, &d->device->on);
    return status < 0 ? status : wlu_cuda_leave(ctx, serve(ctx, d, state, job, t, stream));
}

/* ------------------------------------------------------------------- finish */

static warplu_status collect(wlu_context *ctx, device_ledger *d, wlu_cu_handle stream)
{
    size_t count = (size_t)d->base.count;
    warplu_status status = WLU_CUDA(ctx, stream_wait, stream);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, to_host, d->base.mark[0], wlu_cuda_address(d->mark), DEEDS * count, stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, stream_wait, stream);
    for (size_t k = 0; k < DEEDS && status == WARPLU_SUCCESS; k++) {
        const unsigned char *mark = d->base.mark[k];
        if (mark[0] != 0 || memcmp(mark, mark + 1, count - 1) != 0) /* not all are 0 */
            status = WLU_CUDA(ctx, to_host, d->base.told[k], wlu_cuda_address(d->told + k * count),
                              count * sizeof *d->told, stream);
    }
    return status < 0 ? status : clear_marks(ctx, d, stream);
}

warplu_status wlu_batch_ledger_collect(wlu_context *ctx, wlu_batch_ledger *ledger, void *stream)
{
    device_ledger *d = (device_ledger *)ledger;
    warplu_status status = wlu_cuda_enter(ctx, &d->device->on);
    return status < 0 ? status : wlu_cuda_leave(ctx, collect(ctx, d, stream));
}

warplu_status wlu_batch_ledger_forget(wlu_context *ctx, wlu_batch_ledger *ledger)
{
    device_ledger *d = (device_ledger *)ledger;
    warplu_status status = wlu_cuda_enter(ctx, &d->device->on);
    if (status < 0) return status;
    status = wlu_cuda_check(ctx, wlu_cuda.context_wait(), "context_wait");
    return wlu_cuda_leave(ctx, status < 0 ? status : clear_marks(ctx, d, NULL));
}

/* Members first .. of the list, which are the ledger's list by now, through memory on the device. */
static warplu_status carry_some(wlu_context *ctx, const device_ledger *d, const wlu_batch_parcel *p, int32_t first,
                                int32_t count, wlu_cu_address room, wlu_cu_handle stream)
{
    warplu_status status = WLU_CUDA(ctx, to_device, wlu_cuda_address(d->member), p->member + first,
                                    (size_t)count * sizeof *p->member, stream);
    size_t bytes = (size_t)count * (size_t)(p->doubles * p->numbers) * sizeof(double);
    for (int32_t c = 0; c < p->columns && status == WARPLU_SUCCESS; c++) {
        double *host = p->host + ((int64_t)c * p->count + first) * p->doubles * p->numbers;
        wlu_ledger_copy copy = {.at = p->at.at + c * p->at.by_column,
                                .compact = wlu_cuda_pointer(room),
                                .by_member = p->at.by_member,
                                .by_number = p->at.by_number,
                                .member = d->member,
                                .count = count,
                                .numbers = p->numbers,
                                .doubles = p->doubles,
                                .back = p->back};
        if (p->back) status = WLU_CUDA(ctx, to_device, room, host, bytes, stream);
        if (status == WARPLU_SUCCESS)
            status = launch(ctx, d->device->batch_copy, count, WLU_LEDGER_THREADS, &copy, stream);
        if (status == WARPLU_SUCCESS && !p->back) status = WLU_CUDA(ctx, to_host, host, room, bytes, stream);
    }
    return wlu_cuda_wait(ctx, stream, status);
}

static warplu_status carry(wlu_context *ctx, const device_ledger *d, const wlu_batch_parcel *p, wlu_cu_handle stream)
{
    int64_t bytes = 8 * p->doubles * (int64_t)p->numbers, step = CARRIED_BYTES / (bytes + 1) + 1;
    wlu_cu_address room = 0;
    if (step > p->count) step = p->count;
    warplu_status status = WLU_CUDA(ctx, alloc, &room, (size_t)(step * bytes));
    if (status < 0) return status;
    for (int64_t first = 0; first < p->count && status == WARPLU_SUCCESS; first += step) {
        int64_t left = p->count - first;
        status = carry_some(ctx, d, p, (int32_t)first, (int32_t)(left < step ? left : step), room, stream);
    }
    wlu_cuda.free(room);
    return status;
}

warplu_status wlu_batch_ledger_carry(wlu_context *ctx, wlu_batch_ledger *ledger, const wlu_batch_parcel *parcel,
                                     void *stream)
{
    const device_ledger *d = (const device_ledger *)ledger;
    if (parcel->count == 0 || parcel->numbers == 0) return WARPLU_SUCCESS;
    warplu_status status = wlu_cuda_enter(ctx, &d->device->on);
    return status < 0 ? status : wlu_cuda_leave(ctx, carry(ctx, d, parcel, stream));
}
