/* Entries of a pattern with duplicates: each the sum of its values in the caller's order, a thread a double. Launched
 * before the factorization, whose loads read the entries. */
#include "exec/device/lanes.h"

extern "C" __global__ void wlu_gather(const __grid_constant__ wlu_device_gather g, const double *values,
                                      double *entries)
{
    int64_t k = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, e = k >> (g.doubles - 1), part = k - e * g.doubles;
    if (e >= g.entries) return;
    int32_t q = g.first[e], end = g.first[e + 1];
    double sum = values[g.doubles * (int64_t)g.map[q] + part];
    while (++q < end) sum = WLU_DOUBLE_ADD(sum, values[g.doubles * (int64_t)g.map[q] + part]);
    entries[k] = sum;
}
