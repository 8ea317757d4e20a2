/* Eight lanes of double as four NEON registers, of AArch64, which has 32. The same functions as simd_avx512.h,
 * simd_avx2.h and simd_portable.h.
 *
 * Lanes that are named by a number are chosen when the code is compiled: kernels unroll the loops that number them
 * (V8_LANES_ARE_CONSTANTS). */
#include <arm_neon.h>
#include <math.h>

#define V8_LANES_ARE_CONSTANTS

typedef struct v8 {
    float64x2_t q0, q1, q2, q3;
} v8;

/* Of gathers, which compilers leave out of line where kernels are large. */
#define V8_INSTANCE static inline __attribute__((always_inline))

#define V8_OF(f, a) ((v8){f((a).q0), f((a).q1), f((a).q2), f((a).q3)})
#define V8_OF_TWO(f, a, b) ((v8){f((a).q0, (b).q0), f((a).q1, (b).q1), f((a).q2, (b).q2), f((a).q3, (b).q3)})
#define V8_OF_THREE(f, a, b, c) \
    ((v8){f((a).q0, (b).q0, (c).q0), f((a).q1, (b).q1, (c).q1), f((a).q2, (b).q2, (c).q2), f((a).q3, (b).q3, (c).q3)})

static inline v8 v8_of_one(float64x2_t a)
{
    return (v8){a, a, a, a};
}
static inline v8 v8_zero(void)
{
    return v8_of_one(vdupq_n_f64(0.0));
}
static inline v8 v8_set(double x)
{
    return v8_of_one(vdupq_n_f64(x));
}
static inline v8 v8_load(const double *p)
{
    return (v8){vld1q_f64(p), vld1q_f64(p + 2), vld1q_f64(p + 4), vld1q_f64(p + 6)};
}
static inline v8 v8_add(v8 a, v8 b)
{
    return V8_OF_TWO(vaddq_f64, a, b);
}
static inline v8 v8_mul(v8 a, v8 b)
{
    return V8_OF_TWO(vmulq_f64, a, b);
}
static inline v8 v8_div(v8 a, v8 b)
{
    return V8_OF_TWO(vdivq_f64, a, b);
}
static inline v8 v8_fma(v8 a, v8 b, v8 c)
{
    return V8_OF_THREE(vfmaq_f64, c, a, b);
}
static inline v8 v8_fnma(v8 a, v8 b, v8 c)
{
    return V8_OF_THREE(vfmsq_f64, c, a, b);
}
static inline v8 v8_abs(v8 a)
{
    return V8_OF(vabsq_f64, a);
}

static inline void v8_store(double *p, v8 x)
{
    vst1q_f64(p, x.q0);
    vst1q_f64(p + 2, x.q1);
    vst1q_f64(p + 4, x.q2);
    vst1q_f64(p + 6, x.q3);
}

V8_INSTANCE float64x2_t v2_gather(const double *a, const double *b)
{
    return vcombine_f64(vld1_f64(a), vld1_f64(b));
}

V8_INSTANCE v8 v8_gather(const double *v, const int32_t *i)
{
    return (v8){v2_gather(v + i[0], v + i[1]), v2_gather(v + i[2], v + i[3]), v2_gather(v + i[4], v + i[5]),
                v2_gather(v + i[6], v + i[7])};
}

/* 0 where the index is -1. */
V8_INSTANCE v8 v8_gather_or_zero(const double *v, const int32_t *i)
{
    static const double zero = 0.0;
    const double *p[8];
    for (int k = 0; k < 8; k++) p[k] = i[k] < 0 ? &zero : v + i[k];
    return (v8){v2_gather(p[0], p[1]), v2_gather(p[2], p[3]), v2_gather(p[4], p[5]), v2_gather(p[6], p[7])};
}

