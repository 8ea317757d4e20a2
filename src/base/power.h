/* Powers of two by their bits. */
#ifndef WLU_POWER_H
#define WLU_POWER_H

#include <stdint.h>
#include <string.h>

static inline double wlu_double_of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* 2^exponent, for -1022 .. 1023. */
static inline double wlu_power_of_two(int exponent)
{
    return wlu_double_of_bits((uint64_t)(exponent + 1023) << 52);
}

/* 2^-e for a magnitude in [2^e, 2^(e+1)): an upper bound of its inverse, at most twice too large, without a division.
 * 2^1023 for zero and denormals, not a positive number for infinity and NaN. */
static inline double wlu_inverse_power(double magnitude)
{
    uint64_t bits;
    memcpy(&bits, &magnitude, sizeof bits);
    return wlu_double_of_bits(((uint64_t)2046 << 52) - (bits & (uint64_t)0x7ff << 52));
}

/* Larger of two by bit pattern without the sign: what is not a number beats infinity. */
static inline double wlu_larger_bits(double a, double b)
{
    uint64_t x, y;
    memcpy(&x, &a, sizeof x);
    memcpy(&y, &b, sizeof y);
    return y > x ? b : a;
}

/* How far the power of two at or below a magnitude is from 1, up or down: at least 1. */
static inline double wlu_power_drift(double magnitude)
{
    double down = wlu_inverse_power(magnitude);
    return wlu_larger_bits(down, wlu_inverse_power(down));
}

#endif
