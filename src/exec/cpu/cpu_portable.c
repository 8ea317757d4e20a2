/* The CPU kernels for plain C. */
#include <stdint.h>

#include "exec/cpu/simd_portable.h"

#define WLU_KERNELS wlu_cpu_portable
#define WLU_KERNELS_NAME "portable"
#include "exec/cpu/kernels.h"
