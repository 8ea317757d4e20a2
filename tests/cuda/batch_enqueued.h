/* Jobs of batches on device pointers, enqueued or in a graph, beside those that take members one by one. In a header
 * because check.h counts failures per test file. */
#ifndef WLU_TEST_BATCH_ENQUEUED_H
#define WLU_TEST_BATCH_ENQUEUED_H

#include "batch_jobs.h"
#include "device/context.h"
#include "exec/device/memory.h"

/* Copies on the device. */
typedef struct batch_copies {
    wlu_context *ctx;
    const void *device;
    void *values, *b, *x, *member, *place, *result;
} batch_copies;

static inline void *batch_send(const batch_copies *c, const void *from, int64_t bytes)
{
    void *to = NULL;
    CHECK(wlu_device_memory_cuda.alloc(c->ctx, c->device, bytes, &to) == WARPLU_SUCCESS);
    if (to != NULL) CHECK(wlu_device_memory_cuda.to_device(c->ctx, c->device, to, from, bytes) == WARPLU_SUCCESS);
    return to;
}

static inline int64_t batch_values_count(const batch_numbers *n, const batch_system *s)
{
    return (n->count - 1) * n->value_view.by_member + (s->m.nnz - 1) * n->value_view.by_number + 1;
}

static inline void batch_send_all(batch_copies *c, batch_system *s, const batch_numbers *n)
{
    c->ctx = &s->b.ctx;
    CHECK(wlu_device_memory_cuda.open(c->ctx, -1, &c->device) == WARPLU_SUCCESS);
    c->values = batch_send(c, n->values, 8 * batch_values_count(n, s));
    c->b = batch_send(c, n->b, 8 * n->bs);
    c->x = batch_send(c, n->x[1], 8 * n->bs);
    c->member = batch_send(c, n->member, 4 * (int64_t)n->count);
    c->place = batch_send(c, n->place, 4 * (int64_t)n->count);
    c->result = batch_send(c, n->result[1], n->count * (int64_t)sizeof **n->result);
}

static inline void batch_free_copies(batch_copies *c)
{
    void *owned[] = {c->values, c->b, c->x, c->member, c->place, c->result};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++) wlu_device_memory_cuda.free(c->device, owned[k]);
}

/* The same job of the copies. view: of the values. */
static inline wlu_batch_job batch_of_copies(const batch_copies *c, wlu_batch_job job, wlu_member_view *view)
{
    if (job.values != NULL) {
        view->at = c->values;
        job.values = view;
    }
    job.member = job.member != NULL ? c->member : NULL;
    job.place = job.place != NULL ? c->place : NULL;
    job.b.at = c->b;
    job.x.at = c->x;
    job.result = c->result;
    return job;
}

/* A graph of what is enqueued, launched twice, or the stream at once. */
static inline void batch_play(batch_system *s, const wlu_batch_job *job, int graphs, wlu_cu_handle stream)
{
    const wlu_batch_on_device *device = s->other->executor->device;
    wlu_cu_handle graph = NULL, made = NULL;
    if (graphs) CHECK(wlu_cuda.capture_begin(stream, WLU_CU_CAPTURE_OF_THREAD) == 0);
    CHECK(device->enqueue(&s->b.ctx, s->other, job, stream) == WARPLU_SUCCESS);
    if (!graphs) return;
    CHECK(wlu_cuda.capture_end(stream, &graph) == 0 && wlu_cuda.graph_make(&made, graph, 0) == 0);
    for (int k = 0; k < 2; k++) CHECK(wlu_cuda.graph_launch(made, stream) == 0);
    CHECK(wlu_cuda.stream_wait(stream) == 0);
    CHECK(wlu_cuda.graph_unmake(made) == 0 && wlu_cuda.graph_destroy(graph) == 0);
}

/* The job, but for what is here, by both: by the other on copies of the numbers. */
static inline void batch_compare_enqueued(batch_system *s, batch_numbers *n, wlu_batch_job job, int graphs,
                                          const char *what)
{
    batch_copies c;
    wlu_member_view view = n->value_view;
    wlu_cu_handle stream = NULL;
    const wlu_member_result *told;
    int all = job.member == NULL;
    batch_send_all(&c, s, n);
    job.b = n->b_view;
    job.x = n->x_view;
    job.x.at = n->x[0];
    job.result = n->result[0];
    job.member = n->member;
    CHECK(s->one->executor->run(&s->b.ctx, s->one, &job) == WARPLU_SUCCESS);
    job.member = all ? NULL : n->member;
    wlu_batch_job copied = batch_of_copies(&c, job, &view);
    told = copied.result;
    CHECK(wlu_cuda_enter(c.ctx, c.device) == WARPLU_SUCCESS);
    CHECK(wlu_cuda.stream_create(&stream, WLU_CU_STREAM_NON_BLOCKING) == 0);
    batch_play(s, &copied, graphs, stream);
    CHECK(s->other->executor->device->finish(&s->b.ctx, s->other, told, n->count, n->result[1], stream) ==
          WARPLU_SUCCESS);
    CHECK(wlu_cuda.stream_destroy(stream) == 0 && wlu_cuda_leave(c.ctx, WARPLU_SUCCESS) == WARPLU_SUCCESS);
    CHECK(wlu_device_memory_cuda.to_host(c.ctx, c.device, n->x[1], c.x, 8 * n->bs) == WARPLU_SUCCESS);
    batch_compare_all(s, n, &job, what);
    batch_free_copies(&c);
}

#endif
