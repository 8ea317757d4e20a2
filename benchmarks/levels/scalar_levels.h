/* Levels of scalar streams: what the method of Tominaga and Maekawa (2013) would execute, before fusing.
 *
 * The level of a record is one more than the highest level among its operands, its target's previous writer and
 * every reader of the target's previous value. A vector is the set of records of one level and one opcode; a
 * level that holds two opcodes is split, the first-seen one directly before the other, so the number of split
 * vectors is the number of (level, opcode) pairs. Only MSUB and DIV count; loads are level 0.
 *
 * What executing them would cost is counted with a warp of 32 lanes: a vector's records take lanes in order of
 * emission, and a warp that holds both opcodes passes twice, once for each.
 * O(records) time, 8 bytes a slot and 40 a level. */
#ifndef WLU_LEVELS_SCALAR_LEVELS_H
#define WLU_LEVELS_SCALAR_LEVELS_H

#include "base/warp.h"
#include "scalar_stream.h"

enum { WLU_WIDTH_CLASSES = 32 };

/* How warps would execute a set of vectors. A vector's filling is its records over 32 lanes a pass; its agreement
 * leaves out lanes past its end, so that nothing but mixed opcodes lowers it. Means are over vectors, whatever
 * their widths; all 0 where there is no vector. */
typedef struct wlu_warps {
    int64_t passes, most_passes; /* of all vectors, of one */
    double least_filling, mean_filling, best_filling;
    double least_agreement, mean_agreement, best_agreement;
} wlu_warps;

typedef struct wlu_levels {
    int64_t records; /* MSUB and DIV */
    int64_t multiply_subtracts, divisions;
    int64_t levels;                   /* unsplit vectors */
    int64_t vectors;                  /* split vectors */
    int64_t longest_level;            /* records of the widest unsplit vector */
    int64_t longest_vector;           /* of the widest split vector */
    int64_t width[WLU_WIDTH_CLASSES]; /* split vectors of 2^k .. 2^(k+1)-1 records */
    wlu_warps unsplit, split;
} wlu_levels;

/* Factorization alone (solve == 0), or followed by one solve in place, as the paper counts.
 * WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW, WARPLU_CANCELLED. */
warplu_status wlu_levels_find(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *pivots, int solve,
                              wlu_levels *out);

/* Told of every record in the order of emission; level: 0 where it is no MSUB or DIV. */
typedef warplu_status wlu_level_visit(void *user, const wlu_record *record, int32_t level);

/* The same records, one by one, for who wants more than counts. What `visit` answers below 0 ends it. */
warplu_status wlu_levels_walk(wlu_context *ctx, const wlu_pattern *a, const wlu_pivots *pivots, int solve,
                              wlu_level_visit *visit, void *user);

#endif
