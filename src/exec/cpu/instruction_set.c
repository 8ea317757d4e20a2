/* The list of instruction sets. See instruction_set.h.
 *
 * WARPLU_SIMD=avx512|avx512-loads|avx2|neon|portable in the environment asks for a lesser instruction set (tests,
 * comparisons). */
#include "exec/cpu/instruction_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/vectors.h"
#include "build_features.h"

const char *wlu_instruction_set_name(wlu_instruction_set set)
{
    static const char *const name[WLU_SIMD_SETS] = {"avx512", "avx512-loads", "avx2", "neon", "portable"};
    return name[set];
}

const wlu_cpu_kernels *wlu_instruction_set_kernels(wlu_instruction_set set, int doubles)
{
    static const wlu_cpu_kernels *const kernels[WLU_SIMD_SETS][2] = {
#if defined(WLU_WITH_X86_KERNELS)
        [WLU_SIMD_AVX512] = {&wlu_cpu_avx512, &wlu_cpu_avx512_complex},
        [WLU_SIMD_AVX512_LOADS] = {&wlu_cpu_avx512_loads, &wlu_cpu_avx512_complex}, /* of pairs both are loads */
        [WLU_SIMD_AVX2] = {&wlu_cpu_avx2, &wlu_cpu_avx2_complex},
#endif
#if defined(WLU_WITH_NEON_KERNELS)
        [WLU_SIMD_NEON] = {&wlu_cpu_neon, &wlu_cpu_neon_complex},
#endif
        [WLU_SIMD_PORTABLE] = {&wlu_cpu_portable, &wlu_cpu_portable_complex},
    };
    return kernels[set][doubles - 1];
}

int wlu_instruction_set_supported(wlu_instruction_set set)
{
    if (set >= WLU_SIMD_SETS || wlu_instruction_set_kernels(set, 1) == NULL) return 0;
#if defined(WLU_WITH_X86_KERNELS)
    if (set == WLU_SIMD_AVX512 || set == WLU_SIMD_AVX512_LOADS) return wlu_has_avx512();
    if (set == WLU_SIMD_AVX2) return wlu_has_avx2();
#endif
    return 1; /* every AArch64 has NEON */
}

static wlu_instruction_set first_choice(void)
{
#if defined(WLU_WITH_X86_KERNELS)
    if (wlu_gathers_slowly()) return WLU_SIMD_AVX512_LOADS;
#endif
    return WLU_SIMD_AVX512;
}

wlu_instruction_set wlu_best_instruction_set(void)
{
    const char *asked = getenv("WARPLU_SIMD");
    int first = (int)first_choice();
    for (int set = 0; asked != NULL && set < WLU_SIMD_SETS; set++)
        if (strcmp(asked, wlu_instruction_set_name((wlu_instruction_set)set)) == 0) first = set;
    while (!wlu_instruction_set_supported((wlu_instruction_set)first)) first++;
    return (wlu_instruction_set)first;
}

const wlu_cpu_kernels *wlu_best_kernels(int doubles)
{
    return wlu_instruction_set_kernels(wlu_best_instruction_set(), doubles);
}
