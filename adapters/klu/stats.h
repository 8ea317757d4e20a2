/* Where the environment asks for it (WARPLU_KLU_STATS): how many calls of each kind there were, and how long they took.
 * The library and the forwarder for comparisons have it. Without it a call costs one test. */
#ifndef WK_STATS_H
#define WK_STATS_H

#include <stdint.h>

typedef enum wk_call {
    WK_CALL_ANALYZE,
    WK_CALL_FACTOR,
    WK_CALL_REFACTOR,
    WK_CALL_SOLVE,
    WK_CALL_TSOLVE,
    WK_CALL_RCOND,
    WK_CALL_RGROWTH,
    WK_CALL_CONDEST,
    WK_CALL_EXTRACT,
    WK_CALL_FREE,
    WK_CALLS
} wk_call;

extern int wk_stats_wanted;

/* Names the objects whose calls were left to another KLU (foreign.h), by number from 0, NULL behind the last. NULL:
 * there is none. */
extern const char *(*wk_stats_left)(int number);

int64_t wk_stats_now(void);
void wk_stats_add(wk_call call, int64_t ns);

static inline int64_t wk_stats_begin(void)
{
    return wk_stats_wanted ? wk_stats_now() : 0;
}

static inline void wk_stats_end(wk_call call, int64_t begin)
{
    if (wk_stats_wanted) wk_stats_add(call, wk_stats_now() - begin);
}

#endif
