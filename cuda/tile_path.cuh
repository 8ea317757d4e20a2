/* Tile paths: a block solves for tiles that follow each other, their pivots' numbers in its shared memory.
 *
 * A tile takes one barrier. Behind it half of the block's threads read what is left for the tile's pivots, do its
 * triangle (all of them the same, which is quicker than telling each other), and subtract the tile's share from the
 * rows that are theirs, two at most. The other half copies rows, triangles and targets to a ring some tiles ahead. */
#ifndef WLU_TILE_PATH_CUH
#define WLU_TILE_PATH_CUH

#include "launch.cuh"

enum { PATH_STAGES = WLU_TILE_PATH_STAGES, PATH_ROW = WLU_STAGE_ROW(sizeof(wlu_number)) };
enum { PATH_PIVOTS = WLU_TILE_PATH_PIVOTS(sizeof(wlu_number)), NOBODY = PATH_PIVOTS };

/* A tile on its way. */
typedef struct path_stage {
    wlu_number corner[W * W], reciprocal[W]; /* zeros behind its pivots */
    wlu_number row[PATH_PIVOTS * PATH_ROW];
    int32_t target[PATH_PIVOTS], x[W];
} path_stage;

typedef struct path_shared {
    path_stage ring[PATH_STAGES];
    wlu_number left[PATH_PIVOTS + W]; /* what is left for each pivot; and behind the last, zero */
    wlu_solve_tile tile[WLU_TILE_PATH_TILES];
} path_shared;

static_assert(sizeof(path_shared) == WLU_TILE_PATH_ROOM(sizeof(wlu_number)), "shared memory of a solve");
static_assert(sizeof(wlu_solve_tile) == 48 && (int)PATH_PIVOTS <= (int)WLU_TILE_THREADS, "two rows a thread at most");

/* Rows of a tile that belong to the tile path's pivots, in this direction. */
typedef struct path_rows {
    int slot, count, target;
} path_rows;

static __device__ __forceinline__ path_rows rows_of(const wlu_solve_tile &t, int forward)
{
    path_rows r = {forward ? t.lower : t.upper, forward ? t.lowers : t.uppers,
                   forward ? t.lower_target : t.upper_target};
    return r;
}

/* Threads that ask for a tile's triangle; those behind them ask for what else it has for its own pivots. */
enum { TRIANGLE = W * W / PIECE };

static __device__ __forceinline__ void request_pivots(const wlu_device_solve &d, const wlu_number *factors,
                                                      const wlu_solve_tile &t, path_stage *to, int forward, int tid)
{
    int lane = tid - TRIANGLE;
    if (tid < W / PIECE * t.width)
        copy16(to->corner + PIECE * tid, factors + t.diagonal + PIECE * tid);
    else if (tid < TRIANGLE)
        *(slot_piece *)(to->corner + PIECE * tid) = slot_piece();
    else if (!forward && lane < t.width) {
        copy_slot(to->reciprocal + lane, factors + t.reciprocal + lane);
        copy4(to->x + lane, d.tile_x + t.first + lane);
    } else if (lane < W) {
        to->reciprocal[lane] = wlu_zero();
    }
}

/* Asks for the k-th tile, by half of the block: tid counts from its first thread. Always one group of copies, empty
 * behind the last tile. */
static __device__ __forceinline__ void request_tile(const wlu_device_solve &d, const wlu_number *factors,
                                                    const path_shared &sh, path_stage *to, int k, int count,
                                                    int forward, int tid)
{
    if (k < count) {
        const wlu_solve_tile &t = sh.tile[forward ? k : count - 1 - k];
        path_rows rows = rows_of(t, forward);
        const wlu_number *from = factors + rows.slot + PIECE * tid;
        wlu_number *row = to->row + PATH_ROW * (tid / (W / PIECE)) + PIECE * (tid % (W / PIECE));
        for (int piece = tid; piece < rows.count * (W / PIECE); piece += HALF) {
            copy16(row, from);
            from += PIECE * HALF;
            row += PATH_ROW * HALF / (W / PIECE);
        }
        for (int r = tid; r < rows.count; r += HALF) copy4(to->target + r, d.target + rows.target + r);
        request_pivots(d, factors, t, to, forward, tid);
    }
    end_copies();
}

