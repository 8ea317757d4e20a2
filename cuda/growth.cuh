/* Growth where its first bound decides nothing (src/exec/growth.c), in shares of three kinds, each once all shares of
 * the kind before are done: the second bound, O(computed u); and where that decides nothing either, the largest u of
 * each column, O(computed u), and growth by the definition from these, O(nnz).
 *
 * The last block does it alone, or some blocks do it together, which stay for it in some replays after one that the
 * first bound left open. Who stays waits for blocks that have come, and for shares that have been taken, never for
 * blocks that may come, so that any grid makes progress. What the second bound says is final when its shares are done:
 * all blocks, late ones too, go on or leave alike. */
#ifndef WLU_GROWTH_CUH
#define WLU_GROWTH_CUH

#include "health.cuh"

/* In so many replays; so many blocks. */
enum { OPEN_FOR = 16, STAYING = 32 };

static __device__ __forceinline__ double growth_of(double worst)
{
    return worst >= 1.0 ? __drcp_rn(worst) : worst < 1.0 ? 1.0 : 0.0;
}

static __device__ __forceinline__ double first_bound(const wlu_device_state &s)
{
    volatile u64 *largest = (volatile u64 *)s.control->largest;
    return growth_of(__dmul_rn(number(largest[WLU_DEVICE_U]), number(largest[WLU_DEVICE_INVERSE])));
}

/* Once all shares of its kind are done. */
static __device__ __forceinline__ double second_bound(const wlu_device_state &s)
{
    return growth_of(number(*(volatile u64 *)&s.control->relative));
}

/* Once all shares are done. */
static __device__ __forceinline__ double closer_growth(const wlu_device_state &s)
{
    double second = second_bound(s);
    return second >= s.bound ? second : number(wlu_bits_of_double(1.0) - *(volatile u64 *)&s.control->fallen);
}

static __device__ __forceinline__ void raise(u64 *largest, u64 x)
{
    if (x > __ldcg(largest)) atomicMax(largest, x);
}

static_assert(W * WLU_WARP == WLU_TILE_THREADS, "a number for each warp");

/* A share's maximum into all blocks'. */
static __device__ __forceinline__ void raise_together(u64 *largest, u64 x, tile_shared &sh)
{
    x = largest_of_warp(x);
    if (threadIdx.x % WLU_WARP == 0) sh.umax[threadIdx.x / WLU_WARP] = x;
    __syncthreads();
    if (threadIdx.x >= WLU_WARP) return;
    x = largest_of_warp(sh.umax[threadIdx.x % W]);
    if (threadIdx.x == 0) raise(largest, x);
}

/* A share of the tiles' columns: f(place of the column, bits of the largest magnitude that the tile computed). */
template <class function>
static __device__ __forceinline__ void for_tiled(const wlu_device_guards &g, const wlu_device_tile *tile, int tiles,
                                                 const wlu_device_state &s, unsigned share, unsigned shares,
                                                 const function &f)
{
    int64_t first = WLU_TILE_THREADS * (int64_t)share + threadIdx.x, step = WLU_TILE_THREADS * (int64_t)shares;
    for (int64_t k = first; k < W * (int64_t)tiles; k += step) {
        const wlu_device_tile *t = tile + k / W;
        int c = (int)(k % W);
        if (c < __ldg(&t->width))
            f(__ldg(g.tile_column + __ldg(&t->first) + c),
              wlu_bits_of_double(__ldcg(s.umax + W * (int64_t)__ldg(&t->tile) + c)));
    }
}

enum { AT_ONCE = 4 };

/* A share of the u that bundles computed, by so many: f(places of their columns, bits of their magnitudes), some more
 * than once, for whole warps. */
