/* Tiles: a block of WLU_TILE_THREADS takes one, its panel in shared memory (or, where that is too small, in scratch memory).
 *
 *   loads       the panel zeroed, entries of the matrix and staged ones put in their places
 *   sources     ascending; a thread has one column and every 32nd row of the source's L. What a source needs from memory is
 *               asked for while the one before is worked on.
 *   elimination a lane has a row: of every warp the first eight lanes the diagonal block, the others a row below each, so that
 *               pivots need no barrier: a pivot's row is eight shuffles
 *   publishing  rows of L first: others wait for them */
#ifndef WLU_TILE_CUH
#define WLU_TILE_CUH

#include "bundle.cuh"

enum { W = 8, ROWS_A_PASS = WLU_TILE_THREADS / W, ROWS_A_WARP = WLU_WARP - W, WARPS = WLU_TILE_THREADS / WLU_WARP };

typedef struct tile_shared {
    double corner[2][W * W]; /* diagonal blocks of sources: the one at hand, the next one */
    u64 umax[W];
    u64 largest[WLU_DEVICE_AREAS];
    uint32_t ticket;
} tile_shared;

/* What a thread has asked for of one source: its row's l in the first pass, where that row goes, and two numbers of the
 * diagonal block. */
typedef struct fetched {
    u64 l[W], corner[2];
    int32_t target;
} fetched;

static __device__ __forceinline__ void fetch_row(const double *v, const wlu_device_source &g, const int32_t *target, int row, fetched &f)
{
    const double *l = v + g.lower + W * row;
#pragma unroll
    for (int k = 0; k < W; k += 2) peek2(l + k, f.l[k], f.l[k + 1]);
    f.target = __ldg(target + g.target + row);
}

static __device__ __forceinline__ void fetch(const wlu_device_program &p, const double *v, const wlu_device_source &g, int tid, fetched &f)
{
    if (tid / W < g.rows) fetch_row(v, g, p.target, tid / W, f);
    if (tid < WLU_WARP && g.width - g.skip > 1) peek2(v + g.diagonal + 2 * tid, f.corner[0], f.corner[1]);
}

static __device__ __forceinline__ wlu_device_source read_source(const wlu_device_source *at)
{
    wlu_device_source g;
    const int2 *from = (const int2 *)at;
    int2 raw[3] = {__ldg(from), __ldg(from + 1), __ldg(from + 2)};
    memcpy(&g, raw, sizeof g);
    return g;
}

/* The source's pivots among themselves: a lane a column. */
static __device__ __forceinline__ void solve_corner(const double *corner, const wlu_device_source &g, double *u)
{
    double x[W];
#pragma unroll
    for (int i = 0; i < W; i++)
        if (i >= g.skip && i < g.width) x[i] = u[W * (i - g.skip)];
#pragma unroll
    for (int k = 0; k < W - 1; k++)
        if (k >= g.skip) {
#pragma unroll
            for (int i = k + 1; i < W; i++)
                if (i < g.width) x[i] = WLU_FMA(-corner[W * i + k], x[k], x[i]);
        }
#pragma unroll
    for (int i = 1; i < W; i++)
        if (i > g.skip && i < g.width) u[W * (i - g.skip)] = x[i];
}

/* One row of the source's L on one column of the panel. */
static __device__ __forceinline__ void apply(const wlu_device_state &s, const double *v, const wlu_device_source &g, const double *u,
                                             int row, const fetched &f, double *column)
{
    const double *l = v + g.lower + W * row;
    double acc = column[W * f.target];
#pragma unroll
    for (int k = 0; k < W; k++)
        if (k >= g.skip && k < g.width) acc = WLU_FMA(-number(wait(s, l + k, f.l[k])), u[k], acc);
    column[W * f.target] = acc;
}

/* l(i, k) u(k, j) in the reference: x. */
static __device__ __forceinline__ void run_sources(const wlu_device_program &p, const wlu_device_state &s, const double *v,
                                                   const wlu_device_tile &t, double *panel, tile_shared &sh, int tid)
{
    if (t.sources == 0) return;
    const wlu_device_source *source = p.source + t.source;
    wlu_device_source now = read_source(source), next = now;
    fetched f, ahead;
    fetch(p, v, now, tid, f);
    if (t.sources > 1) next = read_source(source + 1);
    for (int g = 0; g < t.sources; g++) {
        double *column = panel + tid % W;
        int several = now.width - now.skip > 1;
        if (g + 1 < t.sources) fetch(p, v, next, tid, ahead);
        if (several) {
            if (tid < WLU_WARP) {
                double *corner = sh.corner[g & 1];
                const double *at = v + now.diagonal + 2 * tid;
                int row = tid / 4, col = 2 * (tid % 4);
                if (row < now.width) {
                    if (col < row) corner[2 * tid] = number(wait(s, at, f.corner[0]));
                    if (col + 1 < row) corner[2 * tid + 1] = number(wait(s, at + 1, f.corner[1]));
                }
                __syncwarp();
                if (tid < W) solve_corner(corner, now, column + W * now.at);
            }
            __syncthreads();
        }
        double u[W];
#pragma unroll
        for (int k = 0; k < W; k++)
            if (k >= now.skip && k < now.width) u[k] = column[W * (now.at + k - now.skip)];
        for (int row = tid / W; row < now.rows; row += ROWS_A_PASS) {
            if (row >= ROWS_A_PASS) fetch_row(v, now, p.target, row, f);
            apply(s, v, now, u, row, f, column);
        }
        __syncthreads();
        now = next;
        f = ahead;
        if (g + 2 < t.sources) next = read_source(source + g + 2);
    }
}

