/* What the files that make tiles share: which instances the tile at hand needs, and where its numbers stand. */
#ifndef WLU_MODEL_SYSTEM_TILES_PARTS_H
#define WLU_MODEL_SYSTEM_TILES_PARTS_H

#include "model/system/tiles.h"

/* The instances of a use that the tile needs, in their order. */
typedef struct wlm_tile_needs {
    wlm_words instance;
    int32_t *stamp; /* for each instance: the last tile that needs it */
    int32_t *local; /* for it: the local number of its output 0 */
} wlm_tile_needs;

typedef struct wlm_tile_maker {
    const wlm_transient *transient;
    wlm_tiles *t;
    int32_t tile, numbers;  /* numbers: local ones so far */
    wlm_tile_needs **needs; /* [pass][use] */
    wlm_words *wanted;      /* for each level: sums that the tile needs */
    int32_t *stamp, *local; /* for each sum: the last tile that needs it, and its local number there */
    int enough;             /* 0: memory has ended, */
    int overflows;          /* or, 1, places do not fit 31 bits */
} wlm_tile_maker;

void wlm_words_add(wlm_tile_maker *m, wlm_words *to, int32_t word);

/* Returns the first of `count` things that a tile owns. */
static inline int32_t wlm_tile_share(const wlm_tile_maker *m, int32_t tile, int32_t count)
{
    return (int32_t)((int64_t)count * tile / m->t->tiles);
}

/* Returns the use whose output a contribution is; its output and instance. */
int32_t wlm_tile_find(const wlm_tile_pass *pass, int32_t contribution, int32_t *output, int32_t *instance);

/* Finds what a tile needs. */
void wlm_tile_need(wlm_tile_maker *m);
/* Numbers and lists it. */
void wlm_tile_list(wlm_tile_maker *m);

#endif
