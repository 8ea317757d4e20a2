/* What a slot holds: a double, or in what is compiled with WLU_SINGLE a float. Bits of it are its own flag: poison is
 * missing.
 *
 * One text, compiled for each: kernels twice by nvcc, what the host computes with them twice by the C compiler. Arrays
 * of the caller, scales, health and residuals are doubles in both. */
#ifndef WLU_EXEC_DEVICE_REAL_H
#define WLU_EXEC_DEVICE_REAL_H

#include "base/power.h"
#include "exec/device/image.h"

#ifdef WLU_SINGLE
typedef float wlu_real;
typedef uint32_t wlu_real_bits;
#define WLU_REAL_POISON WLU_POISON_HALF
#define WLU_REAL_NAN UINT32_C(0x7fc00000)
enum { WLU_REAL_SINGLE = 1 };
/* A name of this type's: of what is linked beside the other's. */
#define WLU_REAL_NAME(name) name##_single
#else
typedef double wlu_real;
typedef uint64_t wlu_real_bits;
#define WLU_REAL_POISON WLU_POISON
#define WLU_REAL_NAN WLU_CANONICAL_NAN
enum { WLU_REAL_SINGLE = 0 };
#define WLU_REAL_NAME(name) name
#endif

WLU_PORTABLE wlu_real wlu_real_of_bits(wlu_real_bits bits)
{
    wlu_real x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
