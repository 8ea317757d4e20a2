/* Eight lanes of double as one AVX-512 register. The same functions as simd_avx2.h and simd_portable.h.
 *
 * WLU_GATHER_BY_LOADS: eight loads in place of an instruction that gathers, which some processors take apart into
 * several times as many steps (base/vectors.h). */
#include <immintrin.h>
#include <math.h>

typedef __m512d v8;

static inline v8 v8_zero(void)
{
    return _mm512_setzero_pd();
}
static inline v8 v8_set(double x)
{
    return _mm512_set1_pd(x);
}
static inline v8 v8_load(const double *p)
{
    return _mm512_loadu_pd(p);
}
static inline void v8_store(double *p, v8 x)
{
    _mm512_storeu_pd(p, x);
}
static inline v8 v8_add(v8 a, v8 b)
{
    return _mm512_add_pd(a, b);
}
static inline v8 v8_mul(v8 a, v8 b)
{
    return _mm512_mul_pd(a, b);
}
static inline v8 v8_div(v8 a, v8 b)
{
    return _mm512_div_pd(a, b);
}
static inline v8 v8_fma(v8 a, v8 b, v8 c)
{
    return _mm512_fmadd_pd(a, b, c);
}
static inline v8 v8_fnma(v8 a, v8 b, v8 c)
{
    return _mm512_fnmadd_pd(a, b, c);
}
static inline v8 v8_abs(v8 a)
{
    return _mm512_abs_pd(a);
}

static inline __m256i load_indices(const int32_t *i)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)i);
}

#if defined(WLU_GATHER_BY_LOADS)
static inline __m128d load_two(const double *v, const int32_t *i)
{
    return _mm_loadh_pd(_mm_load_sd(v + i[0]), v + i[1]);
}

static inline __m256d load_four(const double *v, const int32_t *i)
{
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(load_two(v, i)), load_two(v, i + 2), 1);
}

static inline v8 v8_gather(const double *v, const int32_t *i)
{
    return _mm512_insertf64x4(_mm512_castpd256_pd512(load_four(v, i)), load_four(v, i + 4), 1);
}
#else
static inline v8 v8_gather(const double *v, const int32_t *i)
{
    return _mm512_i32gather_pd(load_indices(i), v, 8);
}
#endif

/* 0 where the index is -1. */
static inline v8 v8_gather_or_zero(const double *v, const int32_t *i)
{
    __m256i index = load_indices(i);
    __mmask8 some = _mm256_cmpge_epi32_mask(index, _mm256_setzero_si256());
    return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), some, index, v, 8);
}

static inline __m512d four_pairs(const double *const *pair)
{
    __m512d a = _mm512_castpd128_pd512(_mm_loadu_pd(pair[0]));
    a = _mm512_insertf64x2(a, _mm_loadu_pd(pair[2]), 1);
    a = _mm512_insertf64x2(a, _mm_loadu_pd(pair[4]), 2);
    return _mm512_insertf64x2(a, _mm_loadu_pd(pair[6]), 3);
}

/* Of pairs, the first ones and the second ones. */
static inline void v8_of_pairs(const double *const *pair, v8 *first, v8 *second)
{
    __m512d even = four_pairs(pair), odd = four_pairs(pair + 1);
    *first = _mm512_unpacklo_pd(even, odd);
    *second = _mm512_unpackhi_pd(even, odd);
}

/* Numbers 0, 2, 4, 6 of both, then 1, 3, 5, 7, in turn; what takes apart eight pairs in an order of its own, and puts
 * them together again. */
static inline void v8_exchange(v8 a, v8 b, v8 *first, v8 *second)
{
    *first = _mm512_unpacklo_pd(a, b);
    *second = _mm512_unpackhi_pd(a, b);
}

