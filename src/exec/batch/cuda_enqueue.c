/* Jobs whose arrays are the device's, on a stream of the caller's: as many members at a time as the device works on. */
#include "exec/batch/cuda_ledger.h"
#include "exec/batch/cuda_state.h"

/* Members from `first` on, column by column. */
static warplu_status enqueue_some(wlu_context *ctx, const wlu_batch_device_state *s, const wlu_batch_job *job,
                                  int32_t first, wlu_cu_handle stream)
{
    wlu_batch_task t = {.work = s->work,
                        .result = wlu_cuda_pointer(wlu_cuda_address(job->result)),
                        .kind = job->kind,
                        .check = job->check};
    warplu_status status = WARPLU_SUCCESS;
    t.work.begin = first;
    t.work.count = job->count - first < s->lanes ? job->count - first : s->lanes;
    t.work.member = job->member;
    t.work.place = job->place;
    t.work.live = job->live;
    t.work.suspects = job->check == WLU_BATCH_SUSPECT;
    if (job->nrhs > 0) {
        t.b = job->b;
        t.x = job->x;
    }
    do {
        t.values = job->values != NULL && t.column == 0 ? *job->values : (wlu_member_view){0};
        t.tells = t.column + 1 >= job->nrhs;
        status = wlu_batch_cuda_enqueue(ctx, s, &t, stream);
    } while (++t.column < job->nrhs && status == WARPLU_SUCCESS);
    return status;
}

static warplu_status enqueue(wlu_context *ctx, wlu_batch_state *state, const wlu_batch_job *job, void *stream)
{
    wlu_batch_device_state *s = (wlu_batch_device_state *)state;
    warplu_status status = wlu_cuda_enter(ctx, &s->device->on);
    if (status < 0) return status;
    s->elsewhere = 1;
    for (int64_t first = 0; first < job->count && status == WARPLU_SUCCESS; first += s->lanes)
        status = enqueue_some(ctx, s, job, (int32_t)first, stream);
    return wlu_cuda_leave(ctx, status);
}

static warplu_status finish(wlu_context *ctx, wlu_batch_state *state, const wlu_member_result *told, int32_t count,
                            wlu_member_result *result, void *stream)
{
    wlu_batch_device_state *s = (wlu_batch_device_state *)state;
    warplu_status status = wlu_cuda_enter(ctx, &s->device->on);
    if (status < 0) return status;
    status = WLU_CUDA(ctx, stream_wait, stream);
    if (status == WARPLU_SUCCESS)
        status = WLU_CUDA(ctx, to_host, result, wlu_cuda_address(told), (size_t)count * sizeof *result, stream);
    if (status == WARPLU_SUCCESS) status = WLU_CUDA(ctx, stream_wait, stream);
    return wlu_cuda_leave(ctx, status);
}

const wlu_batch_on_device wlu_batch_cuda_on_device = {.enqueue = enqueue,
                                                      .finish = finish,
                                                      .open = wlu_batch_ledger_open,
                                                      .close = wlu_batch_ledger_close,
                                                      .serve = wlu_batch_ledger_serve,
                                                      .collect = wlu_batch_ledger_collect,
                                                      .forget = wlu_batch_ledger_forget,
                                                      .carry = wlu_batch_ledger_carry};
