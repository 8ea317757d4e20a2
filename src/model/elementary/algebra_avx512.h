/* The algebra of elementary functions (algebra_portable.h says what it is) on AVX-512: eight lanes. */
#include <immintrin.h>
#include <stdint.h>

#define WLM_WIDTH 8
#define WLM_INLINE static inline __attribute__((always_inline))

typedef __m512d V;
typedef __m512i I;
typedef __mmask8 M;

#define WLM_X86(name) _mm512_##name
#include "model/elementary/algebra_x86.h"

/* Picks each lane from a and b: its place, in eighths of a vector, counts through a and on through b. */
WLM_INLINE V v_pick(V a, V b, const unsigned char *place)
{
    I places = _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)place));
    return _mm512_permutex2var_pd(a, places, b);
}
/* Gathers numbers at distances in bytes from a place: by loads of one, which read sooner what was just written. */
WLM_INLINE V v_gather(const char *from, const int32_t *at)
{
    return _mm512_setr_pd(v_number(from + at[0]), v_number(from + at[1]), v_number(from + at[2]),
                          v_number(from + at[3]), v_number(from + at[4]), v_number(from + at[5]),
                          v_number(from + at[6]), v_number(from + at[7]));
}
/* Divide lane 0 alone, into all lanes, or the lower half: narrow divisions take less time. */
WLM_INLINE V v_div_one(V a, V b)
{
    return _mm512_broadcastsd_pd(_mm_div_pd(_mm512_castpd512_pd128(a), _mm512_castpd512_pd128(b)));
}
WLM_INLINE V v_div_half(V a, V b)
{
    return _mm512_castpd256_pd512(_mm256_div_pd(_mm512_castpd512_pd256(a), _mm512_castpd512_pd256(b)));
}

WLM_INLINE I v_bits(V a)
{
    return _mm512_castpd_si512(a);
}
WLM_INLINE V v_of_bits(I a)
{
    return _mm512_castsi512_pd(a);
}

WLM_INLINE I i_set(uint64_t x)
{
    return _mm512_set1_epi64((int64_t)x);
}
WLM_INLINE I i_and(I a, I b)
{
    return _mm512_and_si512(a, b);
}
WLM_INLINE I i_or(I a, I b)
{
    return _mm512_or_si512(a, b);
}
WLM_INLINE I i_xor(I a, I b)
{
    return _mm512_xor_si512(a, b);
}
WLM_INLINE I i_left(I a, unsigned n)
{
    return _mm512_slli_epi64(a, n);
}
WLM_INLINE I i_right(I a, unsigned n)
{
    return _mm512_srli_epi64(a, n);
}

WLM_INLINE M v_less(V a, V b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ);
}
WLM_INLINE M v_less_equal(V a, V b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ);
}
WLM_INLINE M v_equal(V a, V b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_EQ_OQ);
}
WLM_INLINE M i_equal(I a, I b)
{
    return _mm512_cmpeq_epi64_mask(a, b);
}
WLM_INLINE M m_and(M a, M b)
{
    return a & b;
}
WLM_INLINE M m_or(M a, M b)
{
    return a | b;
}
WLM_INLINE M m_not(M a)
{
    return (M)~a;
}
WLM_INLINE V v_select(M m, V a, V b)
{
    return _mm512_mask_blend_pd(m, b, a);
}
WLM_INLINE I i_select(M m, I a, I b)
{
    return _mm512_mask_blend_epi64(m, b, a);
}

/* Computes p 2^k by one instruction, which rounds once as the two products do. */
WLM_INLINE V v_scale(V p, V k, V shifted)
{
    (void)shifted;
    return _mm512_scalef_pd(p, k);
}

WLM_INLINE int m_begin(M m)
{
    return m != 0;
}

#include "model/elementary/blocks.h"