/* Pairs (x, y) become (y, -x). */
static inline v8 v8_turned(v8 a)
{
    const v8 sign = _mm512_setr_pd(0.0, -0.0, 0.0, -0.0, 0.0, -0.0, 0.0, -0.0);
    return _mm512_xor_pd(_mm512_permute_pd(a, 0x55), sign);
}

/* Pairs, from their first and second ones. */
static inline void v8_scatter_pairs(double *v, const int32_t *i, v8 first, v8 second)
{
    __m512d even = _mm512_unpacklo_pd(first, second), odd = _mm512_unpackhi_pd(first, second);
    _mm_storeu_pd(v + 2 * (int64_t)i[0], _mm512_castpd512_pd128(even));
    _mm_storeu_pd(v + 2 * (int64_t)i[1], _mm512_castpd512_pd128(odd));
    _mm_storeu_pd(v + 2 * (int64_t)i[2], _mm512_extractf64x2_pd(even, 1));
    _mm_storeu_pd(v + 2 * (int64_t)i[3], _mm512_extractf64x2_pd(odd, 1));
    _mm_storeu_pd(v + 2 * (int64_t)i[4], _mm512_extractf64x2_pd(even, 2));
    _mm_storeu_pd(v + 2 * (int64_t)i[5], _mm512_extractf64x2_pd(odd, 2));
    _mm_storeu_pd(v + 2 * (int64_t)i[6], _mm512_extractf64x2_pd(even, 3));
    _mm_storeu_pd(v + 2 * (int64_t)i[7], _mm512_extractf64x2_pd(odd, 3));
}

/* Pairs in a row, and their first and second ones. */
static inline void v8_apart(v8 a, v8 b, v8 *first, v8 *second)
{
    *first = _mm512_permutex2var_pd(a, _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14), b);
    *second = _mm512_permutex2var_pd(a, _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15), b);
}

static inline void v8_together(v8 first, v8 second, v8 *a, v8 *b)
{
    *a = _mm512_permutex2var_pd(first, _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11), second);
    *b = _mm512_permutex2var_pd(first, _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15), second);
}

static inline void v8_scatter(double *v, const int32_t *i, v8 x)
{
    _mm512_i32scatter_pd(v, load_indices(i), x, 8);
}

/* Powers of two from the upper 16 bits of their doubles. */
static inline v8 v8_load_powers(const uint16_t *p)
{
    __m512i upper = _mm512_cvtepu16_epi64(_mm_loadu_si128((const __m128i *)(const void *)p));
    return _mm512_castsi512_pd(_mm512_slli_epi64(upper, 48));
}

/* wlu_inverse_power of each lane. */
static inline v8 v8_inverse_power(v8 magnitude)
{
    __m512i exponent = _mm512_and_si512(_mm512_castpd_si512(magnitude), _mm512_set1_epi64(0x7ffLL << 52));
    return _mm512_castsi512_pd(_mm512_sub_epi64(_mm512_set1_epi64(2046LL << 52), exponent));
}

/* Largest magnitudes by bit pattern, so that NaN beats infinity beats every number. */
static inline v8 v8_max_bits(v8 a, v8 magnitude)
{
    return _mm512_castsi512_pd(_mm512_max_epu64(_mm512_castpd_si512(a), _mm512_castpd_si512(magnitude)));
}

/* a where it is greater than b, else b: a NaN in a is passed over. */
static inline v8 v8_greater_of(v8 a, v8 b)
{
    return _mm512_max_pd(a, b);
}

/* Whether a is greater than b in all lanes. */
static inline int v8_all_greater(v8 a, v8 b)
{
    return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ) == 0xff;
}

/* a where the lane of sign has its sign bit set, else b. */
static inline v8 v8_select(v8 sign, v8 a, v8 b)
{
    return _mm512_mask_blend_pd(_mm512_movepi64_mask(_mm512_castpd_si512(sign)), b, a);
}

/* Lane 0. */
static inline double v8_first(v8 a)
{
    return _mm512_cvtsd_f64(a);
}

