/* What the scales, and the largest entries of rows and columns, come to when pivots are chosen. */
#ifndef WLU_PIVOT_UNITS_H
#define WLU_PIVOT_UNITS_H

#include <float.h>
#include <math.h>
#include <stdint.h>

#include "base/power.h"

/* Largest over smallest scale. */
static inline double wlu_scale_spread(const int16_t *exponent, int32_t n)
{
    int16_t largest = exponent[0], smallest = exponent[0];
    for (int32_t k = 1; k < n; k++) {
        if (exponent[k] > largest) largest = exponent[k];
        if (exponent[k] < smallest) smallest = exponent[k];
    }
    return ldexp(1.0, largest - smallest);
}

/* 2^(exponent - e) for a magnitude in [2^e, 2^(e+1)), 2^exponent for zero. */
static inline double wlu_unit_of(double magnitude, int exponent)
{
    if (magnitude != 0.0) exponent -= magnitude >= DBL_MIN ? wlu_exponent(magnitude) : ilogb(magnitude);
    return exponent >= -1022 && exponent <= 1023 ? wlu_power_of_two(exponent) : ldexp(1.0, exponent);
}

#endif
