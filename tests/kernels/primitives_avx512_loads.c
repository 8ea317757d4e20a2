/* The primitives for AVX-512 with loads for gathers. */
#include <stdint.h>

#define WLU_GATHER_BY_LOADS
#include "exec/cpu/simd_avx512.h"

#define PRIMITIVES_OF test_primitives_avx512_loads
#include "primitives_of.h"
