/* What each call of KLU's does first and last: it holds off forks, and is counted where that is asked for. */
#ifndef WK_CALL_H
#define WK_CALL_H

#include "forks.h"
#include "stats.h"

static inline int64_t wk_call_begin(void)
{
    wk_forks_hold();
    return wk_stats_begin();
}

static inline void wk_call_end(wk_call call, int64_t begin)
{
    wk_stats_end(call, begin);
    wk_forks_release();
}

#endif
