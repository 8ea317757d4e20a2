/* The flow strategy: one launch, no levels. Every slot is its own flag; bundles and tiles are taken by tickets in
 * topological order, so that any grid makes progress.
 *
 * The first blocks to arrive work on bundles, with a few of their warps, then poison shares of the other buffer and
 * work on tiles; the others begin with poison. The last block to leave judges the replay, writes the record and resets
 * the tickets; where growth may take long, the first to have come take shares of it before. A solve launched as a
 * dependent may begin meanwhile. */
#include "tile.cuh"
#include "verdict.cuh"

/* A solve that may begin before the replay has ended has to know which replay it is of. */
static __device__ __forceinline__ void begin_replay(const wlu_device_state &s, uint32_t generation, uint32_t arrival)
{
    if (arrival == 0) {
        WLU_DELAY(generation);
        *(volatile uint32_t *)&s.control->begun = generation + 1;
        __threadfence();
    }
    let_dependents_come();
}

/* Tiles take most of a multiprocessor's registers: one block has more of what it waits for under way than two
 * (docs/performance.md). */
extern "C" __global__ void __launch_bounds__(WLU_TILE_THREADS, 1)
    WLU_NUMBER_NAME(wlu_tile_flow)(const __grid_constant__ wlu_device_program p,
                                   const __grid_constant__ wlu_device_state s)
{
    extern __shared__ __align__(16) char room[];
    __shared__ tile_shared sh;
    int tid = (int)threadIdx.x;
    wlu_maxima m;
    if (tid == 0) sh.ticket = atomicAdd(&s.control->arrivals, 1u);
    begin_maxima(sh, m);
    uint32_t arrival = sh.ticket, generation = *(volatile uint32_t *)&s.control->generation;
    wlu_number *v = generation & 1 ? s.v[1] : s.v[0];
    if (tid == 0) sh.open = *(volatile uint32_t *)&s.control->open;
    if (tid == 0) begin_replay(s, generation, arrival);
    WLU_TRACE(p.tiles + arrival, 0);
    if (arrival < s.bundle_blocks && tid / WLU_WARP < s.bundle_warps) {
        one_buffer slots;
        slots.v = v;
        run_bundles(p.dot, s, slots, &s.control->bundles, 0, (uint32_t)p.dot.bundles, tid % WLU_WARP, m,
                    [&](const wlu_bundle &b) { run_guards(p.guards, s, b, tid % WLU_WARP, m); });
    }
    maxima_join_block(sh, tid, m); /* tiles have registers for those that they see */
    maxima_clear(m);
    __syncthreads();
    WLU_TRACE(p.tiles + arrival, 1);
    poison(s, generation & 1 ? s.v[0] : s.v[1], p.zero, p.minus_one, sh, tid);
    WLU_TRACE(p.tiles + arrival, 2);
    if (s.panels != NULL)
        run_tiles<true>(p, s, v, *(tile_room *)room, sh, tid, m);
    else
        run_tiles<false>(p, s, v, *(tile_room *)room, sh, tid, m);
    WLU_TRACE(p.tiles + arrival, 3);
    unsigned shares = min(gridDim.x, (unsigned)GROWTH_BLOCKS);
    if (sh.open && arrival < shares) bound_share(p.guards, s, v, arrival, shares, sh);
    if (leave(s, sh, m)) {
        conclude_replay(p.guards, p.tile, p.tiles, s, v, sh);
        WLU_TRACE(p.tiles + arrival, 4);
    }
}
