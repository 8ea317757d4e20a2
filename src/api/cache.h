/* Compiled plans of earlier pivots, each with this solver's state, most recently used first: sequences come back to old
 * regimes, and a replay costs a fraction of pivoting again.
 *
 * Bounded by bytes and by number; what has not been used for longest goes first. */
#ifndef WLU_CACHE_H
#define WLU_CACHE_H

#include "api/plan.h"

/* A compiled plan and one solver's state for it. */
typedef struct wlu_loaded {
    wlu_plan *plan;
    wlu_state *state;
} wlu_loaded;

void wlu_loaded_release(wlu_context *ctx, wlu_loaded *loaded);

enum { WLU_CACHE_MAX = 8 };

typedef struct wlu_cache {
    int count;
    wlu_loaded kept[WLU_CACHE_MAX];
    int64_t bytes[WLU_CACHE_MAX];
} wlu_cache;

/* Takes what is loaded, or releases it where it does not fit max_bytes. */
void wlu_cache_put(wlu_context *ctx, wlu_cache *cache, wlu_loaded loaded, int64_t max_bytes);
/* The place of a plan whose pivots are alike (wlu_pivots_alike), or -1. */
int wlu_cache_find(const wlu_cache *cache, const wlu_pivots *pivots, int slack);
/* Hands out what stands at the place, and forgets it. */
wlu_loaded wlu_cache_take(wlu_cache *cache, int at);
void wlu_cache_clear(wlu_context *ctx, wlu_cache *cache);
int64_t wlu_cache_bytes(const wlu_cache *cache);

#endif
