/* Tiles: a block of WLU_TILE_THREADS takes one, its panel in shared memory (or, where that is too small, in scratch memory).
 *
 *   loads       the panel zeroed, entries of the matrix and staged ones put in their places
 *   sources     ascending, in chunks of rows of their L that are copied to a ring in shared memory some chunks ahead, ready
 *               or not; whoever copied a piece looks at it when its turn comes, and polls if it was not there yet
 *   elimination a lane has a row: of every warp the first eight lanes the diagonal block, the others a row below each, so that
 *               pivots need no barrier: a pivot's row is eight shuffles
 *   publishing  rows of L first: others wait for them */
#ifndef WLU_TILE_CUH
#define WLU_TILE_CUH

#include "launch.cuh"

enum { ROWS_A_PASS = WLU_TILE_THREADS / W, ROWS_A_WARP = WLU_WARP - W, WARPS = WLU_TILE_THREADS / WLU_WARP };
enum { STAGES = WLU_TILE_STAGES, CHUNK = WLU_TILE_CHUNK, PIECES = CHUNK * W / PIECE / WLU_TILE_THREADS };

/* A chunk of a source on its way: diagonal block, rows of L, where these go. */
typedef struct stage {
    wlu_real corner[W * W];
    wlu_real row[CHUNK * W];
    int32_t target[CHUNK];
} stage;

/* Where a walk through a tile's chunks is: rows from `row` on of source g. */
typedef struct cursor {
    int g, row;
    wlu_device_source at, next;
} cursor;

static __device__ __forceinline__ wlu_device_source read_source(const wlu_device_source *at)
{
    wlu_device_source g;
    const int2 *from = (const int2 *)at;
    int2 raw[3] = {__ldg(from), __ldg(from + 1), __ldg(from + 2)};
    memcpy(&g, raw, sizeof g);
    return g;
}

static __device__ __forceinline__ cursor first_chunk(const wlu_device_source *source, int count)
{
    cursor c;
    c.g = c.row = 0;
    c.at = read_source(source);
    c.next = count > 1 ? read_source(source + 1) : c.at;
    return c;
}

static __device__ __forceinline__ void next_chunk(const wlu_device_source *source, int count, cursor &c)
{
    c.row += CHUNK;
    if (c.row < c.at.rows) return;
    c.g++;
    c.row = 0;
    c.at = c.next;
    if (c.g + 1 < count) c.next = read_source(source + c.g + 1);
}

static __device__ __forceinline__ int has_corner(const cursor &c)
{
    return c.row == 0 && c.at.width - c.at.skip > 1;
}

