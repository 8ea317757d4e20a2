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

#endif
#endif
