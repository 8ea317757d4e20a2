/* Which thread of a launch interprets which bytecode.
 *
 * Reorder (section 4.2 of the paper): bytecodes with most instructions first; of those with equally many, one, and
 * then always the one nearest to the last, by the number of differing opcodes. Redundant: bytecodes of one kind that
 * stand side by side fill whole warps, the last one being repeated, so that no warp has two kinds. Cost of Reorder:
 * kinds of the same length squared, times the length. */
#ifndef PHASES_WARPS_H
#define PHASES_WARPS_H

#include "base/warp.h"
#include "phases/bytecodes.h"

typedef struct wlm_warps {
    int32_t *first;  /* phases + 1: lanes, numbered through; a warp begins with its phase */
    int32_t *thread; /* of each lane: the schedule's thread whose bytecode it interprets */
} wlm_warps;

/* WARPLU_OUT_OF_MEMORY, WARPLU_OVERFLOW. */
warplu_status wlm_warps_create(wlu_context *ctx, const wlm_schedule *schedule, const wlm_bytecodes *bytecodes,
                               int reorder, int redundant, wlm_warps *out);
void wlm_warps_free(wlu_context *ctx, wlm_warps *warps);

#endif
