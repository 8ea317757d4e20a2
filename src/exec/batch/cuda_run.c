/* Jobs of the host on a device: chunks of members, in as many rooms as there are; numbers of one chunk are on their way
 * while another's are worked on. A job of several right-hand sides takes chunks column by column. */
#include "exec/batch/cuda_copies.h"
#include "exec/batch/cuda_state.h"

#include <string.h>

static wlu_member_result result_of(const wlu_group_result *r)
{
    return (wlu_member_result){r->health, r->refined, r->largest, r->least};
}

/* ------------------------------------------------------------------ chunks */

/* Columns that a job has, one where it solves for none. */
static int32_t columns_of(const wlu_batch_job *job)
{
    return job->nrhs > 0 ? job->nrhs : 1;
}

static warplu_status send(wlu_context *ctx, void *to, const void *from, size_t bytes, wlu_cu_handle stream)
{
    return WLU_CUDA(ctx, to_device, wlu_cuda_address(to), from, bytes, stream);
}

static warplu_status send_values(wlu_context *ctx, const wlu_batch_device_state *s, const wlu_batch_room_state *r,
                                 const wlu_batch_job *job, wlu_batch_task *t)
{
    wlu_batch_copies c = {.member = job->member + r->begin, .count = r->count, .numbers = s->base.program->nvalues};
    int64_t count = wlu_batch_bring(s->team, &c, job->values, 0, r->host.values);
    t->values = (wlu_member_view){r->device.values, c.room_by_member, 0, c.room_by_number};
    return send(ctx, r->device.values, r->host.values, (size_t)count * sizeof(double), r->stream);
}

static warplu_status send_places(wlu_context *ctx, const wlu_batch_room_state *r, const wlu_batch_job *job)
{
    size_t bytes = (size_t)r->count * sizeof *job->place;
    memcpy(r->host.place, job->place + r->begin, bytes);
    return send(ctx, r->device.place, r->host.place, bytes, r->stream);
}

static warplu_status send_b(wlu_context *ctx, const wlu_batch_device_state *s, const wlu_batch_room_state *r,
                            const wlu_batch_job *job, wlu_batch_task *t)
{
    wlu_batch_copies c = {.member = job->member + r->begin, .count = r->count, .numbers = s->base.program->n};
    int64_t count = wlu_batch_bring(s->team, &c, &job->b, r->column, r->host.b);
    t->b = (wlu_member_view){r->device.b, c.room_by_member, 0, c.room_by_number};
    wlu_batch_lay_out(&c, job->x.by_member);
    t->x = (wlu_member_output){r->device.x, c.room_by_member, 0, c.room_by_number};
    return send(ctx, r->device.b, r->host.b, (size_t)count * sizeof(double), r->stream);
}

/* Back to the room. */
static warplu_status fetch(wlu_context *ctx, const wlu_batch_device_state *s, const wlu_batch_room_state *r, int solves,
                           int tells)
{
    size_t numbers = (size_t)r->count * (size_t)s->base.program->n, bytes = (size_t)r->count * sizeof *r->host.result;
    warplu_status status = WARPLU_SUCCESS;
    if (solves)
        status = WLU_CUDA(ctx, to_host, r->host.x, wlu_cuda_address(r->device.x), numbers * sizeof(double), r->stream);
    if (status < 0 || !tells) return status;
    return WLU_CUDA(ctx, to_host, r->host.result, wlu_cuda_address(r->device.result), bytes, r->stream);
}

/* A column of a chunk: on its way, worked on, on its way back. */
static warplu_status begin(wlu_context *ctx, const wlu_batch_device_state *s, wlu_batch_room_state *r,
                           const wlu_batch_job *job)
{
    int solves = job->nrhs > 0, refactors = job->values != NULL && r->column == 0;
    wlu_batch_task t = {.work = s->work,
                        .result = r->device.result,
                        .kind = job->kind,
                        .check = job->check,
                        .column = r->column,
                        .tells = r->column + 1 == columns_of(job)};
    t.work.count = r->count;
    t.work.work = (int32_t)(r - s->room) * s->chunk;
    t.work.suspects = job->check == WLU_BATCH_SUSPECT;
    t.work.place = job->place != NULL ? r->device.place : NULL;
    warplu_status status = refactors ? send_values(ctx, s, r, job, &t) : WARPLU_SUCCESS;
    if (status == WARPLU_SUCCESS && job->place != NULL && r->column == 0) status = send_places(ctx, r, job);
    if (status == WARPLU_SUCCESS && solves) status = send_b(ctx, s, r, job, &t);
    if (status == WARPLU_SUCCESS) status = wlu_batch_cuda_enqueue(ctx, s, &t, r->stream);
    return status == WARPLU_SUCCESS ? fetch(ctx, s, r, solves, t.tells) : status;
}

/* Solutions of a column. */
static void deliver(const wlu_batch_device_state *s, const wlu_batch_room_state *r, const wlu_batch_job *job)
{
    wlu_batch_copies c = {.member = job->member + r->begin, .count = r->count, .numbers = s->base.program->n};
    wlu_batch_deliver(s->team, &c, &job->x, r->column, r->host.x);
}

/* Waits for what is under way in a room, after a failure too; then it is the caller's, unless that failed. */
static warplu_status finish(wlu_context *ctx, const wlu_batch_device_state *s, wlu_batch_room_state *r,
                            const wlu_batch_job *job, warplu_status status)
{
    if (r->count == 0) return status;
    wlu_cu_result waited = wlu_cuda.stream_wait(r->stream);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_check(ctx, waited, "stream_wait");
    if (status == WARPLU_SUCCESS && job->nrhs > 0) deliver(s, r, job);
    if (status == WARPLU_SUCCESS && r->column + 1 == columns_of(job))
        for (int32_t i = 0; i < r->count; i++) job->result[job->member[r->begin + i]] = result_of(&r->host.result[i]);
    r->count = 0;
    return status;
}

/* Chunks of as many members as there are rooms for, from this one on, column by column. */
static warplu_status run_chunks(wlu_context *ctx, wlu_batch_device_state *s, const wlu_batch_job *job, int32_t first)
{
    warplu_status status = WARPLU_SUCCESS;
    for (int32_t column = 0; column < columns_of(job); column++)
        for (int k = 0; k < s->rooms && status == WARPLU_SUCCESS; k++) {
            wlu_batch_room_state *r = &s->room[k];
            int32_t at = first + k * s->chunk;
            status = finish(ctx, s, r, job, status);
            if (at >= job->count || status < 0) continue;
            r->begin = at;
            r->count = job->count - at < s->chunk ? job->count - at : s->chunk;
            r->column = column;
            status = begin(ctx, s, r, job);
        }
    return status;
}

warplu_status wlu_batch_cuda_run(wlu_context *ctx, wlu_batch_state *state, const wlu_batch_job *job)
{
    wlu_batch_device_state *s = (wlu_batch_device_state *)state;
    int64_t step = (int64_t)s->rooms * s->chunk;
    warplu_status status = wlu_cuda_enter(ctx, s->device);
    if (status < 0) return status;
    status = wlu_batch_cuda_settle(ctx, s);
    for (int64_t first = 0; first < job->count && status == WARPLU_SUCCESS; first += step)
        status = run_chunks(ctx, s, job, (int32_t)first);
    for (int k = 0; k < s->rooms; k++) status = finish(ctx, s, &s->room[k], job, status);
    return wlu_cuda_leave(ctx, status);
}
