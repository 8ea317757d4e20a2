/* Shapes, and what an object is recognized by. See objects.h. */
#include "objects.h"

#include <stdlib.h>
#include <string.h>

#include "process.h"

static int has_rows(wk_int n, const wk_int *Ap, const wk_int *Ai, wk_int *mark)
{
    for (wk_int i = 0; i < n; i++) mark[i] = WK_EMPTY;
    for (wk_int j = 0; j < n; j++)
        for (wk_int p = Ap[j]; p < Ap[j + 1]; p++) {
            const wk_int i = Ai[p];
            if (i < 0 || i >= n || mark[i] == j) return 0;
            mark[i] = j;
        }
    return 1;
}

int wk_check_pattern(wk_int n, const wk_int *Ap, const wk_int *Ai)
{
    if (n <= 0 || Ap == NULL || Ai == NULL || Ap[0] != 0) return WK_INVALID;
    for (wk_int j = 0; j < n; j++)
        if (Ap[j] > Ap[j + 1]) return WK_INVALID;
    if (n > INT32_MAX - 1 || Ap[n] > INT32_MAX - 1) return WK_TOO_LARGE;
    wk_int *mark = malloc((size_t)n * sizeof *mark);
    if (mark == NULL) return WK_OUT_OF_MEMORY;
    const int status = has_rows(n, Ap, Ai, mark) ? WK_OK : WK_INVALID;
    free(mark);
    return status;
}

wk_shape *wk_shape_create(wk_int n, const wk_int *Ap, const wk_int *Ai)
{
    const wk_int nz = Ap[n];
    wk_shape *shape = calloc(1, sizeof *shape);
    if (shape == NULL) return NULL;
    pthread_mutex_init(&shape->lock, NULL);
    atomic_init(&shape->owners, 1);
    shape->n = n;
    shape->nz = nz;
    shape->Ap = malloc(((size_t)n + 1) * sizeof *Ap);
    shape->Ai = malloc(((size_t)nz + 1) * sizeof *Ai);
    if (shape->Ap == NULL || shape->Ai == NULL) {
        wk_shape_release(shape);
        return NULL;
    }
    memcpy(shape->Ap, Ap, ((size_t)n + 1) * sizeof *Ap);
    memcpy(shape->Ai, Ai, (size_t)nz * sizeof *Ai);
    return shape;
}

warplu_status wk_shape_open(const wk_shape *shape, const warplu_options *options, warplu_solver **out)
{
    warplu_cache *cache = wk_cache();
    *out = NULL;
    if (cache == NULL) return WARPLU_OUT_OF_MEMORY;
#ifdef WK_LONG
    return warplu_open_solver64(out, cache, options, shape->n, shape->Ap, shape->Ai, NULL);
#else
    return warplu_open_solver(out, cache, options, shape->n, shape->Ap, shape->Ai, NULL);
#endif
}

int wk_shape_matches(const wk_shape *shape, const wk_int *Ap, const wk_int *Ai)
{
    return memcmp(shape->Ap, Ap, ((size_t)shape->n + 1) * sizeof *Ap) == 0 &&
           memcmp(shape->Ai, Ai, (size_t)shape->nz * sizeof *Ai) == 0;
}

void wk_shape_find_rank(wk_shape *shape)
{
    warplu_solver *solver = NULL;
    warplu_singularity why = {.size = sizeof why};
    shape->structurally_singular = 1;
    shape->rank = shape->singular_col = WK_EMPTY;
    if (warplu_create(&solver, &shape->options) < 0) return;
#ifdef WK_LONG
    warplu_status status = warplu_analyze64(solver, shape->n, shape->Ap, shape->Ai, NULL);
#else
    warplu_status status = warplu_analyze(solver, shape->n, shape->Ap, shape->Ai, NULL);
#endif
    if (status == WARPLU_STRUCTURALLY_SINGULAR && warplu_get_singularity(solver, &why) == WARPLU_SUCCESS) {
        shape->rank = why.position;
        shape->singular_col = why.column;
    }
    warplu_destroy(&solver);
}

void wk_shape_orphan(wk_shape *shape)
{
    pthread_mutex_lock(&shape->lock);
    warplu_solver *idle = shape->idle;
    shape->idle = NULL;
    shape->orphaned = 1;
    pthread_mutex_unlock(&shape->lock);
    warplu_close_solver(&idle);
    wk_shape_release(shape);
}

void wk_shape_release(wk_shape *shape)
{
    if (atomic_fetch_sub(&shape->owners, 1) > 1) return;
    warplu_close_solver(&shape->idle);
    pthread_mutex_destroy(&shape->lock);
    free(shape->Ap);
    free(shape->Ai);
    free(shape->col_order);
    free(shape);
}

int wk_status_of(warplu_status status)
{
    switch (status) {
    case WARPLU_STRUCTURALLY_SINGULAR:
    case WARPLU_SINGULAR:
    case WARPLU_NOT_FINITE: return WK_SINGULAR;
    case WARPLU_FACTORS_TOO_LARGE:
    case WARPLU_OUT_OF_MEMORY: return WK_OUT_OF_MEMORY;
    case WARPLU_OVERFLOW: return WK_TOO_LARGE;
    default: return status < 0 ? WK_INVALID : WK_OK;
    }
}

void wk_take_options(const wk_common *common, warplu_options *options)
{
    const double tol = common->tol;
    options->pivot_tolerance = tol >= 0.0 ? (tol <= 1.0 ? tol : 1.0) : 0.0;
    options->scaling = common->scale <= 0 ? WARPLU_SCALING_NONE : WARPLU_SCALING_MAX;
    if (common->scale == 1) options->scaling = WARPLU_SCALING_SUM;
}

void wk_account(wk_common *common, size_t bytes)
{
    common->memusage += bytes;
    if (common->mempeak < common->memusage) common->mempeak = common->memusage;
}
