/* The primitives for AVX-512. */
#include <stdint.h>

#include "exec/cpu/simd_avx512.h"

#define PRIMITIVES_OF test_primitives_avx512
#include "primitives_of.h"
