/* Random draws that are the same bits on every machine: from integers by +, * and powers of two alone. seed as for
 * check_random. */
#ifndef WLU_ADVERSARIAL_DRAW_H
#define WLU_ADVERSARIAL_DRAW_H

#include "support/check.h"

/* 1 in so many. */
static inline int draw_one_in(uint64_t *seed, int32_t n)
{
    return check_below(seed, n) == 0;
}

static inline double draw_between(uint64_t *seed, double least, double most)
{
    return least + (most - least) * check_uniform(seed);
}

/* Near enough to normal: twelve uniform numbers of 16 bits, less their mean, and bits below. Within 6. */
static inline double draw_normal(uint64_t *seed)
{
    int32_t sum = 0;
    for (int k = 0; k < 3; k++) {
        uint64_t bits = check_random(seed);
        for (int part = 0; part < 64; part += 16) sum += (int32_t)(bits >> part & 0xffff);
    }
    return (sum - 6 * 0xffff) * 0x1p-16 + (check_uniform(seed) - 0.5) * 0x1p-16;
}

static inline double draw_sign(uint64_t *seed)
{
    return check_below(seed, 2) ? 1.0 : -1.0;
}

/* Bit k: a stage of growth (support/stages.h) is due at step k; at one in 2^halvings of them. */
static inline uint32_t draw_stages(uint64_t *seed, int halvings)
{
    uint32_t stages = UINT32_MAX;
    for (int k = 0; k < halvings; k++) stages &= (uint32_t)(check_random(seed) >> 32);
    return stages;
}

/* Whether first factorizations are replays (solver/first_replay.h), by a bit that no step comes to. */
static inline int draws_first_replay(uint32_t stages)
{
    return (int)(stages >> 31);
}

/* A seed of its own for number k (splitmix64). */
static inline uint64_t draw_seed(uint64_t seed, int64_t k)
{
    uint64_t z = seed + (uint64_t)(k + 1) * UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    z ^= z >> 31;
    return z != 0 ? z : 1;
}

#endif
