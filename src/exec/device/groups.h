/* Replays of many members on a device, 32 of them in the lanes of a warp: what launches get and what a lane computes,
 * for host, kernels and tests alike.
 *
 * A group is 32 members. Its slots are rows of 32 numbers, one of each member, so that what a warp reads or writes is
 * 256 bytes in one piece; so are its entries of A, right-hand sides and solutions. One thread block replays a group,
 * and groups need nothing of each other. Each warp of the block has a list of records, which it executes in order
 * (exec/batch/cuda_schedule.h). Where a record needs what other warps leave, it has a row of needs: how many records of
 * each warp have to be done before. Warps tell how far they are in shared memory, where somebody waits for it.
 *
 * Operands of a record are the same for all lanes: one read of them serves a warp. Terms are padded with products of
 * the constant zero, to an even number where they are summed in order, which changes no bit, else to eighths, as the
 * sums are defined (program/opcodes.h). */
#ifndef WLU_EXEC_DEVICE_GROUPS_H
#define WLU_EXEC_DEVICE_GROUPS_H

#include "exec/device/lanes.h"
#include "numerics/refine.h"

/* Members of a group; warps of a block: with more of them, lanes would not have the registers for what is on the way;
 * threads that move numbers. */
enum { WLU_GROUP_LANES = WLU_WARP, WLU_GROUP_WARPS = 24, WLU_GROUP_MOVERS = 256 };

/* Values of members that lie one after the other are turned on the way: tiles of 32 entries, in the order in which
 * records want them, go through a ring in a block's shared memory, a row a member, apart for the sake of banks. The
 * first warps of a block load them. */
enum {
    WLU_GROUP_LOADERS = 4,
    WLU_GROUP_RING = 10,
    WLU_GROUP_ROW = WLU_GROUP_LANES + 1,
    WLU_GROUP_TILE = WLU_GROUP_LANES * WLU_GROUP_ROW,
    WLU_GROUP_RING_BYTES = 8 * WLU_GROUP_RING * WLU_GROUP_TILE
};

/* How terms are summed: lu/flat.h, wlu_sum. */
enum { WLU_GROUP_IN_ORDER, WLU_GROUP_STRIDED, WLU_GROUP_PRODUCTS };

/* 32 bytes. start: a slot, or ~k: entry k of what is loaded, times the power of two. area: what guards look at, of the
 * last record that writes the slot. tells: somebody waits for this record. need: row of the needs, -1: none. ring:
 * where the entry is in the ring; column_power, row_power: where the guards look at it, its scales, else 0. LOAD:
 * entries from number `target` of the list on go to the ring from number `start` on. */
typedef struct wlu_group_record {
    int32_t target, start, divisor, terms, need;
    uint16_t power;
    uint8_t opcode, sum, area, tells;
    uint16_t ring, column_power, row_power;
} wlu_group_record;

/* Lists of the warps, one after the other. One record and four pairs more than there are may be read. */
typedef struct wlu_group_stream {
    const wlu_group_record *record;
    const int32_t *pair;       /* (a, b) of the terms, aligned to 16 bytes */
    const int32_t *need;       /* rows of 32, one number a warp */
    const int32_t *first;      /* warps + 1, in records */
    const int64_t *first_pair; /* warps */
    const int32_t *entry;      /* of loads, in 32s */
    int32_t warps;
} wlu_group_stream;

/* A factorization. u, u_column: slots of computed u, and the places of their columns in the guards. */
typedef struct wlu_group_factor {
    wlu_group_stream stream;
    wlu_device_guards guards; /* of columns alone */
    const int32_t *u, *u_column;
    wlu_criteria criteria;
    int32_t us, zero, minus_one;
} wlu_group_factor;

/* A solve: first operands and divisors are slots of the factorization, others its own, the last two of which are the
 * constants. x[k] = power[k] * v[store[k]]. */
typedef struct wlu_group_solve {
    wlu_group_stream stream;
    const int32_t *store;
    const uint16_t *power;
    int32_t n, zero, minus_one;
} wlu_group_solve;

/* What solves of a member have come to; its right-hand side's way through refinement. plain: it is not refined. */
typedef struct wlu_group_outcome {
    wlu_refined refined;
    double largest, least;
} wlu_group_outcome;

typedef struct wlu_group_side {
    wlu_refine_control control;
    int32_t plain;
} wlu_group_side;

/* A launch of a solve, or of a look at residuals. refines: the job's solutions, of some members at least; residual: of
 * a right-hand side that is one, or not the first look; first: of the job's columns. */
typedef struct wlu_group_step {
    int32_t refines, residual, first;
} wlu_group_step;

/* As exec/batch/batch.h has it. */
typedef struct wlu_group_result {
    wlu_health health;
    wlu_refined refined;
    double largest, least;
} wlu_group_result;

