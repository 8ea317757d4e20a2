/* Solvers and batches that warplu.jax keeps from one call on a device to the next, for to open a solver takes as long
 * as to compare its pattern, and a batch's program and room take longer to make than a replay. They are in a list with
 * the one used last in front. A solver that leaves it goes back to the process' cache; a batch is over a solver of the
 * host from there, with what it knows of the pattern. */
#include "jax.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_KEPT = 16 };

static PyThread_type_lock lock;
static wpy_jax_kept *kept;

int wpy_jax_prepare(void)
{
    if (lock == NULL) lock = PyThread_allocate_lock();
    if (lock == NULL) PyErr_NoMemory();
    return lock != NULL;
}

static wpy_jax_kept describe(const wpy_jax_call *c, const int32_t *ptr, const int32_t *idx, int64_t count,
                             int shared_rhs)
{
    return (wpy_jax_kept){.device = c->device,
                          .storage = c->storage,
                          .shared_rhs = shared_rhs,
                          .n = c->n,
                          .nnz = c->nnz,
                          .doubles = c->doubles,
                          .count = count,
                          .key = {c->key[0], c->key[1]},
                          .ptr = (int32_t *)ptr,
                          .idx = (int32_t *)idx};
}

static int has_key(const wpy_jax_kept *k)
{
    return k->key[0] != 0 || k->key[1] != 0;
}

static int fits(const wpy_jax_kept *k, const wpy_jax_kept *wanted)
{
    if (k->device != wanted->device || k->storage != wanted->storage || k->shared_rhs != wanted->shared_rhs ||
        k->n != wanted->n || k->nnz != wanted->nnz || k->doubles != wanted->doubles || k->count != wanted->count ||
        k->key[0] != wanted->key[0] || k->key[1] != wanted->key[1])
        return 0;
    return has_key(k) || (memcmp(k->ptr, wanted->ptr, (size_t)(k->n + 1) * sizeof *k->ptr) == 0 &&
                          memcmp(k->idx, wanted->idx, (size_t)k->nnz * sizeof *k->idx) == 0);
}

wpy_jax_kept *wpy_jax_find(const wpy_jax_call *c, const int32_t *ptr, const int32_t *idx, int64_t count, int shared_rhs)
{
    const wpy_jax_kept wanted = describe(c, ptr, idx, count, shared_rhs);
    PyThread_acquire_lock(lock, WAIT_LOCK);
    wpy_jax_kept **at = &kept;
    while (*at != NULL && !fits(*at, &wanted)) at = &(*at)->next;
    wpy_jax_kept *found = *at;
    if (found != NULL) *at = found->next;
    PyThread_release_lock(lock);
    return found;
}

static void release(wpy_jax_kept *k)
{
    if (k == NULL) return;
    warplu_batch_destroy(&k->batch);
    warplu_close_solver(&k->solver);
    free(k->ptr);
    free(k->idx);
    free(k);
}

void wpy_jax_give(wpy_jax_kept *k, int keep)
{
    wpy_jax_kept *old = k;
    if (k != NULL && keep) {
        PyThread_acquire_lock(lock, WAIT_LOCK);
        k->next = kept;
        kept = k;
        wpy_jax_kept **at = &kept;
        for (int i = 0; i < MOST_KEPT && *at != NULL; i++) at = &(*at)->next;
        old = *at;
        *at = NULL;
        PyThread_release_lock(lock);
    }
    release(old);
}

static warplu_status create(wpy_jax_kept *k, const wpy_jax_call *c, const int32_t *ptr, const int32_t *idx)
{
    warplu_options options;
    warplu_batch_options of_batch;
    warplu_solver *host;
    wpy_jax_options(c, &options);
    if (k->count == 1) {
        options.executor = WARPLU_EXECUTOR_CUDA;
        return wpy_jax_open(c, &options, ptr, idx, NULL, &k->solver);
    }
    warplu_status status = wpy_jax_open(c, &options, ptr, idx, NULL, &host);
    if (status < 0) return status;
    warplu_batch_init_options(&of_batch);
    of_batch.executor = WARPLU_EXECUTOR_CUDA;
    of_batch.shared_rhs = k->shared_rhs;
    status = warplu_batch_create(&k->batch, host, (int32_t)k->count, &of_batch);
    warplu_close_solver(&host);
    return status;
}

/* Nothing where there is a key. 0: no memory. */
static int copy(const wpy_jax_kept *k, const int32_t *from, int64_t count, int32_t **to)
{
    *to = NULL;
    if (has_key(k)) return 1;
    *to = malloc((size_t)count * sizeof **to);
    if (*to != NULL) memcpy(*to, from, (size_t)count * sizeof **to);
    return *to != NULL;
}

warplu_status wpy_jax_make(const wpy_jax_call *c, const int32_t *ptr, const int32_t *idx, int64_t count, int shared_rhs,
                           wpy_jax_kept **out)
{
    wpy_jax_kept *k = *out = malloc(sizeof *k);
    if (k == NULL) return WARPLU_OUT_OF_MEMORY;
    *k = describe(c, ptr, idx, count, shared_rhs);
    int copied = copy(k, ptr, c->n + 1, &k->ptr);
    copied = copy(k, idx, c->nnz, &k->idx) && copied;
    warplu_status status = copied ? create(k, c, ptr, idx) : WARPLU_OUT_OF_MEMORY;
    if (status >= 0) return WARPLU_SUCCESS;
    release(k);
    *out = NULL;
    return status;
}
