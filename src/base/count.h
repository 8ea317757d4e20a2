/* Reference counts of what solvers on different threads share. */
#ifndef WLU_BASE_COUNT_H
#define WLU_BASE_COUNT_H

#include <stdatomic.h>

typedef struct wlu_count {
    atomic_int others; /* owners beside the first */
} wlu_count;

static inline void wlu_count_add(wlu_count *count)
{
    atomic_fetch_add_explicit(&count->others, 1, memory_order_relaxed);
}

/* One owner less; 1 if it was the last one and what is shared is to be freed. */
static inline int wlu_count_drop(wlu_count *count)
{
    return atomic_fetch_sub_explicit(&count->others, 1, memory_order_acq_rel) == 0;
}

#endif
