/* The kernels of lanes for NEON. */
#include <stdint.h>

#include "exec/cpu/simd_neon.h"

#include "base/number.h"

/* What registers hold: rows of a grid, and as many columns of real numbers; chains side by side. */
enum { WLU_LANES_SQUARE = 2, WLU_LANES_SIDE = 4 / WLU_NUMBER_REALS };

#define WLU_LANES_KERNELS wlu_lanes_neon
#define WLU_KERNELS_NAME "neon"
#include "exec/batch/lanes_kernels.h"
