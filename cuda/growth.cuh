/* Growth where its first bound decides nothing (src/exec/growth.c): the second bound, and growth by the definition, from the
 * largest u of each column. O(nnz + computed u), in shares of two kinds: all of the first kind raise the columns' largest u,
 * then those of the second compare it with the columns' entries.
 *
 * The last block does it alone, or all blocks do it together, which they can as long as none has left: they stay in some replays
 * after one that the first bound left open. Who stays waits for blocks that have come, and for shares that have been taken, never
 * for blocks that may come, so that any grid makes progress. */
#ifndef WLU_GROWTH_CUH
#define WLU_GROWTH_CUH

#include "health.cuh"

/* In so many replays. */
enum { OPEN_FOR = 16 };

static __device__ __forceinline__ double growth_of(double worst)
{
    return worst >= 1.0 ? __drcp_rn(worst) : worst < 1.0 ? 1.0 : 0.0;
}

static __device__ __forceinline__ double first_bound(const wlu_device_state &s)
{
    volatile u64 *largest = (volatile u64 *)s.control->largest;
    return growth_of(__dmul_rn(number(largest[WLU_DEVICE_U]), number(largest[WLU_DEVICE_INVERSE])));
}

/* Once all shares are done. */
static __device__ __forceinline__ double closer_growth(const wlu_device_state &s)
{
    double second = growth_of(number(*(volatile u64 *)&s.control->relative));
    return second >= s.bound ? second : number(wlu_bits_of_double(1.0) - *(volatile u64 *)&s.control->fallen);
}

static __device__ __forceinline__ void raise(u64 *largest, u64 x)
{
    if (x > __ldcg(largest)) atomicMax(largest, x);
}

/* A share of the computed u. A column's largest: the bits of its magnitude, plus 1; 0 where none was computed. NaN among the
 * bundles' fails the second bound and is nobody's largest. */
static __device__ __forceinline__ void raise_columns(const wlu_device_guards &g, const wlu_device_tile *tile, int tiles,
                                                     const wlu_device_state &s, const double *v, unsigned share, unsigned shares)
{
    enum { AT_ONCE = 4 };
    u64 *column = (u64 *)s.by_column;
    int64_t first = WLU_TILE_THREADS * (int64_t)share + threadIdx.x, step = WLU_TILE_THREADS * (int64_t)shares;
    for (int64_t k = first; k < W * (int64_t)tiles; k += step) {
        const wlu_device_tile *t = tile + k / W;
        int c = (int)(k % W);
        if (c < __ldg(&t->width))
            raise(column + __ldg(g.tile_column + __ldg(&t->first) + c),
                  wlu_bits_of_double(__ldcg(s.umax + W * (int64_t)__ldg(&t->tile) + c)) + 1);
    }
    for (int64_t k = first; k < g.count; k += AT_ONCE * step) {
        u64 *to[AT_ONCE], there[AT_ONCE], u[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            to[i] = column;
            u[i] = 0;
            if (k + i * step >= g.count) continue;
            double x = __ldcg(v + g.u + k + i * step);
            to[i] = x == x ? column + __ldg(g.u_column + k + i * step) : (u64 *)&s.control->relative;
            u[i] = wlu_lane_magnitude(x) + 1;
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) there[i] = __ldcg(to[i]);
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            if (u[i] > there[i]) atomicMax(to[i], u[i]);
    }
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

/* A share of the columns: the largest u relative to the entry that was largest when pivots were chosen, and how far growth has
 * fallen below 1, in bits. Leaves zeros for the next replay. */
static __device__ __forceinline__ void compare_columns(const wlu_device_guards &g, const wlu_device_state &s, unsigned share,
                                                       unsigned shares)
{
    int lane = (int)threadIdx.x % WLU_WARP;
    u64 relative = 0, fallen = 0;
    for (int64_t k = WLU_TILE_THREADS * (int64_t)share + threadIdx.x; k - lane < g.n; k += WLU_TILE_THREADS * (int64_t)shares) {
        bool has = k < g.n;
        int place = has ? __ldg(g.column + k) : 0;
        u64 *computed = (u64 *)s.by_column + place, bits = has ? __ldcg(computed) : 0;
        u64 inverse = wlu_lane_inverse(s.source[__ldg(g.a_source + place)], __ldg(g.a_scale + place));
        double entry = largest_entry(g, s, has ? __ldg(g.all_ptr + k) : 0, has ? __ldg(g.all_ptr + k + 1) : 0, lane);
        if (bits == 0) continue;
        double u = number(bits - 1);
        relative = max(relative, (u64)wlu_lane_magnitude(WLU_MUL(u, number(inverse))));
        if (u > entry) fallen = max(fallen, (u64)(wlu_bits_of_double(1.0) - wlu_bits_of_double(__ddiv_rn(entry, u))));
        *computed = 0;
    }
    relative = largest_of_warp(relative);
    fallen = largest_of_warp(fallen);
    if (lane > 0) return;
    raise((u64 *)&s.control->relative, relative);
    raise((u64 *)&s.control->fallen, fallen);
}

enum { SLEEP_NS = 100 };

/* Shares of both kinds, by tickets, until there are no more. */
static __device__ __noinline__ void take_shares(const wlu_device_guards &g, const wlu_device_tile *tile, int tiles,
                                                const wlu_device_state &s, const double *v, unsigned shares, tile_shared &sh)
{
    wlu_device_control *c = s.control;
    for (;;) {
        if (threadIdx.x == 0) {
            sh.ticket = atomicAdd(&c->shares, 1u);
            while (sh.ticket >= shares && *(volatile uint32_t *)&c->raised < shares) __nanosleep(SLEEP_NS);
            __threadfence();
        }
        __syncthreads();
        unsigned ticket = sh.ticket;
        if (ticket >= 2 * shares) return;
        if (ticket < shares)
            raise_columns(g, tile, tiles, s, v, ticket, shares);
        else
            compare_columns(g, s, ticket - shares, shares);
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0 && ticket < shares) atomicAdd(&c->raised, 1u);
    }
}

static_assert(offsetof(wlu_device_control, arrivals) % 8 == 0 &&
                  offsetof(wlu_device_control, finished) == offsetof(wlu_device_control, arrivals) + 4,
              "one look sees both");

/* Whether all blocks that have come are out of work. There is none left then: the first to come leaves no bundle, and nobody
 * a tile. */
static __device__ __forceinline__ bool all_finished(const wlu_device_control *c)
{
    u64 both = *(const volatile u64 *)&c->arrivals;
    return (uint32_t)both == (uint32_t)(both >> 32);
}

/* All blocks of a launch, each once it is out of work and has collected its maxima. */
static __device__ __noinline__ void judge_together(const wlu_device_guards &g, const wlu_device_tile *tile, int tiles,
                                                   const wlu_device_state &s, const double *v, tile_shared &sh, int tid)
{
    __threadfence();
    __syncthreads();
    if (tid == 0) {
        atomicAdd(&s.control->finished, 1u);
        while (!all_finished(s.control)) __nanosleep(SLEEP_NS);
        __threadfence();
    }
    __syncthreads();
    if (!(first_bound(s) >= s.bound)) take_shares(g, tile, tiles, s, v, gridDim.x, sh);
}

#endif
