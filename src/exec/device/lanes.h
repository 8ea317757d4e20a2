/* What one lane computes: the arithmetic of bundles and tiles, for kernels and emulator alike. Waiting, shuffling and
 * publishing are theirs; every operation is here, rounded as base/real.h writes it. docs/instruction-set.md has the
 * rules. */
#ifndef WLU_EXEC_DEVICE_LANES_H
#define WLU_EXEC_DEVICE_LANES_H

#include "base/number.h"
#include "exec/device/image.h"
#include "exec/device/state.h"
#include "program/opcodes.h"

#if defined(__CUDA_ARCH__)
#define WLU_UNROLL _Pragma("unroll")
#else
#define WLU_UNROLL
#endif

/* What is written to slots: a NaN is the canonical one, so that none looks like poison. */
WLU_PORTABLE wlu_real wlu_lane_canonical(wlu_real x)
{
    return x == x ? x : wlu_real_of_bits(WLU_REAL_NAN);
}

WLU_PORTABLE wlu_number wlu_lane_publishable(wlu_number x)
{
#ifdef WLU_COMPLEX
    return wlu_number_of(wlu_lane_canonical(x.re), wlu_lane_canonical(x.im));
#else
    return wlu_lane_canonical(x);
#endif
}

/* Bits of a number's size, as areas are judged by. */
WLU_PORTABLE uint64_t wlu_lane_size(wlu_number x)
{
    return wlu_bits_of_double(WLU_WIDE_SIZE(WLU_WIDE_OF(x)));
}

/* An entry of the matrix or of a right-hand side, scaled; as a slot takes it; and an unknown, from its slot.
 */
WLU_PORTABLE wlu_wide wlu_lane_entry(wlu_wide value, uint16_t power)
{
    return WLU_WIDE_SCALED(wlu_power_of_upper(power), value);
}

WLU_PORTABLE wlu_number wlu_lane_load(wlu_wide value, uint16_t power)
{
    return WLU_NUMBER_OF_WIDE(wlu_lane_entry(value, power));
}

WLU_PORTABLE wlu_wide wlu_lane_store(wlu_number x, uint16_t power)
{
    return wlu_lane_entry(WLU_WIDE_OF(x), power);
}

/* A term of a short record, and of a lane's share of a long one. */
WLU_PORTABLE wlu_number wlu_lane_term(int is_long, wlu_number acc, wlu_number a, wlu_number b)
{
    return wlu_fma(is_long ? a : wlu_negated(a), b, acc);
}

/* One exchange of the pairwise tree: lanes 4 apart, then 2, then 1, each adding its partner's sum to its own. */
WLU_PORTABLE wlu_number wlu_lane_pair(wlu_number mine, wlu_number partners)
{
    return wlu_add(mine, partners);
}

/* A record's value before it is scaled: a short one's accumulator began with the start value. Zeros of complex ones
 * have no sign that padding could change. */
WLU_PORTABLE wlu_number wlu_lane_total(int is_long, wlu_number start, wlu_number sum)
{
    return is_long ? wlu_settled(wlu_sub(start, sum)) : wlu_settled(sum);
}

/* The end of a record of chain x, where its opcode has a divisor d. */
WLU_PORTABLE wlu_number wlu_lane_end(int opcode, wlu_number x, wlu_number d)
{
    switch (opcode) {
#define TIMES(a, b) wlu_mul(a, b)
#define MINUS(a, b) wlu_sub(a, b)
#define OVER(a) wlu_invert(a)
#define WLU_OPCODE(name, shape, flops, compiled, semantics)
#define WLU_STREAM_OPCODE(name, shape, flops, compiled, semantics, end, stages) \
    case WLU_##name: \
        return end;
#include "program/opcodes.def"
#undef WLU_OPCODE
#undef OVER
#undef MINUS
#undef TIMES
    }
    return wlu_number_of(wlu_real_of_bits(WLU_REAL_NAN), wlu_real_of_bits(WLU_REAL_NAN));
}