/* Of pairs, the first ones and the second ones. */
V8_INSTANCE void v8_of_pairs(const double *const *pair, v8 *first, v8 *second)
{
    v8 even = {vld1q_f64(pair[0]), vld1q_f64(pair[2]), vld1q_f64(pair[4]), vld1q_f64(pair[6])};
    v8 odd = {vld1q_f64(pair[1]), vld1q_f64(pair[3]), vld1q_f64(pair[5]), vld1q_f64(pair[7])};
    *first = V8_OF_TWO(vzip1q_f64, even, odd);
    *second = V8_OF_TWO(vzip2q_f64, even, odd);
}

/* Numbers 0, 2, 4, 6 of both, then 1, 3, 5, 7, in turn; what takes apart eight pairs in an order of its own, and puts
 * them together again. */
static inline void v8_exchange(v8 a, v8 b, v8 *first, v8 *second)
{
    *first = V8_OF_TWO(vzip1q_f64, a, b);
    *second = V8_OF_TWO(vzip2q_f64, a, b);
}

static inline float64x2_t v2_turned(float64x2_t a)
{
    const uint64x2_t sign = vcombine_u64(vcreate_u64(0), vcreate_u64(UINT64_C(1) << 63));
    return vreinterpretq_f64_u64(veorq_u64(vreinterpretq_u64_f64(vextq_f64(a, a, 1)), sign));
}

/* Pairs (x, y) become (y, -x). */
static inline v8 v8_turned(v8 a)
{
    return V8_OF(v2_turned, a);
}

/* Pairs, from their first and second ones. */
V8_INSTANCE void v8_scatter_pairs(double *v, const int32_t *i, v8 first, v8 second)
{
    v8 even = V8_OF_TWO(vzip1q_f64, first, second), odd = V8_OF_TWO(vzip2q_f64, first, second);
    vst1q_f64(v + 2 * (int64_t)i[0], even.q0);
    vst1q_f64(v + 2 * (int64_t)i[1], odd.q0);
    vst1q_f64(v + 2 * (int64_t)i[2], even.q1);
    vst1q_f64(v + 2 * (int64_t)i[3], odd.q1);
    vst1q_f64(v + 2 * (int64_t)i[4], even.q2);
    vst1q_f64(v + 2 * (int64_t)i[5], odd.q2);
    vst1q_f64(v + 2 * (int64_t)i[6], even.q3);
    vst1q_f64(v + 2 * (int64_t)i[7], odd.q3);
}

/* Pairs in a row, and their first and second ones. */
static inline void v8_apart(v8 a, v8 b, v8 *first, v8 *second)
{
    v8 even = {a.q0, a.q2, b.q0, b.q2}, odd = {a.q1, a.q3, b.q1, b.q3};
    *first = V8_OF_TWO(vuzp1q_f64, even, odd);
    *second = V8_OF_TWO(vuzp2q_f64, even, odd);
}

static inline void v8_together(v8 first, v8 second, v8 *a, v8 *b)
{
    v8 even = V8_OF_TWO(vzip1q_f64, first, second), odd = V8_OF_TWO(vzip2q_f64, first, second);
    *a = (v8){even.q0, odd.q0, even.q1, odd.q1};
    *b = (v8){even.q2, odd.q2, even.q3, odd.q3};
}

static inline void v2_scatter(double *a, double *b, float64x2_t x)
{
    vst1q_lane_f64(a, x, 0);
    vst1q_lane_f64(b, x, 1);
}

V8_INSTANCE void v8_scatter(double *v, const int32_t *i, v8 x)
{
    v2_scatter(v + i[0], v + i[1], x.q0);
    v2_scatter(v + i[2], v + i[3], x.q1);
    v2_scatter(v + i[4], v + i[5], x.q2);
    v2_scatter(v + i[6], v + i[7], x.q3);
}

