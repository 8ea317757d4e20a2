/* The kernels of lanes for AVX-512. */
#include <stdint.h>

#include "exec/cpu/simd_avx512.h"

/* Of a grid: rows and columns that registers hold. */
enum { WLU_LANES_SQUARE = 4 };

#define WLU_LANES_KERNELS wlu_lanes_avx512
#define WLU_KERNELS_NAME "avx512"
#include "exec/batch/lanes_kernels.h"
