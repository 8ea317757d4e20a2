/* Backward error in extended precision. See oracle.h. */
#include "oracle.h"

#include <float.h>
#include <math.h>

enum { NMAX = 64 };

void oracle_gather(const wlu_pattern *a, const double *values, long double *entries)
{
    for (int32_t e = 0; e < a->nnz; e++) {
        int32_t from = a->map_ptr != NULL ? a->map_ptr[e] : e, to = a->map_ptr != NULL ? a->map_ptr[e + 1] : e + 1;
        entries[e] = 0.0L;
        for (int32_t q = from; q < to; q++) entries[e] += (long double)values[wlu_pattern_source(a, q)];
    }
}

double oracle_backward_error(const wlu_pattern *a, const long double *entries, int transposed, int componentwise,
                             const double *b, const double *x)
{
    long double r[NMAX], weight[NMAX], least[NMAX], norm[NMAX], xmax = 0.0L, worst = 0.0L;
    for (int32_t i = 0; i < a->n; i++) {
        r[i] = (long double)b[i];
        weight[i] = least[i] = norm[i] = 0.0L;
        if (!isfinite(x[i])) return INFINITY;
        xmax = fmaxl(xmax, fabsl((long double)x[i]));
    }
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t e = a->p[j]; e < a->p[j + 1]; e++) {
            int32_t row = transposed ? j : a->i[e], col = transposed ? a->i[e] : j;
            long double term = entries[e] * (long double)x[col];
            r[row] -= term;
            weight[row] += fabsl(term);
            least[row] += fabsl(entries[e]) * (long double)DBL_MIN;
            norm[row] = fmaxl(norm[row], fabsl(entries[e]));
        }
    for (int32_t i = 0; i < a->n; i++) {
        long double bi = fabsl((long double)b[i]), first = weight[i] + bi, whole = norm[i] * xmax, ratio;
        if (r[i] == 0.0L) continue;
        ratio = fabsl(r[i]) / fmaxl(whole + bi, least[i]);
        if (componentwise && !(first > 1000.0L * (long double)a->n * (long double)DBL_EPSILON * (whole + bi)))
            first = weight[i] + whole;
        if (componentwise) ratio = fmaxl(ratio, fabsl(r[i]) / fmaxl(first, least[i]));
        if (!(ratio <= worst)) worst = ratio;
    }
    return (double)worst;
}