static __device__ __forceinline__ void read_row(const double *from, double *x)
{
#pragma unroll
    for (int c = 0; c < W; c += 2) {
        double2 pair = *(const double2 *)(from + c);
        x[c] = pair.x;
        x[c + 1] = pair.y;
    }
}

static __device__ __forceinline__ void publish_row(double *to, const double *x)
{
#pragma unroll
    for (int c = 0; c < W; c += 2) publish2(to + c, x[c], x[c + 1]);
}

static __device__ __forceinline__ void look_row(const double *x, int width, seen &m)
{
#pragma unroll
    for (int c = 0; c < W; c++)
        if (c < width) look(m, WLU_DEVICE_L, wlu_lane_magnitude(x[c]));
}

/* Diagonal block and rows below, and their way out. */
static __device__ __forceinline__ void eliminate(const wlu_device_state &s, double *v, const wlu_device_tile &t, const double *panel,
                                                 tile_shared &sh, int tid, seen &m)
{
    int lane = tid % WLU_WARP, warp = tid / WLU_WARP, below = warp * ROWS_A_WARP + lane - W;
    int diagonal = lane < W, has = diagonal ? lane < t.width : below < t.below;
    int64_t at = diagonal ? t.above + lane : t.above + t.width + below;
    double x[W], mine = 0.0;
#pragma unroll
    for (int c = 0; c < W; c++) x[c] = 0.0;
    if (has) read_row(panel + W * at, x);
#pragma unroll
    for (int j = 0; j < W; j++) {
        if (j >= t.width) break;
        double u[W];
#pragma unroll
        for (int c = j; c < W; c++) u[c] = __shfl_sync(~0u, x[c], j);
        double reciprocal = WLU_INVERT(u[j]);
        if (lane == j) mine = reciprocal;
        if (lane > j) wlu_lane_eliminate(j, reciprocal, u, x);
    }
    if (has && (!diagonal || warp == 0)) publish_row(v + t.panel + W * at, x);
    if (warp == 0 && lane < t.width) {
        publish(v + t.reciprocal + lane, mine);
        look(m, WLU_DEVICE_RECIPROCAL, wlu_lane_magnitude(mine));
    }
    if (has && !diagonal) look_row(x, t.width, m);
    if (has && diagonal && warp == 0) {
#pragma unroll
        for (int c = 0; c < W; c++)
            if (c < lane)
                look(m, WLU_DEVICE_L, wlu_lane_magnitude(x[c]));
            else if (c < t.width)
                atomicMax(&sh.umax[c], (u64)wlu_lane_magnitude(x[c]));
    }
    for (int first = WARPS * ROWS_A_WARP + WLU_WARP * warp; first < t.below; first += WARPS * WLU_WARP) {
        double y[W];
        int row = first + lane;
#pragma unroll
        for (int c = 0; c < W; c++) y[c] = 0.0;
        if (row < t.below) read_row(panel + W * (int64_t)(t.above + t.width + row), y);
#pragma unroll
        for (int j = 0; j < W; j++) {
            if (j >= t.width) break;
            double u[W];
#pragma unroll
            for (int c = j + 1; c < W; c++) u[c] = __shfl_sync(~0u, x[c], j);
            wlu_lane_eliminate(j, __shfl_sync(~0u, mine, j), u, y);
        }
        if (row < t.below) {
            publish_row(v + t.panel + W * (int64_t)(t.above + t.width + row), y);
            look_row(y, t.width, m);
        }
    }
}

/* Rows of U, which nobody waits for but solves. */
static __device__ __forceinline__ void publish_above(double *v, const wlu_device_tile &t, const double *panel, tile_shared &sh, int tid)
{
    u64 largest = 0;
    for (int k = tid; k < W * t.above; k += WLU_TILE_THREADS) {
        double x = panel[k];
        publish(v + t.panel + k, x);
        u64 bits = wlu_lane_magnitude(x);
        if (bits > largest) largest = bits;
    }
    if (tid % W < t.width && largest > 0) atomicMax(&sh.umax[tid % W], largest);
}

static __device__ __forceinline__ void run_tile(const wlu_device_program &p, const wlu_device_state &s, double *v,
                                                const wlu_device_tile &t, double *panel, tile_shared &sh, int tid, seen &m)
{
    for (int k = tid; k < W * (t.above + t.width + t.below); k += WLU_TILE_THREADS) panel[k] = 0.0;
    if (tid < W) sh.umax[tid] = 0;
    __syncthreads();
    for (int k = tid; k < t.loads; k += WLU_TILE_THREADS) {
        wlu_tile_load x = p.load[t.load + k];
        panel[x.at] = x.power == WLU_FROM_STAGE ? number(wait(s, v + x.from, peek(v + x.from)))
                                                : from_source(s, x.from, (uint16_t)x.power);
    }
    __syncthreads();
    run_sources(p, s, v, t, panel, sh, tid);
    eliminate(s, v, t, panel, sh, tid, m);
    publish_above(v, t, panel, sh, tid);
    __syncthreads();
    if (tid < W) {
        s.umax[W * (int64_t)t.tile + tid] = number(sh.umax[tid]);
        if (tid < t.width) look(m, WLU_DEVICE_U, sh.umax[tid]);
    }
}

#endif
