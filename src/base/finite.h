/* Whether numbers are finite, many at a time. */
#ifndef WLU_FINITE_H
#define WLU_FINITE_H

#include <stdint.h>

/* A sum of zeros is zero unless one of them came from infinity or NaN. */
static inline int wlu_all_finite(const double *x, int64_t count)
{
    double sum = 0.0;
    for (int64_t k = 0; k < count; k++) sum += x[k] * 0.0;
    return sum == 0.0;
}

#endif
