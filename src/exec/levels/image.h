/* Images and states of the executor `levels`: a launch for each vector of records (cuda/levels.cu), after Tominaga and
 * Maekawa (2013). */
#ifndef WLU_EXEC_LEVELS_IMAGE_H
#define WLU_EXEC_LEVELS_IMAGE_H

#include "exec/device/pack_levels.h"
#include "exec/device/resident.h"

/* A strategy beside the options': the same launches one by one, as the paper has them, where `levels` captures them in
 * a graph. For comparisons and tests. */
#define WLU_STRATEGY_LAUNCHES ((warplu_strategy)(WARPLU_STRATEGY_LEVELS + 1))

/* A stream; of it: pointers into the device's block. */
typedef struct wlu_levels_stream {
    wlu_level_image image;
    wlu_cu_address block;
    int64_t bytes;
} wlu_levels_stream;

/* Streams: their numbers. */
enum { WLU_LEVELS_FACTOR, WLU_LEVELS_SOLVE, WLU_LEVELS_TRANSPOSED, WLU_LEVELS_STREAMS };

typedef struct wlu_levels_image {
    wlu_resident_image of;
    wlu_levels_stream stream[WLU_LEVELS_STREAMS];
} wlu_levels_image;

typedef struct wlu_levels_state {
    wlu_resident of;
    wlu_cu_handle graph[WLU_LEVELS_STREAMS]; /* a stream's launches; NULL until it is wanted */
} wlu_levels_state;

static inline const wlu_levels_image *wlu_levels_image_of(const wlu_resident *state)
{
    return (const wlu_levels_image *)state->base.image;
}

#endif
