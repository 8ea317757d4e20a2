/* Solutions of groups of members, and their refinement by residuals: what a lane computes, for host, kernels and tests
 * alike. See groups.h; numerics/refine.h has what all refinement is. */
#ifndef WLU_EXEC_DEVICE_GROUP_SOLVES_H
#define WLU_EXEC_DEVICE_GROUP_SOLVES_H

#include "exec/device/groups.h"

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
    int32_t count = wlu_group_count(w);
    side.plain = i < count && w->suspects && w->health[wlu_group_room(w, i)].verdict == WLU_HEALTHY;
    if (i >= count) side.control.ended = 1;
    return side;
}

/* A number of the solution. */
WLU_PORTABLE wlu_wide wlu_group_number(const wlu_group_work *w, const wlu_group_side *side, int64_t at)
{
    if (side->plain) return w->x[0][at];
    return wlu_refine_number(&side->control, 0,
                             side->control.steps >= 0 ? w->x[side->control.at][at] : wlu_wide_of(0.0, 0.0));
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
WLU_PORTABLE wlu_row_sums wlu_group_row(const wlu_refine_rows *rows, const wlu_wide *entries, const wlu_wide *x,
                                        int32_t i)
{
    wlu_row_sums sum[WLU_REFINE_SUMS];
    int32_t begin = rows->begin[i], end = rows->begin[i + 1];
    WLU_UNROLL
    for (int k = 0; k < WLU_REFINE_SUMS; k++) sum[k] = wlu_row_begin();
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
WLU_PORTABLE wlu_row_sums wlu_group_long_row(const wlu_refine_rows *rows, const wlu_wide *entries, const wlu_wide *x,
                                             int32_t i)
{
    wlu_row_sums open[10];
    int32_t begin = rows->begin[i], end = rows->begin[i + 1];
    int held = 0;
    for (int leaf = 0; leaf < WLU_REFINE_LONG_SUMS; leaf++) {
        int32_t at = 0;
        for (int bit = 1; bit < WLU_REFINE_LONG_SUMS; bit *= 2) at = 2 * at + (leaf & bit ? 1 : 0);
        open[held] = wlu_row_begin();
        for (int32_t k = begin + at; k < end; k += WLU_REFINE_LONG_SUMS)
            wlu_row_add(&open[held], entries[(int64_t)rows->source[k] * WLU_GROUP_LANES],
                        x[(int64_t)rows->column[k] * WLU_GROUP_LANES]);
        held++;
        for (int full = leaf; full & 1; full >>= 1, held--) wlu_row_join(&open[held - 2], &open[held - 1]);
    }
    return open[0];
}

/* The residual of row i, its error and its size joined to the lane's. */
WLU_PORTABLE wlu_wide wlu_group_residual(const wlu_refine_rows *rows, const wlu_wide *entries, const wlu_wide *b,
                                         const wlu_wide *x, int32_t i, double unknown, uint64_t *error, uint64_t *size)
{
    int32_t length = rows->begin[i + 1] - rows->begin[i];
    wlu_row_sums s =
        length > WLU_REFINE_LONG ? wlu_group_long_row(rows, entries, x, i) : wlu_group_row(rows, entries, x, i);
    wlu_wide bi = b[(int64_t)i * WLU_GROUP_LANES], r = WLU_WIDE_SUB(bi, s.product);
    uint64_t e = wlu_magnitude_bits(wlu_row_error(&s, r, bi, unknown, rows->n, length)),
             z = wlu_refine_size(r, rows->power[i]);
    if (e > *error) *error = e;
    if (z > *size) *size = z;
    return r;
}

#endif
