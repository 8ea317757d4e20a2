/* The algebra that elementary functions are written in, in plain C: one lane.
 *
 * V is lanes of doubles, I of 64-bit integers, M of truth values. The other instances, algebra_avx512.h,
 * algebra_avx2.h, algebra_neon.h and, for text of kernels, algebra_ptx.h, have the same functions with the same
 * results, bit by bit (but of a NaN only that it is one):
 *
 *   v_add sub mul div sqrt     rounded to nearest, subnormal numbers kept
 *   v_fma fnma fms             a b + c, c - a b, a b - c, rounded once
 *   v_min v_max                a where it is less (greater) than b, else b, also where one is a NaN
 *   v_bits v_of_bits           the same bits
 *   i_left i_right             by a constant number of bits; zeros come in
 *   i_left_by i_right_by       by 0 to 127 bits; nothing is left from 64 on
 *   i_multiply_low             product of the lower 32 bits
 *   v_less less_equal equal    0 where one is a NaN
 *   v_select(m, a, b)          a where m, else b
 *   v_scale                    scale.h
 *   m_begin v_replace m_end    a block of what only some lanes need:
 *
 *       V r = v_variable(common);
 *       int block = m_begin(m);
 *       if (block) v_replace(&r, m, rare);       the rare value is computed inside
 *       m_end(m, block);
 *
 * The instances of the CPU's vectors also have v_pick, v_gather, v_div_one and v_div_half, for
 * model/exec/solo_kernels.h.
 *
 * fma is exact everywhere, and slow where the processor has no instruction for it. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/fused.h"

#define WLM_WIDTH 1
#if defined(__CUDACC__) /* for kernels of a device, which hold the tables too */
#define WLM_INLINE static __device__ __forceinline__
#define WLM_TABLE_STORAGE static __device__
#elif defined(__GNUC__)
#define WLM_INLINE static inline __attribute__((always_inline))
#else
#define WLM_INLINE static inline
#endif

typedef double V;
typedef uint64_t I;
typedef struct M {
    int is;
} M;

WLM_INLINE V v_set(double x)
{
    return x;
}
WLM_INLINE V v_load(const double *p)
{
    return *p;
}
WLM_INLINE void v_store(double *p, V x)
{
    *p = x;
}
WLM_INLINE V v_add(V a, V b)
{
    return a + b;
}
WLM_INLINE V v_sub(V a, V b)
{
    return a - b;
}
WLM_INLINE V v_mul(V a, V b)
{
    return a * b;
}
WLM_INLINE V v_div(V a, V b)
{
    return a / b;
}
WLM_INLINE V v_sqrt(V a)
{
    return sqrt(a);
}
WLM_INLINE V v_fma(V a, V b, V c)
{
    return wlu_fused(a, b, c);
}
WLM_INLINE V v_fnma(V a, V b, V c)
{
    return wlu_fused(-a, b, c);
}
WLM_INLINE V v_fms(V a, V b, V c)
{
    return wlu_fused(a, b, -c);
}
WLM_INLINE V v_min(V a, V b)
{
    return a < b ? a : b;
}
WLM_INLINE V v_max(V a, V b)
{
    return a > b ? a : b;
}

WLM_INLINE I v_bits(V a)
{
    I bits;
    memcpy(&bits, &a, sizeof bits);
    return bits;
}
WLM_INLINE V v_of_bits(I a)
{
    V x;
    memcpy(&x, &a, sizeof x);
    return x;
}

WLM_INLINE I i_set(uint64_t x)
{
    return x;
}
WLM_INLINE I i_add(I a, I b)
{
    return a + b;
}
WLM_INLINE I i_sub(I a, I b)
{
    return a - b;
}
WLM_INLINE I i_and(I a, I b)
{
    return a & b;
}
WLM_INLINE I i_or(I a, I b)
{
    return a | b;
}
WLM_INLINE I i_xor(I a, I b)
{
    return a ^ b;
}
WLM_INLINE I i_left(I a, int n)
{
    return a << n;
}
WLM_INLINE I i_right(I a, int n)
{
    return a >> n;
}
WLM_INLINE I i_left_by(I a, I n)
{
    return n < 64 ? a << n : 0;
}
WLM_INLINE I i_right_by(I a, I n)
{
    return n < 64 ? a >> n : 0;
}
WLM_INLINE I i_multiply_low(I a, I b)
{
    return (a & 0xffffffff) * (b & 0xffffffff);
}

WLM_INLINE M v_less(V a, V b)
{
    return (M){a < b};
}
WLM_INLINE M v_less_equal(V a, V b)
{
    return (M){a <= b};
}
WLM_INLINE M v_equal(V a, V b)
{
    return (M){a == b};
}
WLM_INLINE M i_equal(I a, I b)
{
    return (M){a == b};
}
WLM_INLINE M m_and(M a, M b)
{
    return (M){a.is & b.is};
}
WLM_INLINE M m_or(M a, M b)
{
    return (M){a.is | b.is};
}
WLM_INLINE M m_not(M a)
{
    return (M){!a.is};
}
WLM_INLINE V v_select(M m, V a, V b)
{
    return m.is ? a : b;
}
WLM_INLINE I i_select(M m, I a, I b)
{
    return m.is ? a : b;
}

#include "model/elementary/scale.h"

WLM_INLINE int m_begin(M m)
{
    return m.is;
}

#include "model/elementary/blocks.h"
