/* Sources of a tile: the tiles before it that update its panel, in their order, in chunks of rows of their L.
 *
 * Half of the thread block copies chunks to a ring in shared memory some chunks ahead, ready or not; the thread that
 * copied a number looks at it one chunk before its turn, and polls if it was not there yet. In the other half a thread
 * has one column of the panel and every 16th row of a chunk: four rows and eight columns a warp, so that a row of L is
 * read once. Each has the source's U in its column, and eliminates the source's pivots among themselves there. The
 * panel gets the results a chunk later, when all have read what was there, so that a chunk takes one barrier. */
#ifndef WLU_TILE_SOURCES_CUH
#define WLU_TILE_SOURCES_CUH

#include "launch.cuh"

enum {
    STAGES = WLU_TILE_STAGES,
    CHUNK = WLU_TILE_CHUNK(sizeof(wlu_number)),
    SOURCES = WLU_TILE_SOURCES,
    STAGE_ROW = WLU_STAGE_ROW(sizeof(wlu_number))
};
/* Threads that compute in a column; pieces of rows that a thread copies of a chunk, rows that one computes. */
enum { MEMBERS = HALF / W, PIECES = CHUNK * W / PIECE / HALF, ROWS_A_THREAD = CHUNK / MEMBERS };

/* A chunk of a source on its way: the diagonal block by columns, rows of L, where these go. */
typedef struct stage {
    wlu_number corner[W * W];
    wlu_number row[CHUNK * STAGE_ROW];
    int32_t target[CHUNK];
} stage;

/* sources: some from the one at hand on, in turn. */
typedef struct tile_room {
    stage ring[STAGES];
    wlu_device_source source[SOURCES];
} tile_room;

static_assert(sizeof(tile_room) == WLU_TILE_RING_BYTES(sizeof(wlu_number)) && sizeof(wlu_device_source) == 32,
              "shared memory of a tile");

/* Where a walk through a tile's chunks is: rows from `row` on of source g. */
typedef struct cursor {
    int g, row;
    wlu_device_source at;
} cursor;

static __device__ __forceinline__ wlu_device_source read_source(const tile_room &r, int g)
{
    wlu_device_source s;
    const int4 *from = (const int4 *)&r.source[g % SOURCES];
    int4 raw[2] = {from[0], from[1]};
    memcpy(&s, raw, sizeof s);
    return s;
}

static __device__ __forceinline__ void next_chunk(const tile_room &r, int count, cursor &c)
{
    c.row += CHUNK;
    if (c.row < c.at.rows) return;
    c.g++;
    c.row = 0;
    if (c.g < count) c.at = read_source(r, c.g);
}

/* Asks for half of SOURCES, from the first on. */
static __device__ __forceinline__ void request_sources(const wlu_device_source *source, int first, int count,
                                                       tile_room &r, int tid)
{
    enum { PER = sizeof(wlu_device_source) / 16 };
    int k = first + tid / PER;
    if (tid < PER * SOURCES / 2 && k < count)
        copy16((char *)&r.source[k % SOURCES] + 16 * (tid % PER), (const char *)(source + k) + 16 * (tid % PER));
}

static __device__ __forceinline__ int has_corner(const cursor &c)
{
    return c.row == 0 && c.at.width - c.at.skip > 1;
}

static __device__ __forceinline__ wlu_number *row_piece(stage *x, int piece)
{
    return x->row + STAGE_ROW * (piece / (W / PIECE)) + PIECE * (piece % (W / PIECE));
}

/* A thread's number of the diagonal block, which the stage has by columns. */
static __device__ __forceinline__ int has_number(const cursor &c, int tid)
{
    return tid < W * c.at.width && has_corner(c);
}

static __device__ __forceinline__ wlu_number *corner_number(stage *x, int tid)
{
    return x->corner + W * (tid % W) + tid / W;
}

/* Asks for a chunk. */
static __device__ __forceinline__ void request(const wlu_device_program &p, const wlu_number *v, const cursor &c,
                                               int count, stage *to, int tid)
{
    if (c.g >= count) return;
    int rows = min(c.at.rows - c.row, (int)CHUNK);
    const wlu_number *from = v + (c.at.lower + W * c.row + PIECE * tid); /* a slot's number has 32 bits */
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
        int piece = tid + HALF * i;
        if (piece < rows * (W / PIECE)) copy16(row_piece(to, piece), from + PIECE * HALF * i);
    }
    if (tid < rows) copy4(to->target + tid, p.target + (c.at.target + c.row + tid));
    if (has_number(c, tid)) copy_slot(corner_number(to, tid), v + (c.at.diagonal + tid));
}

