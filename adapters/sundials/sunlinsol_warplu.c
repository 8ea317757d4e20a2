/* The linear solver as SUNDIALS sees it: its operations and its settings. What they do is in host.c and device.c. */
#include <warplu/sunlinsol_warplu.h>

#include <stdlib.h>
#include <string.h>

#include <sunmatrix/sunmatrix_sparse.h>

#include "content.h"
#include "device.h"
#include "host.h"

/* ---------------------------------------------------------------- operations */

static SUNLinearSolver_Type get_type(SUNLinearSolver S)
{
    (void)S;
    return SUNLINEARSOLVER_DIRECT;
}

static SUNLinearSolver_ID get_id(SUNLinearSolver S)
{
    (void)S;
    return SUNLINEARSOLVER_CUSTOM;
}

/* Nothing has to be begun anew: the first setup finds out whether it knows the pattern. */
static int initialize(SUNLinearSolver S)
{
    return wlu_sun_flag(wlu_sun_content_of(S), 0);
}

static sunindextype last_flag(SUNLinearSolver S)
{
    return wlu_sun_content_of(S)->last_flag;
}

/* Factors, programs and workspaces count as real numbers, the pattern that is kept as integers. */
static int space(SUNLinearSolver S, long int *reals, long int *integers)
{
    wlu_sun_content *c = wlu_sun_content_of(S);
    warplu_statistics t = {.size = sizeof t};
    *reals = *integers = 0;
    if (c->solver == NULL || warplu_get_statistics(c->solver, &t) < 0) return 0;
    int64_t bytes = t.program_bytes + t.solve_program_bytes + t.state_bytes;
    if (!t.compiled) bytes += t.lu_nnz * (int64_t)(sizeof(double) + sizeof(int32_t));
    *reals = (long int)(bytes / (int64_t)sizeof(sunrealtype));
    *integers = (long int)(c->kept.n + 1 + c->kept.nnz);
    return 0;
}

static void destroy_own_cache(wlu_sun_content *c)
{
    if (c->owns_cache) warplu_cache_destroy(&c->cache);
    c->cache = NULL;
    c->owns_cache = 0;
}

static int destroy(SUNLinearSolver S)
{
    if (S == NULL) return 0;
    wlu_sun_content *c = wlu_sun_content_of(S);
    if (c != NULL) {
        wlu_sun_close(c);
        destroy_own_cache(c);
        wlu_sun_device_destroy(c->device);
        free(c);
        S->content = NULL;
    }
    SUNLinSolFreeEmpty(S);
    return 0;
}

/* ---------------------------------------------------------------- the solver */

static void attach(SUNLinearSolver S, wlu_sun_content *c, int on_device)
{
    S->ops->gettype = get_type;
    S->ops->getid = get_id;
    S->ops->initialize = initialize;
    S->ops->setup = on_device ? wlu_sun_device_setup : wlu_sun_host_setup;
    S->ops->solve = on_device ? wlu_sun_device_solve : wlu_sun_host_solve;
    S->ops->lastflag = last_flag;
    S->ops->space = space;
    S->ops->free = destroy;
    S->content = c;
}

SUNLinearSolver SUNLinSol_Warplu(N_Vector y, SUNMatrix A, SUNContext context)
{
    if (y == NULL || A == NULL) return NULL;
    int on_device = wlu_sun_device_takes(y, A);
    if (!on_device && !wlu_sun_host_takes(y, A)) return NULL;
    SUNLinearSolver S = SUNLinSolNewEmpty(context);
    if (S == NULL) return NULL;
    wlu_sun_content *c = calloc(1, sizeof *c);
    if (c == NULL) {
        SUNLinSolFreeEmpty(S);
        return NULL;
    }
    attach(S, c, on_device);
    warplu_init_options(&c->options);
    c->options.check = WARPLU_CHECK_REPLAYS;
    if (!on_device) return S;
    c->options.executor = WARPLU_EXECUTOR_CUDA;
    c->options.device = -1;
    c->device = wlu_sun_device_create();
    if (c->device == NULL) {
        destroy(S);
        return NULL;
    }
    return S;
}

/* ---------------------------------------------------------------- settings */

int SUNLinSol_WarpluSetOptions(SUNLinearSolver S, const warplu_options *options)
{
    if (S == NULL || options == NULL) return WLU_SUN_NULL;
    wlu_sun_content *c = wlu_sun_content_of(S);
    warplu_options taken;
    warplu_init_options(&taken);
    if (options->size < sizeof options->size || options->size > sizeof taken) return wlu_sun_flag(c, WLU_SUN_ILL_INPUT);
    memcpy(&taken, options, options->size);
    taken.size = sizeof taken;
    if (taken.scalar != WARPLU_SCALAR_REAL) return wlu_sun_flag(c, WLU_SUN_ILL_INPUT);
    if (c->device != NULL) {
        if (taken.executor == WARPLU_EXECUTOR_AUTO) taken.executor = WARPLU_EXECUTOR_CUDA;
        if (taken.executor != WARPLU_EXECUTOR_CUDA) return wlu_sun_flag(c, WLU_SUN_ILL_INPUT);
    }
    wlu_sun_close(c);
    c->options = taken;
    return wlu_sun_flag(c, 0);
}

int SUNLinSol_WarpluSetCache(SUNLinearSolver S, warplu_cache *cache)
{
    if (S == NULL) return WLU_SUN_NULL;
    wlu_sun_content *c = wlu_sun_content_of(S);
    wlu_sun_close(c);
    destroy_own_cache(c);
    c->cache = cache;
    return wlu_sun_flag(c, 0);
}

int SUNLinSol_WarpluSetStream(SUNLinearSolver S, void *stream)
{
    if (S == NULL) return WLU_SUN_NULL;
    wlu_sun_content *c = wlu_sun_content_of(S);
    if (c->device == NULL) return wlu_sun_flag(c, WLU_SUN_ILL_INPUT);
    wlu_sun_device_set_stream(c->device, stream);
    return wlu_sun_flag(c, 0);
}

int SUNLinSol_WarpluReInit(SUNLinearSolver S, SUNMatrix A, sunindextype nnz, int reinit_type)
{
    if (S == NULL || A == NULL) return WLU_SUN_NULL;
    wlu_sun_content *c = wlu_sun_content_of(S);
    if (reinit_type != SUNWARPLU_REINIT_FULL && reinit_type != SUNWARPLU_REINIT_PARTIAL)
        return wlu_sun_flag(c, WLU_SUN_ILL_INPUT);
    if (reinit_type == SUNWARPLU_REINIT_FULL) {
        if (SUNMatGetID(A) != SUNMATRIX_SPARSE || nnz < 0) return wlu_sun_flag(c, WLU_SUN_ILL_INPUT);
        if (SUNSparseMatrix_Reallocate(A, nnz) != 0) return wlu_sun_flag(c, WLU_SUN_NO_MEMORY);
    }
    c->chooses_pivots = 1;
    return wlu_sun_flag(c, 0);
}

warplu_solver *SUNLinSol_WarpluGetSolver(SUNLinearSolver S)
{
    return S != NULL ? wlu_sun_content_of(S)->solver : NULL;
}

warplu_status SUNLinSol_WarpluGetStatus(SUNLinearSolver S)
{
    return S != NULL ? wlu_sun_content_of(S)->status : WARPLU_INVALID_ARGUMENT;
}
