/* Slots that are their own flags: waiting for one until it is there, publishing one, and who gives up.
 *
 * A slot is read and written by words (words.cuh), and nothing else has to be visible with them, so no fence is needed
 * anywhere. */
#ifndef WLU_SLOTS_CUH
#define WLU_SLOTS_CUH

#include "exec/device/state.h"
#include "words.cuh"

/* Where a build for tests lets time pass, by what is about to be done. */
#ifndef WLU_DELAY
#define WLU_DELAY(key)
#endif

static __device__ __forceinline__ void publish(wlu_number *p, wlu_number x)
{
    put(p, bits_of(wlu_lane_publishable(x)));
}

static __device__ __forceinline__ void publish_piece(wlu_number *p, const wlu_number *x)
{
    slot_bits b[PIECE];
#pragma unroll
    for (int i = 0; i < PIECE; i++) b[i] = bits_of(wlu_lane_publishable(x[i]));
    put_piece(p, b);
}

/* Whether a replay is given up: after so many polls, or because somebody else has. */
static __device__ __noinline__ bool give_up(const wlu_device_state &s, uint32_t polls)
{
    if (polls < s.patience && ((polls & 1023) != 1023 || *(volatile uint32_t *)&s.control->failed == 0)) return false;
    atomicExch(&s.control->failed, 1u);
    return true;
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
static __device__ __forceinline__ void wait_all(const wlu_device_state &s, const wlu_number *const (&p)[COUNT],
                                                slot_bits (&x)[COUNT])
{
    for (uint32_t polls = 0; all_there(x) == 0; polls++) {
        if ((polls & 255) == 255 && give_up(s, polls)) {
#pragma unroll
            for (int i = 0; i < COUNT; i++)
                if (unlike_poison(x[i]) == 0) x[i] = given_up();
        }
        if (SLEEPS) __nanosleep(SLEEP_NS);
#pragma unroll
        for (int i = 0; i < COUNT; i++) look_again(p[i], x[i]);
    }
}

static __device__ __forceinline__ slot_bits wait(const wlu_device_state &s, const wlu_number *p)
{
    const wlu_number *const at[1] = {p};
    slot_bits x[1] = {peek(p)};
    wait_all<1>(s, at, x);
    return x[0];
}

#endif
