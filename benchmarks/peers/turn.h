/* One turn of a timing loop: calls in a row, each timed by itself. The same for warplu's executors and for peers. */
#ifndef WLU_PEER_TURN_H
#define WLU_PEER_TURN_H

#include <warplu/warplu.h>

#include "base/clock.h"

typedef struct turn {
    int32_t calls;     /* timed ones at most */
    int32_t warm;      /* one call before them, outside the clock, that brings the data back into the caches */
    int64_t budget_ns; /* no further call once they took this long */
} turn;

typedef warplu_status (*turn_call)(void *context);

/* ns[0 .. *count - 1]: what the calls took. The first failing status ends the turn; else the last one. */
static inline warplu_status turn_run(const turn *t, turn_call call, void *context, int64_t *ns, int32_t *count)
{
    int64_t spent = 0;
    *count = 0;
    warplu_status status = t->warm ? call(context) : WARPLU_SUCCESS;
    while (status >= 0 && *count < t->calls && (*count == 0 || spent < t->budget_ns)) {
        int64_t start = wlu_now_ns();
        status = call(context);
        if (status < 0) break;
        ns[*count] = wlu_now_ns() - start;
        spent += ns[(*count)++];
    }
    return status;
}

#endif
