/* The algebra of elementary functions (algebra_portable.h says what it is) on NEON of AArch64: two lanes. */
#include <arm_neon.h>
#include <stdint.h>

#define WLM_WIDTH 2
#define WLM_INLINE static inline __attribute__((always_inline))

typedef float64x2_t V;
typedef uint64x2_t I;

/* A truth value sets all bits of its lane or none. */
typedef struct M {
    uint64x2_t all;
} M;

WLM_INLINE V v_set(double x)
{
    return vdupq_n_f64(x);
}
WLM_INLINE V v_load(const double *p)
{
    return vld1q_f64(p);
}
WLM_INLINE void v_store(double *p, V x)
{
    vst1q_f64(p, x);
}
/* Picks each lane from a and b: its place, in eighths of a vector, counts through a and on through b. */
WLM_INLINE V v_pick(V a, V b, const unsigned char *place)
{
    const uint8x16x2_t both = {{vreinterpretq_u8_f64(a), vreinterpretq_u8_f64(b)}};
    const uint64_t first = place[0] / 4 * 8, second = place[4] / 4 * 8, bytes = 0x0706050403020100;
    const uint64_t index[2] = {bytes + first * 0x0101010101010101, bytes + second * 0x0101010101010101};
    return vreinterpretq_f64_u8(vqtbl2q_u8(both, vreinterpretq_u8_u64(vld1q_u64(index))));
}
/* Gathers numbers at distances in bytes from a place. */
WLM_INLINE V v_gather(const char *from, const int32_t *at)
{
    return vcombine_f64(vld1_f64((const double *)(const void *)(from + at[0])),
                        vld1_f64((const double *)(const void *)(from + at[1])));
}
WLM_INLINE V v_add(V a, V b)
{
    return vaddq_f64(a, b);
}
WLM_INLINE V v_sub(V a, V b)
{
    return vsubq_f64(a, b);
}
WLM_INLINE V v_mul(V a, V b)
{
    return vmulq_f64(a, b);
}
WLM_INLINE V v_div(V a, V b)
{
    return vdivq_f64(a, b);
}
/* Divide lane 0 alone, into all lanes, or the lower half. */
WLM_INLINE V v_div_one(V a, V b)
{
    return v_div(a, b);
}
WLM_INLINE V v_div_half(V a, V b)
{
    return v_div(a, b);
}
WLM_INLINE V v_sqrt(V a)
{
    return vsqrtq_f64(a);
}
WLM_INLINE V v_fma(V a, V b, V c)
{
    return vfmaq_f64(c, a, b);
}
WLM_INLINE V v_fnma(V a, V b, V c)
{
    return vfmsq_f64(c, a, b);
}
WLM_INLINE V v_fms(V a, V b, V c)
{
    return vfmaq_f64(vnegq_f64(c), a, b);
}
WLM_INLINE V v_min(V a, V b)
{
    return vbslq_f64(vcltq_f64(a, b), a, b);
}
WLM_INLINE V v_max(V a, V b)
{
    return vbslq_f64(vcgtq_f64(a, b), a, b);
}

WLM_INLINE I v_bits(V a)
{
    return vreinterpretq_u64_f64(a);
}
WLM_INLINE V v_of_bits(I a)
{
    return vreinterpretq_f64_u64(a);
}

WLM_INLINE I i_set(uint64_t x)
{
    return vdupq_n_u64(x);
}
WLM_INLINE I i_add(I a, I b)
{
    return vaddq_u64(a, b);
}
WLM_INLINE I i_sub(I a, I b)
{
    return vsubq_u64(a, b);
}
WLM_INLINE I i_and(I a, I b)
{
    return vandq_u64(a, b);
}
WLM_INLINE I i_or(I a, I b)
{
    return vorrq_u64(a, b);
}
WLM_INLINE I i_xor(I a, I b)
{
    return veorq_u64(a, b);
}
WLM_INLINE I i_left(I a, int n)
{
    return vshlq_u64(a, vdupq_n_s64(n));
}
WLM_INLINE I i_right(I a, int n)
{
    return vshlq_u64(a, vdupq_n_s64(-n));
}
WLM_INLINE I i_left_by(I a, I n)
{
    return vshlq_u64(a, vreinterpretq_s64_u64(n));
}
WLM_INLINE I i_right_by(I a, I n)
{
    return vshlq_u64(a, vnegq_s64(vreinterpretq_s64_u64(n)));
}
WLM_INLINE I i_multiply_low(I a, I b)
{
    return vmull_u32(vmovn_u64(a), vmovn_u64(b));
}

WLM_INLINE M v_less(V a, V b)
{
    return (M){vcltq_f64(a, b)};
}
WLM_INLINE M v_less_equal(V a, V b)
{
    return (M){vcleq_f64(a, b)};
}
WLM_INLINE M v_equal(V a, V b)
{
    return (M){vceqq_f64(a, b)};
}
WLM_INLINE M i_equal(I a, I b)
{
    return (M){vceqq_u64(a, b)};
}
WLM_INLINE M m_and(M a, M b)
{
    return (M){vandq_u64(a.all, b.all)};
}
WLM_INLINE M m_or(M a, M b)
{
    return (M){vorrq_u64(a.all, b.all)};
}
WLM_INLINE M m_not(M a)
{
    return (M){veorq_u64(a.all, vdupq_n_u64(~(uint64_t)0))};
}
WLM_INLINE V v_select(M m, V a, V b)
{
    return vbslq_f64(m.all, a, b);
}
WLM_INLINE I i_select(M m, I a, I b)
{
    return vbslq_u64(m.all, a, b);
}

#include "model/elementary/scale.h"

WLM_INLINE int m_begin(M m)
{
    return (vgetq_lane_u64(m.all, 0) | vgetq_lane_u64(m.all, 1)) != 0;
}

#include "model/elementary/blocks.h"
