/* The calls of warplu/cache.h. */
#include "base/environment.h"
#include "base/sized.h"
#include "solver/options.h"
#include "solver/pattern_cache.h"
#include "solver/short.h"

void warplu_cache_init_options(warplu_cache_options *options)
{
    if (options != NULL) *options = (warplu_cache_options){.size = sizeof *options, .max_bytes = (int64_t)1 << 30};
}

warplu_status warplu_cache_create(warplu_cache **out, const warplu_cache_options *options)
{
    warplu_cache_options taken;
    if (out == NULL) return WARPLU_INVALID_ARGUMENT;
    *out = NULL;
    warplu_cache_init_options(&taken);
    if (options != NULL && !wlu_sized_take(&taken, sizeof taken, options)) return WARPLU_INVALID_ARGUMENT;
    return wlu_pattern_cache_create(out, &taken);
}

void warplu_cache_destroy(warplu_cache **cache)
{
    if (cache != NULL && *cache != NULL) wlu_pattern_cache_destroy(cache);
}

static warplu_status open_solver(warplu_solver **out, warplu_cache *cache, const warplu_options *options,
                                 wlu_sought *sought, const double *values)
{
    wlu_environment environment;
    if (out != NULL) *out = NULL;
    if (out == NULL || cache == NULL) return WARPLU_INVALID_ARGUMENT;
    warplu_status status = wlu_options_take(options, &sought->options);
    if (status < 0) return status;
    wlu_environment_enter(&environment);
    status = wlu_pattern_cache_open(out, cache, sought, values);
    wlu_environment_leave(&environment);
    return status;
}

warplu_status warplu_open_solver(warplu_solver **out, warplu_cache *cache, const warplu_options *options, int32_t n,
                                 const int32_t *ptr, const int32_t *idx, const double *values)
{
    wlu_sought sought = {.n = n, .ptr = ptr, .idx = idx};
    return open_solver(out, cache, options, &sought, values);
}

warplu_status warplu_open_solver64(warplu_solver **out, warplu_cache *cache, const warplu_options *options, int64_t n,
                                   const int64_t *ptr, const int64_t *idx, const double *values)
{
    wlu_sought sought = {.n = n, .ptr64 = ptr, .idx64 = idx, .wide = 1};
    return open_solver(out, cache, options, &sought, values);
}

void warplu_close_solver(warplu_solver **solver)
{
    if (solver == NULL || *solver == NULL) return;
    if ((*solver)->cached.cache != NULL)
        wlu_pattern_cache_close(solver);
    else
        warplu_destroy(solver);
}

warplu_status warplu_cache_get_statistics(warplu_cache *cache, warplu_cache_statistics *statistics)
{
    if (cache == NULL || !wlu_sized_is_set(statistics)) return WARPLU_INVALID_ARGUMENT;
    wlu_pattern_cache_tell(cache, statistics);
    return WARPLU_SUCCESS;
}

int warplu_try_refactor(warplu_solver *s, const double *values, const double **pivots, int64_t *number)
{
    if (!wlu_short_refactor(s, values)) return 0;
    *pivots = s->current.factors->pivot;
    *number = s->base->pivots->number;
    return 1;
}

int warplu_try_solve(warplu_solver *s, int transposed, const double *b, double *x)
{
    return wlu_short_solve(s, transposed != 0, b, x);
}