/* Members of a launch: begin .. begin + count - 1 of the job's list, in work lanes from `work` on, which a group
 * begins. What a replay leaves, v, entries and health, is in rooms: a member's is room kept + place, or that of its
 * lane where nothing is kept; lanes behind the last member have rooms from `spare` on. All the rest is by work lanes.
 */
typedef struct wlu_group_work {
    const int32_t *member, *place; /* of the list; NULL: in order; nothing is kept */
    const int32_t *live;           /* members of the list, known on the device alone; NULL: all of the launch are */
    int32_t begin, count, work, kept, spare;
    int32_t suspects; /* only their solves are refined, where any are */
    int32_t single, n;
    wlu_real *v, *own;
    double *entries, *b, *x[2], *r;
    const double *values; /* where entries are read from at once, number i of member m at values[m * by_member + i *
                             by_number]; NULL: they are in rows */
    int64_t by_member, by_number;
    int64_t slots, numbers, own_slots; /* rows of a group's v, entries, own */
    wlu_health *health;
    wlu_group_outcome *outcome;
    wlu_group_side *side;
} wlu_group_work;

/* Numbers between a caller and rows of 32: number i of member m is at[m * by_member + i * by_number]. first, map: sums
 * of duplicates, on the way in; NULL: none. */
typedef struct wlu_group_move {
    double *at;
    int64_t by_member, by_number;
    double *rows;
    int32_t numbers;
    int32_t to_rooms; /* rows are by rooms, not by work lanes */
    const int32_t *first, *map;
} wlu_group_move;

/* ------------------------------------------------------------------ places */

/* Where numbers of a lane begin in rows of 32, so many a group. */
WLU_PORTABLE int64_t wlu_group_at(int64_t lane, int64_t rows)
{
    return lane / WLU_GROUP_LANES * rows * WLU_GROUP_LANES + lane % WLU_GROUP_LANES;
}

/* Members of the launch, where fewer than `count` may be in the list. */
WLU_PORTABLE int32_t wlu_group_count(const wlu_group_work *w)
{
    int32_t left = w->live != NULL ? *w->live - w->begin : w->count;
    return left < w->count ? left : w->count;
}

/* The room of member i of the launch, or of a lane behind the last. */
WLU_PORTABLE int64_t wlu_group_room(const wlu_group_work *w, int32_t i)
{
    if (i >= wlu_group_count(w)) return w->spare + (int64_t)i % WLU_GROUP_LANES;
    return w->place != NULL ? w->kept + (int64_t)w->place[w->begin + i] : w->work + (int64_t)i;
}

/* Its number among the caller's. */
WLU_PORTABLE int64_t wlu_group_member(const wlu_group_work *w, int32_t i)
{
    return w->member != NULL ? w->member[w->begin + i] : w->begin + (int64_t)i;
}

/* What loads of a lane read: rows or values, or what is in the ring. */
typedef struct wlu_group_source {
    const double *loaded, *ring;
    int64_t apart;
} wlu_group_source;

/* Of the factorization of lane i of the launch, in this room. ring: of the block. */
WLU_PORTABLE wlu_group_source wlu_group_source_of(const wlu_group_work *w, int32_t i, int64_t room, const double *ring)
{
    wlu_group_source s = {w->entries + wlu_group_at(room, w->numbers), NULL, WLU_GROUP_LANES};
    if (w->values == NULL) return s;
    int32_t count = wlu_group_count(w);
    s.loaded = w->values + wlu_group_member(w, i < count ? i : count - 1) * w->by_member;
    s.apart = w->by_number;
    if (w->by_number == 1) s.ring = ring + i % WLU_GROUP_LANES * WLU_GROUP_ROW;
    return s;
}

/* ------------------------------------------------------------------- terms */

/* Two pairs. */
typedef struct wlu_group_pairs {
    int32_t a0, b0, a1, b1;
} wlu_group_pairs;

WLU_PORTABLE wlu_group_pairs wlu_group_read(const int32_t *at)
{
    wlu_group_pairs p;
#if defined(__CUDA_ARCH__)
    int4 x = __ldg((const int4 *)at);
    p.a0 = x.x, p.b0 = x.y, p.a1 = x.z, p.b1 = x.w;
#else
    memcpy(&p, at, sizeof p);
#endif
    return p;
}

/* Operands of so many terms: all reads are under way before the first is used. */
WLU_PORTABLE void wlu_group_fetch(int terms, const int32_t *pair, const wlu_real *a, const wlu_real *b, wlu_real *x,
                                  wlu_real *y)
{
    WLU_UNROLL
    for (int k = 0; k < terms; k += 2) {
        wlu_group_pairs p = wlu_group_read(pair + 2 * k);
        x[k] = a[(int64_t)p.a0 * WLU_GROUP_LANES];
        y[k] = b[(int64_t)p.b0 * WLU_GROUP_LANES];
        x[k + 1] = a[(int64_t)p.a1 * WLU_GROUP_LANES];
        y[k + 1] = b[(int64_t)p.b1 * WLU_GROUP_LANES];
    }
}

