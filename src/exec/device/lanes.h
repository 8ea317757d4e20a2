/* What one lane computes: the arithmetic of bundles and tiles, for kernels and emulator alike. Waiting, shuffling and
 * publishing are theirs; every operation is here, rounded as base/real.h writes it. docs/instruction-set.md has the
 * rules. */
#ifndef WLU_EXEC_DEVICE_LANES_H
#define WLU_EXEC_DEVICE_LANES_H

#include "base/real.h"
#include "exec/device/image.h"
#include "exec/device/state.h"
#include "program/opcodes.h"

#if defined(__CUDA_ARCH__)
#define WLU_UNROLL _Pragma("unroll")
#else
#define WLU_UNROLL
#endif

/* What is written to slots: a NaN is the canonical one, so that none looks like poison. */
WLU_PORTABLE wlu_real wlu_lane_publishable(wlu_real x)
{
    return x == x ? x : wlu_real_of_bits(WLU_REAL_NAN);
}

/* An entry of the matrix or of a right-hand side, scaled; as a slot takes it; and an unknown, from its slot.
 */
WLU_PORTABLE double wlu_lane_entry(double value, uint16_t power)
{
    return WLU_DOUBLE_MUL(wlu_power_of_upper(power), value);
}

WLU_PORTABLE wlu_real wlu_lane_load(double value, uint16_t power)
{
    return (wlu_real)wlu_lane_entry(value, power);
}

WLU_PORTABLE double wlu_lane_store(wlu_real x, uint16_t power)
{
    return wlu_lane_entry((double)x, power);
}

/* A term of a short record, and of a lane's share of a long one. */
WLU_PORTABLE wlu_real wlu_lane_term(int is_long, wlu_real acc, wlu_real a, wlu_real b)
{
    return WLU_FMA(is_long ? a : -a, b, acc);
}

/* One exchange of the pairwise tree: lanes 4 apart, then 2, then 1, each adding its partner's sum to its own. */
WLU_PORTABLE wlu_real wlu_lane_pair(wlu_real mine, wlu_real partners)
{
    return WLU_ADD(mine, partners);
}

/* A record's value before it is scaled: a short one's accumulator began with the start value. */
WLU_PORTABLE wlu_real wlu_lane_total(int is_long, wlu_real start, wlu_real sum)
{
    return is_long ? WLU_SUB(start, sum) : sum;
}

/* The end of a record of chain x, where its opcode has a divisor d. */
WLU_PORTABLE wlu_real wlu_lane_end(int opcode, wlu_real x, wlu_real d)
{
    switch (opcode) {
#define TIMES(a, b) WLU_MUL(a, b)
#define MINUS(a, b) WLU_SUB(a, b)
#define OVER(a) WLU_INVERT(a)
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
    return wlu_real_of_bits(WLU_REAL_NAN);
}

/* A record's value by the reciprocal pivot; the reciprocal of a value. */
WLU_PORTABLE wlu_real wlu_lane_scale(wlu_real value, wlu_real reciprocal)
{
    return WLU_MUL(value, reciprocal);
}

WLU_PORTABLE wlu_real wlu_lane_invert(wlu_real value)
{
    return WLU_INVERT(value);
}

/* The pivots of a tile's source among themselves, in one column of the tile: x[i] for pivot i of skip .. width - 1.
 * corner: the source's diagonal block. */
WLU_PORTABLE void wlu_lane_corner(int skip, int width, const wlu_real *corner, wlu_real *x)
{
    WLU_UNROLL
    for (int k = 0; k < 7; k++) {
        WLU_UNROLL
        for (int i = k + 1; i < 8; i++)
            if (k >= skip && i < width) x[i] = WLU_FMA(-corner[8 * i + k], x[k], x[i]);
    }
}

/* One number of a panel minus what a source's pivots skip .. width - 1 take from it, in their order. l: a row of the
 * source's L; u: the pivots' rows in this column. */
WLU_PORTABLE wlu_real wlu_lane_apply(int skip, int width, const wlu_real *l, const wlu_real *u, wlu_real acc)
{
    WLU_UNROLL
    for (int k = 0; k < 8; k++)
        if (k >= skip && k < width) acc = WLU_FMA(-l[k], u[k], acc);
    return acc;
}

/* Pivot j of a tile and one of its rows below: its l, then the rest of the row. u: the pivot's row. */
WLU_PORTABLE void wlu_lane_eliminate(int j, wlu_real reciprocal, const wlu_real *u, wlu_real *row)
{
    row[j] = WLU_MUL(row[j], reciprocal);
    WLU_UNROLL
    for (int c = j + 1; c < 8; c++) row[c] = WLU_FMA(-row[j], u[c], row[c]);
}

/* The pairwise tree, by one lane. */
WLU_PORTABLE wlu_real wlu_lane_tree(const wlu_real *a)
{
    return WLU_ADD(WLU_ADD(WLU_ADD(a[0], a[4]), WLU_ADD(a[2], a[6])),
                   WLU_ADD(WLU_ADD(a[1], a[5]), WLU_ADD(a[3], a[7])));
}

/* A row of a tile with the unknowns of another, summed by the pairwise tree; what a pivot's unknown is after it. */
WLU_PORTABLE wlu_real wlu_lane_products(const wlu_real *row, const wlu_real *x)
{
    wlu_real a[8];
    WLU_UNROLL
    for (int c = 0; c < 8; c++) a[c] = WLU_MUL(row[c], x[c]);
    return wlu_lane_tree(a);
}

WLU_PORTABLE wlu_real wlu_lane_subtract(wlu_real y, wlu_real products)
{
    return WLU_SUB(y, products);
}

/* An unknown of a tile minus what another of the same tile takes from it. */
WLU_PORTABLE wlu_real wlu_lane_triangle(wlu_real diagonal, wlu_real other, wlu_real y)
{
    return WLU_FMA(-diagonal, other, y);
}

/* What the guards read of a column's and of a row's entry. */
WLU_PORTABLE uint64_t wlu_lane_inverse(double value, uint16_t power)
{
    return wlu_bits_of_double(
        wlu_positive_inverse_power(wlu_double_of_bits(wlu_magnitude_bits(wlu_lane_entry(value, power)))));
}

WLU_PORTABLE uint64_t wlu_lane_drift(double value, uint16_t power)
{
    return wlu_bits_of_double(wlu_power_drift(wlu_double_of_bits(wlu_magnitude_bits(wlu_lane_entry(value, power)))));
}

#endif
