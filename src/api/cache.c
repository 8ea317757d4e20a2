/* The cache of compiled plans. See cache.h. */
#include "api/cache.h"

#include <string.h>

void wlu_loaded_release(wlu_context *ctx, wlu_loaded *loaded)
{
    wlu_state_destroy(ctx, &loaded->state);
    wlu_plan_release(ctx, &loaded->plan);
}

int64_t wlu_cache_bytes(const wlu_cache *cache)
{
    int64_t sum = 0;
    for (int k = 0; k < cache->count; k++) sum += cache->bytes[k];
    return sum;
}

wlu_loaded wlu_cache_take(wlu_cache *cache, int at)
{
    wlu_loaded taken = cache->kept[at];
    cache->count--;
    memmove(&cache->kept[at], &cache->kept[at + 1], (size_t)(cache->count - at) * sizeof *cache->kept);
    memmove(&cache->bytes[at], &cache->bytes[at + 1], (size_t)(cache->count - at) * sizeof *cache->bytes);
    return taken;
}

static void drop_last(wlu_context *ctx, wlu_cache *cache)
{
    wlu_loaded_release(ctx, &cache->kept[--cache->count]);
}

void wlu_cache_put(wlu_context *ctx, wlu_cache *cache, wlu_loaded loaded, int64_t max_bytes)
{
    int64_t bytes = wlu_plan_all_bytes(loaded.plan) + loaded.state->bytes;
    if (bytes > max_bytes) {
        wlu_loaded_release(ctx, &loaded);
        return;
    }
    if (cache->count == WLU_CACHE_MAX) drop_last(ctx, cache);
    while (wlu_cache_bytes(cache) > max_bytes - bytes) drop_last(ctx, cache);
    memmove(&cache->kept[1], &cache->kept[0], (size_t)cache->count * sizeof *cache->kept);
    memmove(&cache->bytes[1], &cache->bytes[0], (size_t)cache->count * sizeof *cache->bytes);
    cache->kept[0] = loaded;
    cache->bytes[0] = bytes;
    cache->count++;
}

int wlu_cache_find(const wlu_cache *cache, const wlu_pivots *pivots, int slack)
{
    for (int k = 0; k < cache->count; k++)
        if (wlu_pivots_alike(cache->kept[k].plan->pivots, pivots, slack)) return k;
    return -1;
}

void wlu_cache_clear(wlu_context *ctx, wlu_cache *cache)
{
    while (cache->count > 0) drop_last(ctx, cache);
}
