/* Slots that are their own flags: reading one until it is there, writing one, and the launch's bookkeeping.
 *
 * Reads and writes are relaxed at device scope, that is in the second-level cache; a slot is eight bytes and nothing else has to
 * be visible with it, so no fence is needed anywhere. */
#ifndef WLU_SLOTS_CUH
#define WLU_SLOTS_CUH

#include "exec/device/lanes.h"
#include "exec/device/state.h"

typedef unsigned long long u64;

static __device__ __forceinline__ u64 peek(const double *p)
{
    u64 x;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(p));
    return x;
}

static __device__ __forceinline__ void peek2(const double *p, u64 &x, u64 &y)
{
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(x), "=l"(y) : "l"(p));
}

static __device__ __forceinline__ double number(u64 bits)
{
    return __longlong_as_double((long long)bits);
}

static __device__ __forceinline__ void publish(double *p, double x)
{
    u64 bits = (u64)__double_as_longlong(wlu_lane_publishable(x));
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(p), "l"(bits) : "memory");
}

static __device__ __forceinline__ void publish2(double *p, double x, double y)
{
    u64 a = (u64)__double_as_longlong(wlu_lane_publishable(x)), b = (u64)__double_as_longlong(wlu_lane_publishable(y));
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(a), "l"(b) : "memory");
}

/* Polls until the slot is there; after so many polls the replay is given up, and everybody else's waits with it. */
static __device__ __noinline__ u64 wait_long(const wlu_device_state &s, const double *p)
{
    for (uint32_t k = 0; k < s.patience; k++) {
        u64 x = peek(p);
        if (x != WLU_POISON) return x;
        if ((k & 1023) == 1023 && *(volatile uint32_t *)&s.control->failed != 0) break;
    }
    atomicExch(&s.control->failed, 1u);
    return WLU_CANONICAL_NAN;
}

static __device__ __forceinline__ u64 wait(const wlu_device_state &s, const double *p, u64 x)
{
    return x != WLU_POISON ? x : wait_long(s, p);
}

#endif
