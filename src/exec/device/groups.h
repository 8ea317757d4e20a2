/* Replays of many members on a device, which are lanes of warps: what launches get and what a lane computes, for host,
 * kernels and tests alike.
 *
 * A group is 16 members. Its slots are rows of 16 numbers, one of each member, so that what half a warp reads or writes
 * is 128 bytes in one piece, 256 of complex numbers; so are its entries of A, right-hand sides and solutions. One
 * thread block replays a group, and groups need nothing of each other. A warp takes two records at once, side by side:
 * a bundle. Each warp has a list of bundles, which it executes in order (exec/batch/cuda_schedule.h); between the steps
 * of the schedule all warps of the block wait for each other, and records of one step need nothing of each other.
 *
 * Nothing is waited for that could have been read before: a warp's next bundles, with their operands' slots, and the
 * entries that they start from come to shared memory while it executes those before.
 *
 * The records of a bundle have as many terms, which are summed alike: none, two, four or eight. They are padded with
 * products of the constant zero, which changes no bit. Longer chains are records one after the other; those of eight
 * sums (lu/flat.h, WLU_SUM_LANES) are chains of their own, which the tree of a last record joins. */
#ifndef WLU_EXEC_DEVICE_GROUPS_H
#define WLU_EXEC_DEVICE_GROUPS_H

#include "exec/device/lanes.h"
#include "numerics/refine.h"

/* Members of a group; records side by side in a warp; warps of a block, and blocks of a multiprocessor, which leave a
 * lane the registers for what is on the way; threads that move numbers, and that look at residuals. */
enum {
    WLU_GROUP_LANES = 16,
    WLU_GROUP_SIDES = WLU_WARP / WLU_GROUP_LANES,
    WLU_GROUP_WARPS = 12,
    WLU_GROUP_CARVEOUT = 28, /* percent of shared memory at its largest that the blocks' rings take */
    WLU_GROUP_MOVERS = 256,
    WLU_GROUP_LOOKERS = 512
};
#define WLU_GROUP_BLOCKS(doubles) ((doubles) > 1 ? 1 : 2)

/* Terms of a record, at most. */
enum { WLU_GROUP_TERMS = 8 };

/* How they are summed: lu/flat.h, wlu_sum. */
enum { WLU_GROUP_IN_ORDER, WLU_GROUP_PRODUCTS };

/* start: a slot, or -1: an entry of what is loaded, times the power of two. ask: the entry, or -1, that the record
 * of this side in the second bundle behind this one starts from. terms: padded, the bundle's. barriers: so often all
 * warps wait for each other before the bundle. area: what guards look at, of the last record that writes the slot.
 * column_power, row_power: where the guards look at its entry, its scales, else 0; guarded: one of them is not. */
typedef struct wlu_group_record {
    int32_t target, start, divisor;
    uint16_t power;
    uint8_t opcode, sum;
    int32_t terms, ask;
    uint16_t barriers;
    uint8_t area, guarded;
    uint16_t column_power, row_power;
} wlu_group_record;

/* Records side by side, and slots (a, b) of their terms. */
typedef struct wlu_group_bundle {
    wlu_group_record record[WLU_GROUP_SIDES];
    int32_t pair[WLU_GROUP_SIDES][2 * WLU_GROUP_TERMS];
} wlu_group_bundle;

/* Bundles that a warp is given before it wants them, and whose entries it asks for. So many more than there are may be
 * read; lists begin with bundles that only ask. */
enum { WLU_GROUP_AHEAD = 4, WLU_GROUP_ASKED = 2 };

typedef struct wlu_group_stream {
    const wlu_group_bundle *bundle; /* of the warps, one after the other */
    const int32_t *first;           /* warps + 1, in bundles */
    const int32_t *last;            /* warps: barriers behind the last bundle of each */
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

/* A solve: first operands and divisors are slots of the factorization, others its own, with the constants, which are
 * slots of both. x[k] = power[k] * v[store[k]]. */
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
    wlu_number *v, *own;
    wlu_wide *entries, *b, *x[2], *r;
    const double *values; /* where entries are read from at once, number i of member m at values[m * by_member + i *
                             by_number]; NULL: they are in rows. Strides of callers are in doubles */
    int64_t by_member, by_number;
    int64_t slots, numbers, own_slots; /* rows of a group's v, entries, own */
    wlu_health *health;
    wlu_group_outcome *outcome;
    wlu_group_side *side;
} wlu_group_work;

/* Numbers between a caller and rows of members: number i of member m is at[m * by_member + i * by_number]. first,
 * map: sums of duplicates, on the way in; NULL: none. */
typedef struct wlu_group_move {
    double *at;
    int64_t by_member, by_number;
    wlu_wide *rows;
    int32_t numbers;
    int32_t to_rooms; /* rows are by rooms, not by work lanes */
    const int32_t *first, *map;
} wlu_group_move;