/* Lane c in every lane. */
static inline v8 v8_lane(v8 a, int c)
{
    return _mm512_permutexvar_pd(_mm512_set1_epi64(c), a);
}

/* Lanes from c on, zeros below. */
static inline v8 v8_from(v8 a, int c)
{
    return _mm512_maskz_mov_pd((__mmask8)(0xff << c), a);
}

/* -a * b + x in lanes above c, x in the others. */
static inline v8 v8_fnma_above(v8 a, v8 b, v8 x, int c)
{
    return _mm512_mask3_fnmadd_pd(a, b, x, (__mmask8)(0xfe << c));
}

static inline v8 v8_fma_above(v8 a, v8 b, v8 x, int c)
{
    return _mm512_mask3_fmadd_pd(a, b, x, (__mmask8)(0xfe << c));
}

/* Lane c of a, the others of x. */
static inline v8 v8_put(v8 x, v8 a, int c)
{
    return _mm512_mask_mov_pd(x, (__mmask8)(1 << c), a);
}

/* The trees of eight vectors. */
static inline v8 v8_trees(const v8 *a)
{
    v8 h[4], q[2];
    for (int k = 0; k < 4; k++)
        h[k] = _mm512_add_pd(_mm512_insertf64x4(a[k], _mm512_castpd512_pd256(a[k + 4]), 1),
                             _mm512_shuffle_f64x2(a[k], a[k + 4], 0xee));
    /* h[k]: lanes 0..3 of a[k], then of a[k + 4] */
    for (int k = 0; k < 2; k++)
        q[k] = _mm512_add_pd(_mm512_shuffle_f64x2(h[2 * k], h[2 * k + 1], 0x88),
                             _mm512_shuffle_f64x2(h[2 * k], h[2 * k + 1], 0xdd));
    /* q[k]: pairs of a[2k], a[2k + 4], a[2k + 1], a[2k + 5] */
    v8 t = _mm512_add_pd(_mm512_unpacklo_pd(q[0], q[1]), _mm512_unpackhi_pd(q[0], q[1]));
    return _mm512_permutexvar_pd(_mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7), t);
}

/* Lane c of a[k] goes to lane k of a[c]. */
static inline void v8_transpose(v8 *a)
{
    v8 u[8], h[8]; /* u: columns 2c of two rows, then 2c + 1; h: two columns of four rows */
    for (int k = 0; k < 4; k++) {
        u[k] = _mm512_unpacklo_pd(a[2 * k], a[2 * k + 1]);
        u[k + 4] = _mm512_unpackhi_pd(a[2 * k], a[2 * k + 1]);
    }
    for (int k = 0; k < 4; k++) {
        h[k] = _mm512_shuffle_f64x2(u[2 * k], u[2 * k + 1], 0x44);
        h[k + 4] = _mm512_shuffle_f64x2(u[2 * k], u[2 * k + 1], 0xee);
    }
    for (int k = 0; k < 2; k++)
        for (int half = 0; half < 2; half++) {
            a[4 * half + k] = _mm512_shuffle_f64x2(h[4 * half + 2 * k], h[4 * half + 2 * k + 1], 0x88);
            a[4 * half + k + 2] = _mm512_shuffle_f64x2(h[4 * half + 2 * k], h[4 * half + 2 * k + 1], 0xdd);
        }
}

/* ((0+4)+(2+6)) + ((1+5)+(3+7)): the tree of opcodes.h. */
static inline double v8_tree(v8 a)
{
    __m256d h = _mm256_add_pd(_mm512_castpd512_pd256(a), _mm512_extractf64x4_pd(a, 1));
    __m128d q = _mm_add_pd(_mm256_castpd256_pd128(h), _mm256_extractf128_pd(h, 1));
    return _mm_cvtsd_f64(q) + _mm_cvtsd_f64(_mm_unpackhi_pd(q, q));
}
