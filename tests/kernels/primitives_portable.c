/* The primitives for plain C. */
#include <stdint.h>

#include "exec/cpu/simd_portable.h"

#define PRIMITIVES_OF test_primitives_portable
#include "primitives_of.h"