template <class function>
static __device__ __forceinline__ void for_bundled(const wlu_device_guards &g, const wlu_real *v, unsigned share,
                                                   unsigned shares, const function &f)
{
    int lane = (int)threadIdx.x % WLU_WARP;
    int64_t first = WLU_TILE_THREADS * (int64_t)share + threadIdx.x, step = WLU_TILE_THREADS * (int64_t)shares;
    for (int64_t k = first; k - lane < g.count; k += AT_ONCE * step) {
        int place[AT_ONCE];
        u64 u[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            int64_t at = min(k + i * step, (int64_t)g.count - 1);
            place[i] = __ldg(g.u_column + at);
            u[i] = wlu_lane_magnitude(__ldcg(v + g.u + at));
        }
        f(place, u);
    }
}

/* A share of the second bound: the largest u relative to the entry of its column that was largest when pivots were
 * chosen. */
static __device__ __forceinline__ void bound_columns(const wlu_device_guards &g, const wlu_device_tile *tile, int tiles,
                                                     const wlu_device_state &s, const wlu_real *v, unsigned share,
                                                     unsigned shares, tile_shared &sh)
{
    u64 relative = 0;
    auto look_at = [&](int place, u64 u) {
        u64 inverse = wlu_lane_inverse(s.source[__ldg(g.a_source + place)], __ldg(g.a_scale + place));
        relative = max(relative, (u64)wlu_lane_magnitude(WLU_DOUBLE_MUL(number(u), number(inverse))));
    };
    for_tiled(g, tile, tiles, s, share, shares, look_at);
    for_bundled(g, v, share, shares, [&](const int *place, const u64 *u) {
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) look_at(place[i], u[i]);
    });
    raise_together((u64 *)&s.control->relative, relative, sh);
}

/* A share of the columns' largest u. NaN among the bundles' is nobody's largest. Many neighbours are of one dense
 * column. */
static __device__ __forceinline__ void raise_columns(const wlu_device_guards &g, const wlu_device_tile *tile, int tiles,
                                                     const wlu_device_state &s, const wlu_real *v, unsigned share,
                                                     unsigned shares)
{
    u64 *column = (u64 *)s.by_column;
    for_tiled(g, tile, tiles, s, share, shares, [&](int place, u64 u) { raise(column + place, u); });
    for_bundled(g, v, share, shares, [&](const int *place, const u64 *u) {
        u64 there[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) there[i] = __ldcg(column + place[i]);
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            u64 mine = u[i] <= UINT64_C(0x7ff0000000000000) ? u[i] : 0;
            int alike;
            __match_all_sync(~0u, place[i], &alike);
            if (alike) mine = largest_of_warp(mine);
            if (mine > there[i] && (!alike || threadIdx.x % WLU_WARP == 0)) atomicMax(column + place[i], mine);
        }
    });
}

/* The larger magnitude; NaN is none. */
static __device__ __forceinline__ double raised(double largest, double x)
{
    return fabs(x) > largest ? fabs(x) : largest;
}

static __device__ __forceinline__ double raised_by(const wlu_device_guards &g, const wlu_device_state &s, int64_t q,
                                                   double largest)
{
    return raised(largest, wlu_lane_entry(s.source[__ldg(g.all_source + q)], __ldg(g.all_scale + q)));
}

/* Largest magnitude among entries begin .. end - 1 of a lane's column; a warp looks at long columns together. */
static __device__ __forceinline__ double largest_entry(const wlu_device_guards &g, const wlu_device_state &s,
                                                       int64_t begin, int64_t end, int lane)
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

