/* The CPU kernels for AVX-512 where eight loads are faster than a gather. */
#include <stdint.h>

#define WLU_GATHER_BY_LOADS
#include "exec/cpu/simd_avx512.h"

#define WLU_KERNELS wlu_cpu_avx512_loads
#define WLU_KERNELS_NAME "avx512-loads"
#include "exec/cpu/kernels.h"
