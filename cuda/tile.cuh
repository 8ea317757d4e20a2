/* Tiles: a block of WLU_TILE_THREADS takes one, its panel by columns in shared memory (or, where that is too small, by
 * rows in scratch memory).
 *
 *   loads       the panel zeroed, entries of the matrix and staged ones put in their places
 *   sources     in their order (tile_sources.cuh)
 *   elimination a lane has a row: of every warp the first eight lanes the diagonal block, the others a row below each,
 *               so that pivots need no barrier: a pivot's row is eight shuffles
 *   publishing  rows of L first, because others wait for them */
#ifndef WLU_TILE_CUH
#define WLU_TILE_CUH

#include "growth.cuh"
#include "tile_sources.cuh"

enum { ROWS_A_WARP = WLU_WARP - W, WARPS = WLU_TILE_THREADS / WLU_WARP };

static __device__ __forceinline__ void read_columns(const tile_panel &panel, int row, wlu_number *x)
{
#pragma unroll
    for (int c = 0; c < W; c++) x[c] = *number_of(panel, row, c);
}

static __device__ __forceinline__ void publish_row(wlu_number *to, const wlu_number *x)
{
#pragma unroll
    for (int c = 0; c < W; c += PIECE) publish_piece(to + c, x + c);
}

static __device__ __forceinline__ void look_row(const wlu_number *x, int width, wlu_maxima &m)
{
#pragma unroll
    for (int c = 0; c < W; c++)
        if (c < width) maxima_add(m, WLU_AREA_L, wlu_lane_size(x[c]));
}

/* Diagonal block and rows below, and their way out. Warps without rows have nothing to do. */
static __device__ __forceinline__ void eliminate(const wlu_device_state &s, wlu_number *v, const wlu_device_tile &t,
                                                 const tile_panel &panel, tile_shared &sh, int tid, wlu_maxima &m)
{
    int lane = tid % WLU_WARP, warp = tid / WLU_WARP, below = warp * ROWS_A_WARP + lane - W;
    if (warp > 0 && warp * ROWS_A_WARP >= t.below) return;
    int diagonal = lane < W, has = diagonal ? lane < t.width : below < t.below;
    int at = diagonal ? t.above + lane : t.above + t.width + below;
    wlu_number x[W], mine = wlu_zero();
#pragma unroll
    for (int c = 0; c < W; c++) x[c] = wlu_zero();
    if (has) read_columns(panel, at, x);
    wlu_number pivot = shuffle(x[0], 0);
#pragma unroll
    for (int j = 0; j < W; j++) {
        if (j >= t.width) break;
        wlu_number u[W], next[2];
#pragma unroll
        for (int c = j + 1; c < W; c++) u[c] = shuffle(x[c], j);
        if (j + 1 < W) {
            next[0] = shuffle(x[j], j + 1);
            next[1] = shuffle(x[j + 1], j + 1);
        }
        wlu_number reciprocal = wlu_invert(pivot);
        /* what the next pivot's lane is about to compute: all do, so that it need not tell them */
        if (j + 1 < W) pivot = wlu_fnma(wlu_mul(next[0], reciprocal), u[j + 1], next[1]);
        if (lane == j) mine = reciprocal;
        if (lane > j) wlu_lane_eliminate(j, reciprocal, u, x);
    }
    WLU_DELAY(t.tile + lane);
    if (has && (!diagonal || warp == 0)) publish_row(v + t.panel + W * (int64_t)at, x);
    for (int first = WARPS * ROWS_A_WARP + WLU_WARP * warp; first < t.below; first += WARPS * WLU_WARP) {
        wlu_number y[W];
        int row = first + lane;
#pragma unroll
        for (int c = 0; c < W; c++) y[c] = wlu_zero();
        if (row < t.below) read_columns(panel, t.above + t.width + row, y);
#pragma unroll
        for (int j = 0; j < W; j++) {
            if (j >= t.width) break;
            wlu_number u[W];
#pragma unroll
            for (int c = j + 1; c < W; c++) u[c] = shuffle(x[c], j);
            wlu_lane_eliminate(j, shuffle(mine, j), u, y);
        }
        if (row < t.below) {
            publish_row(v + t.panel + W * (int64_t)(t.above + t.width + row), y);
            look_row(y, t.width, m);
        }
    }
    WLU_TRACE(t.tile, 5);
    if (has && !diagonal) look_row(x, t.width, m);
    if (warp > 0) return;
    if (lane < t.width) {
        publish(v + t.reciprocal + lane, mine);
        maxima_add(m, WLU_AREA_RECIPROCAL, wlu_lane_size(mine));
#pragma unroll
        for (int c = 0; c < W; c++)
            if (c < lane)
                maxima_add(m, WLU_AREA_L, wlu_lane_size(x[c]));
            else if (c < t.width)
                atomicMax(&sh.umax[c], (u64)wlu_lane_size(x[c]));
    }
}

