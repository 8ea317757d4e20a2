/* Powers of two by their bits; for kernels too.
 *
 * Bits are taken of one number at a time, never of an array that is copied into an array of integers. Where such a copy
 * shares its place on the stack with the doubles it came from, gcc 12 for AArch64 at -O3 drops the copy's store as
 * redundant, and reads the integers before the doubles are written. */
#ifndef WLU_BASE_POWER_H
#define WLU_BASE_POWER_H

#include <stdint.h>
#include <string.h>

#include "base/portable.h"

WLU_PORTABLE uint64_t wlu_bits_of_double(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

WLU_PORTABLE double wlu_double_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Bits of |x|: in the order of magnitudes, infinity above numbers and NaN above all. */
WLU_PORTABLE uint64_t wlu_magnitude_bits(double x)
{
    return wlu_bits_of_double(x) & ~(UINT64_C(1) << 63);
}

WLU_PORTABLE double wlu_magnitude(double x)
{
    return wlu_double_of_bits(wlu_magnitude_bits(x));
}

/* 2^exponent, for -1022 .. 1023. */
WLU_PORTABLE double wlu_power_of_two(int exponent)
{
    return wlu_double_of_bits((uint64_t)(exponent + 1023) << 52);
}

/* A power of two in the upper 16 bits of its double: 2^-1026 and above; smaller ones become zero. */
WLU_PORTABLE uint16_t wlu_upper_of_power(double power)
{
    return (uint16_t)(wlu_bits_of_double(power) >> 48);
}

WLU_PORTABLE double wlu_power_of_upper(uint16_t upper)
{
    return wlu_double_of_bits((uint64_t)upper << 48);
}

/* A normal magnitude is (1 + mantissa / 2^52) 2^exponent. */
WLU_PORTABLE int wlu_exponent(double magnitude)
{
    return (int)(wlu_bits_of_double(magnitude) >> 52) - 1023;
}

WLU_PORTABLE uint64_t wlu_mantissa(double magnitude)
{
    return wlu_bits_of_double(magnitude) & (((uint64_t)1 << 52) - 1);
}

/* 2^-e for a magnitude in [2^e, 2^(e+1)), without a division: an upper bound of its inverse, at most twice too large.
 * It is none at the ends of the range: 0 for magnitudes of 2^1023 or more, 2^1023 for zero and denormals, minus
 * infinity for infinity and NaN. */
WLU_PORTABLE double wlu_inverse_power(double magnitude)
{
    return wlu_double_of_bits(((uint64_t)2046 << 52) - (wlu_bits_of_double(magnitude) & (uint64_t)0x7ff << 52));
}

/* The same, but plus infinity for infinity and NaN. */
WLU_PORTABLE double wlu_positive_inverse_power(double magnitude)
{
    return wlu_double_of_bits(wlu_bits_of_double(wlu_inverse_power(magnitude)) & ~((uint64_t)1 << 63));
}

/* Larger of two by bit pattern without the sign: what is not a number beats infinity. */
WLU_PORTABLE double wlu_larger_bits(double a, double b)
{
    return wlu_bits_of_double(b) > wlu_bits_of_double(a) ? b : a;
}

/* The size of number k (base/number.h) of so many doubles each. */
WLU_PORTABLE double wlu_size_at(const double *x, int64_t k, int doubles)
{
    double size = wlu_magnitude(x[doubles * k]);
    return doubles == 1 ? size : wlu_larger_bits(size, wlu_magnitude(x[doubles * k + 1]));
}

/* The same with wlu_inner_modulus. */
WLU_PORTABLE double wlu_inner_modulus_at(const double *x, int64_t k, int doubles)
{
    double size = wlu_size_at(x, k, doubles);
    if (doubles == 1) return size;
    double across = 0.70710678118654746 * wlu_magnitude(x[2 * k]) + 0.70710678118654746 * wlu_magnitude(x[2 * k + 1]);
    return wlu_larger_bits(size, across);
}

/* How far the power of two at or below a magnitude is from 1, up or down: at least 1. */
WLU_PORTABLE double wlu_power_drift(double magnitude)
{
    double down = wlu_positive_inverse_power(magnitude);
    return wlu_larger_bits(down, wlu_positive_inverse_power(down));
}

#endif