/* Asks for a chunk. Always one group of copies, empty behind the last chunk. */
static __device__ __forceinline__ void request(const wlu_device_program &p, const wlu_real *v,
                                               const cursor &c, int count, stage *to, int tid)
{
    if (c.g < count) {
        int rows = min(c.at.rows - c.row, (int)CHUNK);
        const wlu_real *from = v + c.at.lower + W * c.row;
#pragma unroll
        for (int i = 0; i < PIECES; i++) {
            int piece = tid + WLU_TILE_THREADS * i;
            if (piece < rows * (W / PIECE)) copy16(to->row + PIECE * piece, from + PIECE * piece);
        }
        if (tid < rows) copy4(to->target + tid, p.target + c.at.target + c.row + tid);
        if (tid < W * W / PIECE && has_corner(c)) copy16(to->corner + PIECE * tid, v + c.at.diagonal + PIECE * tid);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

/* Looks at what this thread copied of a chunk, COUNT pieces of rows and one of the corner, and waits for all that was not there. */
template <int COUNT>
static __device__ __forceinline__ void settle(const wlu_device_state &s, const wlu_real *v, const cursor &c, stage *x, int tid)
{
    int rows = min(c.at.rows - c.row, (int)CHUNK);
    wlu_real *copied[COUNT + 1];
    const wlu_real *at[PIECE * (COUNT + 1)];
    slot_bits seen[PIECE * (COUNT + 1)];
#pragma unroll
    for (int i = 0; i <= COUNT; i++) {
        int piece = tid + WLU_TILE_THREADS * i;
        int has = i < COUNT ? piece < rows * (W / PIECE) : tid < W / PIECE * c.at.width && has_corner(c);
        copied[i] = i < COUNT ? x->row + PIECE * piece : x->corner + PIECE * tid;
        at[PIECE * i] = i < COUNT ? v + c.at.lower + W * c.row + PIECE * piece : v + c.at.diagonal + PIECE * tid;
#pragma unroll
        for (int q = 0; q < PIECE; q++) {
            at[PIECE * i + q] = at[PIECE * i] + q;
            seen[PIECE * i + q] = 0;
        }
        if (!has) {
            copied[i] = NULL;
            continue;
        }
        slot_piece there = *(const slot_piece *)copied[i];
        bool missing = false;
#pragma unroll
        for (int q = 0; q < PIECE; q++) {
            seen[PIECE * i + q] = bits_of(there.of[q]);
            missing |= unlike_poison(seen[PIECE * i + q]) == 0;
        }
        if (!missing) copied[i] = NULL;
    }
    wait_all<PIECE *(COUNT + 1)>(s, at, seen);
#pragma unroll
    for (int i = 0; i <= COUNT; i++) {
        if (copied[i] == NULL) continue;
        slot_piece there;
#pragma unroll
        for (int q = 0; q < PIECE; q++) there.of[q] = number(seen[PIECE * i + q]);
        *(slot_piece *)copied[i] = there;
    }
}

/* The source's pivots among themselves: a lane a column. Without branches, so that all is read at once: what lies outside of
 * the block is computed too, and not stored. */
static __device__ __forceinline__ void solve_corner(const wlu_real *corner, const wlu_device_source &g,
                                                    wlu_real *u)
{
    int pivots = g.width - g.skip;
    const wlu_real *l = corner + (W + 1) * g.skip;
    wlu_real x[W];
#pragma unroll
    for (int i = 0; i < W; i++) x[i] = u[W * min(i, pivots - 1)];
#pragma unroll
    for (int k = 0; k < W - 1; k++) {
#pragma unroll
        for (int i = k + 1; i < W; i++) x[i] = WLU_FMA(-l[W * i + k], x[k], x[i]);
    }
#pragma unroll
    for (int i = 1; i < W; i++)
        if (i < pivots) u[W * i] = x[i];
}

enum { MOST_ROWS = CHUNK / ROWS_A_PASS };

/* Terms of a thread's rows, in the order of pivots: of all eight, or of some. */
template <int ROWS> static __device__ __forceinline__ void add_all(const wlu_real *l, const wlu_real *u, wlu_real *acc)
{
    wlu_real uk[W];
#pragma unroll
    for (int k = 0; k < W; k++) uk[k] = u[W * k];
#pragma unroll
    for (int k = 0; k < W; k += PIECE) {
        slot_piece some[ROWS];
#pragma unroll
        for (int i = 0; i < ROWS; i++) some[i] = *(const slot_piece *)(l + W * ROWS_A_PASS * i + k);
#pragma unroll
        for (int q = 0; q < PIECE; q++) {
#pragma unroll
            for (int i = 0; i < ROWS; i++) acc[i] = WLU_FMA(-some[i].of[q], uk[k + q], acc[i]);
        }
    }
}

template <int ROWS>
static __device__ __forceinline__ void add_some(const wlu_real *l, const wlu_real *u, int pivots, wlu_real *acc)
{
#pragma unroll 2
    for (int k = 0; k < pivots; k++) {
        wlu_real uk = u[W * k];
#pragma unroll
        for (int i = 0; i < ROWS; i++) acc[i] = WLU_FMA(-l[W * ROWS_A_PASS * i + k], uk, acc[i]);
    }
}

/* Rows of a chunk, at most ROWS a thread, on the panel: a thread has one column and every 32nd row; those that the panel lacks
 * go nowhere. */
template <int ROWS>
static __device__ __forceinline__ void apply(const cursor &c, const stage *x, wlu_real *column, int panel_rows, int tid)
{
    int rows = min(c.at.rows - c.row, (int)CHUNK), pivots = c.at.width - c.at.skip;
    if (tid / (int)WLU_WARP * (int)(WLU_WARP / W) >= rows) return;
    const wlu_real *u = column + W * c.at.at, *l = x->row + W * (tid / W) + c.at.skip;
    wlu_real acc[ROWS], *to[ROWS];
#pragma unroll
    for (int i = 0; i < ROWS; i++) {
        int row = tid / W + i * ROWS_A_PASS, target = row < rows ? x->target[row] : panel_rows;
        to[i] = target < panel_rows ? column + W * target : NULL;
        acc[i] = to[i] != NULL ? *to[i] : 0.0;
    }
    if (pivots == W)
        add_all<ROWS>(l, u, acc);
    else
        add_some<ROWS>(l, u, pivots, acc);
#pragma unroll
    for (int i = 0; i < ROWS; i++)
        if (to[i] != NULL) *to[i] = acc[i];
}

static __device__ __forceinline__ void run_sources(const wlu_device_program &p, const wlu_device_state &s,
                                                   const wlu_real *v, const wlu_device_tile &t,
                                                   wlu_real *panel, stage *ring, int tid)
{
    if (t.sources == 0) return;
    const wlu_device_source *source = p.source + t.source;
    cursor now = first_chunk(source, t.sources), ahead = now;
    for (int k = 0; k < STAGES - 1; k++) {
        request(p, v, ahead, t.sources, ring + k, tid);
        if (ahead.g < t.sources) next_chunk(source, t.sources, ahead);
    }
    wlu_real *column = panel + tid % W;
    for (int at = 0; now.g < t.sources; at = (at + 1) % STAGES) {
        stage *x = ring + at;
        WLU_DELAY(now.g);
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
        int rows = now.at.rows - now.row;
        settle<PIECES>(s, v, now, x, tid);
        __syncwarp();
        if (tid < W && has_corner(now)) solve_corner(x->corner, now.at, column + W * now.at.at);
        __syncthreads();
        if (rows <= ROWS_A_PASS)
            apply<1>(now, x, column, t.above + t.width + t.below, tid);
        else if (rows <= 2 * ROWS_A_PASS)
            apply<2>(now, x, column, t.above + t.width + t.below, tid);
        else
            apply<MOST_ROWS>(now, x, column, t.above + t.width + t.below, tid);
        request(p, v, ahead, t.sources, ring + (at + STAGES - 1) % STAGES, tid);
        if (ahead.g < t.sources) next_chunk(source, t.sources, ahead);
        __syncthreads();
        next_chunk(source, t.sources, now);
        if (now.g == t.sources - 1) { WLU_TRACE(t.tile, 4); }
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
}

static __device__ __forceinline__ void read_row(const wlu_real *from, wlu_real *x)
{
#pragma unroll
    for (int c = 0; c < W; c += PIECE) {
        slot_piece some = *(const slot_piece *)(from + c);
#pragma unroll
        for (int q = 0; q < PIECE; q++) x[c + q] = some.of[q];
    }
}

static __device__ __forceinline__ void publish_row(wlu_real *to, const wlu_real *x)
{
#pragma unroll
    for (int c = 0; c < W; c += PIECE) publish_piece(to + c, x + c);
}

static __device__ __forceinline__ void look_row(const wlu_real *x, int width, seen &m)
{
#pragma unroll
    for (int c = 0; c < W; c++)
        if (c < width) look(m, WLU_DEVICE_L, wlu_lane_magnitude(x[c]));
}

/* Diagonal block and rows below, and their way out. Warps without rows have nothing to do. */
static __device__ __forceinline__ void eliminate(const wlu_device_state &s, wlu_real *v,
                                                 const wlu_device_tile &t, const wlu_real *panel,
                                                 tile_shared &sh, int tid, seen &m)
{
    int lane = tid % WLU_WARP, warp = tid / WLU_WARP, below = warp * ROWS_A_WARP + lane - W;
    if (warp > 0 && warp * ROWS_A_WARP >= t.below) return;
    int diagonal = lane < W, has = diagonal ? lane < t.width : below < t.below;
    int64_t at = diagonal ? t.above + lane : t.above + t.width + below;
    wlu_real x[W], mine = 0.0;
#pragma unroll
    for (int c = 0; c < W; c++) x[c] = 0.0;
    if (has) read_row(panel + W * at, x);
    wlu_real pivot = __shfl_sync(~0u, x[0], 0);
#pragma unroll
    for (int j = 0; j < W; j++) {
        if (j >= t.width) break;
        wlu_real u[W], next[2];
#pragma unroll
        for (int c = j + 1; c < W; c++) u[c] = __shfl_sync(~0u, x[c], j);
        if (j + 1 < W) {
            next[0] = __shfl_sync(~0u, x[j], j + 1);
            next[1] = __shfl_sync(~0u, x[j + 1], j + 1);
        }
        wlu_real reciprocal = WLU_INVERT(pivot);
        /* what the next pivot's lane is about to compute: all do, so that it need not tell them */
        if (j + 1 < W) pivot = WLU_FMA(-WLU_MUL(next[0], reciprocal), u[j + 1], next[1]);
        if (lane == j) mine = reciprocal;
        if (lane > j) wlu_lane_eliminate(j, reciprocal, u, x);
    }
    WLU_DELAY(t.tile + lane);
    if (has && (!diagonal || warp == 0)) publish_row(v + t.panel + W * at, x);
    for (int first = WARPS * ROWS_A_WARP + WLU_WARP * warp; first < t.below; first += WARPS * WLU_WARP) {
        wlu_real y[W];
        int row = first + lane;
#pragma unroll
        for (int c = 0; c < W; c++) y[c] = 0.0;
        if (row < t.below) read_row(panel + W * (int64_t)(t.above + t.width + row), y);
#pragma unroll
        for (int j = 0; j < W; j++) {
            if (j >= t.width) break;
            wlu_real u[W];
#pragma unroll
            for (int c = j + 1; c < W; c++) u[c] = __shfl_sync(~0u, x[c], j);
            wlu_lane_eliminate(j, __shfl_sync(~0u, mine, j), u, y);
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
        look(m, WLU_DEVICE_RECIPROCAL, wlu_lane_magnitude(mine));
#pragma unroll
        for (int c = 0; c < W; c++)
            if (c < lane)
                look(m, WLU_DEVICE_L, wlu_lane_magnitude(x[c]));
            else if (c < t.width)
                atomicMax(&sh.umax[c], (u64)wlu_lane_magnitude(x[c]));
    }
}

/* Rows of U, which nobody waits for but solves. */
static __device__ __forceinline__ void publish_above(wlu_real *v, const wlu_device_tile &t,
                                                     const wlu_real *panel, tile_shared &sh, int tid)
{
    u64 largest = 0;
    for (int k = tid; k < W * t.above; k += WLU_TILE_THREADS) {
        wlu_real x = panel[k];
        publish(v + t.panel + k, x);
        u64 bits = wlu_lane_magnitude(x);
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
                                                  const wlu_real *v, const wlu_device_tile &t,
                                                  wlu_real *panel, int tid)
{
    enum { AT_ONCE = 4 };
    for (int first = tid; first < t.loads; first += AT_ONCE * WLU_TILE_THREADS) {
        wlu_tile_load load[AT_ONCE];
        const wlu_real *at[AT_ONCE];
        slot_bits x[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            if (first + i * WLU_TILE_THREADS < t.loads) load[i] = read_load(p.load + t.load + first + i * WLU_TILE_THREADS);
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
            at[i] = v;
            x[i] = 0;
            if (first + i * WLU_TILE_THREADS >= t.loads) continue;
            if (load[i].power == WLU_FROM_STAGE) {
                at[i] = v + load[i].from;
                x[i] = peek(at[i]);
            } else {
                panel[load[i].at] = from_source(s, load[i].from, (uint16_t)load[i].power);
            }
        }
        wait_all<AT_ONCE>(s, at, x);
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++)
            if (first + i * WLU_TILE_THREADS < t.loads && load[i].power == WLU_FROM_STAGE) panel[load[i].at] = number(x[i]);
    }
}

static __device__ __forceinline__ void run_tile(const wlu_device_program &p, const wlu_device_state &s,
                                                wlu_real *v, const wlu_device_tile &t, wlu_real *panel,
                                                stage *ring, tile_shared &sh, int tid, seen &m)
{
    WLU_TRACE(t.tile, 0);
    WLU_DELAY(t.tile);
    for (int k = tid; k < W * (t.above + t.width + t.below); k += WLU_TILE_THREADS) panel[k] = 0.0;
    if (tid < W) sh.umax[tid] = 0;
    __syncthreads();
    fill_panel(p, s, v, t, panel, tid);
    __syncthreads();
    WLU_TRACE(t.tile, 1);
    run_sources(p, s, v, t, panel, ring, tid);
    WLU_TRACE(t.tile, 2);
    eliminate(s, v, t, panel, sh, tid, m);
    WLU_TRACE(t.tile, 3);
    publish_above(v, t, panel, sh, tid);
    __syncthreads();
    if (tid < W) {
        s.umax[W * (int64_t)t.tile + tid] = number(sh.umax[tid]);
        if (tid < t.width) look(m, WLU_DEVICE_U, sh.umax[tid]);
    }
}

#endif
