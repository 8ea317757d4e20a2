/* The flow strategy: one launch, no levels. Every slot is its own flag; bundles and tiles are taken by tickets in topological
 * order, so that any grid makes progress.
 *
 * The first blocks to arrive work on bundles, with a few of their warps, and then on tiles; the others poison their share of
 * the other buffer and begin with tiles. The last block to leave judges the replay, writes the record and resets the tickets. */
#include "growth.cuh"
#include "tile.cuh"

/* All threads of the last block. */
static __device__ __forceinline__ void conclude(const wlu_device_program &p, const wlu_device_state &s, const double *v, int tid)
{
    wlu_device_control *c = s.control;
    volatile u64 *largest = (volatile u64 *)c->largest;
    wlu_health h;
    h.largest_u = number(largest[WLU_DEVICE_U]);
    h.growth = growth_of(__dmul_rn(h.largest_u, number(largest[WLU_DEVICE_INVERSE])));
    if (__syncthreads_or(!(h.growth >= s.bound))) h.growth = closer_growth(p, s, v, tid);
    if (tid > 0) return;
    u64 worst = 0;
    for (int k = WLU_DEVICE_U; k <= WLU_DEVICE_RECIPROCAL; k++)
        if (largest[k] > worst) worst = largest[k];
    h.largest_l = number(largest[WLU_DEVICE_L]);
    h.smallest_pivot = __drcp_rn(number(largest[WLU_DEVICE_RECIPROCAL]));
    h.drift = number(largest[WLU_DEVICE_DRIFT]);
    if (!(h.drift >= 1.0) && h.drift == h.drift) h.drift = 1.0;
    h.finite = worst < UINT64_C(0x7ff0000000000000);
    uint32_t failed = *(volatile uint32_t *)&c->failed;
    wlu_verdict verdict = failed ? WLU_WEAK : wlu_judge(&h, &s.quality, s.pivot_absolute);
    c->verdict = failed ? WLU_DEVICE_VOID : verdict;
    wlu_device_health record = {h.largest_l, h.largest_u,     h.growth, h.smallest_pivot, h.drift,
                                h.finite,    ++c->generation, failed,   verdict};
    *s.health = record;
    c->failed = c->arrivals = c->departures = c->bundles = c->tiles = c->poison = c->behind = 0;
    for (int k = 0; k < WLU_DEVICE_AREAS; k++) c->largest[k] = 0;
}

extern "C" __global__ void __launch_bounds__(WLU_TILE_THREADS, 2)
    wlu_flow(const __grid_constant__ wlu_device_program p, const __grid_constant__ wlu_device_state s)
{
    extern __shared__ __align__(16) char room[];
    __shared__ tile_shared sh;
    int tid = (int)threadIdx.x;
    seen m;
#pragma unroll
    for (int k = 0; k < WLU_DEVICE_AREAS; k++) m.of[k] = 0;
    if (tid == 0) sh.ticket = atomicAdd(&s.control->arrivals, 1u);
    if (tid < WLU_DEVICE_AREAS) sh.largest[tid] = 0;
    __syncthreads();
    uint32_t arrival = sh.ticket, generation = *(volatile uint32_t *)&s.control->generation;
    double *v = generation & 1 ? s.v[1] : s.v[0];
    WLU_TRACE(p.tiles + arrival, 0);
    if (arrival < s.bundle_blocks && tid / WLU_WARP < s.bundle_warps) {
        one_buffer slots = {v};
        run_bundles(p.dot, s, slots, &s.control->bundles, tid % WLU_WARP, m,
                    [&](const wlu_bundle &b) { run_guards(p.guards, s, b, tid % WLU_WARP, m); });
    }
    __syncthreads();
    WLU_TRACE(p.tiles + arrival, 1);
    poison(s, generation & 1 ? s.v[0] : s.v[1], p.zero, sh, tid);
    WLU_TRACE(p.tiles + arrival, 2);
    stage *ring = (stage *)room;
    double *panel = s.panels != NULL ? s.panels + (int64_t)W * (p.panel_rows + 1) * blockIdx.x : (double *)(ring + STAGES);
    for (;;) {
        __syncthreads();
        if (tid == 0) sh.ticket = atomicAdd(&s.control->tiles, 1u);
        __syncthreads();
        if (sh.ticket >= (uint32_t)p.tiles) break;
        const int4 *from = (const int4 *)(p.tile + sh.ticket);
        wlu_device_tile t;
        int4 raw[4] = {__ldg(from), __ldg(from + 1), __ldg(from + 2), __ldg(from + 3)};
        memcpy(&t, raw, sizeof t);
        run_tile(p, s, v, t, panel, ring, sh, tid, m);
    }
    WLU_TRACE(p.tiles + arrival, 3);
    collect(s, sh, tid, m);
    __threadfence();
    __syncthreads();
    if (tid == 0) sh.ticket = atomicAdd(&s.control->departures, 1u);
    __syncthreads();
    if (sh.ticket != gridDim.x - 1) return;
    __threadfence();
    conclude(p, s, v, tid);
    WLU_TRACE(p.tiles + arrival, 4);
}
