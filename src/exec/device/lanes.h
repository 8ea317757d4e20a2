/* What one lane computes: the arithmetic of bundles and tiles, for kernels and emulator alike. Waiting, shuffling and
 * publishing are theirs; every rounding is here. docs/instruction-set.md has the rules.
 *
 * Compiled as C with -ffp-contract=off and as CUDA, whose intrinsics round to nearest and are never contracted. */
#ifndef WLU_DEVICE_LANES_H
#define WLU_DEVICE_LANES_H

#include "base/power.h"
#include "exec/device/image.h"
#include "exec/device/state.h"

#if defined(__CUDA_ARCH__)
#define WLU_UNROLL _Pragma("unroll")
#define WLU_FMA(a, b, c) __fma_rn((a), (b), (c))
#define WLU_MUL(a, b) __dmul_rn((a), (b))
#define WLU_ADD(a, b) __dadd_rn((a), (b))
#define WLU_SUB(a, b) __dsub_rn((a), (b))
#define WLU_INVERT(x) __drcp_rn(x)
#else
#include <math.h>
#define WLU_UNROLL
#define WLU_FMA(a, b, c) fma((a), (b), (c))
#define WLU_MUL(a, b) ((a) * (b))
#define WLU_ADD(a, b) ((a) + (b))
#define WLU_SUB(a, b) ((a) - (b))
#define WLU_INVERT(x) (1.0 / (x))
#endif

/* What is written to slots: a NaN is the canonical one, so that none looks like poison. */
WLU_PORTABLE double wlu_lane_publishable(double x)
{
    return x == x ? x : wlu_double_of_bits(WLU_CANONICAL_NAN);
}

WLU_PORTABLE uint64_t wlu_lane_magnitude(double x)
{
    return wlu_bits_of_double(x) & ~(UINT64_C(1) << 63);
}

/* An entry of the matrix or of a right-hand side, scaled. */
WLU_PORTABLE double wlu_lane_load(double value, uint16_t power)
{
    return WLU_MUL(wlu_power_of_upper(power), value);
}

/* A term of a short record, and of a lane's share of a long one. */
WLU_PORTABLE double wlu_lane_term(int is_long, double acc, double a, double b)
{
    return WLU_FMA(is_long ? a : -a, b, acc);
}

/* One exchange of the pairwise tree: lanes 4 apart, then 2, then 1, each adding its partner's sum to its own. */
WLU_PORTABLE double wlu_lane_pair(double mine, double partners)
{
    return WLU_ADD(mine, partners);
}

/* A record's value before it is scaled: a short one's accumulator began with the start value. */
WLU_PORTABLE double wlu_lane_total(int is_long, double start, double sum)
{
    return is_long ? WLU_SUB(start, sum) : sum;
}

/* A record's value, where its flags say so, by the reciprocal pivot; the reciprocal of a value. */
WLU_PORTABLE double wlu_lane_scale(double value, double reciprocal)
{
    return WLU_MUL(value, reciprocal);
}

WLU_PORTABLE double wlu_lane_invert(double value)
{
    return WLU_INVERT(value);
}

/* The pivots of a tile's source among themselves, in one column of the tile: x[i] for pivot i of skip .. width - 1. corner: the
 * source's diagonal block. */
WLU_PORTABLE void wlu_lane_corner(int skip, int width, const double *corner, double *x)
{
    WLU_UNROLL
    for (int k = 0; k < 7; k++) {
        WLU_UNROLL
        for (int i = k + 1; i < 8; i++)
            if (k >= skip && i < width) x[i] = WLU_FMA(-corner[8 * i + k], x[k], x[i]);
    }
}

/* One number of a panel minus what a source's pivots skip .. width - 1 take from it, in their order. l: a row of the source's L;
 * u: the pivots' rows in this column. */
WLU_PORTABLE double wlu_lane_apply(int skip, int width, const double *l, const double *u, double acc)
{
    WLU_UNROLL
    for (int k = 0; k < 8; k++)
        if (k >= skip && k < width) acc = WLU_FMA(-l[k], u[k], acc);
    return acc;
}

/* Pivot j of a tile and one of its rows below: its l, then the rest of the row. u: the pivot's row. */
WLU_PORTABLE void wlu_lane_eliminate(int j, double reciprocal, const double *u, double *row)
{
    row[j] = WLU_MUL(row[j], reciprocal);
    WLU_UNROLL
    for (int c = j + 1; c < 8; c++) row[c] = WLU_FMA(-row[j], u[c], row[c]);
}

/* A row of a tile with the unknowns of another, summed by the pairwise tree; what a pivot's unknown is after it. */
WLU_PORTABLE double wlu_lane_products(const double *row, const double *x)
{
    double a[8];
    WLU_UNROLL
    for (int c = 0; c < 8; c++) a[c] = WLU_MUL(row[c], x[c]);
    return WLU_ADD(WLU_ADD(WLU_ADD(a[0], a[4]), WLU_ADD(a[2], a[6])), WLU_ADD(WLU_ADD(a[1], a[5]), WLU_ADD(a[3], a[7])));
}

WLU_PORTABLE double wlu_lane_subtract(double y, double products)
{
    return WLU_SUB(y, products);
}

/* An unknown of a tile minus what another of the same tile takes from it. */
WLU_PORTABLE double wlu_lane_triangle(double diagonal, double other, double y)
{
    return WLU_FMA(-diagonal, other, y);
}

/* What the guards read of a column's and of a row's entry. */
WLU_PORTABLE uint64_t wlu_lane_inverse(double value, uint16_t power)
{
    return wlu_bits_of_double(wlu_positive_inverse_power(
        wlu_double_of_bits(wlu_lane_magnitude(wlu_lane_load(value, power)))));
}

WLU_PORTABLE uint64_t wlu_lane_drift(double value, uint16_t power)
{
    return wlu_bits_of_double(wlu_power_drift(wlu_double_of_bits(wlu_lane_magnitude(wlu_lane_load(value, power)))));
}

/* What a replay has shown when its last block leaves; growth is the first bound. largest: by area, bits of magnitudes. */
WLU_PORTABLE wlu_health wlu_lane_health(const uint64_t *largest)
{
    wlu_health h;
    uint64_t worst = 0;
    WLU_UNROLL
    for (int k = WLU_DEVICE_U; k <= WLU_DEVICE_RECIPROCAL; k++)
        if (largest[k] > worst) worst = largest[k];
    h.largest_l = wlu_double_of_bits(largest[WLU_DEVICE_L]);
    h.largest_u = wlu_double_of_bits(largest[WLU_DEVICE_U]);
    double grown = WLU_MUL(h.largest_u, wlu_double_of_bits(largest[WLU_DEVICE_INVERSE]));
    h.growth = grown >= 1.0 ? WLU_INVERT(grown) : grown < 1.0 ? 1.0 : 0.0;
    h.smallest_pivot = WLU_INVERT(wlu_double_of_bits(largest[WLU_DEVICE_RECIPROCAL]));
    h.drift = wlu_double_of_bits(largest[WLU_DEVICE_DRIFT]);
    if (!(h.drift >= 1.0) && h.drift == h.drift) h.drift = 1.0;
    h.finite = worst < UINT64_C(0x7ff0000000000000);
    return h;
}

#endif
