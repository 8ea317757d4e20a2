/* Random numbers by counter: number `index` of stream `stream` under a seed, in any order, the same on every
 * machine. The mixing function is SplitMix64's (Steele, Lea, Flood: Fast splittable pseudorandom number
 * generators, OOPSLA 2014); values are made by +, - and * alone. */
#ifndef GEN_RANDOM_H
#define GEN_RANDOM_H

#include <stdint.h>

static inline uint64_t gen_mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 31);
}

static inline uint64_t gen_hash(uint64_t seed, uint64_t stream, uint64_t index)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    return gen_mix(gen_mix(gen_mix(seed + step) + stream * step) + index * step);
}

/* Uniform in [0, 1), 53 bits. */
static inline double gen_uniform(uint64_t seed, uint64_t stream, int64_t index)
{
    return (double)(gen_hash(seed, stream, (uint64_t)index) >> 11) * 0x1p-53;
}

/* Uniform in [low, high). */
static inline double gen_between(uint64_t seed, uint64_t stream, int64_t index, double low, double high)
{
    return low + (high - low) * gen_uniform(seed, stream, index);
}

/* Uniform in [0, n), n >= 1. */
static inline int32_t gen_below(uint64_t seed, uint64_t stream, int64_t index, int32_t n)
{
    return (int32_t)(((gen_hash(seed, stream, (uint64_t)index) >> 32) * (uint64_t)n) >> 32);
}

#endif
