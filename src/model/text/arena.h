/* Memory that is freed at once: blocks from which pieces are cut.
 *
 * A text is read into two of these, one that ends with the reading and one that lives as long as the model, and
 * equations are made in two alike; so no failure on the way has anything to take down. Cost: a bump of a pointer a
 * piece. */
#ifndef WLU_MODEL_TEXT_ARENA_H
#define WLU_MODEL_TEXT_ARENA_H

#include "base/context.h"

typedef struct wlm_arena {
    wlu_context *ctx;
    struct wlm_arena_block *block; /* the newest; each knows the one before */
    size_t used, room;             /* bytes of the newest block */
} wlm_arena;

/* Returns zeros, aligned for doubles; NULL where there is no memory, or the size does not fit. */
void *wlm_take(wlm_arena *arena, int64_t count, size_t size);
/* Makes room for one element behind `count`, by doubling. Returns the array, which may have moved; NULL: no memory. */
void *wlm_take_more(wlm_arena *arena, void *array, int32_t count, size_t size);
/* Returns a copy with a zero behind it; NULL where there is no memory. */
char *wlm_take_text(wlm_arena *arena, const char *text, int64_t length);
void wlm_arena_free(wlm_arena *arena);

#endif