/* Rows of U, which nobody waits for but solves. */
static __device__ __forceinline__ void publish_above(wlu_number *v, const wlu_device_tile &t, const tile_panel &panel,
                                                     tile_shared &sh, int tid)
{
    u64 largest = 0;
    for (int k = tid; k < W * t.above; k += WLU_TILE_THREADS) {
        wlu_number x = *number_of(panel, k / W, k % W);
        publish(v + t.panel + k, x);
        u64 bits = wlu_lane_size(x);
        if (bits > largest) largest = bits;
    }
    if (tid % W < t.width && largest > 0) atomicMax(&sh.umax[tid % W], largest);
}

static __device__ __forceinline__ wlu_tile_load read_load(const wlu_tile_load *at)
{
    wlu_tile_load x = {__ldg(&at->at), __ldg(&at->from), __ldg(&at->power)};
    return x;
}

/* Entries of the matrix and staged ones into their places, four at a time for each thread. */
static __device__ __forceinline__ void fill_panel(const wlu_device_program &p, const wlu_device_state &s,
                                                  const wlu_number *v, const wlu_device_tile &t,
                                                  const tile_panel &panel, int tid)
{
    enum { AT_ONCE = 4 };
    for (int first = tid; first < t.loads; first += AT_ONCE * WLU_TILE_THREADS) {
        wlu_tile_load load[AT_ONCE];
        const wlu_number *at[AT_ONCE];
        slot_bits x[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            if (first + i * WLU_TILE_THREADS < t.loads)
                load[i] = read_load(p.load + t.load + first + i * WLU_TILE_THREADS);
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            at[i] = v;
            x[i] = no_bits();
            if (first + i * WLU_TILE_THREADS >= t.loads) continue;
            if (load[i].power == WLU_FROM_STAGE) {
                at[i] = v + load[i].from;
                x[i] = peek(at[i]);
            } else {
                *number_of(panel, load[i].at / W, load[i].at % W) =
                    from_source(s, load[i].from, (uint16_t)load[i].power);
            }
        }
        wait_all<AT_ONCE>(s, at, x);
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            if (first + i * WLU_TILE_THREADS < t.loads && load[i].power == WLU_FROM_STAGE)
                *number_of(panel, load[i].at / W, load[i].at % W) = number(x[i]);
    }
}

static __device__ __forceinline__ void run_tile(const wlu_device_program &p, const wlu_device_state &s, wlu_number *v,
                                                const wlu_device_tile &t, const tile_panel &panel, int numbers,
                                                tile_room &r, tile_shared &sh, int tid, wlu_maxima &m)
{
    WLU_TRACE(t.tile, 0);
    WLU_DELAY(t.tile);
    for (int half = 0; half < 2; half++) request_sources(p.source + t.source, half * (SOURCES / 2), t.sources, r, tid);
    end_copies();
    for (int k = tid; k < numbers; k += WLU_TILE_THREADS) panel.at[k] = wlu_zero();
    if (tid < W) sh.umax[tid] = 0;
    __syncthreads();
    fill_panel(p, s, v, t, panel, tid);
    wait_all_copies();
    __syncthreads();
    WLU_TRACE(t.tile, 1);
    run_sources(p, s, v, t, panel, r, tid);
    WLU_TRACE(t.tile, 2);
    eliminate(s, v, t, panel, sh, tid, m);
    WLU_TRACE(t.tile, 3);
    publish_above(v, t, panel, sh, tid);
    __syncthreads();
    if (tid < W) {
        s.umax[W * (int64_t)t.tile + tid] = number(sh.umax[tid]);
        if (tid < t.width) maxima_add(m, WLU_AREA_U, sh.umax[tid]);
        if (tid < t.width && sh.open)
            atomicMax((u64 *)&sh.largest.of[WLU_AREA_RELATIVE], relative_in_tile(p.guards, s, t, tid, sh.umax[tid]));
    }
}

/* Tiles until there are no more. APART: panels do not fit into shared memory; the compiler is to know, for addresses
 * there are shorter. */
template <bool APART>
static __device__ __forceinline__ void run_tiles(const wlu_device_program &p, const wlu_device_state &s, wlu_number *v,
                                                 tile_room &r, tile_shared &sh, int tid, wlu_maxima &m)
{
    wlu_number *at =
        APART ? s.panels + (int64_t)W * WLU_PANEL_COLUMN(p.panel_rows) * blockIdx.x : (wlu_number *)(&r + 1);
    for (;;) {
        __syncthreads();
        if (tid == 0) sh.ticket = atomicAdd(&s.control->tiles, 1u);
        __syncthreads();
        if (sh.ticket >= (uint32_t)p.tiles) return;
        const int4 *from = (const int4 *)(p.tile + sh.ticket);
        wlu_device_tile t;
        int4 raw[4] = {__ldg(from), __ldg(from + 1), __ldg(from + 2), __ldg(from + 3)};
        memcpy(&t, raw, sizeof t);
        int rows = t.above + t.width + t.below, column = WLU_PANEL_COLUMN(rows);
        const tile_panel panel = {at, APART ? W : 1, APART ? 1 : column};
        run_tile(p, s, v, t, panel, W * (APART ? rows : column), r, sh, tid, m);
    }
}

#endif
