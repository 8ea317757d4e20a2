/* Solvers by pattern, and the library's answers in SUNDIALS' words. See content.h. */
#include "content.h"

#include <stdlib.h>
#include <string.h>

static int flag_of(warplu_status status)
{
    switch (status) {
    case WARPLU_INACCURATE:
    case WARPLU_UNCHECKED:
    case WARPLU_SINGULAR:
    case WARPLU_STRUCTURALLY_SINGULAR:
    case WARPLU_NOT_FINITE: return WLU_SUN_RECOVERABLE;
    case WARPLU_OUT_OF_MEMORY: return WLU_SUN_NO_MEMORY;
    case WARPLU_INVALID_ARGUMENT:
    case WARPLU_EMPTY:
    case WARPLU_OVERFLOW:
    case WARPLU_NOT_COMPILED:
    case WARPLU_THREADS_UNSUPPORTED:
    case WARPLU_PRECISION_UNSUPPORTED: return WLU_SUN_ILL_INPUT;
    default: return status >= 0 ? 0 : WLU_SUN_FAILED;
    }
}

int wlu_sun_note(wlu_sun_content *c, warplu_status status)
{
    c->status = status;
    return wlu_sun_flag(c, flag_of(status));
}

int wlu_sun_flag(wlu_sun_content *c, int flag)
{
    c->last_flag = flag;
    return flag;
}

int wlu_sun_pattern_is_kept(const wlu_sun_content *c, const wlu_sun_pattern *p)
{
    const wlu_sun_pattern *k = &c->kept;
    if (c->solver == NULL || p->storage != k->storage || p->n != k->n || p->nnz != k->nnz) return 0;
    return memcmp(p->ptr, k->ptr, (size_t)(p->n + 1) * p->index_bytes) == 0 &&
           (p->nnz == 0 || memcmp(p->idx, k->idx, (size_t)p->nnz * p->index_bytes) == 0);
}

void wlu_sun_close(wlu_sun_content *c)
{
    warplu_close_solver(&c->solver);
    free(c->kept_room);
    c->kept_room = NULL;
    c->factored = 0;
}

static int keep_pattern(wlu_sun_content *c, const wlu_sun_pattern *p)
{
    size_t ptr_bytes = (size_t)(p->n + 1) * p->index_bytes, idx_bytes = (size_t)p->nnz * p->index_bytes;
    char *room = malloc(ptr_bytes + idx_bytes);
    if (room == NULL) return 0;
    memcpy(room, p->ptr, ptr_bytes);
    if (idx_bytes > 0) memcpy(room + ptr_bytes, p->idx, idx_bytes);
    c->kept = *p;
    c->kept.ptr = room;
    c->kept.idx = room + ptr_bytes;
    c->kept_room = room;
    return 1;
}

warplu_status wlu_sun_open(wlu_sun_content *c, const wlu_sun_pattern *p, const double *values)
{
    warplu_options options = c->options;
    warplu_status status = WARPLU_SUCCESS;
    wlu_sun_close(c);
    if (c->cache == NULL) {
        status = warplu_cache_create(&c->cache, NULL);
        if (status < 0) return status;
        c->owns_cache = 1;
    }
    options.storage = p->storage;
    if (p->index_bytes == sizeof(int64_t))
        status = warplu_open_solver64(&c->solver, c->cache, &options, p->n, p->ptr, p->idx, values);
    else
        status = warplu_open_solver(&c->solver, c->cache, &options, (int32_t)p->n, p->ptr, p->idx, values);
    if (status < 0) return status;
    if (!keep_pattern(c, p)) {
        wlu_sun_close(c);
        return WARPLU_OUT_OF_MEMORY;
    }
    return WARPLU_SUCCESS;
}

warplu_status wlu_sun_factor(wlu_sun_content *c, const double *values)
{
    warplu_status status = c->chooses_pivots ? warplu_factor(c->solver, values) : warplu_refactor(c->solver, values);
    if (status >= 0) c->chooses_pivots = 0;
    return status;
}
