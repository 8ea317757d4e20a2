/* Jobs of the host on a device: chunks of members, in as many rooms as there are; numbers of one chunk are on their way
 * while another's are worked on. A job of several right-hand sides takes chunks column by column. What one room does at
 * a time is a turn, so that several devices can take turns, too. */
#include "exec/batch/cuda_copies.h"
#include "exec/batch/cuda_state.h"
#include "exec/device/copies.h"

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

static wlu_batch_copies copies_of(const wlu_batch_device_state *s, const wlu_batch_room_state *r,
                                  const wlu_batch_job *job, int32_t numbers)
{
    return (wlu_batch_copies){
        .member = job->member + r->begin, .count = r->count, .numbers = numbers, .doubles = s->base.program->doubles};
}

static warplu_status send_values(wlu_context *ctx, const wlu_batch_device_state *s, const wlu_batch_room_state *r,
                                 const wlu_batch_job *job, wlu_batch_task *t)
{
    wlu_batch_copies c = copies_of(s, r, job, s->base.program->nvalues);
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
    wlu_batch_copies c = copies_of(s, r, job, s->base.program->n);
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
    size_t numbers = (size_t)r->count * (size_t)(s->base.program->doubles * s->base.program->n),
           bytes = (size_t)r->count * sizeof *r->host.result;
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
    wlu_batch_copies c = copies_of(s, r, job, s->base.program->n);
    wlu_batch_deliver(s->team, &c, &job->x, r->column, r->host.x);
}

/* Waits for what is under way in a room, after a failure too; then it is the caller's, unless that failed. */
static warplu_status finish(wlu_context *ctx, const wlu_batch_device_state *s, wlu_batch_room_state *r,
                            const wlu_batch_job *job, warplu_status status)
{
    if (r->count == 0) return status;
    status = wlu_cuda_wait(ctx, r->stream, status);
    if (status == WARPLU_SUCCESS && job->nrhs > 0) deliver(s, r, job);
    if (status == WARPLU_SUCCESS && r->column + 1 == columns_of(job))
        for (int32_t i = 0; i < r->count; i++) job->result[job->member[r->begin + i]] = result_of(&r->host.result[i]);
    r->count = 0;
    return status;
}

/* Gives a room its next chunk, and delivers what it had before. */
static warplu_status take_turn(wlu_context *ctx, wlu_batch_device_state *s, const wlu_batch_job *job, int64_t turn)
{
    int64_t round = turn / s->rooms, columns = columns_of(job), k = turn % s->rooms;
    int64_t at = (round / columns * s->rooms + k) * s->chunk;
    wlu_batch_room_state *r = &s->room[k];
    warplu_status status = finish(ctx, s, r, job, WARPLU_SUCCESS);
    if (at >= job->count || status < 0) return status;
    r->begin = (int32_t)at;
    r->count = job->count - r->begin < s->chunk ? job->count - r->begin : s->chunk;
    r->column = (int32_t)(round % columns);
    return begin(ctx, s, r, job);
}

static warplu_status finish_all(wlu_context *ctx, wlu_batch_device_state *s, const wlu_batch_job *job,
                                warplu_status status)
{
    for (int k = 0; k < s->rooms; k++) status = finish(ctx, s, &s->room[k], job, status);
    return status;
}

int64_t wlu_batch_cuda_turns(const wlu_batch_state *state, const wlu_batch_job *job)
{
    const wlu_batch_device_state *s = (const wlu_batch_device_state *)state;
    int64_t step = (int64_t)s->rooms * s->chunk;
    return (job->count + step - 1) / step * columns_of(job) * s->rooms;
}

warplu_status wlu_batch_cuda_turn(wlu_context *ctx, wlu_batch_state *state, const wlu_batch_job *job, int64_t turn)
{
    wlu_batch_device_state *s = (wlu_batch_device_state *)state;
    warplu_status status = wlu_cuda_enter(ctx, &s->device->on);
    return status < 0 ? status : wlu_cuda_leave(ctx, take_turn(ctx, s, job, turn));
}

warplu_status wlu_batch_cuda_end(wlu_context *ctx, wlu_batch_state *state, const wlu_batch_job *job,
                                 warplu_status status)
{
    wlu_batch_device_state *s = (wlu_batch_device_state *)state;
    warplu_status entered = wlu_cuda_enter(ctx, &s->device->on);
    if (entered == WARPLU_SUCCESS) return wlu_cuda_leave(ctx, finish_all(ctx, s, job, status));
    for (int k = 0; k < s->rooms; k++) s->room[k].count = 0; /* without its context nobody can wait for them */
    return status < 0 ? status : entered;
}

warplu_status wlu_batch_cuda_run(wlu_context *ctx, wlu_batch_state *state, const wlu_batch_job *job)
{
    wlu_batch_device_state *s = (wlu_batch_device_state *)state;
    int64_t turns = wlu_batch_cuda_turns(state, job);
    warplu_status status = wlu_cuda_enter(ctx, &s->device->on);
    if (status < 0) return status;
    status = wlu_cuda_settle(ctx, s->elsewhere);
    for (int64_t turn = 0; turn < turns && status == WARPLU_SUCCESS; turn++) status = take_turn(ctx, s, job, turn);
    return wlu_cuda_leave(ctx, finish_all(ctx, s, job, status));
}
