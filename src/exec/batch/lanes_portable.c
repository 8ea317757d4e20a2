/* The kernels of lanes for any machine. */
#include <stdint.h>

#include "exec/cpu/simd_portable.h"

/* Of a grid: rows and columns that registers hold. */
enum { WLU_LANES_SQUARE = 2 };

#define WLU_LANES_KERNELS wlu_lanes_portable
#define WLU_KERNELS_NAME "portable"
#include "exec/batch/lanes_kernels.h"
