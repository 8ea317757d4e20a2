/* Kernels of the stress test. See stress.h. */
#include "stress.h"

static __device__ __forceinline__ unsigned long long nanoseconds()
{
    unsigned long long t;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
    return t;
}

/* A block's first thread decides for how long; the others wait for it. */
extern "C" __global__ void stress_occupy(const __grid_constant__ stress_occupation o)
{
    if (threadIdx.x == 0) {
        uint64_t x = (o.seed + blockIdx.x) * UINT64_C(0x9e3779b97f4a7c15);
        unsigned long long begun = nanoseconds(), most = (x >> 32) % o.most_ns;
        while (nanoseconds() - begun < most) {
        }
    }
    __syncthreads();
}

extern "C" __global__ void stress_compare(const __grid_constant__ stress_replay r)
{
    uint32_t differs = 0;
    int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x, count = stress_count(&r);
    for (int64_t k = first; k < count; k += (int64_t)gridDim.x * blockDim.x) differs += stress_differs(&r, k);
    if (first == 0) differs += stress_health_differs(r.health, r.expected_health);
    if (differs > 0) atomicAdd(r.differs, differs);
}
