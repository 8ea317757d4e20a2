/* warplu.jax on NVIDIA GPUs: values, right-hand sides and solutions are the device's, and replays are enqueued to the
 * call's stream.
 *
 * XLA would go on before the replays have ended, and their verdict comes after them: a call waits for it, so that an
 * answer that the device does not vouch for is mended here and never handed on. Through the host go values, right-hand
 * sides and solutions where pivots are chosen or a replay is weak; and the pattern, 4 (n + 1 + nnz) bytes, in the first
 * call, or in each where it was not known when the call was traced, which then waits for the stream before, too.
 *
 * Leading dimensions become blocks. A block is a batch of members that have values of their own, and some right-hand
 * sides each; where it is one member, a solver replays it. The device's memory is reached as the command line reaches
 * it, by the driver that the library has opened. */
#include "jax.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <warplu/batch_device.h>

#include "exec/device/memory.h"

typedef struct work {
    const wpy_jax_call *c;
    wlu_context ctx;
    const void *device;
    int32_t *ptr, *idx;  /* on the host, once they are needed */
    wpy_jax_kept *one;   /* the solver, likewise */
    int64_t count, nrhs; /* of a block */
    int shared_rhs;      /* by the block's members */
} work;

/* ------------------------------------------------------------ to and from */

/* A copy on the host, which the caller frees; after an error nothing, or what it has come to. */
static void *fetch(work *w, const void *from, int64_t count, size_t size, warplu_status *status)
{
    if (*status < 0) return NULL;
    void *copy = malloc((size_t)count * size + 1);
    *status = copy == NULL ? WARPLU_OUT_OF_MEMORY
                           : wlu_device_memory_cuda.to_host(&w->ctx, w->device, copy, from, count * (int64_t)size);
    return copy;
}

static warplu_status send(work *w, double *to, const double *from, int64_t doubles)
{
    return wlu_device_memory_cuda.to_device(&w->ctx, w->device, to, from, doubles * (int64_t)sizeof *to);
}

/* A status without an answer: X of so many systems is NaN, or the status ends the call. */
static warplu_status give_up(work *w, warplu_status status, double *x, int64_t systems)
{
    if (!w->c->nan) return status;
    int64_t doubles = systems * w->c->n * w->c->doubles;
    double *nothing = malloc((size_t)doubles * sizeof *nothing);
    if (nothing == NULL) return WARPLU_OUT_OF_MEMORY;
    for (int64_t i = 0; i < doubles; i++) nothing[i] = NAN;
    status = send(w, x, nothing, doubles);
    free(nothing);
    return status;
}

static warplu_status fetch_pattern(work *w)
{
    const wpy_jax_call *c = w->c;
    if (w->ptr != NULL) return WARPLU_SUCCESS;
    warplu_status status = wlu_device_memory_cuda.wait(&w->ctx, w->device, c->stream);
    w->ptr = fetch(w, c->a[WPY_PTR]->data, c->n + 1, sizeof *w->ptr, &status);
    w->idx = fetch(w, c->a[WPY_IDX]->data, c->nnz, sizeof *w->idx, &status);
    return status;
}

/* A solver, or a batch: one that was kept, or a new one. */
static warplu_status take(work *w, int64_t count, int shared_rhs, wpy_jax_kept **out)
{
    const wpy_jax_call *c = w->c;
    int keyed = c->key[0] != 0 || c->key[1] != 0;
    *out = NULL;
    warplu_status status = keyed ? WARPLU_SUCCESS : fetch_pattern(w);
    if (status < 0) return status;
    *out = wpy_jax_find(c, w->ptr, w->idx, count, shared_rhs);
    if (*out != NULL) return WARPLU_SUCCESS;
    status = fetch_pattern(w);
    return status < 0 ? status : wpy_jax_make(c, w->ptr, w->idx, count, shared_rhs, out);
}

/* ------------------------------------------------------------- one member */

/* Pivots and a program for these values, where there are none. */
static warplu_status factor_first(warplu_solver *s, const double *values)
{
    warplu_statistics statistics = {.size = sizeof statistics};
    warplu_status status = warplu_get_statistics(s, &statistics);
    return status < 0 || statistics.compiled ? status : warplu_factor(s, values);
}

/* Factors and solves with the numbers on the host, whose calls mend what is weak. */
static warplu_status answer_by_host(work *w, warplu_solver *s, int64_t member, double *x)
{
    const wpy_jax_call *c = w->c;
    int64_t count = w->nrhs * c->n * c->doubles;
    warplu_status status = wlu_device_memory_cuda.wait(&w->ctx, w->device, c->stream);
    double *values = fetch(w, wpy_jax_values(c, member), c->nnz * c->doubles, sizeof *values, &status);
    double *b = fetch(w, wpy_jax_rhs(c, member), count, sizeof *b, &status);
    double *answer = malloc((size_t)count * sizeof *answer);
    if (answer == NULL) status = WARPLU_OUT_OF_MEMORY;
    if (status == WARPLU_SUCCESS) status = factor_first(s, values);
    if (status >= 0) status = wpy_refactor_solve(s, values, c->trans, (int32_t)w->nrhs, b, answer, (int32_t)c->n);
    if (wpy_jax_serves(status)) status = send(w, x, answer, count);
    free(answer);
    free(b);
    free(values);
    return status;
}

