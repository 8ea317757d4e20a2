/* Rows in twice the digits, of either kind of numbers. See marked_rows.h. */
#include "numerics/marked_rows.h"

#include "base/finite.h"
#include "base/fused.h"
#include "base/number.h"

#include <string.h>

/* Doubles of a number. */
enum { D = WLU_NUMBER_REALS };

/* A row's residual, and what it lacks; its largest entry. */
typedef struct long_sum {
    double high[D], low[D];
} long_sum;

/* sum -= a x: a product is two numbers, and so is a sum. */
static inline void subtract_product(double a, double x, double *high, double *low)
{
    double product = a * x, rest = wlu_fused(a, x, -product), before = *high, sum = before - product;
    double back = sum - before, lost = (before - (sum - back)) - (product + back);
    *high = sum;
    *low += lost - rest;
}

static void subtract_term(long_sum *s, wlu_number a, wlu_number x)
{
#ifdef WLU_COMPLEX
    subtract_product(a.re, x.re, &s->high[0], &s->low[0]);
    subtract_product(-a.im, x.im, &s->high[0], &s->low[0]);
    subtract_product(a.re, x.im, &s->high[1], &s->low[1]);
    subtract_product(a.im, x.re, &s->high[1], &s->low[1]);
#else
    subtract_product(a, x, &s->high[0], &s->low[0]);
#endif
}

static wlu_number sum_of(const long_sum *s)
{
#ifdef WLU_COMPLEX
    return wlu_number_of(s->high[0] + s->low[0], s->high[1] + s->low[1]);
#else
    return s->high[0] + s->low[0];
#endif
}

/* Sums begin with b. */
static void sum_rows(const wlu_pattern *a, const double *entries, int transposed, const double *x, const double *mark,
                     double *norm, long_sum *sum)
{
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            int32_t row = transposed ? j : a->i[e], col = transposed ? a->i[e] : j;
            if (mark[row] == 0.0) continue;
            wlu_number entry = wlu_number_at(entries, e);
            subtract_term(&sum[row], entry, wlu_number_at(x, col));
            norm[row] = wlu_larger_bits(norm[row], wlu_size(entry));
        }
}

double WLU_NUMBER_NAME(wlu_marked_error)(const wlu_pattern *a, const double *entries, int transposed, const double *b,
                                         const double *x, double *work)
{
    const int64_t n = a->n;
    double *mark = work, *norm = work + n, largest = wlu_largest(x, D * n), worst = 0.0;
    long_sum *sum = (long_sum *)(work + 2 * n);
    for (int64_t i = 0; i < n; i++) {
        norm[i] = 0.0;
        sum[i] = (long_sum){{0.0}, {0.0}};
        memcpy(sum[i].high, b + D * i, sizeof sum[i].high);
    }
    sum_rows(a, entries, transposed, x, mark, norm, sum);
    for (int64_t i = 0; i < n; i++) {
        if (mark[i] == 0.0) continue;
        double rest = wlu_modulus_bound(sum_of(&sum[i])), size = wlu_size(wlu_number_at(b, i));
        worst = wlu_larger_bits(worst, rest / (norm[i] * largest + size));
    }
    return worst;
}
