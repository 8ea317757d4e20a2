/* The second bound of growth (src/numerics/health.h), where the first says little: the largest u relative to the entry
 * of its column that was largest when pivots were chosen. O(computed u).
 *
 * Some blocks share it in the replays after one that the first bound left open: those of tiles look at their columns
 * when they leave a tile, and the first blocks to have come, once they are out of work, at a share each of the u that
 * bundles compute. They wait for slots that are missing as everybody does, so that no block waits for another, and the
 * others make room for a solve that begins early. In the first such replay the last block does it alone. */
#ifndef WLU_GROWTH_CUH
#define WLU_GROWTH_CUH

#include "launch.cuh"

/* Blocks that share it. */
enum { GROWTH_BLOCKS = 32 };

/* Bits of a magnitude relative to the entry of the column at this place of the guards. */
static __device__ __forceinline__ u64 relative_to(const wlu_device_guards &g, const wlu_device_state &s, int place,
                                                  u64 u)
{
    u64 inverse = wlu_lane_inverse(wlu_wide_at(s.source, (int64_t)__ldg(g.a_source + place)), __ldg(g.a_scale + place));
    return wlu_magnitude_bits(WLU_DOUBLE_MUL(number(u), number(inverse)));
}

/* The column of pivot c of a tile: the magnitude is the largest that the tile computed there. */
static __device__ __forceinline__ u64 relative_in_tile(const wlu_device_guards &g, const wlu_device_state &s,
                                                       const wlu_device_tile &t, int c, u64 u)
{
    return relative_to(g, s, __ldg(g.tile_column + t.first + c), u);
}

/* One of so many shares of the u that bundles compute, by a block. */
static __device__ __noinline__ void bound_share(const wlu_device_guards &g, const wlu_device_state &s,
                                                const wlu_number *v, unsigned share, unsigned shares, tile_shared &sh)
{
    enum { AT_ONCE = 4 };
    int64_t step = WLU_TILE_THREADS * (int64_t)shares;
    u64 relative = 0;
    for (int64_t k = WLU_TILE_THREADS * (int64_t)share + threadIdx.x; k < g.count; k += AT_ONCE * step) {
        const wlu_number *at[AT_ONCE];
        slot_bits u[AT_ONCE];
        int place[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            int64_t q = min(k + i * step, (int64_t)g.count - 1); /* the last one more than once */
            place[i] = __ldg(g.u_column + q);
            at[i] = v + g.u + q;
            u[i] = peek(at[i]);
        }
        wait_all<AT_ONCE, true>(s, at, u);
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            relative = max(relative, relative_to(g, s, place[i], wlu_lane_size(number(u[i]))));
    }
    relative = largest_of_warp(relative);
    if (threadIdx.x % WLU_WARP == 0) atomicMax((u64 *)&sh.largest.of[WLU_AREA_RELATIVE], relative);
}

/* All of it, by the last block: every thread gets the bits. */
static __device__ __noinline__ u64 bound_alone(const wlu_device_guards &g, const wlu_device_tile *tile, int tiles,
                                               const wlu_device_state &s, const wlu_number *v, tile_shared &sh)
{
    u64 relative = 0;
    for (int64_t k = threadIdx.x; k < W * (int64_t)tiles; k += WLU_TILE_THREADS) {
        wlu_device_tile t = tile[k / W];
        int c = (int)(k % W);
        if (c < t.width)
            relative = max(relative, relative_in_tile(g, s, t, c, bits_of(__ldcg(s.umax + W * (int64_t)t.tile + c))));
    }
    atomicMax((u64 *)&sh.largest.of[WLU_AREA_RELATIVE], relative);
    bound_share(g, s, v, 0, 1, sh);
    __syncthreads();
    return sh.largest.of[WLU_AREA_RELATIVE];
}

#endif