/* Powers of two from the upper 16 bits of their doubles: zeros go below them. */
static inline v8 v8_load_powers(const uint16_t *p)
{
    const uint16x8_t none = vdupq_n_u16(0), upper = vld1q_u16(p);
    const uint32x4_t zero = vreinterpretq_u32_u16(none), lo = vreinterpretq_u32_u16(vzip1q_u16(none, upper)),
                     hi = vreinterpretq_u32_u16(vzip2q_u16(none, upper));
    return (v8){vreinterpretq_f64_u32(vzip1q_u32(zero, lo)), vreinterpretq_f64_u32(vzip2q_u32(zero, lo)),
                vreinterpretq_f64_u32(vzip1q_u32(zero, hi)), vreinterpretq_f64_u32(vzip2q_u32(zero, hi))};
}

static inline float64x2_t v2_inverse_power(float64x2_t magnitude)
{
    uint64x2_t exponent = vandq_u64(vreinterpretq_u64_f64(magnitude), vdupq_n_u64(UINT64_C(0x7ff) << 52));
    return vreinterpretq_f64_u64(vsubq_u64(vdupq_n_u64(UINT64_C(2046) << 52), exponent));
}

/* wlu_inverse_power of each lane. */
static inline v8 v8_inverse_power(v8 magnitude)
{
    return V8_OF(v2_inverse_power, magnitude);
}

static inline float64x2_t v2_max_bits(float64x2_t a, float64x2_t b)
{
    return vbslq_f64(vcgtq_u64(vreinterpretq_u64_f64(b), vreinterpretq_u64_f64(a)), b, a);
}

/* Largest magnitudes by bit pattern, so that NaN beats infinity beats every number. */
static inline v8 v8_max_bits(v8 a, v8 magnitude)
{
    return V8_OF_TWO(v2_max_bits, a, magnitude);
}

static inline float64x2_t v2_greater_of(float64x2_t a, float64x2_t b)
{
    return vbslq_f64(vcgtq_f64(a, b), a, b);
}

/* a where it is greater than b, else b: a NaN in a is passed over. */
static inline v8 v8_greater_of(v8 a, v8 b)
{
    return V8_OF_TWO(v2_greater_of, a, b);
}

/* Whether a is greater than b in all lanes. */
static inline int v8_all_greater(v8 a, v8 b)
{
    uint64x2_t lo = vandq_u64(vcgtq_f64(a.q0, b.q0), vcgtq_f64(a.q1, b.q1));
    uint64x2_t hi = vandq_u64(vcgtq_f64(a.q2, b.q2), vcgtq_f64(a.q3, b.q3));
    return vminvq_u32(vreinterpretq_u32_u64(vandq_u64(lo, hi))) != 0;
}

static inline float64x2_t v2_select(float64x2_t sign, float64x2_t a, float64x2_t b)
{
    return vbslq_f64(vcltzq_s64(vreinterpretq_s64_f64(sign)), a, b);
}

/* a where the lane of sign has its sign bit set, else b. */
static inline v8 v8_select(v8 sign, v8 a, v8 b)
{
    return V8_OF_THREE(v2_select, sign, a, b);
}

/* Lane 0. */
static inline double v8_first(v8 a)
{
    return vgetq_lane_f64(a.q0, 0);
}

/* Lane c in every lane. */
static inline v8 v8_lane(v8 a, int c)
{
    float64x2_t of = c < 4 ? (c < 2 ? a.q0 : a.q1) : (c < 6 ? a.q2 : a.q3);
    return v8_of_one(c % 2 ? vdupq_laneq_f64(of, 1) : vdupq_laneq_f64(of, 0));
}

/* Functions of a quarter: lane c of eight is its lane c less what stands before it, which may be none of its two. */
static inline float64x2_t v2_from(float64x2_t a, int c)
{
    return c <= 0 ? a : c == 1 ? vsetq_lane_f64(0.0, a, 0) : vdupq_n_f64(0.0);
}

static inline float64x2_t v2_above(float64x2_t x, float64x2_t a, int c)
{
    return c < 0 ? a : c == 0 ? vcopyq_laneq_f64(x, 1, a, 1) : x;
}

