/* Row scales as powers of two.
 *
 * The exponent that brings m > 0 into (0.5, 1] is minus the ceiling of log2 m, from frexp, exact for denormals too. It
 * is cut at +-1021, where 2^e and its inverse are both normal numbers: rows whose largest magnitude is below 2^-1021 or
 * above 2^1021 stay a little outside the range. Entries far below their row's largest may still underflow when a huge
 * row is scaled down; beside the largest they do not count.
 *
 * O(n + nnz); n doubles of work for maxima or sums. */
#include "order/row_scale.h"

#include "base/power.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LARGEST_EXPONENT = 1021 };

/* The least c with m <= 2^c, for m > 0; infinity (a sum that overflowed) counts as 2^1024. */
static inline int ceiling_log2(double m)
{
    if (m >= DBL_MIN) return (int)((wlu_bits_of_double(m) + (((uint64_t)1 << 52) - 1)) >> 52) - 1023;
    int c;
    double fraction = frexp(m, &c); /* in [0.5, 1) */
    return fraction > 0.5 ? c : c - 1;
}

static inline int16_t scale_for(int ceiling)
{
    if (ceiling > LARGEST_EXPONENT) return -LARGEST_EXPONENT;
    if (ceiling < -LARGEST_EXPONENT) return LARGEST_EXPONENT;
    return (int16_t)-ceiling;
}

void wlu_row_scale(const wlu_pattern *a, const double *x, warplu_scaling scaling, int16_t *exponent, double *work)
{
    memset(work, 0, (size_t)a->n * sizeof *work);
    if (scaling == WARPLU_SCALING_MAX)
        for (int32_t e = 0; e < a->nnz; e++) work[a->i[e]] = fabs(x[e]) > work[a->i[e]] ? fabs(x[e]) : work[a->i[e]];
    else if (scaling == WARPLU_SCALING_SUM)
        for (int32_t e = 0; e < a->nnz; e++) work[a->i[e]] += fabs(x[e]);
    for (int32_t i = 0; i < a->n; i++) exponent[i] = work[i] == 0.0 ? 0 : scale_for(ceiling_log2(work[i]));
}