/* Waits for a piece of the factorization that was copied before it was there. */
static __device__ __forceinline__ void settle_piece(const wlu_device_state &s, wlu_number *copied,
                                                    const wlu_number *from)
{
    slot_piece there = *(const slot_piece *)copied;
    const wlu_number *at[PIECE];
    slot_bits x[PIECE];
#pragma unroll
    for (int q = 0; q < PIECE; q++) {
        at[q] = from + q;
        x[q] = bits_of(there.of[q]);
    }
    if (all_there(x) != 0) return;
    wait_all<PIECE>(s, at, x);
#pragma unroll
    for (int q = 0; q < PIECE; q++) there.of[q] = number(x[q]);
    *(slot_piece *)copied = there;
}

/* Before the factorization has ended: looks at what this thread has copied of a tile. */
static __device__ __forceinline__ void settle_tile(const wlu_device_state &s, const wlu_number *factors,
                                                   const wlu_solve_tile &t, path_stage *x, int forward, int tid)
{
    path_rows rows = rows_of(t, forward);
    for (int piece = tid; piece < rows.count * (W / PIECE); piece += HALF)
        settle_piece(s, x->row + PATH_ROW * (piece / (W / PIECE)) + PIECE * (piece % (W / PIECE)),
                     factors + rows.slot + PIECE * piece);
    if (tid < W / PIECE * t.width) settle_piece(s, x->corner + PIECE * tid, factors + t.diagonal + PIECE * tid);
    int lane = tid - TRIANGLE;
    if (forward || lane < 0 || lane >= t.width) return;
    const wlu_number *const at[1] = {factors + t.reciprocal + lane};
    slot_bits seen[1] = {bits_of(x->reciprocal[lane])};
    wait_all<1>(s, at, seen);
    x->reciprocal[lane] = number(seen[0]);
}

/* The tile's own triangle: from what is left for its pivots to its unknowns. Without branches, so that all is read at
 * once: what lies behind its pivots is zeros, whose terms are left out where they would change the sign of zeros. */
static __device__ __forceinline__ void solve_triangle(const path_stage *x, int width, int forward, wlu_number *y)
{
    wlu_number corner[W][W], reciprocal[W];
#pragma unroll
    for (int i = 0; i < W; i++) {
        reciprocal[i] = forward ? wlu_zero() : x->reciprocal[i];
#pragma unroll
        for (int j = 0; j < W; j++) corner[i][j] = (forward ? i > j : i < j) ? x->corner[W * i + j] : wlu_zero();
    }
#pragma unroll
    for (int k = 0; k < W; k++) {
        int j = forward ? k : W - 1 - k;
        if (!forward) y[j] = wlu_lane_scale(y[j], reciprocal[j]);
#pragma unroll
        for (int i = 0; i < W; i++)
            if ((forward ? i > j : i < j) && (WLU_NUMBER_REALS == 1 || j < width))
                y[i] = wlu_lane_triangle(corner[i][j], y[j], y[i]);
    }
    /* zero times an infinite unknown */
#pragma unroll
    for (int c = 0; c < W; c++)
        if (c >= width) y[c] = wlu_zero();
}

/* Unknowns of a tile, for others; back substitution's are the solution as well. */
static __device__ __forceinline__ void publish_unknowns(const wlu_device_solve &d, wlu_number *own, int forward,
                                                        const path_stage *x, const wlu_solve_tile &t,
                                                        const wlu_number *y, int tid)
{
    wlu_number mine = wlu_zero();
#pragma unroll
    for (int c = 0; c < W; c++)
        if (c == tid) mine = y[c];
    if (tid >= t.width) return;
    WLU_DELAY(t.first + tid);
    publish(own + d.z + (forward ? 0 : d.tiled) + t.first + tid, mine);
    if (!forward) publish(own + x->x[tid], mine);
}

