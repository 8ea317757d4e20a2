/* How a launch ends: maxima of its blocks, and a record, written by the last block to leave, which resets the tickets
 * for the next launch. What a factorization's record says is verdict.cuh's. */
#ifndef WLU_HEALTH_CUH
#define WLU_HEALTH_CUH

#include "launch.cuh"

static __device__ __forceinline__ void begin_maxima(tile_shared &sh, wlu_maxima &m)
{
    maxima_clear(m);
    if (threadIdx.x < WLU_AREAS) sh.largest.of[threadIdx.x] = 0;
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

static __device__ __forceinline__ bool leave(const wlu_device_state &s, tile_shared &sh, wlu_maxima &m)
{
    collect(s, sh, (int)threadIdx.x, m);
    return is_last(s, sh, (int)threadIdx.x);
}

static_assert(sizeof(wlu_device_control) % sizeof(u64) == 0, "read and written in words");

/* By the last block: what others have written to it, past this multiprocessor's cache. */
static __device__ __forceinline__ wlu_device_control read_control(const wlu_device_control *c)
{
    wlu_device_control now;
    u64 word[sizeof now / sizeof(u64)];
#pragma unroll
    for (int k = 0; k < (int)(sizeof now / sizeof *word); k++) word[k] = ((const volatile u64 *)c)[k];
    memcpy(&now, word, sizeof now);
    return now;
}

/* All threads of the last block. */
static __device__ __forceinline__ void conclude_solve(const wlu_device_state &s)
{
    if (threadIdx.x > 0) return;
    wlu_device_control now = read_control(s.control);
    s.health->largest_u = wlu_maximum(&now.largest, WLU_AREA_U);
    s.health->failed = now.failed;
    *s.control = wlu_control_next(&now);
    s.health->generation = s.control->generation;
}

#endif
