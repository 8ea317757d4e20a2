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

/* Members of a group; warps of a block at most; threads that move numbers. */
enum { WLU_GROUP_LANES = WLU_WARP, WLU_GROUP_WARPS = 32, WLU_GROUP_MOVERS = 256 };

/* How terms are summed: lu/flat.h, wlu_sum. */
enum { WLU_GROUP_IN_ORDER, WLU_GROUP_STRIDED, WLU_GROUP_PRODUCTS };

/* 32 bytes. start: a slot, or ~k: entry k of what is loaded, times the power of two. area: what guards look at, of the
 * last record that writes the slot. tells: somebody waits for this record. need: row of the needs, -1: none. */
typedef struct wlu_group_record {
    int32_t target, start, divisor, terms, need;
    uint16_t power;
    uint8_t opcode, sum, area, tells;
    uint8_t unused[6];
} wlu_group_record;

/* Lists of the warps, one after the other. One record and four pairs more than there are may be read. */
typedef struct wlu_group_stream {
    const wlu_group_record *record;
    const int32_t *pair;       /* (a, b) of the terms, aligned to 16 bytes */
    const int32_t *need;       /* rows of WLU_GROUP_WARPS */
    const int32_t *first;      /* warps + 1, in records */
    const int64_t *first_pair; /* warps */
    int32_t warps;
} wlu_group_stream;

