/* What the last block of a factorization does: it judges the replay, writes the record and resets the tickets. */
#ifndef WLU_VERDICT_CUH
#define WLU_VERDICT_CUH

#include "exec/device/refine.h"
#include "growth.cuh"
#include "health.cuh"

/* All threads of the last block. v: the replay's buffer; no tiles: tile is not looked at. */
static __device__ __forceinline__ void conclude_replay(const wlu_device_guards &g, const wlu_device_tile *tile,
                                                       int tiles, const wlu_device_state &s, const wlu_number *v,
                                                       tile_shared &sh)
{
    wlu_device_control now = read_control(s.control);
    if (__syncthreads_or(now.open == 0 && wlu_growth_is_open(&now.largest, &s.criteria)))
        now.largest.of[WLU_AREA_RELATIVE] = bound_alone(g, tile, tiles, s, v, sh);
    if (threadIdx.x > 0) return;
    *s.health = wlu_control_conclude(&now, &s.criteria, WLU_REAL_SINGLE);
    *s.control = now;
    for (int k = 0; k < 2 && s.refined[0] != NULL; k++) *s.refined[k] = wlu_refined_none();
}

#endif
