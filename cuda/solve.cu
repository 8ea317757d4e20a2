/* Solves: one launch for forward and back substitution, in the manner of flow.cu.
 *
 * Bundles are those of the DOT streams. A tile's block has a warp for each of its pivots: lanes read the rows that other tiles
 * have for it, form their products, and the warp subtracts these in the program's order, as far as they are there; then
 * the tile's own triangle, a lane a pivot. */
#include "health.cuh"

typedef struct pulled {
    double y[W];
} pulled;

/* Products of a row with eight unknowns, summed by the pairwise tree. */
static __device__ __forceinline__ double products(const double *row, const u64 *unknown)
{
    double a[W];
#pragma unroll
    for (int c = 0; c < W; c++) a[c] = WLU_MUL(row[c], number(unknown[c]));
    return WLU_ADD(WLU_ADD(WLU_ADD(a[0], a[4]), WLU_ADD(a[2], a[6])), WLU_ADD(WLU_ADD(a[1], a[5]), WLU_ADD(a[3], a[7])));
}

/* A warp subtracts what a pivot takes, 32 rows at a time, each as soon as it and all before it are there. Who waits polls one
 * number, of the row whose turn is next: most tiles wait for the same one, and requests for one place are served in turn. */
static __device__ __forceinline__ double subtract(const wlu_device_state &s, const wlu_solve_pull *pull, int begin, int end,
                                                  const double *factors, const double *unknowns, int lane, double acc)
{
    for (int first = begin; first < end; first += WLU_WARP) {
        int count = min(end - first, (int)WLU_WARP), done = 0, computed = 0;
        double row[W], sum = 0.0;
        const double *at = unknowns, *from = unknowns;
        u64 x[W];
        int width = 0;
#pragma unroll
        for (int c = 0; c < W; c++) x[c] = 0;
        if (lane < count) {
            const wlu_solve_pull *mine = pull + first + lane;
            const double *l = factors + __ldg(&mine->row);
            at = unknowns + __ldg(&mine->first);
            width = __ldg(&mine->width);
#pragma unroll
            for (int c = 0; c < W; c++)
                if (c < width) x[c] = peek(at + c);
#pragma unroll
            for (int c = 0; c < W; c += 2) {
                double2 two = *(const double2 *)(l + c);
                row[c] = two.x;
                row[c + 1] = two.y;
            }
        }
        for (uint32_t polls = 0; done < count; polls++) {
            bool missing = false;
#pragma unroll
            for (int c = 0; c < W; c++) missing |= x[c] == WLU_POISON;
            if (!missing && !computed && lane < count) {
                sum = products(row, x);
                computed = 1;
            }
            unsigned there = __ballot_sync(~0u, !missing);
            while (done < count && there >> done & 1) {
                acc = WLU_SUB(acc, __shfl_sync(~0u, sum, done));
                done++;
            }
            if (done == count) break;
            bool end_now = (polls & 255) == 255 && give_up(s, polls), come = false;
            if (lane == done && !end_now) {
#pragma unroll
                for (int c = W - 1; c >= 0; c--)
                    if (x[c] == WLU_POISON) from = at + c;
                come = peek(from) != WLU_POISON;
            }
            if (!__any_sync(~0u, come || end_now)) continue;
#pragma unroll
            for (int c = 0; c < W; c++)
                if (x[c] == WLU_POISON) x[c] = end_now ? WLU_CANONICAL_NAN : peek(at + c);
        }
    }
    return acc;
}

/* The tile's own triangle: a lane a pivot. */
static __device__ __forceinline__ double triangle(int forward, int width, int lane, const double *diagonal, double reciprocal, double y)
{
#pragma unroll
    for (int k = 0; k < W; k++) {
        int j = forward ? k : W - 1 - k;
        if (j >= width) continue;
        if (!forward && lane == j) y = WLU_MUL(y, reciprocal);
        double yj = __shfl_sync(~0u, y, j);
        if (forward ? lane > j : lane < j) y = WLU_FMA(-diagonal[j], yj, y);
    }
    return y;
}

