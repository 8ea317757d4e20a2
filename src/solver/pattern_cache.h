/* Solvers by pattern, for any number of threads: warplu/cache.h.
 *
 * Each known pattern has its solvers, idle ones and those in use, and a seed: the analysis and the plan that some
 * solver of it had when nobody was in its calls. Under the cache's lock solvers are found, handed out, taken back and
 * forgotten, and seeds are renewed; analyses and new solvers are made outside of it. Two threads that come with the
 * same new pattern at once analyze it both.
 *
 * A solver in use is its caller's. It knows its cache, and leaves it when it is closed or destroyed; the cache lives
 * until its owner and the last of these are done with it. */
#ifndef WLU_SOLVER_PATTERN_CACHE_H
#define WLU_SOLVER_PATTERN_CACHE_H

#include <warplu/cache.h>

#include "solver/pattern_key.h"
#include "solver/solver.h"

enum { WLU_PATTERN_BUCKETS = 1024 };

/* A pattern that is known. */
typedef struct wlu_known {
    struct wlu_known *next; /* in its bucket */
    wlu_pattern_key key;
    wlu_seed seed;
    wlu_context ctx;       /* of one of its solvers, to release seeds by */
    warplu_solver *solver; /* the first of its solvers, those opened or closed last before others */
    int pins;              /* threads that are making a solver from the seed */
} wlu_known;

struct warplu_cache {
    pthread_mutex_t lock;
    wlu_context ctx; /* for what is the cache's own */
    int64_t max_bytes;
    int destroyed;                  /* by its owner: solvers that are closed are destroyed */
    warplu_solver *newest, *oldest; /* of the idle ones */
    warplu_cache_statistics told;
    wlu_known *bucket[WLU_PATTERN_BUCKETS];
};

warplu_status wlu_pattern_cache_create(warplu_cache **out, const warplu_cache_options *options);
void wlu_pattern_cache_destroy(warplu_cache **cache);
warplu_status wlu_pattern_cache_open(warplu_solver **out, warplu_cache *cache, wlu_sought *sought,
                                     const double *values);
/* Takes a solver back, or destroys it. Of one that belongs to a cache. */
void wlu_pattern_cache_close(warplu_solver **solver);
/* A solver that belongs to a cache does so no longer. */
void wlu_pattern_cache_forget(warplu_solver *solver);
void wlu_pattern_cache_tell(warplu_cache *cache, warplu_cache_statistics *statistics);

#endif
