/* Solves: one launch for forward and back substitution. Blocks take tasks from one queue, by tickets, in topological
 * order (solve.cuh has what they are).
 *
 * Half of the blocks poison the other buffer before their first task, the others what is left of it when there are no
 * more. */
#include "solve.cuh"

template <bool EARLY>
static __device__ __forceinline__ void solve(const wlu_device_solve &d, const wlu_device_state &all,
                                             const wlu_solve_of &of)
{
    extern __shared__ __align__(16) char room[];
    __shared__ tile_shared sh;
    __shared__ uint32_t ticket;
    int tid = (int)threadIdx.x;
    const wlu_device_state s = slice_of(all, of, (int)blockIdx.y);
    const solve_target to = {NULL, NULL, of.x + of.ldx * blockIdx.y};
    wlu_maxima m;
    if (tid == 0) sh.ticket = atomicAdd(&s.control->arrivals, 1u);
    begin_maxima(sh, m);
    uint32_t arrival = sh.ticket, generation = *(volatile uint32_t *)&s.control->generation;
    uint32_t begun = *(volatile const uint32_t *)&of.control->begun;
    wlu_number *other = generation & 1 ? s.v[0] : s.v[1];
    const two_buffers slots = buffers_of(d, begun & 1 ? of.v[0] : of.v[1], generation & 1 ? s.v[1] : s.v[0]);
    if (arrival >= gridDim.x / 2) poison(s, other, d.zero, d.minus_one, sh, tid);
    for (;;) {
        __syncthreads();
        if (tid == 0) sh.ticket = atomicAdd(&s.control->tiles, 1u);
        __syncthreads();
        if (sh.ticket >= (uint32_t)d.tasks) break;
        run_solve_task<EARLY>(d, s, of, slots, begun, sh.ticket, to, room, &ticket, m);
    }
    poison(s, other, d.zero, d.minus_one, sh, tid);
    __syncwarp();
    if (leave(s, sh, m)) conclude_solve(s);
}

extern "C" __global__ void __launch_bounds__(WLU_TILE_THREADS)
    WLU_NUMBER_NAME(wlu_solve)(const __grid_constant__ wlu_device_solve d, const __grid_constant__ wlu_device_state all,
                               const __grid_constant__ wlu_solve_of of)
{
    solve<false>(d, all, of);
}

/* As a dependent launch behind the factorization: it begins when there is room, and polls factors as all else. */
extern "C" __global__ void __launch_bounds__(WLU_TILE_THREADS)
    WLU_NUMBER_NAME(wlu_solve_early)(const __grid_constant__ wlu_device_solve d,
                                     const __grid_constant__ wlu_device_state all,
                                     const __grid_constant__ wlu_solve_of of)
{
    solve<true>(d, all, of);
}
