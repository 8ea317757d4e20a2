/* Norm estimation. See norm.h. */
#include "numerics/norm.h"

#include <math.h>
#include <string.h>

/* Unit vectors tried; more than two are rarely needed (Higham 1988, section 4). */
enum { MOST_STEPS = 5 };

double wlu_modulus(const double *x, int64_t k, int doubles)
{
    return doubles == 1 ? fabs(x[k]) : hypot(x[2 * k], x[2 * k + 1]);
}

/* A matrix by its products, and the doubles of its numbers. */
typedef struct subject {
    int32_t n;
    int doubles;
    wlu_apply apply;
    void *user;
} subject;

static size_t bytes_of(const subject *b)
{
    return (size_t)b->n * (size_t)b->doubles * sizeof(double);
}

/* Infinity rather than NaN. */
static double sum_of_magnitudes(const subject *b, const double *x)
{
    double sum = 0.0;
    for (int32_t i = 0; i < b->n; i++) sum += wlu_modulus(x, i, b->doubles);
    return isnan(sum) ? INFINITY : sum;
}

/* sign = signs of x, where numbers are complex their conjugates, so that a product with B' is one with B^H but for
 * conjugation; 0 if it has been that already. */
static int take_signs(const subject *b, const double *x, double *sign)
{
    int changed = 0;
    for (int64_t i = 0; i < b->n; i++) {
        double s[2] = {signbit(x[b->doubles * i]) ? -1.0 : 1.0, 0.0};
        double modulus = wlu_modulus(x, i, b->doubles);
        if (b->doubles > 1 && modulus > 0.0) {
            s[0] = x[2 * i] / modulus;
            s[1] = -x[2 * i + 1] / modulus;
        }
        for (int k = 0; k < b->doubles; k++) {
            changed |= s[k] != sign[b->doubles * i + k];
            sign[b->doubles * i + k] = s[k];
        }
    }
    return changed;
}

/* The place of the largest magnitude, or -1 where one is not finite. */
static int32_t largest(const subject *b, const double *x)
{
    int32_t at = 0;
    for (int32_t i = 0; i < b->n; i++) {
        double modulus = wlu_modulus(x, i, b->doubles);
        if (!isfinite(modulus)) return -1;
        if (modulus > wlu_modulus(x, at, b->doubles)) at = i;
    }
    return at;
}

/* ||B e_j||_1. */
static double norm_of_column(const subject *b, int32_t j, double *x)
{
    memset(x, 0, bytes_of(b));
    x[b->doubles * (int64_t)j] = 1.0;
    b->apply(b->user, 0, x);
    return sum_of_magnitudes(b, x);
}

/* A vector that the steps above are blind to: growing, of alternating sign, of norm 3 n / 2. */
static double norm_of_alternating(const subject *b, double *x)
{
    memset(x, 0, bytes_of(b));
    for (int64_t i = 0; i < b->n; i++) x[b->doubles * i] = (i % 2 != 0 ? -1.0 : 1.0) * (1.0 + (double)i / (b->n - 1.0));
    b->apply(b->user, 0, x);
    return 2.0 * (sum_of_magnitudes(b, x) / (3.0 * b->n));
}

double wlu_estimate_norm(int32_t n, int doubles, wlu_apply apply, void *user, double *work)
{
    const subject b = {n, doubles, apply, user};
    double *x = work, *sign = work + (int64_t)n * doubles;
    int32_t j = -1;
    memset(work, 0, 2 * bytes_of(&b));
    for (int64_t i = 0; i < n; i++) x[doubles * i] = 1.0 / n;
    apply(user, 0, x);
    double estimate = sum_of_magnitudes(&b, x);
    if (n == 1) return estimate;
    for (int step = 0; step < MOST_STEPS && estimate < INFINITY; step++) {
        if (!take_signs(&b, x, sign)) break;
        memcpy(x, sign, bytes_of(&b));
        apply(user, 1, x);
        int32_t next = largest(&b, x);
        if (next < 0) return INFINITY;
        if (j >= 0 && wlu_modulus(x, next, doubles) <= wlu_modulus(x, j, doubles))
            break; /* a local maximum over the unit ball */
        j = next;
        double better = norm_of_column(&b, j, x);
        if (better <= estimate) break;
        estimate = better;
    }
    return fmax(estimate, norm_of_alternating(&b, x));
}
