/* Eight lanes of double as two AVX2 registers. The same functions as simd_avx512.h and simd_portable.h. */
#include <immintrin.h>
#include <math.h>

typedef struct v8 {
    __m256d lo, hi;
} v8;

static inline v8 v8_zero(void)
{
    return (v8){_mm256_setzero_pd(), _mm256_setzero_pd()};
}
static inline v8 v8_set(double x)
{
    return (v8){_mm256_set1_pd(x), _mm256_set1_pd(x)};
}
static inline v8 v8_load(const double *p)
{
    return (v8){_mm256_loadu_pd(p), _mm256_loadu_pd(p + 4)};
}
static inline v8 v8_add(v8 a, v8 b)
{
    return (v8){_mm256_add_pd(a.lo, b.lo), _mm256_add_pd(a.hi, b.hi)};
}
static inline v8 v8_mul(v8 a, v8 b)
{
    return (v8){_mm256_mul_pd(a.lo, b.lo), _mm256_mul_pd(a.hi, b.hi)};
}
static inline v8 v8_div(v8 a, v8 b)
{
    return (v8){_mm256_div_pd(a.lo, b.lo), _mm256_div_pd(a.hi, b.hi)};
}

static inline void v8_store(double *p, v8 x)
{
    _mm256_storeu_pd(p, x.lo);
    _mm256_storeu_pd(p + 4, x.hi);
}

static inline v8 v8_fma(v8 a, v8 b, v8 c)
{
    return (v8){_mm256_fmadd_pd(a.lo, b.lo, c.lo), _mm256_fmadd_pd(a.hi, b.hi, c.hi)};
}

static inline v8 v8_fnma(v8 a, v8 b, v8 c)
{
    return (v8){_mm256_fnmadd_pd(a.lo, b.lo, c.lo), _mm256_fnmadd_pd(a.hi, b.hi, c.hi)};
}

static inline v8 v8_abs(v8 a)
{
    __m256d sign = _mm256_set1_pd(-0.0);
    return (v8){_mm256_andnot_pd(sign, a.lo), _mm256_andnot_pd(sign, a.hi)};
}

static inline v8 v8_gather(const double *v, const int32_t *i)
{
    return (v8){_mm256_setr_pd(v[i[0]], v[i[1]], v[i[2]], v[i[3]]), _mm256_setr_pd(v[i[4]], v[i[5]], v[i[6]], v[i[7]])};
}

/* 0 where the index is -1. */
static inline v8 v8_gather_or_zero(const double *v, const int32_t *i)
{
    double e[8];
    for (int k = 0; k < 8; k++) e[k] = i[k] < 0 ? 0.0 : v[i[k]];
    return v8_load(e);
}

static inline __m256d two_pairs(const double *a, const double *b)
{
    return _mm256_insertf128_pd(_mm256_castpd128_pd256(_mm_loadu_pd(a)), _mm_loadu_pd(b), 1);
}

/* Of pairs, the first ones and the second ones. */
static inline void v8_of_pairs(const double *const *pair, v8 *first, v8 *second)
{
    __m256d even = two_pairs(pair[0], pair[2]), odd = two_pairs(pair[1], pair[3]);
    __m256d even_hi = two_pairs(pair[4], pair[6]), odd_hi = two_pairs(pair[5], pair[7]);
    *first = (v8){_mm256_unpacklo_pd(even, odd), _mm256_unpacklo_pd(even_hi, odd_hi)};
    *second = (v8){_mm256_unpackhi_pd(even, odd), _mm256_unpackhi_pd(even_hi, odd_hi)};
}

/* Numbers 0, 2, 4, 6 of both, then 1, 3, 5, 7, in turn; what takes apart eight pairs in an order of its own, and puts
 * them together again. */
static inline void v8_exchange(v8 a, v8 b, v8 *first, v8 *second)
{
    *first = (v8){_mm256_unpacklo_pd(a.lo, b.lo), _mm256_unpacklo_pd(a.hi, b.hi)};
    *second = (v8){_mm256_unpackhi_pd(a.lo, b.lo), _mm256_unpackhi_pd(a.hi, b.hi)};
}

/* Pairs (x, y) become (y, -x). */
static inline v8 v8_turned(v8 a)
{
    const __m256d sign = _mm256_setr_pd(0.0, -0.0, 0.0, -0.0);
    return (v8){_mm256_xor_pd(_mm256_permute_pd(a.lo, 0x5), sign), _mm256_xor_pd(_mm256_permute_pd(a.hi, 0x5), sign)};
}

/* Pairs, from their first and second ones. */
static inline void v8_scatter_pairs(double *v, const int32_t *i, v8 first, v8 second)
{
    __m256d even[] = {_mm256_unpacklo_pd(first.lo, second.lo), _mm256_unpacklo_pd(first.hi, second.hi)};
    __m256d odd[] = {_mm256_unpackhi_pd(first.lo, second.lo), _mm256_unpackhi_pd(first.hi, second.hi)};
    for (int h = 0; h < 2; h++) {
        _mm_storeu_pd(v + 2 * (int64_t)i[4 * h], _mm256_castpd256_pd128(even[h]));
        _mm_storeu_pd(v + 2 * (int64_t)i[4 * h + 1], _mm256_castpd256_pd128(odd[h]));
        _mm_storeu_pd(v + 2 * (int64_t)i[4 * h + 2], _mm256_extractf128_pd(even[h], 1));
        _mm_storeu_pd(v + 2 * (int64_t)i[4 * h + 3], _mm256_extractf128_pd(odd[h], 1));
    }
}

