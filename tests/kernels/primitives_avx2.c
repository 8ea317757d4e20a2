/* The primitives for AVX2 with FMA. */
#include <stdint.h>

#include "exec/cpu/simd_avx2.h"

#define PRIMITIVES_OF test_primitives_avx2
#include "primitives_of.h"
