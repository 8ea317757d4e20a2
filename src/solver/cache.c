/* The cache of earlier pivots. See cache.h. */
#include "solver/cache.h"

#include <string.h>

void wlu_loaded_release(wlu_context *ctx, wlu_loaded *loaded)
{
    wlu_state_destroy(ctx, &loaded->state);
    wlu_plan_release(ctx, &loaded->plan);
}

void wlu_kept_release(wlu_context *ctx, wlu_kept *kept)
{
    wlu_factors_destroy(ctx, &kept->factors);
    wlu_loaded_release(ctx, &kept->at);
}

int64_t wlu_cache_bytes(const wlu_cache *cache)
{
    int64_t sum = 0;
    for (int k = 0; k < cache->count; k++) sum += cache->kept[k].bytes;
    return sum;
}

wlu_kept wlu_cache_take(wlu_cache *cache, int at)
{
    wlu_kept taken = cache->kept[at];
    cache->count--;
    memmove(&cache->kept[at], &cache->kept[at + 1], (size_t)(cache->count - at) * sizeof *cache->kept);
    return taken;
}

static void drop_last(wlu_context *ctx, wlu_cache *cache)
{
    wlu_kept_release(ctx, &cache->kept[--cache->count]);
}

static int64_t bytes_of(const wlu_kept *kept)
{
    return wlu_plan_all_bytes(kept->at.plan) +
           (kept->at.state != NULL ? wlu_state_bytes(kept->at.state) : wlu_factors_bytes(kept->at.plan->pivots));
}

void wlu_cache_put(wlu_context *ctx, wlu_cache *cache, wlu_kept kept, int64_t max_bytes)
{
    kept.bytes = bytes_of(&kept);
    if (kept.bytes > max_bytes) {
        wlu_kept_release(ctx, &kept);
        return;
    }
    if (cache->count == WLU_CACHE_MAX) drop_last(ctx, cache);
    while (wlu_cache_bytes(cache) > max_bytes - kept.bytes) drop_last(ctx, cache);
    memmove(&cache->kept[1], &cache->kept[0], (size_t)cache->count * sizeof *cache->kept);
    cache->kept[0] = kept;
    cache->count++;
}

int wlu_cache_find(const wlu_cache *cache, const wlu_pivots *pivots, int slack, int compiled)
{
    for (int k = 0; k < cache->count; k++)
        if ((cache->kept[k].at.state != NULL) == compiled &&
            wlu_pivots_alike(cache->kept[k].at.plan->pivots, pivots, slack))
            return k;
    return -1;
}

int wlu_cache_find_number(const wlu_cache *cache, int64_t number)
{
    int k = 0;
    while (k < cache->count && cache->kept[k].service.number != number) k++;
    return k < cache->count ? k : -1;
}

void wlu_cache_clear(wlu_context *ctx, wlu_cache *cache)
{
    while (cache->count > 0) drop_last(ctx, cache);
}
