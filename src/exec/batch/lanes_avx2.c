/* The kernels of lanes for AVX2 with FMA. */
#include <stdint.h>

#include "exec/cpu/simd_avx2.h"

#include "base/number.h"

/* What registers hold: rows of a grid, and as many columns of real numbers; chains side by side. */
enum { WLU_LANES_SQUARE = 2, WLU_LANES_SIDE = 4 / WLU_NUMBER_REALS };

#define WLU_LANES_KERNELS wlu_lanes_avx2
#define WLU_KERNELS_NAME "avx2"
#include "exec/batch/lanes_kernels.h"
