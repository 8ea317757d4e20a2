/* The strategy `phases` of models: one launch a phase, one thread a bytecode, one warp a block. See
 * phases/interpret.h, whose functions compute: these are the templates of its source's figure 6. */
#include "model/elementary/algebra_portable.h"
#include "model/elementary/functions.h"
#include "phases/interpret.h"

template <int assignment> static __device__ __forceinline__ void update(const wlm_phases_memory &m, int32_t threads)
{
    double stack[WLM_PHASES_STACK];
    int32_t thread = (int32_t)(blockIdx.x * WLU_WARP + threadIdx.x);
    if (thread < threads) wlm_phases_thread(&m, assignment, thread, stack);
}

extern "C" __global__ void __launch_bounds__(WLU_WARP)
    wlm_phases_definitions(const __grid_constant__ wlm_phases_memory m, int32_t threads)
{
    update<WLM_ASSIGN_DEFINITION>(m, threads);
}

extern "C" __global__ void __launch_bounds__(WLU_WARP)
    wlm_phases_euler(const __grid_constant__ wlm_phases_memory m, int32_t threads)
{
    update<WLM_ASSIGN_EULER>(m, threads);
}

extern "C" __global__ void __launch_bounds__(WLU_WARP)
    wlm_phases_rk4_first(const __grid_constant__ wlm_phases_memory m, int32_t threads)
{
    update<WLM_ASSIGN_RK4_FIRST>(m, threads);
}

extern "C" __global__ void __launch_bounds__(WLU_WARP)
    wlm_phases_rk4_middle(const __grid_constant__ wlm_phases_memory m, int32_t threads)
{
    update<WLM_ASSIGN_RK4_MIDDLE>(m, threads);
}

extern "C" __global__ void __launch_bounds__(WLU_WARP)
    wlm_phases_rk4_last(const __grid_constant__ wlm_phases_memory m, int32_t threads)
{
    update<WLM_ASSIGN_RK4_LAST>(m, threads);
}