static warplu_status solve_one(work *w, int64_t member)
{
    const wpy_jax_call *c = w->c;
    double *x = wpy_jax_x(c, member);
    warplu_status status = w->one != NULL ? WARPLU_SUCCESS : take(w, 1, 0, &w->one);
    if (status < 0) return status;
    warplu_solver *s = w->one->solver;
    status = warplu_refactor_solve_device(s, wpy_jax_values(c, member), c->trans, (int32_t)w->nrhs,
                                          wpy_jax_rhs(c, member), (int32_t)c->n, x, (int32_t)c->n, c->stream);
    if (status == WARPLU_ENQUEUED) status = warplu_finish_device(s, NULL, c->stream);
    if (status == WARPLU_SUCCESS) return status;
    status = answer_by_host(w, s, member, x);
    return wpy_jax_serves(status) ? WARPLU_SUCCESS : give_up(w, status, x, w->nrhs);
}

/* -------------------------------------------------------------- a batch */

/* Pivots, and what solves with A' need. */
static warplu_status prepare(work *w, warplu_batch *batch, int64_t member)
{
    const wpy_jax_call *c = w->c;
    warplu_status status = c->trans ? warplu_batch_prepare_transposed(batch) : WARPLU_WRONG_PHASE;
    if (status != WARPLU_WRONG_PHASE) return status;
    status = wlu_device_memory_cuda.wait(&w->ctx, w->device, c->stream);
    double *values = fetch(w, wpy_jax_values(c, member), w->count * c->nnz * c->doubles, sizeof *values, &status);
    if (status == WARPLU_SUCCESS) status = warplu_batch_factor(batch, values);
    free(values);
    return status >= 0 && c->trans ? warplu_batch_prepare_transposed(batch) : status;
}

static warplu_status enqueue(work *w, warplu_batch *batch, int64_t member)
{
    const wpy_jax_call *c = w->c;
    return warplu_batch_refactor_solve_device(batch, wpy_jax_values(c, member), NULL, c->trans, (int32_t)w->nrhs,
                                              wpy_jax_rhs(c, member), wpy_jax_x(c, member), c->stream);
}

/* Those of the block's members that have no answer. */
static warplu_status judge_members(work *w, warplu_batch *batch, int64_t member)
{
    char text[WLU_MESSAGE_BYTES];
    for (int32_t k = 0; k < w->count; k++) {
        warplu_batch_member record;
        warplu_status status = warplu_batch_get_members(batch, k, 1, &record, sizeof record);
        if (status < 0) return status;
        if (wpy_jax_serves(record.status)) continue;
        snprintf(text, sizeof text, "member %lld: %s", (long long)(member / w->nrhs + k),
                 warplu_status_text(record.status));
        wpy_hear(record.status, text, NULL);
        status = give_up(w, record.status, wpy_jax_x(w->c, member + k * w->nrhs), w->nrhs);
        if (status != WARPLU_SUCCESS) return status;
    }
    return WARPLU_SUCCESS;
}

/* A sample of which no member has pivots says nothing of the others: each is asked by itself. */
static warplu_status solve_each(work *w, int64_t member)
{
    work one = *w;
    warplu_status status = WARPLU_SUCCESS;
    one.count = 1;
    for (int64_t k = 0; k < w->count && status == WARPLU_SUCCESS; k++) status = solve_one(&one, member + k * w->nrhs);
    w->one = one.one;
    return status;
}

static warplu_status solve_batch(work *w, int64_t member)
{
    wpy_jax_kept *b;
    warplu_status status = take(w, w->count, w->shared_rhs, &b);
    if (status < 0) return status;
    status = enqueue(w, b->batch, member);
    if (status == WARPLU_WRONG_PHASE) {
        status = prepare(w, b->batch, member);
        if (status >= 0) status = enqueue(w, b->batch, member);
    }
    if (status == WARPLU_ENQUEUED) status = warplu_batch_finish_device(b->batch, w->c->stream);
    int members_failed = status == WARPLU_MEMBERS_FAILED;
    if (members_failed) status = judge_members(w, b->batch, member);
    wpy_jax_give(b, members_failed || status >= 0);
    if (members_failed || (status != WARPLU_SINGULAR && status != WARPLU_NOT_FINITE)) return status;
    return solve_each(w, member);
}

/* --------------------------------------------------------------- blocks */

/* Finds the block's sizes: from the last dimension back, those that the right-hand sides alone have; then those that
 * the values have, as long as the right-hand sides have each of them, or none. */
static void find_block(work *w)
{
    const wpy_jax_call *c = w->c;
    const int64_t *dims = c->x->dims;
    int i = c->rank - 1, any = 0;
    w->count = w->nrhs = 1;
    for (; i >= 0 && c->value_strides[i] == 0 && (c->rhs_strides[i] != 0 || dims[i] == 1); i--) w->nrhs *= dims[i];
    for (; i >= 0; i--) {
        int shared = c->rhs_strides[i] == 0;
        if (dims[i] == 1) continue;
        if (c->value_strides[i] == 0 || (any && shared != w->shared_rhs)) break;
        w->shared_rhs = shared;
        w->count *= dims[i];
        any = 1;
    }
}

static warplu_status solve_blocks(work *w)
{
    warplu_status status = WARPLU_SUCCESS;
    find_block(w);
    if (w->count > INT32_MAX || w->nrhs > INT32_MAX) return WARPLU_OVERFLOW;
    for (int64_t m = 0; m < w->c->members && status == WARPLU_SUCCESS; m += w->count * w->nrhs)
        status = w->count > 1 ? solve_batch(w, m) : solve_one(w, m);
    return status;
}

warplu_status wpy_jax_on_cuda(const wpy_jax_call *c)
{
    work w = {.c = c};
    warplu_options options;
    wpy_jax_options(c, &options);
    wlu_context_init(&w.ctx, &options);
    warplu_status status = wlu_device_memory_cuda.open(&w.ctx, c->device, &w.device);
    if (status == WARPLU_SUCCESS) status = solve_blocks(&w);
    wpy_jax_give(w.one, status != WARPLU_DEVICE_FAILED);
    free(w.ptr);
    free(w.idx);
    return status;
}
