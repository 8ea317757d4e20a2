/* Kernels around the solver in a Newton step. See newton.h. */
#include "newton.h"

extern "C" __global__ void newton_stamp(const __grid_constant__ newton_system s)
{
    int32_t i = (int32_t)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < s.n) newton_stamp_row(&s, *s.step, i);
}

/* One block: all have read the step's number when it changes. */
extern "C" __global__ void newton_note(const __grid_constant__ newton_system s)
{
    int32_t step = *s.step;
    for (int32_t i = (int32_t)threadIdx.x; i < s.n; i += (int32_t)blockDim.x) newton_note_entry(&s, step, i);
    __syncthreads();
    if (threadIdx.x > 0) return;
    s.records[step] = *s.record;
    s.verdicts[step] = *s.verdict;
    *s.step = step + 1;
}