/* A factorization. u, u_column: slots of computed u, and the places of their columns in the guards. */
typedef struct wlu_group_factor {
    wlu_group_stream stream;
    wlu_device_guards guards; /* without u_column, u */
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
    int32_t begin, count, work, kept, spare;
    int32_t suspects; /* only their solves are refined, where any are */
    int32_t single, n;
    wlu_real *v, *own;
    double *entries, *b, *x[2], *r;
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

/* The room of member i of the launch, or of a lane behind the last. */
WLU_PORTABLE int64_t wlu_group_room(const wlu_group_work *w, int32_t i)
{
    if (i >= w->count) return w->spare + (int64_t)i % WLU_GROUP_LANES;
    return w->place != NULL ? w->kept + (int64_t)w->place[w->begin + i] : w->work + (int64_t)i;
}

/* Its number among the caller's. */
WLU_PORTABLE int64_t wlu_group_member(const wlu_group_work *w, int32_t i)
{
    return w->member != NULL ? w->member[w->begin + i] : w->begin + (int64_t)i;
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

WLU_PORTABLE wlu_real wlu_group_strided(int terms, const int32_t *pair, const wlu_real *a, const wlu_real *b)
{
    wlu_real sum[8] = {0, 0, 0, 0, 0, 0, 0, 0}, left[8], right[8];
    for (; terms > 0; terms -= 8, pair += 16) {
        wlu_group_fetch(8, pair, a, b, left, right);
        WLU_UNROLL
        for (int k = 0; k < 8; k++) sum[k] = wlu_lane_term(1, sum[k], left[k], right[k]);
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

/* What a record leaves in its target. a: first operands and divisors; b: the other slots; loaded: what loads read, each
 * number times `scale`; all of a lane. */
WLU_PORTABLE wlu_real wlu_group_value(const wlu_group_record *r, const int32_t *pair, const wlu_real *a,
                                      const wlu_real *b, const double *loaded, double scale)
{
    wlu_real x = 0, d = 0;
    if (r->divisor >= 0) d = a[(int64_t)r->divisor * WLU_GROUP_LANES];
    if (r->opcode == WLU_RCP) return wlu_lane_end(WLU_RCP, x, d);
    if (r->start < 0)
        x = wlu_lane_load(WLU_DOUBLE_MUL(loaded[(int64_t)~r->start * WLU_GROUP_LANES], scale), r->power);
    else
        x = b[(int64_t)r->start * WLU_GROUP_LANES];
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

/* Column and row k of the guards. entries: of the lane. */
WLU_PORTABLE void wlu_group_guard(const wlu_device_guards *g, const double *entries, int32_t k, uint64_t *inverse,
                                  uint64_t *drift)
{
    int32_t row = k < g->shared ? k : g->n + k - g->shared;
    uint64_t i = wlu_lane_inverse(entries[(int64_t)g->a_source[k] * WLU_GROUP_LANES], g->a_scale[k]);
    uint64_t d = wlu_lane_drift(entries[(int64_t)g->a_source[row] * WLU_GROUP_LANES], g->row_scale[k]);
    if (i > *inverse) *inverse = i;
    if (d > *drift) *drift = d;
}

/* Computed u number k relative to its column's entry. */
WLU_PORTABLE uint64_t wlu_group_relative(const wlu_group_factor *f, const wlu_real *v, const double *entries, int32_t k)
{
    const wlu_device_guards *g = &f->guards;
    int32_t column = f->u_column[k];
    double u = wlu_magnitude((double)v[(int64_t)f->u[k] * WLU_GROUP_LANES]);
    uint64_t inverse = wlu_lane_inverse(entries[(int64_t)g->a_source[column] * WLU_GROUP_LANES], g->a_scale[column]);
    return wlu_magnitude_bits(WLU_DOUBLE_MUL(u, wlu_double_of_bits(inverse)));
}

/* --------------------------------------------------------------- solutions */

WLU_PORTABLE wlu_group_outcome wlu_group_no_outcome(void)
{
    wlu_group_outcome none = {wlu_refined_none(), 0.0, 0.0};
    none.least = wlu_double_of_bits(UINT64_C(0x7ff0000000000000));
    return none;
}

/* A column is solved for; b is zero or not. */
WLU_PORTABLE void wlu_group_tell(wlu_group_outcome *o, uint64_t largest, int b_is_zero)
{
    double x = wlu_double_of_bits(largest);
    o->largest = wlu_larger_bits(o->largest, x);
    if (!b_is_zero && largest < wlu_bits_of_double(o->least)) o->least = x;
}

/* What a lane's solve is for: a solution as it is, a trial, nothing. */
enum { WLU_GROUP_PLAIN, WLU_GROUP_TRIAL, WLU_GROUP_NOTHING };

/* c: what refinement knows of the lane, where it is refined. */
WLU_PORTABLE int wlu_group_purpose(const wlu_group_work *w, const wlu_group_step *step, int64_t lane,
                                   wlu_refine_control *c)
{
    if (!step->refines) return WLU_GROUP_PLAIN;
    *c = w->side[lane].control;
    if (w->side[lane].plain) return step->residual ? WLU_GROUP_NOTHING : WLU_GROUP_PLAIN;
    return c->ended ? WLU_GROUP_NOTHING : WLU_GROUP_TRIAL;
}

/* Which of a lane's two buffers a solution goes to. */
WLU_PORTABLE int wlu_group_buffer(int purpose, const wlu_refine_control *c)
{
    return purpose == WLU_GROUP_TRIAL && !c->at;
}

/* What a right-hand side is multiplied by: where it goes into FP32, what brings its largest magnitude close to 1.
 * largest: of b as it is, by bits, in FP32. */
WLU_PORTABLE double wlu_group_scale(int purpose, const wlu_refine_control *c, uint64_t largest)
{
    if (purpose == WLU_GROUP_TRIAL) return c->down;
    if (!WLU_REAL_SINGLE || largest == 0 || largest >= UINT64_C(0x7ff0000000000000)) return 1.0;
    return wlu_inverse_power(wlu_double_of_bits(largest));
}

/* Before the first trial of lane i of the launch. size: the largest of its right-hand side. */
WLU_PORTABLE wlu_group_side wlu_group_begin(const wlu_group_work *w, int32_t i, uint64_t size)
{
    wlu_group_side side = {wlu_refine_fresh(), 0};
    side.control.largest = size;
    wlu_refine_begin(&side.control, w->single);
    side.plain = i < w->count && w->suspects && w->health[wlu_group_room(w, i)].verdict == WLU_HEALTHY;
    if (i >= w->count) side.control.ended = 1;
    return side;
}

/* A number of the solution. */
WLU_PORTABLE double wlu_group_number(const wlu_group_work *w, const wlu_group_side *side, int64_t at)
{
    if (side->plain) return w->x[0][at];
    return wlu_refine_number(&side->control, 0, side->control.steps >= 0 ? w->x[side->control.at][at] : 0.0);
}

/* What member i of the launch is told. */
WLU_PORTABLE wlu_group_result wlu_group_result_of(const wlu_group_work *w, int32_t i, int solved)
{
    wlu_group_result result;
    wlu_group_outcome o = solved ? w->outcome[w->work + i] : wlu_group_no_outcome();
    memset(&result, 0, sizeof result);
    result.health = w->health[wlu_group_room(w, i)];
    result.refined = o.refined;
    result.largest = o.largest;
    result.least = o.least;
    return result;
}

/* Row i of residuals, its sums over so many accumulators: eight, ... */
WLU_PORTABLE wlu_row_sums wlu_group_row(const wlu_refine_rows *rows, const double *entries, const double *x, int32_t i)
{
    wlu_row_sums sum[WLU_REFINE_SUMS];
    int32_t begin = rows->begin[i], end = rows->begin[i + 1];
    WLU_UNROLL
    for (int k = 0; k < WLU_REFINE_SUMS; k++) sum[k].product = sum[k].weight = sum[k].norm = 0.0;
    for (int32_t first = begin; first < end; first += WLU_REFINE_SUMS) {
        WLU_UNROLL
        for (int k = 0; k < WLU_REFINE_SUMS; k++)
            if (first + k < end)
                wlu_row_add(&sum[k], entries[(int64_t)rows->source[first + k] * WLU_GROUP_LANES],
                            x[(int64_t)rows->column[first + k] * WLU_GROUP_LANES]);
    }
    WLU_UNROLL
    for (int apart = WLU_REFINE_SUMS / 2; apart > 0; apart /= 2) {
        WLU_UNROLL
        for (int k = 0; k < apart; k++) wlu_row_join(&sum[k], &sum[k + apart]);
    }
    return sum[0];
}

/* ... or 256, of a long row: leaves of the tree in the order in which it joins them, so that nine sums are held. */
WLU_PORTABLE wlu_row_sums wlu_group_long_row(const wlu_refine_rows *rows, const double *entries, const double *x,
                                             int32_t i)
{
    wlu_row_sums open[10];
    int32_t begin = rows->begin[i], end = rows->begin[i + 1];
    int held = 0;
    for (int leaf = 0; leaf < WLU_REFINE_LONG_SUMS; leaf++) {
        int32_t at = 0;
        for (int bit = 1; bit < WLU_REFINE_LONG_SUMS; bit *= 2) at = 2 * at + (leaf & bit ? 1 : 0);
        open[held].product = open[held].weight = open[held].norm = 0.0;
        for (int32_t k = begin + at; k < end; k += WLU_REFINE_LONG_SUMS)
            wlu_row_add(&open[held], entries[(int64_t)rows->source[k] * WLU_GROUP_LANES],
                        x[(int64_t)rows->column[k] * WLU_GROUP_LANES]);
        held++;
        for (int full = leaf; full & 1; full >>= 1, held--) wlu_row_join(&open[held - 2], &open[held - 1]);
    }
    return open[0];
}

/* The residual of row i, its error and its size joined to the lane's. */
WLU_PORTABLE double wlu_group_residual(const wlu_refine_rows *rows, const double *entries, const double *b,
                                       const double *x, int32_t i, double unknown, uint64_t *error, uint64_t *size)
{
    int is_long = rows->begin[i + 1] - rows->begin[i] > WLU_REFINE_LONG;
    wlu_row_sums s = is_long ? wlu_group_long_row(rows, entries, x, i) : wlu_group_row(rows, entries, x, i);
    double bi = b[(int64_t)i * WLU_GROUP_LANES], r = WLU_DOUBLE_ADD(bi, -s.product);
    uint64_t e = wlu_magnitude_bits(wlu_sums_error(&s, r, bi, unknown, rows->n)),
             z = wlu_refine_size(r, rows->power[i]);
    if (e > *error) *error = e;
    if (z > *size) *size = z;
    return r;
}

#endif