/* Looks at what this thread copied of a chunk, and waits for all that was not there. */
static __device__ __forceinline__ void settle(const wlu_device_state &s, const wlu_number *v, const cursor &c, stage *x,
                                              int tid)
{
    enum { MOST = PIECE * PIECES + 1 };
    int rows = min(c.at.rows - c.row, (int)CHUNK);
    const wlu_number *at[MOST], *from = v + c.at.lower + W * c.row;
    slot_bits seen[MOST];
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
        int piece = tid + HALF * i;
        slot_piece there = piece < rows * (W / PIECE) ? *(const slot_piece *)row_piece(x, piece) : slot_piece();
#pragma unroll
        for (int q = 0; q < PIECE; q++) {
            at[PIECE * i + q] = from + PIECE * piece + q;
            seen[PIECE * i + q] = bits_of(there.of[q]);
        }
    }
    at[MOST - 1] = v + c.at.diagonal + tid;
    seen[MOST - 1] = has_number(c, tid) ? bits_of(*corner_number(x, tid)) : no_bits();
    if (all_there(seen) != 0) return;
    wait_all<MOST>(s, at, seen);
#pragma unroll
    for (int i = 0; i < PIECES; i++) {
        int piece = tid + HALF * i;
        slot_piece there;
#pragma unroll
        for (int q = 0; q < PIECE; q++) there.of[q] = number(seen[PIECE * i + q]);
        if (piece < rows * (W / PIECE)) *(slot_piece *)row_piece(x, piece) = there;
    }
    if (has_number(c, tid)) *corner_number(x, tid) = number(seen[MOST - 1]);
}

static __device__ __forceinline__ void read_row(const wlu_number *from, wlu_number *x)
{
#pragma unroll
    for (int c = 0; c < W; c += PIECE) {
        slot_piece some = *(const slot_piece *)(from + c);
#pragma unroll
        for (int q = 0; q < PIECE; q++) x[c + q] = some.of[q];
    }
}

/* L of a row: zeros outside of those that count. A term of two zeros changes nothing, for -0 is added; a complex one
 * changes the signs of zeros, and is left out. */
enum { ZEROS_CHANGE_NOTHING = WLU_NUMBER_REALS == 1 };

template <bool FULL>
static __device__ __forceinline__ void read_factors_of(const wlu_number *from, int skip, int width, wlu_number *l)
{
    read_row(from, l);
#pragma unroll
    for (int k = 0; k < W && !FULL; k++)
        if (k < skip || k >= width) l[k] = wlu_zero();
}

/* A panel: by columns, banks differing from one to the next, or by rows, of which a warp touches whole ones. */
typedef struct tile_panel {
    wlu_number *at;
    int by_row, by_column;
} tile_panel;

static __device__ __forceinline__ wlu_number *number_of(const tile_panel &p, int row, int column)
{
    return p.at + p.by_row * row + p.by_column * column;
}

/* A thread that computes: its column of the panel, its number in it; the source's U there, and what the panel is to get
 * of that: owed goes to row owed_at, -1 where nothing does. */
typedef struct computing {
    wlu_number *column;
    int by_row, member, owed_at;
    wlu_number u[W], owed;
} computing;

static_assert(MEMBERS >= W, "a thread for each pivot of a source");

static __device__ __forceinline__ void settle_debt(computing &c)
{
    if (c.owed_at >= 0) c.column[c.by_row * c.owed_at] = c.owed;
    c.owed_at = -1;
}

/* Columns of the corner that are read ahead of the one at work: all, where there are registers for them. */
enum { CORNER_AHEAD = WLU_NUMBER_REALS > 1 ? 2 : W - 1 };

/* Column k below the diagonal, in whole pieces. */
static __device__ __forceinline__ void read_corner(const stage *x, int k, wlu_number *l)
{
#pragma unroll
    for (int i = (k + 1) / PIECE * PIECE; i < W; i += PIECE) read_piece_now(x->corner + W * k + i, l + i);
}

/* The source's pivots among themselves. What lies behind the last pivot is no number of the source's. */
template <bool FULL>
static __device__ __forceinline__ void solve_corner(const stage *x, const wlu_device_source &g, computing &c)
{
    int skip = FULL ? 0 : g.skip, width = FULL ? (int)W : g.width;
    wlu_number l[W - 1][W];
#pragma unroll
    for (int k = 0; k < CORNER_AHEAD; k++) read_corner(x, k, l[k]);
#pragma unroll
    for (int k = 0; k < W - 1; k++) {
        if (k + CORNER_AHEAD < W - 1) read_corner(x, k + CORNER_AHEAD, l[k + CORNER_AHEAD]);
#pragma unroll
        for (int i = k + 1; i < W; i++)
            if (FULL || (k >= skip && k < width)) c.u[i] = wlu_fnma(l[k][i], c.u[k], c.u[i]);
    }
#pragma unroll
    for (int i = 1; i < W; i++) {
        if (i >= width) c.u[i] = wlu_zero();
        if (c.member == i) c.owed = c.u[i];
    }
    if (c.member > skip && c.member < width) c.owed_at = g.at + c.member - skip;
}

