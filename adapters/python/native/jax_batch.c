/* Batches that warplu.jax keeps from one call to the next, for a batch's program and room on the device take longer to
 * make than a replay takes. They are found by their pattern, compared whole, in a list with the one used last in front.
 * A batch is over a solver of the host, which comes from the process' cache with what it knows of the pattern. */
#include "jax.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_KEPT = 8 };

static PyThread_type_lock lock;
static wpy_jax_batch *kept;

int wpy_jax_prepare_batches(void)
{
    if (lock == NULL) lock = PyThread_allocate_lock();
    if (lock == NULL) PyErr_NoMemory();
    return lock != NULL;
}

static int fits(const wpy_jax_batch *b, const wpy_jax_batch *wanted)
{
    return b->device == wanted->device && b->storage == wanted->storage && b->shared_rhs == wanted->shared_rhs &&
           b->n == wanted->n && b->nnz == wanted->nnz && b->doubles == wanted->doubles && b->count == wanted->count &&
           memcmp(b->ptr, wanted->ptr, (size_t)(b->n + 1) * sizeof *b->ptr) == 0 &&
           memcmp(b->idx, wanted->idx, (size_t)b->nnz * sizeof *b->idx) == 0;
}

/* Out of the list: the first that fits. */
static wpy_jax_batch *find(const wpy_jax_batch *wanted)
{
    PyThread_acquire_lock(lock, WAIT_LOCK);
    wpy_jax_batch **at = &kept;
    while (*at != NULL && !fits(*at, wanted)) at = &(*at)->next;
    wpy_jax_batch *found = *at;
    if (found != NULL) *at = found->next;
    PyThread_release_lock(lock);
    return found;
}

static void release(wpy_jax_batch *b)
{
    if (b == NULL) return;
    warplu_destroy_batch(&b->batch);
    free(b->ptr);
    free(b->idx);
    free(b);
}

void wpy_jax_give_batch(wpy_jax_batch *b, int keep)
{
    wpy_jax_batch *old = b;
    if (b != NULL && keep) {
        PyThread_acquire_lock(lock, WAIT_LOCK);
        b->next = kept;
        kept = b;
        wpy_jax_batch **at = &kept;
        for (int i = 0; i < MOST_KEPT && *at != NULL; i++) at = &(*at)->next;
        old = *at;
        *at = NULL;
        PyThread_release_lock(lock);
    }
    release(old);
}

static warplu_status create(wpy_jax_batch *b, const wpy_jax_call *c)
{
    warplu_options options;
    warplu_batch_options of_batch;
    warplu_solver *solver;
    wpy_jax_options(c, &options);
    warplu_status status = wpy_jax_open(c, &options, b->ptr, b->idx, NULL, &solver);
    if (status < 0) return status;
    warplu_init_batch_options(&of_batch);
    of_batch.executor = WARPLU_EXECUTOR_CUDA;
    of_batch.shared_rhs = b->shared_rhs;
    status = warplu_create_batch(&b->batch, solver, (int32_t)b->count, &of_batch);
    warplu_close_solver(&solver);
    return status;
}

static int32_t *copy(const int32_t *from, int64_t count)
{
    int32_t *to = malloc((size_t)count * sizeof *to);
    return to != NULL ? memcpy(to, from, (size_t)count * sizeof *to) : NULL;
}

warplu_status wpy_jax_take_batch(const wpy_jax_call *c, const int32_t *ptr, const int32_t *idx, int64_t count,
                                 int shared_rhs, wpy_jax_batch **out)
{
    wpy_jax_batch wanted = {.device = c->device,
                            .storage = c->storage,
                            .shared_rhs = shared_rhs,
                            .n = c->n,
                            .nnz = c->nnz,
                            .doubles = c->doubles,
                            .count = count,
                            .ptr = (int32_t *)ptr,
                            .idx = (int32_t *)idx};
    *out = find(&wanted);
    if (*out != NULL) return WARPLU_SUCCESS;
    wpy_jax_batch *b = malloc(sizeof *b);
    if (b == NULL) return WARPLU_OUT_OF_MEMORY;
    *b = wanted;
    b->ptr = copy(ptr, c->n + 1);
    b->idx = copy(idx, c->nnz);
    warplu_status status = b->ptr != NULL && b->idx != NULL ? create(b, c) : WARPLU_OUT_OF_MEMORY;
    if (status == WARPLU_SUCCESS)
        *out = b;
    else
        release(b);
    return status;
}
