/* The innermost loops of the pivot search: columns of L are subtracted from a dense column, one, two or four of one
 * pattern at a time, so that each row is loaded and stored once. Bound by the memory that L comes from. */
#ifndef WLU_PIVOT_SUBTRACT_H
#define WLU_PIVOT_SUBTRACT_H

#include <stdint.h>

/* x[i[q]] -= l[q] u for count different rows. */
static inline void wlu_subtract_one(double *x, const int32_t *i, int64_t count, const double *l, double u)
{
    for (int64_t q = 0; q < count; q++) x[i[q]] -= l[q] * u;
}

/* The same for two and four columns of a group, one after the other in every row. */
static inline void wlu_subtract_two(double *restrict x, const int32_t *restrict i, int64_t count,
                                    const double *restrict l0, const double *restrict l1, const double *u)
{
    double u0 = u[0], u1 = u[1];
    for (int64_t q = 0; q < count; q++) {
        double v = x[i[q]];
        v -= l0[q] * u0;
        v -= l1[q] * u1;
        x[i[q]] = v;
    }
}

static inline void wlu_subtract_four(double *restrict x, const int32_t *restrict i, int64_t count,
                                     const double *restrict l0, const double *restrict l1, const double *restrict l2,
                                     const double *restrict l3, const double *u)
{
    double u0 = u[0], u1 = u[1], u2 = u[2], u3 = u[3];
    for (int64_t q = 0; q < count; q++) {
        double v = x[i[q]];
        v -= l0[q] * u0;
        v -= l1[q] * u1;
        v -= l2[q] * u2;
        v -= l3[q] * u3;
        x[i[q]] = v;
    }
}

#endif