/* A record's value by the reciprocal pivot; the reciprocal of a value. */
WLU_PORTABLE wlu_number wlu_lane_scale(wlu_number value, wlu_number reciprocal)
{
    return wlu_mul(value, reciprocal);
}

/* The same where only some of a warp's records have one: the others have the real number 1 there. */
WLU_PORTABLE wlu_number wlu_lane_scale_closed(int closed, wlu_number value, wlu_number reciprocal)
{
    return WLU_NUMBER_REALS == 1 || closed ? wlu_mul(value, reciprocal) : value;
}

WLU_PORTABLE wlu_number wlu_lane_invert(wlu_number value)
{
    return wlu_invert(value);
}

/* The pivots of a tile's source among themselves, in one column of the tile: x[i] for pivot i of skip .. width - 1.
 * corner: the source's diagonal block. */
WLU_PORTABLE void wlu_lane_corner(int skip, int width, const wlu_number *corner, wlu_number *x)
{
    WLU_UNROLL
    for (int k = 0; k < 7; k++) {
        WLU_UNROLL
        for (int i = k + 1; i < 8; i++)
            if (k >= skip && i < width) x[i] = wlu_fnma(corner[8 * i + k], x[k], x[i]);
    }
}

/* One number of a panel minus what a source's pivots skip .. width - 1 take from it, in their order. l: a row of the
 * source's L; u: the pivots' rows in this column. */
WLU_PORTABLE wlu_number wlu_lane_apply(int skip, int width, const wlu_number *l, const wlu_number *u, wlu_number acc)
{
    WLU_UNROLL
    for (int k = 0; k < 8; k++)
        if (k >= skip && k < width) acc = wlu_fnma(l[k], u[k], acc);
    return acc;
}

/* Pivot j of a tile and one of its rows below: its l, then the rest of the row. u: the pivot's row. */
WLU_PORTABLE void wlu_lane_eliminate(int j, wlu_number reciprocal, const wlu_number *u, wlu_number *row)
{
    row[j] = wlu_mul(row[j], reciprocal);
    WLU_UNROLL
    for (int c = j + 1; c < 8; c++) row[c] = wlu_fnma(row[j], u[c], row[c]);
}

/* The pairwise tree, by one lane. */
WLU_PORTABLE wlu_number wlu_lane_tree(const wlu_number *a)
{
    return wlu_add(wlu_add(wlu_add(a[0], a[4]), wlu_add(a[2], a[6])),
                   wlu_add(wlu_add(a[1], a[5]), wlu_add(a[3], a[7])));
}

/* A row of a tile with the unknowns of another, summed by the pairwise tree; what a pivot's unknown is after it. */
WLU_PORTABLE wlu_number wlu_lane_products(const wlu_number *row, const wlu_number *x)
{
    wlu_number a[8];
    WLU_UNROLL
    for (int c = 0; c < 8; c++) a[c] = wlu_mul(row[c], x[c]);
    return wlu_lane_tree(a);
}

WLU_PORTABLE wlu_number wlu_lane_subtract(wlu_number y, wlu_number products)
{
    return wlu_sub(y, products);
}

/* An unknown of a tile minus what another of the same tile takes from it. */
WLU_PORTABLE wlu_number wlu_lane_triangle(wlu_number diagonal, wlu_number other, wlu_number y)
{
    return wlu_fnma(diagonal, other, y);
}

/* What the guards read of a column's and of a row's entry. */
WLU_PORTABLE double wlu_lane_guarded(wlu_wide value, uint16_t power)
{
    return wlu_magnitude(WLU_DOUBLE_MUL(wlu_power_of_upper(power), WLU_WIDE_SIZE(value)));
}

WLU_PORTABLE uint64_t wlu_lane_inverse(wlu_wide value, uint16_t power)
{
    return wlu_bits_of_double(wlu_positive_inverse_power(wlu_lane_guarded(value, power)));
}

WLU_PORTABLE uint64_t wlu_lane_drift(wlu_wide value, uint16_t power)
{
    return wlu_bits_of_double(wlu_power_drift(wlu_lane_guarded(value, power)));
}

#endif
