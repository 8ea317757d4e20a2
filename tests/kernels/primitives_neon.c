/* The primitives for NEON. */
#include <stdint.h>

#include "exec/cpu/simd_neon.h"

#define PRIMITIVES_OF test_primitives_neon
#include "primitives_of.h"
