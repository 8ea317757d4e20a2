/* What the last block of a factorization does: it judges the replay, writes the record and resets the tickets. */
#ifndef WLU_VERDICT_CUH
#define WLU_VERDICT_CUH

#include "exec/device/refine.h"
#include "growth.cuh"
#include "health.cuh"

/* All threads of the last block. v: the replay's buffer; no tiles: tile is not looked at. */
static __device__ __forceinline__ void conclude_replay(const wlu_device_guards &g, const wlu_device_tile *tile,
                                                       int tiles, const wlu_device_state &s, const wlu_real *v,
                                                       tile_shared &sh)
{
    wlu_device_control *c = s.control;
    volatile u64 *largest = (volatile u64 *)c->largest;
    uint32_t was_open = *(volatile uint32_t *)&c->open;
    wlu_health h;
    h.growth = wlu_growth_of(WLU_DOUBLE_MUL(number(largest[WLU_DEVICE_U]), number(largest[WLU_DEVICE_INVERSE])));
    bool open = !(h.growth >= s.bound);
    if (__syncthreads_or(open && was_open == 0)) bound_alone(g, tile, tiles, s, v, sh);
    if (threadIdx.x > 0) return;
    if (open) h.growth = wlu_growth_of(number(largest[WLU_DEVICE_RELATIVE]));
    c->open = open ? GROWTH_REPLAYS : was_open - (was_open > 0);
    h.largest_u = number(largest[WLU_DEVICE_U]);
    u64 worst = 0;
    for (int k = WLU_DEVICE_U; k <= WLU_DEVICE_RECIPROCAL; k++)
        if (largest[k] > worst) worst = largest[k];
    h.largest_l = number(largest[WLU_DEVICE_L]);
    h.smallest_pivot = __drcp_rn(number(largest[WLU_DEVICE_RECIPROCAL]));
    h.drift = number(largest[WLU_DEVICE_DRIFT]);
    if (!(h.drift >= 1.0) && h.drift == h.drift) h.drift = 1.0;
    h.finite = worst < UINT64_C(0x7ff0000000000000);
    h.single = WLU_REAL_SINGLE;
    uint32_t failed = *(volatile uint32_t *)&c->failed;
    wlu_verdict verdict = failed ? WLU_WEAK : wlu_judge(&h, &s.quality, &s.rounding, s.pivot_absolute);
    c->verdict = failed ? WLU_DEVICE_VOID : verdict;
    wlu_device_health record = {h.largest_l, h.largest_u,     h.growth, h.smallest_pivot, h.drift,
                                h.finite,    ++c->generation, failed,   verdict};
    *s.health = record;
    for (int k = 0; k < 2 && s.refined[0] != NULL; k++) *s.refined[k] = wlu_refined_none();
    reset(c);
}

#endif