/* What a row is left with. row: its number in the stage; rows: there are. */
typedef struct path_row {
    wlu_number of[W], left;
    int at;
} path_row;

static __device__ __forceinline__ path_row read_row_of(const path_shared &sh, const path_stage *x, int row, int rows,
                                                       int base)
{
    path_row r;
    int target = read_now(x->target + row);
    r.at = row < rows ? target - base : NOBODY;
#pragma unroll
    for (int c = 0; c < W; c += PIECE) read_piece_now(x->row + PATH_ROW * row + c, r.of + c);
    r.left = read_now(sh.left + r.at);
    return r;
}

/* By the other half of the block, whose last warp publishes: it is the one with the fewest rows. forward is a constant
 * where this is called. */
static __device__ __forceinline__ void step_tile_path(const wlu_device_solve &d, wlu_number *own, path_shared &sh,
                                                      const path_stage *x, const wlu_solve_tile &t, int base,
                                                      int forward, int tid)
{
    int rows = rows_of(t, forward).count;
    if (tid / WLU_WARP * WLU_WARP >= rows && tid < HALF - WLU_WARP) return;
    wlu_number y[W];
#pragma unroll
    for (int c = 0; c < W; c++) {
        y[c] = read_now(sh.left + (c < t.width ? t.first - base + c : NOBODY));
    }
    path_row mine = read_row_of(sh, x, tid, rows, base);
    solve_triangle(x, t.width, forward, y);
    wlu_number left = wlu_lane_subtract(mine.left, wlu_lane_products(mine.of, y));
    if (tid < rows) sh.left[mine.at] = left;
    if (tid >= HALF - WLU_WARP) publish_unknowns(d, own, forward, x, t, y, tid - (HALF - WLU_WARP));
    if (tid / WLU_WARP * WLU_WARP + HALF >= rows) return;
    mine = read_row_of(sh, x, tid + HALF, rows, base);
    left = wlu_lane_subtract(mine.left, wlu_lane_products(mine.of, y));
    if (tid + HALF < rows) sh.left[mine.at] = left;
}

template <bool EARLY>
static __device__ __forceinline__ void run_tile_path(const wlu_device_solve &d, const wlu_device_state &s,
                                                     const wlu_number *factors, wlu_number *own,
                                                     const wlu_solve_task &task, int forward, path_shared &sh, int tid)
{
    const int4 *from = (const int4 *)(d.tile + task.first);
    for (int k = tid; k < 3 * task.count; k += WLU_TILE_THREADS) ((int4 *)sh.tile)[k] = __ldg(from + k);
    __syncthreads();
    const wlu_solve_tile &last = sh.tile[task.count - 1];
    int base = sh.tile[0].first, pivots = last.first + last.width - base, copies = tid >= HALF;
    for (int k = 0; k < PATH_STAGES - 1 && copies; k++)
        request_tile(d, factors, sh, sh.ring + k, k, task.count, forward, tid - HALF);
    if (tid == 0) sh.left[NOBODY] = wlu_zero();
    if (tid < pivots) sh.left[tid] = number(wait(s, own + __ldg(d.start + (forward ? 0 : d.tiled) + base + tid)));
    for (int k = 0; k < task.count; k++) {
        wait_copies<PATH_STAGES - 2>();
        wlu_solve_tile t = sh.tile[forward ? k : task.count - 1 - k];
        if (EARLY && copies) settle_tile(s, factors, t, sh.ring + k % PATH_STAGES, forward, tid - HALF);
        __syncthreads();
        WLU_DELAY(k);
        if (copies)
            request_tile(d, factors, sh, sh.ring + (k + PATH_STAGES - 1) % PATH_STAGES, k + PATH_STAGES - 1, task.count,
                         forward, tid - HALF);
        else
            step_tile_path(d, own, sh, sh.ring + k % PATH_STAGES, t, base, forward, tid);
    }
    wait_all_copies();
}

#endif
