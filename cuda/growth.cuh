/* Growth where its first bound decides nothing (src/exec/growth.c), by the block that leaves last: the second bound, and where
 * that is too low as well, growth by the definition. O(computed u), then O(nnz + computed u), by one block. */
#ifndef WLU_GROWTH_CUH
#define WLU_GROWTH_CUH

#include "launch.cuh"

static __device__ __forceinline__ double growth_of(double worst)
{
    return worst >= 1.0 ? __drcp_rn(worst) : worst < 1.0 ? 1.0 : 0.0;
}

/* Magnitude of a computed u, relative to its column's entry. */
static __device__ __forceinline__ u64 relative_to(const wlu_device_guards &g, const wlu_device_state &s, int place, double u)
{
    double inverse = number(wlu_lane_inverse(s.source[__ldg(g.a_source + place)], __ldg(g.a_scale + place)));
    return wlu_lane_magnitude(WLU_MUL(number(wlu_lane_magnitude(u)), inverse));
}

/* For each column of a tile: place of the column, largest |u| that the tile computed. */
template <class function>
static __device__ __forceinline__ void for_tiled(const wlu_device_guards &g, const wlu_device_tile *tile, int tiles,
                                                 const wlu_device_state &s, int tid, const function &f)
{
    for (int64_t k = tid; k < W * (int64_t)tiles; k += WLU_TILE_THREADS) {
        const wlu_device_tile *t = tile + k / W;
        int c = (int)(k % W);
        if (c < __ldg(&t->width))
            f(__ldg(g.tile_column + __ldg(&t->first) + c), __ldcg(s.umax + W * (int64_t)__ldg(&t->tile) + c));
    }
}

static __device__ double second_bound(const wlu_device_guards &g, const wlu_device_tile *tile, int tiles, const wlu_device_state &s,
                                      const double *v, u64 *worst, int tid)
{
    u64 mine = wlu_bits_of_double(1.0);
    if (tid == 0) *worst = mine;
    __syncthreads();
#pragma unroll 8
    for (int k = tid; k < g.count; k += WLU_TILE_THREADS) {
        u64 u = relative_to(g, s, __ldg(g.u_column + k), __ldcg(v + g.u + k));
        if (u > mine) mine = u;
    }
    for_tiled(g, tile, tiles, s, tid, [&](int place, double umax) {
        u64 u = relative_to(g, s, place, umax);
        if (u > mine) mine = u;
    });
    atomicMax(worst, mine);
    __syncthreads();
    return growth_of(number(*worst));
}

/* The larger magnitude; NaN is none. */
static __device__ __forceinline__ double raised(double largest, double x)
{
    return fabs(x) > largest ? fabs(x) : largest;
}

static __device__ __forceinline__ double raised_by(const wlu_device_guards &g, const wlu_device_state &s, int64_t q, double largest)
{
    return raised(largest, wlu_lane_load(s.source[__ldg(g.all_source + q)], __ldg(g.all_scale + q)));
}

/* Largest magnitude among entries begin .. end - 1 of a lane's column; a warp looks at long columns together. */
static __device__ __forceinline__ double largest_entry(const wlu_device_guards &g, const wlu_device_state &s, int64_t begin,
                                                       int64_t end, int lane)
{
    double largest = 0.0;
    bool is_long = end - begin > WLU_WARP;
    for (int64_t q = begin; q < end && !is_long; q++) largest = raised_by(g, s, q, largest);
    for (unsigned left = __ballot_sync(~0u, is_long); left != 0; left &= left - 1) {
        int owner = __ffs((int)left) - 1;
        int64_t first = __shfl_sync(~0u, begin, owner), last = __shfl_sync(~0u, end, owner);
        double all = 0.0;
        for (int64_t q = first + lane; q < last; q += WLU_WARP) all = raised_by(g, s, q, all);
        for (int apart = WLU_WARP / 2; apart > 0; apart /= 2) all = raised(all, __shfl_xor_sync(~0u, all, apart));
        if (lane == owner) largest = all;
    }
    return largest;
}

static __device__ double exact_growth(const wlu_device_guards &g, const wlu_device_tile *tile, int tiles, const wlu_device_state &s,
                                      const double *v, u64 *least, int tid)
{
    u64 *computed = (u64 *)s.by_column;
    if (tid == 0) *least = wlu_bits_of_double(1.0);
    for (int k = tid; k < g.n; k += WLU_TILE_THREADS) computed[k] = 0;
    __syncthreads();
    for_tiled(g, tile, tiles, s, tid, [&](int place, double umax) { computed[place] = wlu_bits_of_double(umax); });
    __syncthreads();
    for (int k = tid; k < g.count; k += WLU_TILE_THREADS) {
        double u = __ldcg(v + g.u + k);
        if (u == u) atomicMax(computed + __ldg(g.u_column + k), (u64)wlu_lane_magnitude(u));
    }
    __syncthreads();
    for (int first = tid / WLU_WARP * WLU_WARP; first < g.n; first += WLU_TILE_THREADS) {
        int lane = tid % WLU_WARP, j = first + lane;
        int64_t begin = j < g.n ? __ldg(g.all_ptr + j) : 0, end = j < g.n ? __ldg(g.all_ptr + j + 1) : 0;
        double entry = largest_entry(g, s, begin, end, lane);
        double u = j < g.n ? number(__ldcg(computed + __ldg(g.column + j))) : 0.0;
        if (u > entry) atomicMin(least, (u64)wlu_bits_of_double(__ddiv_rn(entry, u)));
    }
    __syncthreads();
    return number(*least);
}

/* All threads of the block; all get the answer. */
static __device__ __noinline__ double closer_growth(const wlu_device_guards &g, const wlu_device_tile *tile, int tiles,
                                                    const wlu_device_state &s, const double *v, int tid)
{
    __shared__ u64 extreme;
    double growth = second_bound(g, tile, tiles, s, v, &extreme, tid);
    if (growth >= s.bound) return growth;
    __syncthreads();
    return exact_growth(g, tile, tiles, s, v, &extreme, tid);
}

#endif
