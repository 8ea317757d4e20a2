/* Packs the entries of rows, by where they stand: where several stand within eight numbers, these are a window, the
 * rest are single (numerics/means.h). O(entries), in arrays that are reserved before. */
#ifndef WLU_NUMERICS_MEANS_PACK_H
#define WLU_NUMERICS_MEANS_PACK_H

#include "numerics/means.h"

/* An entry of a row, and its weight. */
typedef struct wlu_mean_entry {
    int32_t at;
    uint16_t weight;
} wlu_mean_entry;

/* Entries of row r: from begin[r] to begin[r + 1]. */
typedef struct wlu_scattered {
    int64_t *begin, *next; /* count + 1 */
    wlu_mean_entry *entry;
} wlu_scattered;

/* What packing fills, and how far it is. */
typedef struct wlu_mean_packer {
    int32_t *at;
    uint16_t *weight;
    int64_t ats, weights;
} wlu_mean_packer;

/* Adds what so many rows take at most. */
void wlu_mean_reserve(const wlu_scattered *rows, int32_t count, wlu_mean_packer *packer);
/* Packs row r, whose entries are void then. numbers: how many there are to stand among. */
wlu_weighed_numbers wlu_mean_pack(wlu_mean_packer *packer, const wlu_scattered *rows, int32_t r, int64_t numbers);

#endif
