/* Slots that are their own flags: reading one until it is there, writing one, and the launch's bookkeeping.
 *
 * Reads and writes are relaxed at device scope, that is in the second-level cache; a slot is one word and
 * nothing else has to be visible with it, so no fence is needed anywhere. */
#ifndef WLU_SLOTS_CUH
#define WLU_SLOTS_CUH

#include "exec/device/lanes.h"
#include "exec/device/state.h"

typedef unsigned long long u64;

/* Where a build for tests lets time pass, by what is about to be done. */
#ifndef WLU_DELAY
#define WLU_DELAY(key)
#endif

/* Of a slot, in instructions: its width and the registers that hold it. */
#ifdef WLU_SINGLE
typedef unsigned slot_bits;
#define SLOT_WIDTH "32"
#define SLOT_REGISTER "r"
#define SLOT_NUMBER "f"
#else
typedef u64 slot_bits;
#define SLOT_WIDTH "64"
#define SLOT_REGISTER "l"
#define SLOT_NUMBER "d"
#endif

/* 16 bytes of slots, read or written at once. */
enum { PIECE = 16 / sizeof(wlu_real) };

typedef struct __align__(16) slot_piece
{
    wlu_real of[PIECE];
}
slot_piece;

static __device__ __forceinline__ slot_bits peek(const wlu_real *p)
{
    slot_bits x;
    asm volatile("ld.relaxed.gpu.global.u" SLOT_WIDTH " %0, [%1];" : "=" SLOT_REGISTER(x) : "l"(p));
    return x;
}

/* A piece. */
static __device__ __forceinline__ void peek_piece(const wlu_real *p, slot_bits *x)
{
#ifdef WLU_SINGLE
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x[0]), "=r"(x[1]), "=r"(x[2]), "=r"(x[3])
                 : "l"(p));
#else
    asm volatile("ld.relaxed.gpu.global.v2.u64 {%0, %1}, [%2];" : "=l"(x[0]), "=l"(x[1]) : "l"(p));
#endif
}

static __device__ __forceinline__ double number(u64 bits)
{
    return __longlong_as_double((long long)bits);
}

static __device__ __forceinline__ float number(unsigned bits)
{
    return __uint_as_float(bits);
}

static __device__ __forceinline__ u64 bits_of(double x)
{
    return (u64)__double_as_longlong(x);
}

static __device__ __forceinline__ unsigned bits_of(float x)
{
    return __float_as_uint(x);
}

static __device__ __forceinline__ void publish(wlu_real *p, wlu_real x)
{
    slot_bits bits = bits_of(wlu_lane_publishable(x));
    asm volatile("st.relaxed.gpu.global.u" SLOT_WIDTH " [%0], %1;" ::"l"(p), SLOT_REGISTER(bits) : "memory");
}

static __device__ __forceinline__ void publish_piece(wlu_real *p, const wlu_real *x)
{
    slot_bits b[PIECE];
#pragma unroll
    for (int i = 0; i < PIECE; i++) b[i] = bits_of(wlu_lane_publishable(x[i]));
#ifdef WLU_SINGLE
    asm volatile("st.relaxed.gpu.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(p), "r"(b[0]), "r"(b[1]), "r"(b[2]),
                 "r"(b[3])
                 : "memory");
#else
    asm volatile("st.relaxed.gpu.global.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(b[0]), "l"(b[1]) : "memory");
#endif
}

/* Whether a replay is given up: after so many polls, or because somebody else has. */
static __device__ __noinline__ bool give_up(const wlu_device_state &s, uint32_t polls)
{
    if (polls < s.patience && ((polls & 1023) != 1023 || *(volatile uint32_t *)&s.control->failed == 0)) return false;
    atomicExch(&s.control->failed, 1u);
    return true;
}

/* Nothing that is published has poison's upper 32 bits: 0 where the slot is still missing. */
static __device__ __forceinline__ uint32_t unlike_poison(slot_bits x)
{
    return (uint32_t)(x >> (8 * sizeof x - 32)) ^ WLU_POISON_HALF;
}

/* Without a branch: looks again if it is missing. */
static __device__ __forceinline__ void look_again(const wlu_real *p, slot_bits &x)
{
    asm volatile("{ .reg .pred m; setp.eq.u32 m, %2, 0; @m ld.relaxed.gpu.global.u" SLOT_WIDTH " %0, [%1]; }"
                 : "+" SLOT_REGISTER(x)
                 : "l"(p), "r"(unlike_poison(x)));
}

/* 0 where any is missing: a tree, for a chain of comparisons takes longer than the look itself. */
template <int COUNT> static __device__ __forceinline__ uint32_t all_there(const slot_bits (&x)[COUNT])
{
    uint32_t least[COUNT];
#pragma unroll
    for (int i = 0; i < COUNT; i++) least[i] = unlike_poison(x[i]);
#pragma unroll
    for (int apart = 1; apart < COUNT; apart *= 2) {
#pragma unroll
        for (int i = 0; i + apart < COUNT; i += 2 * apart) least[i] = min(least[i], least[i + apart]);
    }
    return least[0];
}

enum { SLEEP_NS = 100 };

/* Polls until all of a thread's slots are there, all that are missing at once. x: what the first look saw. Slots of a
 * replay that is given up become NaN. SLEEPS: between looks, for who is in no hurry. */
template <int COUNT, bool SLEEPS = false>
static __device__ __forceinline__ void wait_all(const wlu_device_state &s, const wlu_real *const (&p)[COUNT],
                                                slot_bits (&x)[COUNT])
{
    for (uint32_t polls = 0; all_there(x) == 0; polls++) {
        if ((polls & 255) == 255 && give_up(s, polls)) {
#pragma unroll
            for (int i = 0; i < COUNT; i++)
                if (unlike_poison(x[i]) == 0) x[i] = WLU_REAL_NAN;
        }
        if (SLEEPS) __nanosleep(SLEEP_NS);
#pragma unroll
        for (int i = 0; i < COUNT; i++) look_again(p[i], x[i]);
    }
}

static __device__ __forceinline__ slot_bits wait(const wlu_device_state &s, const wlu_real *p)
{
    const wlu_real *const at[1] = {p};
    slot_bits x[1] = {peek(p)};
    wait_all<1>(s, at, x);
    return x[0];
}

#endif
