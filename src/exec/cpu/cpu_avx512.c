/* The CPU kernels for AVX-512. */
#include <stdint.h>

#include "exec/cpu/simd_avx512.h"

#define WLU_KERNELS wlu_cpu_avx512
#define WLU_KERNELS_NAME "avx512"
#include "exec/cpu/kernels.h"