WLU_PORTABLE wlu_real wlu_group_in_order(int terms, const int32_t *pair, const wlu_real *a, const wlu_real *b,
                                         wlu_real x)
{
    wlu_real left[8], right[8];
    wlu_group_fetch(terms, pair, a, b, left, right);
    WLU_UNROLL
    for (int k = 0; k < terms; k++) x = wlu_lane_term(0, x, left[k], right[k]);
    return x;
}

/* In halves, so that a lane's registers hold its sums and what is on the way. */
WLU_PORTABLE wlu_real wlu_group_strided(int terms, const int32_t *pair, const wlu_real *a, const wlu_real *b)
{
    wlu_real sum[8] = {0, 0, 0, 0, 0, 0, 0, 0}, left[4], right[4];
    for (; terms > 0; terms -= 8) {
        WLU_UNROLL
        for (int half = 0; half < 8; half += 4, pair += 8) {
            wlu_group_fetch(4, pair, a, b, left, right);
            WLU_UNROLL
            for (int k = 0; k < 4; k++) sum[half + k] = wlu_lane_term(1, sum[half + k], left[k], right[k]);
        }
    }
    return wlu_lane_tree(sum);
}

/* A record's chain. */
WLU_PORTABLE wlu_real wlu_group_chain(const wlu_group_record *r, const int32_t *pair, const wlu_real *a,
                                      const wlu_real *b, wlu_real x)
{
    int terms = r->terms;
    if (r->sum == WLU_GROUP_STRIDED) return wlu_lane_total(1, x, wlu_group_strided(terms, pair, a, b));
    if (r->sum == WLU_GROUP_PRODUCTS) {
        wlu_real left[8], right[8];
        wlu_group_fetch(8, pair, a, b, left, right);
        return wlu_lane_subtract(x, wlu_lane_products(left, right));
    }
    for (; terms >= 8; terms -= 8, pair += 16) x = wlu_group_in_order(8, pair, a, b, x);
    if (terms & 4) {
        x = wlu_group_in_order(4, pair, a, b, x);
        pair += 8;
    }
    return terms & 2 ? wlu_group_in_order(2, pair, a, b, x) : x;
}

/* What a record starts from. b: slots; entry: where it is one, as it was. */
WLU_PORTABLE wlu_real wlu_group_start(const wlu_group_record *r, const wlu_real *b, const wlu_group_source *from,
                                      double scale, double *entry)
{
    if (r->start >= 0) return b[(int64_t)r->start * WLU_GROUP_LANES];
    *entry = from->ring != NULL ? from->ring[r->ring] : from->loaded[~r->start * from->apart];
    return wlu_lane_load(WLU_DOUBLE_MUL(*entry, scale), r->power);
}

/* What it leaves in its target, from its start on. a: first operands and divisors; b: the other slots. */
WLU_PORTABLE wlu_real wlu_group_value(const wlu_group_record *r, const int32_t *pair, const wlu_real *a,
                                      const wlu_real *b, wlu_real x)
{
    wlu_real d = 0;
    if (r->divisor >= 0) d = a[(int64_t)r->divisor * WLU_GROUP_LANES];
    if (r->opcode == WLU_RCP) return wlu_lane_end(WLU_RCP, x, d);
    x = wlu_group_chain(r, pair, a, b, x);
    return r->opcode == WLU_DOT    ? x
           : r->opcode == WLU_DOTS ? wlu_lane_end(WLU_DOTS, x, d)
                                   : wlu_lane_end(WLU_DOTR, x, d);
}

/* ------------------------------------------------------------------- guards */

/* seen: by area of slots. */
WLU_PORTABLE void wlu_group_see(uint64_t *seen, int area, wlu_real x)
{
    uint64_t bits = wlu_magnitude_bits((double)x);
    WLU_UNROLL
    for (int k = WLU_AREA_U; k < WLU_SLOT_AREAS; k++)
        if (k == area && bits > seen[k]) seen[k] = bits;
}

/* Computed u number k relative to its column's entry. from: of the lane. */
WLU_PORTABLE uint64_t wlu_group_relative(const wlu_group_factor *f, const wlu_real *v, const wlu_group_source *from,
                                         int32_t k)
{
    const wlu_device_guards *g = &f->guards;
    int32_t column = f->u_column[k];
    double u = wlu_magnitude((double)v[(int64_t)f->u[k] * WLU_GROUP_LANES]);
    uint64_t inverse = wlu_lane_inverse(from->loaded[g->a_source[column] * from->apart], g->a_scale[column]);
    return wlu_magnitude_bits(WLU_DOUBLE_MUL(u, wlu_double_of_bits(inverse)));
}

#endif
