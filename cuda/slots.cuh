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

/* Whether a replay is given up: after so many polls, or because somebody else has. */
static __device__ __noinline__ bool give_up(const wlu_device_state &s, uint32_t polls)
{
    if (polls < s.patience && ((polls & 1023) != 1023 || *(volatile uint32_t *)&s.control->failed == 0)) return false;
    atomicExch(&s.control->failed, 1u);
    return true;
}

/* Polls until all of a thread's slots are there, all that are missing at once. x: what the first look saw. Slots of a replay
 * that is given up become NaN. */
template <int COUNT> static __device__ __forceinline__ void wait_all(const wlu_device_state &s, const double *const (&p)[COUNT],
                                                                      u64 (&x)[COUNT])
{
    for (uint32_t polls = 0;; polls++) {
        bool missing = false;
#pragma unroll
        for (int i = 0; i < COUNT; i++) missing |= x[i] == WLU_POISON;
        if (!missing) return;
        bool end = (polls & 255) == 255 && give_up(s, polls);
#pragma unroll
        for (int i = 0; i < COUNT; i++)
            if (x[i] == WLU_POISON) x[i] = end ? WLU_CANONICAL_NAN : peek(p[i]);
    }
}

static __device__ __forceinline__ u64 wait(const wlu_device_state &s, const double *p, u64 seen)
{
    const double *const at[1] = {p};
    u64 x[1] = {seen};
    wait_all<1>(s, at, x);
    return x[0];
}

#endif