static inline float64x2_t v2_put(float64x2_t x, float64x2_t a, int c)
{
    return c == 0 ? vcopyq_laneq_f64(x, 0, a, 0) : c == 1 ? vcopyq_laneq_f64(x, 1, a, 1) : x;
}

/* Lanes from c on, zeros below. */
static inline v8 v8_from(v8 a, int c)
{
    return (v8){v2_from(a.q0, c), v2_from(a.q1, c - 2), v2_from(a.q2, c - 4), v2_from(a.q3, c - 6)};
}

/* Lanes above c of a, the others of x. */
static inline v8 v8_above(v8 x, v8 a, int c)
{
    return (v8){v2_above(x.q0, a.q0, c), v2_above(x.q1, a.q1, c - 2), v2_above(x.q2, a.q2, c - 4),
                v2_above(x.q3, a.q3, c - 6)};
}

/* -a * b + x in lanes above c, x in the others. */
static inline v8 v8_fnma_above(v8 a, v8 b, v8 x, int c)
{
    return v8_above(x, v8_fnma(a, b, x), c);
}

static inline v8 v8_fma_above(v8 a, v8 b, v8 x, int c)
{
    return v8_above(x, v8_fma(a, b, x), c);
}

/* Lane c of a, the others of x. */
static inline v8 v8_put(v8 x, v8 a, int c)
{
    return (v8){v2_put(x.q0, a.q0, c), v2_put(x.q1, a.q1, c - 2), v2_put(x.q2, a.q2, c - 4), v2_put(x.q3, a.q3, c - 6)};
}

/* Lane c of a[k] goes to lane k of a[c]. */
static inline void v8_transpose(v8 *a)
{
    v8 even[4], odd[4];
    for (int k = 0; k < 4; k++) {
        even[k] = V8_OF_TWO(vzip1q_f64, a[2 * k], a[2 * k + 1]);
        odd[k] = V8_OF_TWO(vzip2q_f64, a[2 * k], a[2 * k + 1]);
    }
    a[0] = (v8){even[0].q0, even[1].q0, even[2].q0, even[3].q0};
    a[1] = (v8){odd[0].q0, odd[1].q0, odd[2].q0, odd[3].q0};
    a[2] = (v8){even[0].q1, even[1].q1, even[2].q1, even[3].q1};
    a[3] = (v8){odd[0].q1, odd[1].q1, odd[2].q1, odd[3].q1};
    a[4] = (v8){even[0].q2, even[1].q2, even[2].q2, even[3].q2};
    a[5] = (v8){odd[0].q2, odd[1].q2, odd[2].q2, odd[3].q2};
    a[6] = (v8){even[0].q3, even[1].q3, even[2].q3, even[3].q3};
    a[7] = (v8){odd[0].q3, odd[1].q3, odd[2].q3, odd[3].q3};
}

/* Both sums of four of the tree. */
static inline float64x2_t v8_fours(v8 a)
{
    return vaddq_f64(vaddq_f64(a.q0, a.q2), vaddq_f64(a.q1, a.q3));
}

/* ((0+4)+(2+6)) + ((1+5)+(3+7)): the tree of opcodes.h. */
static inline double v8_tree(v8 a)
{
    return vpaddd_f64(v8_fours(a));
}

/* The trees of eight vectors. */
static inline v8 v8_trees(const v8 *a)
{
    return (v8){vpaddq_f64(v8_fours(a[0]), v8_fours(a[1])), vpaddq_f64(v8_fours(a[2]), v8_fours(a[3])),
                vpaddq_f64(v8_fours(a[4]), v8_fours(a[5])), vpaddq_f64(v8_fours(a[6]), v8_fours(a[7]))};
}

#undef V8_INSTANCE
#undef V8_OF
#undef V8_OF_TWO
#undef V8_OF_THREE
