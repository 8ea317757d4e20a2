/* Products in a wider format. See product.h. */
#include "product.h"

#include "wide.h"

#include <stdlib.h>

void product(const test_matrix *a, const double *values, int transposed, const double *x, double *b)
{
    wide *sum = calloc((size_t)a->n, sizeof *sum);
    for (int32_t j = 0; j < a->n; j++)
        for (int32_t q = a->ptr[j]; q < a->ptr[j + 1]; q++) {
            int32_t i = a->idx[q];
            sum[transposed ? j : i] += (wide)values[q] * (wide)x[transposed ? i : j];
        }
    for (int32_t i = 0; i < a->n; i++)
        b[i] = wide_abs(sum[i]) <= (wide)DBL_MAX ? (double)sum[i] : sum[i] > 0 ? DBL_MAX : -DBL_MAX;
    free(sum);
}
