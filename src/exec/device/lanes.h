/* What one lane computes: the arithmetic of bundles and tiles, for kernels and emulator alike. Waiting, shuffling and
 * publishing are theirs; every rounding is here. docs/instruction-set.md has the rules.
 *
 * Compiled as C with -ffp-contract=off and as CUDA, whose intrinsics round to nearest and are never contracted. */
#ifndef WLU_DEVICE_LANES_H
#define WLU_DEVICE_LANES_H

#include "base/power.h"
#include "exec/device/image.h"

#if defined(__CUDA_ARCH__)
#define WLU_FMA(a, b, c) __fma_rn((a), (b), (c))
#define WLU_MUL(a, b) __dmul_rn((a), (b))
#define WLU_ADD(a, b) __dadd_rn((a), (b))
#define WLU_SUB(a, b) __dsub_rn((a), (b))
#define WLU_INVERT(x) __drcp_rn(x)
#else
#include <math.h>
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

/* Pivot j of a tile and one of its rows below: its l, then the rest of the row. u: the pivot's row. */
WLU_PORTABLE void wlu_lane_eliminate(int j, double reciprocal, const double *u, double *row)
{
    row[j] = WLU_MUL(row[j], reciprocal);
#if defined(__CUDA_ARCH__)
#pragma unroll
#endif
    for (int c = j + 1; c < 8; c++) row[c] = WLU_FMA(-row[j], u[c], row[c]);
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

#endif
