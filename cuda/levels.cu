/* The strategy `levels`: a launch a vector, a thread a record, no flags and no waiting: the order of launches is the
 * order of levels. See exec/device/levels.h, whose functions compute. */
#include "exec/device/levels.h"
#include "verdict.cuh"

static __device__ __forceinline__ int64_t thread_number()
{
    return (int64_t)blockIdx.x * WLU_LEVEL_THREADS + threadIdx.x;
}

extern "C" __global__ void __launch_bounds__(WLU_LEVEL_THREADS)
    WLU_REAL_NAME(wlu_levels_load)(const __grid_constant__ wlu_level_loads l, const double *from, wlu_real *v)
{
    int64_t k = thread_number();
    if (k < l.count) wlu_level_load(&l, from, v, k);
}

extern "C" __global__ void __launch_bounds__(WLU_LEVEL_THREADS)
    WLU_REAL_NAME(wlu_levels_vector)(const __grid_constant__ wlu_level_stream s,
                                     const __grid_constant__ wlu_level_vector x, wlu_real *v)
{
    wlu_level_task t = wlu_level_task_of(&x, thread_number());
    int opcode = WLU_DOT;
    wlu_real start = 0, sum = 0;
    if (t.record >= 0) {
        opcode = wlu_level_opcode(&s, &x, t.record);
        start = wlu_level_start(&s, v, t.record, opcode);
        sum = wlu_level_sum(&s, v, &t, start);
    }
    if (t.is_long) { /* of a whole warp */
        sum = wlu_lane_pair(sum, __shfl_xor_sync(~0u, sum, 4));
        sum = wlu_lane_pair(sum, __shfl_xor_sync(~0u, sum, 2));
        sum = wlu_lane_pair(sum, __shfl_xor_sync(~0u, sum, 1));
    }
    if (t.record >= 0 && t.lane == 0) wlu_level_finish(&s, v, &t, opcode, start, sum);
}

static __device__ __forceinline__ int area_of(const wlu_level_program &p, int64_t slot)
{
    return slot < p.l ? WLU_AREA_U : slot < p.f ? WLU_AREA_L : slot < p.reciprocal ? WLU_AREA_F : WLU_AREA_RECIPROCAL;
}

extern "C" __global__ void __launch_bounds__(WLU_TILE_THREADS)
    WLU_REAL_NAME(wlu_levels_guard)(const __grid_constant__ wlu_level_program p,
                                    const __grid_constant__ wlu_device_state s)
{
    __shared__ tile_shared sh;
    const wlu_real *v = s.v[0];
    int64_t step = (int64_t)WLU_TILE_THREADS * gridDim.x, first = (int64_t)WLU_TILE_THREADS * blockIdx.x + threadIdx.x;
    wlu_maxima m;
    begin_maxima(sh, m);
    for (int64_t k = first; k < p.reciprocal + p.guards.n; k += step)
        maxima_add(m, area_of(p, k), wlu_magnitude_bits(v[k]));
    for (int64_t k = first; k < p.guards.n; k += step) look_at_entry(p.guards, s, (int)k, m);
    if (*(volatile uint32_t *)&s.control->open) bound_share(p.guards, s, v, blockIdx.x, gridDim.x, sh);
    if (leave(s, sh, m)) conclude_replay(p.guards, NULL, 0, s, v, sh);
}

extern "C" __global__ void __launch_bounds__(WLU_TILE_THREADS)
    WLU_REAL_NAME(wlu_levels_store)(const __grid_constant__ wlu_level_solve d,
                                    const __grid_constant__ wlu_device_state s, const __grid_constant__ wlu_solve_of of)
{
    __shared__ tile_shared sh;
    const wlu_real *v = of.v[0];
    bool withheld = of.control->verdict >= of.withheld;
    wlu_maxima m;
    begin_maxima(sh, m);
    for (int64_t k = (int64_t)WLU_TILE_THREADS * blockIdx.x + threadIdx.x; k < d.n;
         k += (int64_t)WLU_TILE_THREADS * gridDim.x) {
        double x = wlu_lane_store(v[d.x + k], __ldg(d.power + k));
        if (withheld) x = number((u64)WLU_CANONICAL_NAN);
        of.x[__ldg(d.index + k)] = x;
        maxima_add(m, WLU_AREA_U, wlu_magnitude_bits(x));
    }
    if (leave(s, sh, m)) conclude_solve(s);
}
