/* The kernels of lanes for AVX2 with FMA. */
#include <stdint.h>

#include "exec/cpu/simd_avx2.h"

/* Of a grid: rows and columns that registers hold. */
enum { WLU_LANES_SQUARE = 2 };

#define WLU_LANES_KERNELS wlu_lanes_avx2
#define WLU_KERNELS_NAME "avx2"
#include "exec/batch/lanes_kernels.h"
