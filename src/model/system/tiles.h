/* Tiles: shares of a large system that thread blocks of a device compute by themselves from one exchange of unknowns to
 * the next.
 *
 * A tile owns unknowns. It computes all instances that these need, and all sums that those need, level by level:
 * instances at its rim are computed by its neighbours too, instead of being waited for. What is computed stands in a
 * local array of the tile: first -0, which adds nothing, and 0; then the contributions of each pass, each with the sums
 * behind it that have several. Instances stand in slots of 32 lanes, of one use each; lists of a slot name by words
 * what each lane reads. Nodes of a set are owned in the order of their numbers, as many by each tile, and so are
 * instances with states.
 *
 * Sums add in the order of the CPU's gathers (gather.h), whoever computes them. Cost: O(instances, those at rims as
 * often as they are computed). */
#ifndef WLU_MODEL_SYSTEM_TILES_H
#define WLU_MODEL_SYSTEM_TILES_H

#include "model/system/stepping.h"

/* Lanes of a slot; the most words of a sum's row in a table; words of a part that are read at once; the local numbers
 * that stand in front of all others. */
enum {
    WLM_TILE_LANES = 32,
    WLM_TILE_WIDTH = 8,
    WLM_TILE_AT_ONCE = 16,
    WLM_TILE_NOTHING = 0,
    WLM_TILE_ZERO = 1,
    WLM_TILE_FIRST = 2
};

/* Whole numbers, as many as there are. */
typedef struct wlm_words {
    int32_t *word;
    int64_t count, room;
} wlm_words;

/* Sums of local numbers, for each tile from first[tile] on. A word k is the local number k, or ~k where it is
 * subtracted. width above 0: those of sum s are [k][s], filled up with NOTHING. 0: a sum has parts, the blocks of
 * gather.h, from part[s] to part[s + 1] - 1; the words of part p stand from begin[p] to begin[p + 1] - 1, filled up to
 * a multiple of WLM_TILE_AT_ONCE; what parts come to are local numbers, for each tile from part_local[tile] on. */
typedef struct wlm_tile_sums {
    int32_t width;
    wlm_words first, word;
    wlm_words part, begin, first_part, part_local;
} wlm_tile_sums;

typedef struct wlm_tile_pass {
    const wlm_pass *pass;
    const wlm_gather *gather;
    int32_t words;        /* of a lane: its instance (-1: idle), nodes, local numbers of sums */
    int32_t *begins;      /* for each use: its first contribution */
    int32_t **named;      /* for each use's inputs: the word that names it; 0: the instance does */
    int32_t **place;      /* for each use's outputs: its place in a lane's contributions; -1: nobody needs it */
    wlm_words first;      /* for each tile: its first slot */
    wlm_words use, local; /* for each slot: its use, and the local number of output 0 of lane 0 */
    wlm_words row;        /* [slot][word][lane] */
    wlm_tile_sums sum;    /* of a level: those that are not one contribution as it is */
    wlm_words sum_local;  /* for each tile: the local number of its first sum */
} wlm_tile_pass;

typedef struct wlm_tiles {
    wlu_context *ctx;
    int32_t tiles, passes;
    wlm_tile_pass *pass;          /* the levels', then that of the rates */
    wlm_words node;               /* unknowns of nodes that tiles own, */
    wlm_tile_sums rate;           /* and the sums of what changes them */
    wlm_words state, state_first; /* unknowns of instances; for each tile: its first one */
    wlm_words state_local;        /* the local number of what its instance has written */
    int32_t numbers;              /* the most local numbers that a tile has */
    int32_t slots, nodes, states; /* the most of a tile: slots of a pass, unknowns */
    int64_t computed, instances;  /* instances that tiles compute; those of all passes */
} wlm_tiles;

/* Makes so many tiles of a system by an explicit method. WARPLU_OUT_OF_MEMORY; WARPLU_OVERFLOW where places in a tile,
 * or of a list, are more than 31 bits count. */
warplu_status wlm_tiles_make(const wlm_transient *transient, int32_t tiles, wlm_tiles *out);
void wlm_tiles_free(wlm_tiles *tiles);

/* Returns how many threads have something to do in a tile at most: lanes of a pass, or unknowns. */
static inline int64_t wlm_tiles_items(const wlm_tiles *t)
{
    int64_t lanes = t->slots * (int64_t)WLM_TILE_LANES, unknowns = t->nodes > t->states ? t->nodes : t->states;
    return lanes > unknowns ? lanes : unknowns;
}

#endif
