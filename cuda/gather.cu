/* Entries of a pattern with duplicates: each the sum of its values in the caller's order, a thread an entry. Launched
 * before the factorization, whose loads read the entries. */
#include "exec/device/lanes.h"

extern "C" __global__ void wlu_gather(const __grid_constant__ wlu_device_gather g, const double *values,
                                      double *entries)
{
    int64_t e = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (e >= g.entries) return;
    int32_t q = g.first[e], end = g.first[e + 1];
    double sum = values[g.map[q]];
    while (++q < end) sum = WLU_DOUBLE_ADD(sum, values[g.map[q]]);
    entries[e] = sum;
}
