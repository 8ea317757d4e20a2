/* The number that a slot holds, and how its arithmetic is rounded: a double, or in what is compiled with WLU_SINGLE a
 * float; one text, compiled for each. Kernels are compiled twice by nvcc, what the host computes with slots twice by
 * the C compiler. Arrays of the caller, scales, health and residuals are doubles in both; their operations have DOUBLE
 * in the name.
 *
 * Every operation is rounded once, to nearest: C is compiled with -ffp-contract=off, and CUDA has intrinsics that round
 * so and are never contracted. */
#ifndef WLU_BASE_REAL_H
#define WLU_BASE_REAL_H

#include "base/fused.h"
#include "base/power.h"

/* What NaNs are written as. */
#define WLU_CANONICAL_NAN UINT64_C(0x7ff8000000000000)

#ifdef WLU_SINGLE
typedef float wlu_real;
typedef uint32_t wlu_real_bits;
#define WLU_REAL_NAN UINT32_C(0x7fc00000)
enum { WLU_REAL_SINGLE = 1 };
/* A name of this type's: of what is linked beside the other's. */
#define WLU_REAL_NAME(name) name##_single
#else
typedef double wlu_real;
typedef uint64_t wlu_real_bits;
#define WLU_REAL_NAN WLU_CANONICAL_NAN
enum { WLU_REAL_SINGLE = 0 };
#define WLU_REAL_NAME(name) name
#endif

#if defined(__CUDA_ARCH__)
#define WLU_DOUBLE_MUL(a, b) __dmul_rn((a), (b))
#define WLU_DOUBLE_ADD(a, b) __dadd_rn((a), (b))
#define WLU_DOUBLE_FMA(a, b, c) __fma_rn((a), (b), (c))
#define WLU_DOUBLE_DIV(a, b) __ddiv_rn((a), (b))
#define WLU_DOUBLE_INVERT(x) __drcp_rn(x)
#ifdef WLU_SINGLE
#define WLU_FMA(a, b, c) __fmaf_rn((a), (b), (c))
#define WLU_MUL(a, b) __fmul_rn((a), (b))
#define WLU_ADD(a, b) __fadd_rn((a), (b))
#define WLU_SUB(a, b) __fsub_rn((a), (b))
#define WLU_INVERT(x) __frcp_rn(x)
#else
#define WLU_FMA(a, b, c) __fma_rn((a), (b), (c))
#define WLU_MUL(a, b) __dmul_rn((a), (b))
#define WLU_ADD(a, b) __dadd_rn((a), (b))
#define WLU_SUB(a, b) __dsub_rn((a), (b))
#define WLU_INVERT(x) __drcp_rn(x)
#endif
#else
#define WLU_DOUBLE_MUL(a, b) ((a) * (b))
#define WLU_DOUBLE_ADD(a, b) ((a) + (b))
#define WLU_DOUBLE_FMA(a, b, c) wlu_fused((a), (b), (c))
#define WLU_DOUBLE_DIV(a, b) ((a) / (b))
#define WLU_DOUBLE_INVERT(x) (1.0 / (x))
#ifdef WLU_SINGLE
#define WLU_FMA(a, b, c) wlu_fused_single((a), (b), (c))
#else
#define WLU_FMA(a, b, c) wlu_fused((a), (b), (c))
#endif
#define WLU_MUL(a, b) ((wlu_real)(a) * (wlu_real)(b))
#define WLU_ADD(a, b) ((wlu_real)(a) + (wlu_real)(b))
#define WLU_SUB(a, b) ((wlu_real)(a) - (wlu_real)(b))
#define WLU_INVERT(x) ((wlu_real)1 / (wlu_real)(x))
#endif

WLU_PORTABLE wlu_real wlu_real_of_bits(wlu_real_bits bits)
{
    wlu_real x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

#endif