/* A chunk on a thread's column, so many rows of it; those that the panel lacks go nowhere. */
template <int ROWS, bool FULL>
static __device__ __forceinline__ void apply(const cursor &now, const stage *x, computing &c, int panel_rows)
{
    const wlu_device_source &g = now.at;
    int rows = min(g.rows - now.row, (int)CHUNK), target[ROWS], skip = FULL ? 0 : g.skip,
        width = FULL ? (int)W : g.width;
    wlu_number acc[ROWS], l[ROWS][W];
#pragma unroll
    for (int k = 0; k < ROWS; k++) target[k] = x->target[c.member + MEMBERS * k];
    if (now.row == 0) {
#pragma unroll
        for (int i = 0; i < W; i++)
            c.u[i] = FULL || (i >= skip && i < width) ? c.column[c.by_row * (g.at + i - skip)] : wlu_zero();
    }
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        target[k] = c.member + MEMBERS * k < rows ? min(target[k], panel_rows) : panel_rows;
        acc[k] = c.column[c.by_row * target[k]];
    }
#pragma unroll
    for (int k = 0; k < ROWS; k++)
        read_factors_of<FULL>(x->row + STAGE_ROW * (c.member + MEMBERS * k), skip, width, l[k]);
    if (has_corner(now)) solve_corner<FULL>(x, g, c);
#pragma unroll
    for (int j = 0; j < W; j++) {
        if (!FULL && !ZEROS_CHANGE_NOTHING && (j < skip || j >= width)) continue;
#pragma unroll
        for (int k = 0; k < ROWS; k++) acc[k] = wlu_fnma(l[k][j], c.u[j], acc[k]);
    }
#pragma unroll
    for (int k = 0; k < ROWS; k++)
        if (target[k] < panel_rows) c.column[c.by_row * target[k]] = acc[k];
}

template <bool FULL>
static __device__ __forceinline__ void apply_rows(const cursor &now, const stage *x, computing &c, int panel_rows)
{
    int rows = now.at.rows - now.row;
    if (rows <= MEMBERS)
        apply<1, FULL>(now, x, c, panel_rows);
    else if (rows <= 2 * MEMBERS)
        apply<2, FULL>(now, x, c, panel_rows);
    else
        apply<ROWS_A_THREAD, FULL>(now, x, c, panel_rows);
}

/* One chunk's turn. */
static __device__ __forceinline__ void take_chunk(const cursor &now, const stage *x, computing &c, int panel_rows)
{
    settle_debt(c);
    if (now.at.width - now.at.skip == W)
        apply_rows<true>(now, x, c, panel_rows);
    else
        apply_rows<false>(now, x, c, panel_rows);
}

/* Walks of the half of the block that copies: to what is settled next, and to what is asked for. */
typedef struct copies {
    cursor next, ahead;
} copies;

/* Asks for the chunk ahead, to stage `to`. Always one group of copies, empty behind the last chunk. */
static __device__ __forceinline__ void go_ahead(const wlu_device_program &p, const wlu_number *v,
                                                const wlu_device_tile &t, tile_room &r, copies &c, int to, int thread)
{
    request(p, v, c.ahead, t.sources, r.ring + to, thread);
    end_copies();
    next_chunk(r, t.sources, c.ahead);
}

/* Waits until the next chunk is in stage `at`. */
static __device__ __forceinline__ void settle_next(const wlu_device_state &s, const wlu_number *v,
                                                   const wlu_device_tile &t, tile_room &r, copies &c, int at,
                                                   int thread)
{
    wait_copies<STAGES - 2>();
    if (c.next.g < t.sources) settle(s, v, c.next, r.ring + at, thread);
    next_chunk(r, t.sources, c.next);
}

/* Half of the block takes a chunk's turn while the other half settles the next one and asks for one more. */
static __device__ __forceinline__ void run_sources(const wlu_device_program &p, const wlu_device_state &s,
                                                   const wlu_number *v, const wlu_device_tile &t,
                                                   const tile_panel &panel, tile_room &r, int tid)
{
    if (t.sources == 0) return;
    bool copying = tid >= HALF;
    int thread = tid - HALF;
    cursor now = {0, 0, read_source(r, 0)};
    copies c = {now, now};
    computing mine = {number_of(panel, 0, tid % W), panel.by_row, tid / W, -1};
    for (int k = 0; k < STAGES - 1 && copying; k++) go_ahead(p, v, t, r, c, k, thread);
    if (copying) settle_next(s, v, t, r, c, 0, thread);
    __syncthreads();
    for (int k = 0, at = 0; k < t.chunks; k++) {
        int following = at + 1 < STAGES ? at + 1 : 0;
        WLU_DELAY(k);
        if (copying) {
            if (c.next.row == 0 && c.next.g % (SOURCES / 2) == 0)
                request_sources(p.source + t.source, c.next.g + SOURCES / 2, t.sources, r, thread);
            go_ahead(p, v, t, r, c, at > 0 ? at - 1 : STAGES - 1, thread);
            settle_next(s, v, t, r, c, following, thread);
        } else {
            take_chunk(now, r.ring + at, mine, t.above + t.width + t.below);
            next_chunk(r, t.sources, now);
        }
        at = following;
        __syncthreads();
        if (k == t.chunks - 2) {
            WLU_TRACE(t.tile, 4);
        }
    }
    settle_debt(mine);
    __syncthreads();
}

#endif
