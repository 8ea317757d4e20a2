/* The algebra of elementary functions (algebra_portable.h says what it is) on AVX2: four lanes. */
#include <immintrin.h>
#include <stdint.h>

#define WLM_WIDTH 4
#define WLM_INLINE static inline __attribute__((always_inline))

typedef __m256d V;
typedef __m256i I;

/* A truth value sets all bits of its lane or none. */
typedef struct M {
    __m256d all;
} M;

#define WLM_X86(name) _mm256_##name
#include "model/elementary/algebra_x86.h"

/* Picks each lane from a and b: its place, in eighths of a vector, counts through a and on through b. */
WLM_INLINE V v_pick(V a, V b, const unsigned char *place)
{
    I places = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)place));
    __m256 of_a = _mm256_permutevar8x32_ps(_mm256_castpd_ps(a), places);
    __m256 of_b = _mm256_permutevar8x32_ps(_mm256_castpd_ps(b), places);
    return _mm256_castps_pd(_mm256_blendv_ps(of_a, of_b, _mm256_castsi256_ps(_mm256_slli_epi32(places, 28))));
}
/* Gathers numbers at distances in bytes from a place: by loads of one, which read sooner what was just written. */
WLM_INLINE V v_gather(const char *from, const int32_t *at)
{
    return _mm256_setr_pd(v_number(from + at[0]), v_number(from + at[1]), v_number(from + at[2]),
                          v_number(from + at[3]));
}
/* Divide lane 0 alone, into all lanes, or the lower half: narrow divisions take less time. */
WLM_INLINE V v_div_one(V a, V b)
{
    return _mm256_broadcastsd_pd(_mm_div_pd(_mm256_castpd256_pd128(a), _mm256_castpd256_pd128(b)));
}
WLM_INLINE V v_div_half(V a, V b)
{
    return _mm256_castpd128_pd256(_mm_div_pd(_mm256_castpd256_pd128(a), _mm256_castpd256_pd128(b)));
}

WLM_INLINE I v_bits(V a)
{
    return _mm256_castpd_si256(a);
}
WLM_INLINE V v_of_bits(I a)
{
    return _mm256_castsi256_pd(a);
}

WLM_INLINE I i_set(uint64_t x)
{
    return _mm256_set1_epi64x((int64_t)x);
}
WLM_INLINE I i_and(I a, I b)
{
    return _mm256_and_si256(a, b);
}
WLM_INLINE I i_or(I a, I b)
{
    return _mm256_or_si256(a, b);
}
WLM_INLINE I i_xor(I a, I b)
{
    return _mm256_xor_si256(a, b);
}
WLM_INLINE I i_left(I a, int n)
{
    return _mm256_slli_epi64(a, n);
}
WLM_INLINE I i_right(I a, int n)
{
    return _mm256_srli_epi64(a, n);
}

WLM_INLINE M v_less(V a, V b)
{
    return (M){_mm256_cmp_pd(a, b, _CMP_LT_OQ)};
}
WLM_INLINE M v_less_equal(V a, V b)
{
    return (M){_mm256_cmp_pd(a, b, _CMP_LE_OQ)};
}
WLM_INLINE M v_equal(V a, V b)
{
    return (M){_mm256_cmp_pd(a, b, _CMP_EQ_OQ)};
}
WLM_INLINE M i_equal(I a, I b)
{
    return (M){_mm256_castsi256_pd(_mm256_cmpeq_epi64(a, b))};
}
WLM_INLINE M m_and(M a, M b)
{
    return (M){_mm256_and_pd(a.all, b.all)};
}
WLM_INLINE M m_or(M a, M b)
{
    return (M){_mm256_or_pd(a.all, b.all)};
}
WLM_INLINE M m_not(M a)
{
    return (M){_mm256_xor_pd(a.all, _mm256_castsi256_pd(_mm256_set1_epi64x(-1)))};
}
WLM_INLINE V v_select(M m, V a, V b)
{
    return _mm256_blendv_pd(b, a, m.all);
}
WLM_INLINE I i_select(M m, I a, I b)
{
    return _mm256_castpd_si256(_mm256_blendv_pd(_mm256_castsi256_pd(b), _mm256_castsi256_pd(a), m.all));
}

#include "model/elementary/scale.h"

WLM_INLINE int m_begin(M m)
{
    return _mm256_movemask_pd(m.all) != 0;
}

#include "model/elementary/blocks.h"
