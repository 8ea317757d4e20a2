/* The kernels of lanes for any machine. */
#include <stdint.h>

#include "exec/cpu/simd_portable.h"

#define WLU_LANES_KERNELS wlu_lanes_portable
#define WLU_KERNELS_NAME "portable"
#include "exec/batch/lanes_kernels.h"