/* Pairs in a row, and their first and second ones. */
static inline void v8_apart(v8 a, v8 b, v8 *first, v8 *second)
{
    __m256d lo = _mm256_permute2f128_pd(a.lo, a.hi, 0x20), hi = _mm256_permute2f128_pd(a.lo, a.hi, 0x31);
    __m256d lo_b = _mm256_permute2f128_pd(b.lo, b.hi, 0x20), hi_b = _mm256_permute2f128_pd(b.lo, b.hi, 0x31);
    *first = (v8){_mm256_unpacklo_pd(lo, hi), _mm256_unpacklo_pd(lo_b, hi_b)};
    *second = (v8){_mm256_unpackhi_pd(lo, hi), _mm256_unpackhi_pd(lo_b, hi_b)};
}

static inline void v4_together(__m256d first, __m256d second, __m256d *a, __m256d *b)
{
    __m256d lo = _mm256_unpacklo_pd(first, second), hi = _mm256_unpackhi_pd(first, second);
    *a = _mm256_permute2f128_pd(lo, hi, 0x20);
    *b = _mm256_permute2f128_pd(lo, hi, 0x31);
}

static inline void v8_together(v8 first, v8 second, v8 *a, v8 *b)
{
    v4_together(first.lo, second.lo, &a->lo, &a->hi);
    v4_together(first.hi, second.hi, &b->lo, &b->hi);
}

static inline void v8_scatter(double *v, const int32_t *i, v8 x)
{
    double e[8];
    v8_store(e, x);
    for (int k = 0; k < 8; k++) v[i[k]] = e[k];
}

/* Powers of two from the upper 16 bits of their doubles. */
static inline v8 v8_load_powers(const uint16_t *p)
{
    __m128i upper = _mm_loadu_si128((const __m128i *)(const void *)p);
    __m256i lo = _mm256_cvtepu16_epi64(upper), hi = _mm256_cvtepu16_epi64(_mm_unpackhi_epi64(upper, upper));
    return (v8){_mm256_castsi256_pd(_mm256_slli_epi64(lo, 48)), _mm256_castsi256_pd(_mm256_slli_epi64(hi, 48))};
}

static inline __m256d v4_inverse_power(__m256d magnitude)
{
    __m256i exponent = _mm256_and_si256(_mm256_castpd_si256(magnitude), _mm256_set1_epi64x(0x7ffLL << 52));
    return _mm256_castsi256_pd(_mm256_sub_epi64(_mm256_set1_epi64x(2046LL << 52), exponent));
}

/* wlu_inverse_power of each lane. */
static inline v8 v8_inverse_power(v8 magnitude)
{
    return (v8){v4_inverse_power(magnitude.lo), v4_inverse_power(magnitude.hi)};
}

static inline __m256d v4_max_bits(__m256d a, __m256d b)
{
    /* Magnitudes have no sign bit: signed comparison of the bits is their order. */
    __m256i greater = _mm256_cmpgt_epi64(_mm256_castpd_si256(b), _mm256_castpd_si256(a));
    return _mm256_blendv_pd(a, b, _mm256_castsi256_pd(greater));
}

/* Largest magnitudes by bit pattern, so that NaN beats infinity beats every number. */
static inline v8 v8_max_bits(v8 a, v8 magnitude)
{
    return (v8){v4_max_bits(a.lo, magnitude.lo), v4_max_bits(a.hi, magnitude.hi)};
}

/* a where it is greater than b, else b: a NaN in a is passed over. */
static inline v8 v8_greater_of(v8 a, v8 b)
{
    return (v8){_mm256_max_pd(a.lo, b.lo), _mm256_max_pd(a.hi, b.hi)};
}

/* Whether a is greater than b in all lanes. */
static inline int v8_all_greater(v8 a, v8 b)
{
    return (_mm256_movemask_pd(_mm256_cmp_pd(a.lo, b.lo, _CMP_GT_OQ)) &
            _mm256_movemask_pd(_mm256_cmp_pd(a.hi, b.hi, _CMP_GT_OQ))) == 0xf;
}

/* a where the lane of sign has its sign bit set, else b. */
static inline v8 v8_select(v8 sign, v8 a, v8 b)
{
    return (v8){_mm256_blendv_pd(b.lo, a.lo, sign.lo), _mm256_blendv_pd(b.hi, a.hi, sign.hi)};
}

/* Lane 0. */
static inline double v8_first(v8 a)
{
    return _mm256_cvtsd_f64(a.lo);
}

