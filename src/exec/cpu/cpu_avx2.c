/* The CPU kernels for AVX2 with FMA. */
#include <stdint.h>

#include "exec/cpu/simd_avx2.h"

#define WLU_KERNELS wlu_cpu_avx2
#define WLU_KERNELS_NAME "avx2"
#include "exec/cpu/kernels.h"