/* A share of the columns: how far growth has fallen below 1, in bits. Leaves zeros for the next replay. */
static __device__ __forceinline__ void compare_columns(const wlu_device_guards &g, const wlu_device_state &s,
                                                       unsigned share, unsigned shares, tile_shared &sh)
{
    int lane = (int)threadIdx.x % WLU_WARP;
    u64 fallen = 0;
    for (int64_t k = WLU_TILE_THREADS * (int64_t)share + threadIdx.x; k - lane < g.n;
         k += WLU_TILE_THREADS * (int64_t)shares) {
        bool has = k < g.n;
        u64 *computed = (u64 *)s.by_column + (has ? __ldg(g.column + k) : 0), bits = has ? __ldcg(computed) : 0;
        double entry = largest_entry(g, s, has ? __ldg(g.all_ptr + k) : 0, has ? __ldg(g.all_ptr + k + 1) : 0, lane);
        double u = number(bits);
        if (u > entry) fallen = max(fallen, (u64)(wlu_bits_of_double(1.0) - wlu_bits_of_double(__ddiv_rn(entry, u))));
        if (bits != 0) *computed = 0;
    }
    raise_together((u64 *)&s.control->fallen, fallen, sh);
}

enum { SLEEP_NS = 100 };

static __device__ __forceinline__ void await_shares(const wlu_device_control *c, unsigned done)
{
    while (*(const volatile uint32_t *)&c->done < done) __nanosleep(SLEEP_NS);
    __threadfence();
}

enum { KINDS = 3 };

/* One thread: the next share, once those of the kinds before are done; or that there are none left, or none is needed.
 */
static __device__ __forceinline__ unsigned next_share(const wlu_device_state &s, unsigned shares)
{
    unsigned ticket = atomicAdd(&s.control->shares, 1u);
    if (ticket < shares) return ticket;
    await_shares(s.control, shares);
    if (ticket >= KINDS * shares || second_bound(s) >= s.bound) return KINDS * shares;
    await_shares(s.control, ticket / shares * shares);
    return ticket;
}

/* Shares of all kinds, by tickets, until there are no more. */
static __device__ __noinline__ void take_shares(const wlu_device_guards &g, const wlu_device_tile *tile, int tiles,
                                                const wlu_device_state &s, const wlu_real *v, unsigned shares,
                                                tile_shared &sh)
{
    for (;;) {
        if (threadIdx.x == 0) sh.ticket = next_share(s, shares);
        __syncthreads();
        unsigned kind = sh.ticket / shares, share = sh.ticket % shares;
        if (kind == 0)
            bound_columns(g, tile, tiles, s, v, share, shares, sh);
        else if (kind == 1)
            raise_columns(g, tile, tiles, s, v, share, shares);
        else if (kind == 2)
            compare_columns(g, s, share, shares, sh);
        else
            return;
        __threadfence();
        __syncthreads();
        if (threadIdx.x == 0) atomicAdd(&s.control->done, 1u);
    }
}

static_assert(offsetof(wlu_device_control, arrivals) % 8 == 0 &&
                  offsetof(wlu_device_control, finished) == offsetof(wlu_device_control, arrivals) + 4,
              "one look sees both");

/* Whether all blocks that have come are out of work. There is none left then: the first to come leaves no bundle, and
 * nobody a tile. */
static __device__ __forceinline__ bool all_finished(const wlu_device_control *c)
{
    u64 both = *(const volatile u64 *)&c->arrivals;
    return (uint32_t)both == (uint32_t)(both >> 32);
}

/* All blocks of a launch, each once it is out of work and has collected its maxima. The first to have come stay; the
 * others make room for a solve that begins early. */
static __device__ __noinline__ void judge_together(const wlu_device_guards &g, const wlu_device_tile *tile, int tiles,
                                                   const wlu_device_state &s, const wlu_real *v, uint32_t arrival,
                                                   tile_shared &sh, int tid)
{
    __threadfence();
    __syncthreads();
    if (tid == 0) {
        atomicAdd(&s.control->finished, 1u);
        while (arrival < STAYING && !all_finished(s.control)) __nanosleep(SLEEP_NS);
        __threadfence();
    }
    __syncthreads();
    if (arrival < STAYING && !(first_bound(s) >= s.bound))
        take_shares(g, tile, tiles, s, v, min(gridDim.x, (unsigned)STAYING), sh);
}

#endif
