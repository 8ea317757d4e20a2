/* Whether numbers are finite, or zero, and how large, many at a time. */
#ifndef WLU_BASE_FINITE_H
#define WLU_BASE_FINITE_H

#include <math.h>
#include <stdint.h>

/* Running sums and maxima of eight columns, so that compilers make vectors of them. */
enum { WLU_FINITE_LANES = 8 };

/* The largest magnitude; infinity if one number is infinite or none. */
static inline double wlu_largest(const double *x, int64_t count)
{
    double zero[WLU_FINITE_LANES] = {0}, most[WLU_FINITE_LANES] = {0}, sum = 0.0, largest = 0.0;
    int64_t k = 0;
    for (; k + WLU_FINITE_LANES <= count; k += WLU_FINITE_LANES)
        for (int l = 0; l < WLU_FINITE_LANES; l++) {
            double magnitude = fabs(x[k + l]);
            zero[l] += magnitude * 0.0; /* zero unless infinity or a NaN comes by */
            most[l] = magnitude > most[l] ? magnitude : most[l];
        }
    for (; k < count; k++) {
        sum += x[k] * 0.0;
        largest = fabs(x[k]) > largest ? fabs(x[k]) : largest;
    }
    for (int l = 0; l < WLU_FINITE_LANES; l++) {
        sum += zero[l];
        largest = most[l] > largest ? most[l] : largest;
    }
    return sum == 0.0 ? largest : INFINITY;
}

/* Told by the first number, mostly. */
static inline int wlu_all_zero(const double *x, int64_t count)
{
    int64_t k = 0;
    while (k < count && x[k] == 0.0) k++;
    return k == count;
}

static inline int wlu_all_finite(const double *x, int64_t count)
{
    double zero[WLU_FINITE_LANES] = {0}, sum = 0.0;
    int64_t k = 0;
    for (; k + WLU_FINITE_LANES <= count; k += WLU_FINITE_LANES)
        for (int l = 0; l < WLU_FINITE_LANES; l++) zero[l] += x[k + l] * 0.0;
    for (; k < count; k++) sum += x[k] * 0.0;
    for (int l = 0; l < WLU_FINITE_LANES; l++) sum += zero[l];
    return sum == 0.0;
}

#endif
