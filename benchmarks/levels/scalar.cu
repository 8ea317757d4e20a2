/* Scalar records as the method's paper executes them: a launch a vector, a thread an instruction, operands by indirect
 * access. A split vector's opcode is an argument of its launch, so that no warp diverges; a mixed one's threads look
 * theirs up. */
#include "records.h"

static __device__ __forceinline__ double multiply_subtract(double a, double b, double c)
{
    return __fma_rn(-a, b, c);
}

static __device__ __forceinline__ float multiply_subtract(float a, float b, float c)
{
    return __fmaf_rn(-a, b, c);
}

static __device__ __forceinline__ double divide(double a, double b)
{
    return __ddiv_rn(a, b);
}

static __device__ __forceinline__ float divide(float a, float b)
{
    return __fdiv_rn(a, b);
}

template <class real>
static __device__ __forceinline__ void run(const scalar_records &r, const scalar_vector &x, real *v)
{
    int64_t k = (int64_t)blockIdx.x * SCALAR_THREADS + threadIdx.x;
    if (k >= x.count) return;
    k += x.first;
    int opcode = x.opcode != WLU_OPCODES ? x.opcode : r.opcode[k];
    if (opcode == WLU_MSUB)
        v[r.t[k]] = multiply_subtract(v[r.a[k]], v[r.b[k]], v[r.t[k]]);
    else
        v[r.t[k]] = divide(v[r.t[k]], v[r.a[k]]);
}

extern "C" __global__ void __launch_bounds__(SCALAR_THREADS)
    scalar_double(const __grid_constant__ scalar_records r, const __grid_constant__ scalar_vector x, double *v)
{
    run(r, x, v);
}

extern "C" __global__ void __launch_bounds__(SCALAR_THREADS)
    scalar_float(const __grid_constant__ scalar_records r, const __grid_constant__ scalar_vector x, float *v)
{
    run(r, x, v);
}
