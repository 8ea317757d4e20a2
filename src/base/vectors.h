/* Vectors of doubles that an x86 processor has, of those that kernels are compiled for; gcc and clang only. */
#ifndef WLU_BASE_VECTORS_H
#define WLU_BASE_VECTORS_H

#if defined(__x86_64__) && defined(__GNUC__)

static inline int wlu_has_avx2(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

static inline int wlu_has_avx512(void)
{
    return wlu_has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512dq");
}

/* Whether eight loads are faster than an instruction that gathers: on a Zen 5 refactorizations take 0.85 times as long
 * with loads and solves 0.81 times, on an Intel Xeon of 2023 1.08 and 1.19 times (docs/performance.md). */
static inline int wlu_gathers_slowly(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_is("amd");
}

#endif
#endif
