/* The instruction sets that the CPU kernels are compiled for, and which of them this machine has. */
#ifndef WLU_EXEC_CPU_INSTRUCTION_SET_H
#define WLU_EXEC_CPU_INSTRUCTION_SET_H

#include "exec/cpu/image.h"

/* The fastest first, of those of one kind of machine; the last one is on every machine. The second is AVX-512 with
 * loads for gathers, the first choice where these are slow. */
typedef enum wlu_instruction_set {
    WLU_SIMD_AVX512,
    WLU_SIMD_AVX512_LOADS,
    WLU_SIMD_AVX2,
    WLU_SIMD_NEON,
    WLU_SIMD_PORTABLE,
    WLU_SIMD_SETS
} wlu_instruction_set;

const char *wlu_instruction_set_name(wlu_instruction_set set);
/* Its kernels for numbers of so many doubles, or NULL where they are not compiled. */
const wlu_cpu_kernels *wlu_instruction_set_kernels(wlu_instruction_set set, int doubles);
/* Whether its kernels are compiled and this machine can run them. */
int wlu_instruction_set_supported(wlu_instruction_set set);

/* The fastest instruction set there is, of those not faster than WARPLU_SIMD in the environment where that names one;
 * its kernels. */
wlu_instruction_set wlu_best_instruction_set(void);
const wlu_cpu_kernels *wlu_best_kernels(int doubles);

#endif
