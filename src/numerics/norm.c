/* Norm estimation. See norm.h. */
#include "numerics/norm.h"

#include <math.h>
#include <string.h>

/* Unit vectors tried; more than two are rarely needed (Higham 1988, section 4). */
enum { MOST_STEPS = 5 };

/* Infinity rather than NaN. */
static double sum_of_magnitudes(int32_t n, const double *x)
{
    double sum = 0.0;
    for (int32_t i = 0; i < n; i++) sum += fabs(x[i]);
    return isnan(sum) ? INFINITY : sum;
}

/* sign = signs of x; 0 if it has been that already. */
static int take_signs(int32_t n, const double *x, double *sign)
{
    int changed = 0;
    for (int32_t i = 0; i < n; i++) {
        double s = signbit(x[i]) ? -1.0 : 1.0;
        changed |= s != sign[i];
        sign[i] = s;
    }
    return changed;
}

/* The place of the largest magnitude, or -1 where one is not finite. */
static int32_t largest(int32_t n, const double *x)
{
    int32_t at = 0;
    for (int32_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) return -1;
        if (fabs(x[i]) > fabs(x[at])) at = i;
    }
    return at;
}

/* ||B e_j||_1. */
static double norm_of_column(int32_t n, wlu_apply apply, void *user, int32_t j, double *x)
{
    memset(x, 0, (size_t)n * sizeof *x);
    x[j] = 1.0;
    apply(user, 0, x);
    return sum_of_magnitudes(n, x);
}

/* A vector that the steps above are blind to: growing, of alternating sign, of norm 3 n / 2. */
static double norm_of_alternating(int32_t n, wlu_apply apply, void *user, double *x)
{
    for (int32_t i = 0; i < n; i++) x[i] = (i % 2 != 0 ? -1.0 : 1.0) * (1.0 + (double)i / (n - 1.0));
    apply(user, 0, x);
    return 2.0 * (sum_of_magnitudes(n, x) / (3.0 * n));
}

double wlu_estimate_norm(int32_t n, wlu_apply apply, void *user, double *work)
{
    double *x = work, *sign = work + n;
    int32_t j = -1;
    for (int32_t i = 0; i < n; i++) {
        x[i] = 1.0 / n;
        sign[i] = 0.0;
    }
    apply(user, 0, x);
    double estimate = sum_of_magnitudes(n, x);
    if (n == 1) return estimate;
    for (int step = 0; step < MOST_STEPS && estimate < INFINITY; step++) {
        if (!take_signs(n, x, sign)) break;
        memcpy(x, sign, (size_t)n * sizeof *x);
        apply(user, 1, x);
        int32_t next = largest(n, x);
        if (next < 0) return INFINITY;
        if (j >= 0 && fabs(x[next]) <= x[j]) break; /* a local maximum over the unit ball */
        j = next;
        double better = norm_of_column(n, apply, user, j, x);
        if (better <= estimate) break;
        estimate = better;
    }
    return fmax(estimate, norm_of_alternating(n, apply, user, x));
}
