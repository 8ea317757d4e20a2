/* The stress test's own kernels: what they are given, and what a thread does that compares, for device and host alike.
 */
#ifndef WLU_TEST_STRESS_H
#define WLU_TEST_STRESS_H

#include "exec/device/state.h"

enum { STRESS_THREADS = 256 };

/* Blocks of threads that do nothing, for up to most_ns each. */
typedef struct stress_occupation {
    uint64_t seed;
    uint32_t most_ns;
} stress_occupation;

/* A replay's numbers as words of 32 bits, two of which are a double: slots, tiles' largest u, solutions; the expected
 * ones lie one behind the other. Poison that is to stay where nothing is written is compared too. */
typedef struct stress_replay {
    const uint32_t *slots[2], *umax, *x;
    const uint32_t *expected;
    int64_t slot_count, umax_count, x_count; /* of words */
    const wlu_device_control *control;
    const wlu_device_health *health, *expected_health;
    uint32_t *differs; /* counts */
} stress_replay;

WLU_PORTABLE int64_t stress_count(const stress_replay *r)
{
    return r->slot_count + r->umax_count + r->x_count;
}

/* Whether word k is another one. */
WLU_PORTABLE int stress_differs(const stress_replay *r, int64_t k)
{
    const uint32_t *slots = r->slots[(r->control->generation - 1) & 1];
    int64_t umax = k - r->slot_count, x = umax - r->umax_count;
    return (x >= 0 ? r->x[x] : umax >= 0 ? r->umax[umax] : slots[k]) != r->expected[k];
}

/* Whether the record is another one, but for the number of replays. */
WLU_PORTABLE int stress_health_differs(const wlu_device_health *a, const wlu_device_health *b)
{
    return a->largest_l != b->largest_l || a->largest_u != b->largest_u || a->growth != b->growth ||
           a->smallest_pivot != b->smallest_pivot || a->drift != b->drift || a->finite != b->finite ||
           a->failed != b->failed || a->verdict != b->verdict;
}

#endif
