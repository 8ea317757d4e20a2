/* How a launch ends: maxima of its blocks, and a record, written by the last block to leave, which resets the tickets
 * for the next launch. What a factorization's record says is verdict.cuh's. */
#ifndef WLU_HEALTH_CUH
#define WLU_HEALTH_CUH

#include "launch.cuh"

static __device__ __forceinline__ void begin_looking(tile_shared &sh, seen &m)
{
    forget(m);
    if (threadIdx.x < WLU_DEVICE_AREAS) sh.largest[threadIdx.x] = 0;
    __syncthreads();
}

/* Whether this block is the last, and has the launch to conclude: all its threads get the answer. */
static __device__ __forceinline__ bool is_last(const wlu_device_state &s, tile_shared &sh, int tid)
{
    WLU_DELAY(tid);
    __threadfence();
    __syncthreads();
    if (tid == 0) sh.ticket = atomicAdd(&s.control->departures, 1u);
    __syncthreads();
    if (sh.ticket != gridDim.x - 1) return false;
    __threadfence();
    return true;
}

static __device__ __forceinline__ bool leave(const wlu_device_state &s, tile_shared &sh, seen &m)
{
    collect(s, sh, (int)threadIdx.x, m);
    return is_last(s, sh, (int)threadIdx.x);
}

static __device__ __forceinline__ void reset(wlu_device_control *c)
{
    c->failed = c->arrivals = c->departures = c->bundles = c->tiles = c->poison = 0;
    for (int k = 0; k < WLU_DEVICE_AREAS; k++) c->largest[k] = 0;
}

/* All threads of the last block. */
static __device__ __forceinline__ void conclude_solve(const wlu_device_state &s)
{
    if (threadIdx.x > 0) return;
    wlu_device_control *c = s.control;
    s.health->largest_u = number(((volatile u64 *)c->largest)[WLU_DEVICE_U]);
    s.health->failed = *(volatile uint32_t *)&c->failed;
    s.health->generation = ++c->generation;
    reset(c);
}

#endif
