/* Jobs of the host on a device: chunks of members, in as many rooms as there are; numbers of one chunk are on their way
 * while another's are worked on. A job of several right-hand sides takes chunks column by column. */
#include "exec/batch/cuda_state.h"

#include <string.h>

/* ---------------------------------------------------------------- numbers */

/* How numbers lie in a room. */
typedef struct layout {
    int64_t by_member, by_number;
} layout;

/* Members one after the other, or where the caller has them side by side, numbers. */
static layout layout_of(int64_t by_member, int32_t count, int32_t numbers)
{
    if (by_member == 1) return (layout){1, count};
    return (layout){by_member == 0 ? 0 : numbers, 1};
}

/* Where member i of a chunk begins in a column of the caller's. */
static int64_t place_of(const wlu_batch_job *job, int32_t begin, int32_t i, int64_t by_member)
{
    return job->member[begin + i] * by_member;
}

/* Into the room. Returns how many numbers. */
static int64_t bring(const wlu_batch_job *job, const wlu_batch_room_state *r, const wlu_member_view *view,
                     int32_t numbers, double *to, layout *how)
{
    const double *from = view->at + r->column * view->by_column;
    *how = layout_of(view->by_member, r->count, numbers);
    int32_t members = how->by_member == 0 ? 1 : r->count;
    for (int32_t i = 0; i < members && how->by_number == 1; i++) {
        const double *at = from + place_of(job, r->begin, i, view->by_member);
        double *here = to + i * how->by_member;
        if (view->by_number == 1)
            memcpy(here, at, (size_t)numbers * sizeof *here);
        else
            for (int32_t k = 0; k < numbers; k++) here[k] = at[k * view->by_number];
    }
    for (int32_t k = 0; k < numbers && how->by_number != 1; k++)
        for (int32_t i = 0; i < members; i++)
            to[k * how->by_number + i] = from[place_of(job, r->begin, i, 1) + k * view->by_number];
    return (int64_t)members * numbers;
}

/* Out of the room. */
static void deliver(const wlu_batch_job *job, const wlu_batch_room_state *r, int32_t numbers)
{
    const wlu_member_output *view = &job->x;
    double *to = view->at + r->column * view->by_column;
    layout how = layout_of(view->by_member, r->count, numbers);
    for (int32_t i = 0; i < r->count && how.by_number == 1; i++) {
        const double *here = r->host.x + i * how.by_member;
        double *at = to + place_of(job, r->begin, i, view->by_member);
        if (view->by_number == 1)
            memcpy(at, here, (size_t)numbers * sizeof *at);
        else
            for (int32_t k = 0; k < numbers; k++) at[k * view->by_number] = here[k];
    }
    for (int32_t k = 0; k < numbers && how.by_number != 1; k++)
        for (int32_t i = 0; i < r->count; i++)
            to[place_of(job, r->begin, i, 1) + k * view->by_number] = r->host.x[k * how.by_number + i];
}

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
    layout how;
    int32_t numbers = s->base.program->nvalues;
    int64_t count = bring(job, r, job->values, numbers, r->host.values, &how);
    t->values = (wlu_member_view){r->device.values, how.by_member, 0, how.by_number};
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
    layout how;
    int32_t n = s->base.program->n;
    int64_t count = bring(job, r, &job->b, n, r->host.b, &how);
    layout out = layout_of(job->x.by_member, r->count, n);
    t->b = (wlu_member_view){r->device.b, how.by_member, 0, how.by_number};
    t->x = (wlu_member_output){r->device.x, out.by_member, 0, out.by_number};
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

/* Waits for what is under way in a room, after a failure too; then it is the caller's, unless that failed. */
static warplu_status finish(wlu_context *ctx, const wlu_batch_device_state *s, wlu_batch_room_state *r,
                            const wlu_batch_job *job, warplu_status status)
{
    if (r->count == 0) return status;
    wlu_cu_result waited = wlu_cuda.stream_wait(r->stream);
    if (status == WARPLU_SUCCESS) status = wlu_cuda_check(ctx, waited, "stream_wait");
    if (status == WARPLU_SUCCESS && job->nrhs > 0) deliver(job, r, s->base.program->n);
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
