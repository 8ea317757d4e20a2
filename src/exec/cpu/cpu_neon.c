/* The CPU kernels for NEON. */
#include <stdint.h>

#include "exec/cpu/simd_neon.h"

#include "base/number.h"
#include "exec/cpu/strips_neon.h"

#define WLU_KERNELS wlu_cpu_neon
#define WLU_KERNELS_NAME "neon"
#include "exec/cpu/kernels.h"
