/* The kernels of lanes for AVX-512. */
#include <stdint.h>

#include "exec/cpu/simd_avx512.h"

#define WLU_LANES_KERNELS wlu_lanes_avx512
#define WLU_KERNELS_NAME "avx512"
#include "exec/batch/lanes_kernels.h"