static __device__ __forceinline__ void solve_tile(const wlu_device_solve &d, const wlu_device_state &s, const double *factors, double *own,
                                                  int q, pulled &sh, int tid)
{
    int forward = q < d.tiles, lane = tid % WLU_WARP, warp = tid / WLU_WARP;
    const int4 raw = __ldg((const int4 *)(d.tile + (forward ? q : 2 * d.tiles - 1 - q)));
    wlu_solve_tile t;
    memcpy(&t, &raw, sizeof t);
    WLU_TRACE(q, 0);
    double *z = own + d.z, *unknowns = forward ? z : z + d.tiled;
    double diagonal[W], reciprocal = 0.0;
#pragma unroll
    for (int c = 0; c < W; c++) diagonal[c] = 0.0;
    if (warp == 0 && lane < t.width) {
        reciprocal = factors[t.reciprocal + lane];
#pragma unroll
        for (int c = 0; c < W; c++) diagonal[c] = factors[t.diagonal + W * lane + c];
    }
    if (warp < t.width) {
        int at = t.first + warp;
        const int32_t *ends = (forward ? d.forward : d.back) + at;
        const double *start = forward ? own + __ldg(d.tile_y + at) : z + at;
        u64 first = peek(start);
        double acc = subtract(s, d.pull, __ldg(ends), __ldg(ends + 1), factors, unknowns, lane, number(wait(s, start, first)));
        if (lane == 0) sh.y[warp] = acc;
    }
    __syncthreads();
    WLU_TRACE(q, 1);
    if (warp > 0) return;
    double y = triangle(forward, t.width, lane, diagonal, reciprocal, lane < t.width ? sh.y[lane] : 0.0);
    if (lane >= t.width) return;
    publish(unknowns + t.first + lane, y);
    WLU_TRACE(q, 2);
    if (!forward) publish(own + __ldg(d.tile_x + t.first + lane), y);
}

static __device__ __forceinline__ void store(const wlu_device_solve &d, const wlu_device_state &s, bool withheld, double *to,
                                             const double *own, const wlu_bundle &b, int lane, seen &m)
{
    for (int k = b.first + lane; k < b.first + b.steps; k += WLU_WARP) {
        const double *at = own + d.x + k;
        double x = wlu_lane_load(number(wait(s, at, peek(at))), __ldg(d.power + k));
        if (withheld) x = number(WLU_CANONICAL_NAN);
        to[__ldg(d.index + k)] = x;
        look(m, WLU_DEVICE_U, wlu_lane_magnitude(x));
    }
}

/* The state of one of several right-hand sides. */
static __device__ __forceinline__ wlu_device_state slice_of(const wlu_device_state &all, const wlu_solve_of &of, int k)
{
    wlu_device_state s = all;
    s.v[0] += s.slots * k;
    s.v[1] += s.slots * k;
    s.source += of.ldb * k;
    s.control += k;
    s.health += k;
    return s;
}

extern "C" __global__ void __launch_bounds__(WLU_TILE_THREADS)
    wlu_solve(const __grid_constant__ wlu_device_solve d, const __grid_constant__ wlu_device_state all,
              const __grid_constant__ wlu_solve_of of)
{
    __shared__ tile_shared sh;
    __shared__ pulled y;
    int tid = (int)threadIdx.x, lane = tid % WLU_WARP;
    const wlu_device_state s = slice_of(all, of, (int)blockIdx.y);
    double *x = of.x + of.ldx * blockIdx.y;
    seen m;
    if (tid == 0) sh.ticket = atomicAdd(&s.control->arrivals, 1u);
    begin_looking(sh, m);
    uint32_t arrival = sh.ticket, generation = *(volatile uint32_t *)&s.control->generation;
    double *factors = of.control->generation & 1 ? of.v[0] : of.v[1], *own = generation & 1 ? s.v[1] : s.v[0];
    bool withheld = of.control->verdict >= of.withheld;
    two_buffers slots = {factors, own - d.split, d.split};
    int works = tid / WLU_WARP < s.bundle_warps;
    if (arrival < s.bundle_blocks && works)
        run_bundles(d.before, s, slots, &s.control->bundles, lane, m, [](const wlu_bundle &) {});
    WLU_TRACE(2 * d.tiles + arrival, 0);
    poison(s, generation & 1 ? s.v[0] : s.v[1], d.zero, sh, tid);
    for (;;) {
        __syncthreads();
        if (tid == 0) sh.ticket = atomicAdd(&s.control->tiles, 1u);
        __syncthreads();
        if (sh.ticket >= 2u * (uint32_t)d.tiles) break;
        solve_tile(d, s, factors, own, (int)sh.ticket, y, tid);
    }
    WLU_TRACE(2 * d.tiles + arrival, 1);
    if (works)
        run_bundles(d.after, s, slots, &s.control->behind, lane, m,
                    [&](const wlu_bundle &b) { store(d, s, withheld, x, own, b, lane, m); });
    __syncwarp();
    WLU_TRACE(2 * d.tiles + arrival, 2);
    if (leave(s, sh, m)) conclude_solve(s);
}
