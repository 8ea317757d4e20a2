/* The cache of earlier pivots. See cache.h. */
#include "solver/cache.h"

#include <string.h>

const wlu_health *wlu_loaded_health(const wlu_loaded *loaded)
{
    return loaded->state != NULL ? wlu_state_health(loaded->state, 0) : &loaded->factors->health;
}

void wlu_loaded_release(wlu_context *ctx, wlu_loaded *loaded)
{
    for (int k = 0; k < 2; k++) {
        wlu_long_rows_destroy(ctx, &loaded->listed[k].rows);
        wlu_means_destroy(ctx, &loaded->listed[k].means);
    }
    wlu_free(ctx, loaded->limits.upper);
    loaded->limits.upper = NULL;
    wlu_factors_destroy(ctx, &loaded->factors);
    wlu_state_destroy(ctx, &loaded->state);
    wlu_plan_release(ctx, &loaded->plan);
}

int64_t wlu_cache_bytes(const wlu_cache *cache)
{
    int64_t sum = 0;
    for (int k = 0; k < cache->count; k++) sum += cache->kept[k].bytes;
    return sum;
}

wlu_loaded wlu_cache_take(wlu_cache *cache, int at)
{
    wlu_loaded taken = cache->kept[at].pivots;
    cache->count--;
    memmove(&cache->kept[at], &cache->kept[at + 1], (size_t)(cache->count - at) * sizeof *cache->kept);
    return taken;
}

static void drop_last(wlu_context *ctx, wlu_cache *cache)
{
    wlu_loaded_release(ctx, &cache->kept[--cache->count].pivots);
}

int64_t wlu_loaded_bytes(const wlu_loaded *p)
{
    return wlu_plan_all_bytes(p->plan) +
           (p->state != NULL ? wlu_state_bytes(p->state) : wlu_factors_bytes(p->plan->pivots));
}

void wlu_cache_put(wlu_context *ctx, wlu_cache *cache, wlu_loaded pivots, int64_t max_bytes)
{
    int64_t bytes = wlu_loaded_bytes(&pivots);
    if (bytes > max_bytes) {
        wlu_loaded_release(ctx, &pivots);
        return;
    }
    if (cache->count == WLU_CACHE_MAX) drop_last(ctx, cache);
    while (wlu_cache_bytes(cache) > max_bytes - bytes) drop_last(ctx, cache);
    memmove(&cache->kept[1], &cache->kept[0], (size_t)cache->count * sizeof *cache->kept);
    cache->kept[0] = (wlu_kept){pivots, bytes, 0};
    cache->count++;
}

int wlu_cache_present(const wlu_cache *cache)
{
    int k = 0;
    while (k < cache->count && !cache->kept[k].past) k++;
    return k;
}

int wlu_cache_find(const wlu_cache *cache, const wlu_pivots *pivots, int slack, int compiled)
{
    for (int k = 0; k < wlu_cache_present(cache); k++)
        if ((cache->kept[k].pivots.state != NULL) == compiled &&
            wlu_pivots_alike(cache->kept[k].pivots.plan->pivots, pivots, slack))
            return k;
    return -1;
}

int wlu_cache_find_past(const wlu_cache *cache, const wlu_pivots *pivots, int slack)
{
    for (int k = wlu_cache_present(cache); k < cache->count; k++) {
        const wlu_loaded *kept = &cache->kept[k].pivots;
        int by_program = kept->state != NULL || kept->factors == NULL;
        if (by_program && wlu_pivots_alike(kept->plan->pivots, pivots, slack)) return k;
    }
    return -1;
}

int wlu_cache_find_number(const wlu_cache *cache, int64_t number)
{
    int k = 0;
    while (k < cache->count && cache->kept[k].pivots.service.number != number) k++;
    return k < cache->count ? k : -1;
}

void wlu_service_begin_anew(wlu_service *service, int64_t refactors)
{
    service->follower = service->length = service->alike = 0;
    service->since = service->counted = refactors;
    service->spent = 0.0;
}

void wlu_cache_pass(wlu_cache *cache)
{
    for (int k = 0; k < cache->count; k++) {
        cache->kept[k].past = 1;
        wlu_service_begin_anew(&cache->kept[k].pivots.service, 0);
    }
}

void wlu_cache_clear(wlu_context *ctx, wlu_cache *cache)
{
    while (cache->count > 0) drop_last(ctx, cache);
}
