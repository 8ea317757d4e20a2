/* What a linear solver holds, and the words of SUNDIALS' versions for the same things. */
#ifndef WLU_SUN_CONTENT_H
#define WLU_SUN_CONTENT_H

#include <warplu/sunlinsol_warplu.h>

/* Errors have other names, and other values, from SUNDIALS 7 on. Recoverable failures are above 0 in both. */
#if SUNDIALS_VERSION_MAJOR >= 7
#define WLU_SUN_NULL SUN_ERR_ARG_CORRUPT
#define WLU_SUN_ILL_INPUT SUN_ERR_ARG_INCOMPATIBLE
#define WLU_SUN_NO_MEMORY SUN_ERR_MEM_FAIL
#define WLU_SUN_FAILED SUN_ERR_EXT_FAIL
#else
#define WLU_SUN_NULL SUNLS_MEM_NULL
#define WLU_SUN_ILL_INPUT SUNLS_ILL_INPUT
#define WLU_SUN_NO_MEMORY SUNLS_MEM_FAIL
#define WLU_SUN_FAILED SUNLS_PACKAGE_FAIL_UNREC
#endif
#define WLU_SUN_RECOVERABLE SUNLS_PACKAGE_FAIL_REC

/* A matrix' pattern in memory of the host, as SUNDIALS has it: indices of index_bytes each. */
typedef struct wlu_sun_pattern {
    warplu_storage storage;
    size_t index_bytes;
    int64_t n, nnz;
    const void *ptr, *idx;
} wlu_sun_pattern;

typedef struct wlu_sun_device wlu_sun_device; /* device.c */

typedef struct wlu_sun_content {
    sunindextype last_flag;
    warplu_status status;
    warplu_options options;
    warplu_cache *cache;
    int owns_cache;
    warplu_solver *solver; /* of the pattern that is kept; NULL: none */
    wlu_sun_pattern kept;  /* its arrays are in kept_room, SUNDIALS may change its own */
    void *kept_room;
    int factored;           /* the last setup has succeeded */
    int chooses_pivots;     /* the next one is to */
    wlu_sun_device *device; /* NULL: the matrix is one of the host */
} wlu_sun_content;

static inline wlu_sun_content *wlu_sun_content_of(SUNLinearSolver S)
{
    return (wlu_sun_content *)S->content;
}

/* Notes what the library has answered and what that is to SUNDIALS, which is returned. */
int wlu_sun_note(wlu_sun_content *c, warplu_status status);
/* The same for what SUNDIALS is told without the library. */
int wlu_sun_flag(wlu_sun_content *c, int flag);

/* Whether the pattern is the kept one. Time: O(n + nnz), a comparison of memory. */
int wlu_sun_pattern_is_kept(const wlu_sun_content *c, const wlu_sun_pattern *p);
/* A solver of this pattern from the cache, in place of the one at hand. The caller has seen that ptr[n] is nnz. values
 * are read where the pattern is new. Without success there is no solver, and no pattern is kept. */
warplu_status wlu_sun_open(wlu_sun_content *c, const wlu_sun_pattern *p, const double *values);
/* Gives the solver back, if there is one. */
void wlu_sun_close(wlu_sun_content *c);
/* Factors by the solver at hand: by its pivots, or by new ones where these are asked for. */
warplu_status wlu_sun_factor(wlu_sun_content *c, const double *values);

#endif
