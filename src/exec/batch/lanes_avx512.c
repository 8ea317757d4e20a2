/* The kernels of lanes for AVX-512. */
#include <stdint.h>

#include "exec/cpu/simd_avx512.h"

#include "base/number.h"

/* What registers hold: rows of a grid, and as many columns of real numbers; chains side by side. */
enum { WLU_LANES_SQUARE = 4, WLU_LANES_SIDE = 4 };

#define WLU_LANES_KERNELS wlu_lanes_avx512
#define WLU_KERNELS_NAME "avx512"
#include "exec/batch/lanes_kernels.h"