/* ------------------------------------------------------------------ places */

/* Where numbers of a lane begin in rows of members, so many of a group. */
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

/* What loads of a lane read: rows or values; numbers so many doubles apart. */
typedef struct wlu_group_source {
    const double *loaded;
    int64_t apart;
} wlu_group_source;

WLU_PORTABLE wlu_group_source wlu_group_row_source(const wlu_wide *row)
{
    wlu_group_source s = {(const double *)row, WLU_GROUP_LANES * WLU_NUMBER_REALS};
    return s;
}

WLU_PORTABLE wlu_wide wlu_group_read_source(const wlu_group_source *s, int64_t k)
{
    const double *at = s->loaded + k * s->apart;
    return wlu_wide_at(at, 0);
}

/* Of the factorization of lane i of the launch, in this room. */
WLU_PORTABLE wlu_group_source wlu_group_source_of(const wlu_group_work *w, int32_t i, int64_t room)
{
    wlu_group_source s = wlu_group_row_source(w->entries + wlu_group_at(room, w->numbers));
    if (w->values == NULL) return s;
    int32_t count = wlu_group_count(w);
    s.loaded = w->values + wlu_group_member(w, i < count ? i : count - 1) * w->by_member;
    s.apart = w->by_number;
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
    int4 x = *(const int4 *)at;
    p.a0 = x.x, p.b0 = x.y, p.a1 = x.z, p.b1 = x.w;
#else
    memcpy(&p, at, sizeof p);
#endif
    return p;
}

/* Operands of so many terms: all reads are under way before the first is used. */
WLU_PORTABLE void wlu_group_fetch(int terms, const int32_t *pair, const wlu_number *a, const wlu_number *b,
                                  wlu_number *x, wlu_number *y)
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

/* Those of a record. */
WLU_PORTABLE void wlu_group_operands(int terms, const int32_t *pair, const wlu_number *a, const wlu_number *b,
                                     wlu_number *left, wlu_number *right)
{
    if (terms > 4)
        wlu_group_fetch(8, pair, a, b, left, right);
    else if (terms > 2)
        wlu_group_fetch(4, pair, a, b, left, right);
    else if (terms > 0)
        wlu_group_fetch(2, pair, a, b, left, right);
}

WLU_PORTABLE wlu_number wlu_group_in_order(int terms, const wlu_number *left, const wlu_number *right, wlu_number x)
{
    WLU_UNROLL
    for (int k = 0; k < terms; k++) x = wlu_lane_term(0, x, left[k], right[k]);
    return x;
}

/* A record's chain, from its start on. */
WLU_PORTABLE wlu_number wlu_group_chain(int sum, int terms, const wlu_number *left, const wlu_number *right,
                                        wlu_number x)
{
    if (terms > 4) {
        if (sum == WLU_GROUP_PRODUCTS) return wlu_lane_subtract(x, wlu_lane_products(left, right));
        return wlu_group_in_order(8, left, right, x);
    }
    if (terms > 2) return wlu_group_in_order(4, left, right, x);
    return terms > 0 ? wlu_group_in_order(2, left, right, x) : x;
}

/* An entry of what is loaded, in its slot. */
WLU_PORTABLE wlu_number wlu_group_entry(wlu_wide entry, uint16_t power)
{
    return wlu_lane_load(entry, power);
}

/* What a record of so many terms leaves in its target, of chain x and divisor d. What is only loaded keeps the signs of
 * its zeros. */
WLU_PORTABLE wlu_number wlu_group_end(int opcode, int terms, wlu_number x, wlu_number d)
{
    if (opcode == WLU_DOT) return terms > 0 ? wlu_settled(x) : x;
    x = wlu_settled(x);
    if (opcode == WLU_DOTS) return wlu_lane_end(WLU_DOTS, x, d);
    return opcode == WLU_RCP ? wlu_lane_end(WLU_RCP, x, d) : wlu_lane_end(WLU_DOTR, x, d);
}

/* ------------------------------------------------------------------- guards */

/* Computed u number k relative to its column's entry. from: of the lane. */
WLU_PORTABLE uint64_t wlu_group_relative(const wlu_group_factor *f, const wlu_number *v, const wlu_group_source *from,
                                         int32_t k)
{
    const wlu_device_guards *g = &f->guards;
    int32_t column = f->u_column[k];
    double u = wlu_double_of_bits(wlu_lane_size(v[(int64_t)f->u[k] * WLU_GROUP_LANES]));
    uint64_t inverse = wlu_lane_inverse(wlu_group_read_source(from, g->a_source[column]), g->a_scale[column]);
    return wlu_magnitude_bits(WLU_DOUBLE_MUL(u, wlu_double_of_bits(inverse)));
}

#endif