/* Lane c in every lane. */
static inline v8 v8_lane(v8 a, int c)
{
    __m256 half = _mm256_castpd_ps(c < 4 ? a.lo : a.hi);
    __m256d lane = _mm256_castps_pd(
        _mm256_permutevar8x32_ps(half, _mm256_set1_epi64x((int64_t)(2 * (c & 3)) | (int64_t)(2 * (c & 3) + 1) << 32)));
    return (v8){lane, lane};
}

static inline __m256d v4_from(__m256d a, int c)
{
    __m256i below = _mm256_cmpgt_epi64(_mm256_set1_epi64x(c), _mm256_setr_epi64x(0, 1, 2, 3));
    return _mm256_andnot_pd(_mm256_castsi256_pd(below), a);
}

/* Lanes from c on, zeros below. */
static inline v8 v8_from(v8 a, int c)
{
    return (v8){v4_from(a.lo, c), v4_from(a.hi, c - 4)};
}

/* Lanes above c of a, the others of x. */
static inline __m256d v4_above(__m256d x, __m256d a, int c)
{
    __m256i above = _mm256_cmpgt_epi64(_mm256_setr_epi64x(0, 1, 2, 3), _mm256_set1_epi64x(c));
    return _mm256_blendv_pd(x, a, _mm256_castsi256_pd(above));
}

static inline __m256d v4_put(__m256d x, __m256d a, int c)
{
    __m256i at = _mm256_cmpeq_epi64(_mm256_setr_epi64x(0, 1, 2, 3), _mm256_set1_epi64x(c));
    return _mm256_blendv_pd(x, a, _mm256_castsi256_pd(at));
}

/* -a * b + x in lanes above c, x in the others. */
static inline v8 v8_fnma_above(v8 a, v8 b, v8 x, int c)
{
    v8 all = v8_fnma(a, b, x);
    return (v8){v4_above(x.lo, all.lo, c), v4_above(x.hi, all.hi, c - 4)};
}

static inline v8 v8_fma_above(v8 a, v8 b, v8 x, int c)
{
    v8 all = v8_fma(a, b, x);
    return (v8){v4_above(x.lo, all.lo, c), v4_above(x.hi, all.hi, c - 4)};
}

/* Lane c of a, the others of x. */
static inline v8 v8_put(v8 x, v8 a, int c)
{
    return (v8){v4_put(x.lo, a.lo, c), v4_put(x.hi, a.hi, c - 4)};
}

static inline void v4_transpose(const __m256d *a, __m256d *t)
{
    __m256d p = _mm256_unpacklo_pd(a[0], a[1]), q = _mm256_unpackhi_pd(a[0], a[1]);
    __m256d r = _mm256_unpacklo_pd(a[2], a[3]), s = _mm256_unpackhi_pd(a[2], a[3]);
    t[0] = _mm256_permute2f128_pd(p, r, 0x20);
    t[1] = _mm256_permute2f128_pd(q, s, 0x20);
    t[2] = _mm256_permute2f128_pd(p, r, 0x31);
    t[3] = _mm256_permute2f128_pd(q, s, 0x31);
}

/* Lane c of a[k] goes to lane k of a[c]. */
static inline void v8_transpose(v8 *a)
{
    __m256d quarter[4][4], t[4][4];
    for (int k = 0; k < 4; k++) {
        quarter[0][k] = a[k].lo;
        quarter[1][k] = a[k + 4].lo;
        quarter[2][k] = a[k].hi;
        quarter[3][k] = a[k + 4].hi;
    }
    for (int q = 0; q < 4; q++) v4_transpose(quarter[q], t[q]);
    for (int k = 0; k < 4; k++) {
        a[k] = (v8){t[0][k], t[1][k]};
        a[k + 4] = (v8){t[2][k], t[3][k]};
    }
}

/* ((0+4)+(2+6)) + ((1+5)+(3+7)): the tree of opcodes.h. */
static inline double v8_tree(v8 a)
{
    __m256d h = _mm256_add_pd(a.lo, a.hi);
    __m128d q = _mm_add_pd(_mm256_castpd256_pd128(h), _mm256_extractf128_pd(h, 1));
    return _mm_cvtsd_f64(q) + _mm_cvtsd_f64(_mm_unpackhi_pd(q, q));
}

/* The trees of eight vectors. */
static inline v8 v8_trees(const v8 *a)
{
    __m256d h[8];
    for (int k = 0; k < 8; k++) h[k] = _mm256_add_pd(a[k].lo, a[k].hi);
    __m256d t[2];
    for (int k = 0; k < 2; k++) {
        const __m256d *b = h + 4 * k;
        __m256d p = _mm256_add_pd(_mm256_permute2f128_pd(b[0], b[2], 0x20), _mm256_permute2f128_pd(b[0], b[2], 0x31));
        __m256d q = _mm256_add_pd(_mm256_permute2f128_pd(b[1], b[3], 0x20), _mm256_permute2f128_pd(b[1], b[3], 0x31));
        t[k] = _mm256_add_pd(_mm256_unpacklo_pd(p, q), _mm256_unpackhi_pd(p, q));
    }
    return (v8){t[0], t[1]};
}
