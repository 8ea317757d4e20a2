/* Eight lanes of double in plain C: any machine, any compiler. wlu_fused() is the C library's fma, exact
 * and, where the processor has none, slow. The same functions as simd_avx512.h and simd_avx2.h. */
#include <string.h>

#include "base/fused.h"
#include "exec/exec.h"

typedef struct v8 {
    double e[8];
} v8;

#define V8_LANES(expression) \
    v8 r; \
    for (int k = 0; k < 8; k++) r.e[k] = (expression); \
    return r

static inline v8 v8_zero(void)
{
    V8_LANES(0.0);
}
static inline v8 v8_set(double x)
{
    V8_LANES(x);
}
static inline v8 v8_load(const double *p)
{
    V8_LANES(p[k]);
}
static inline void v8_store(double *p, v8 x)
{
    memcpy(p, x.e, sizeof x.e);
}
static inline v8 v8_add(v8 a, v8 b)
{
    V8_LANES(a.e[k] + b.e[k]);
}
static inline v8 v8_mul(v8 a, v8 b)
{
    V8_LANES(a.e[k] * b.e[k]);
}
static inline v8 v8_div(v8 a, v8 b)
{
    V8_LANES(a.e[k] / b.e[k]);
}
static inline v8 v8_fma(v8 a, v8 b, v8 c)
{
    V8_LANES(wlu_fused(a.e[k], b.e[k], c.e[k]));
}
static inline v8 v8_fnma(v8 a, v8 b, v8 c)
{
    V8_LANES(wlu_fused(-a.e[k], b.e[k], c.e[k]));
}
static inline v8 v8_abs(v8 a)
{
    V8_LANES(fabs(a.e[k]));
}
static inline v8 v8_gather(const double *v, const int32_t *i)
{
    V8_LANES(v[i[k]]);
}
static inline v8 v8_gather_or_zero(const double *v, const int32_t *i)
{
    V8_LANES(i[k] < 0 ? 0.0 : v[i[k]]);
}

/* Of pairs, the first ones and the second ones. */
static inline void v8_of_pairs(const double *const *pair, v8 *first, v8 *second)
{
    for (int k = 0; k < 8; k++) {
        first->e[k] = pair[k][0];
        second->e[k] = pair[k][1];
    }
}

/* Numbers 0, 2, 4, 6 of both, then 1, 3, 5, 7, in turn; what takes apart eight pairs in an order of its own, and puts
 * them together again. */
static inline void v8_exchange(v8 a, v8 b, v8 *first, v8 *second)
{
    for (int k = 0; k < 8; k += 2) {
        first->e[k] = a.e[k];
        first->e[k + 1] = b.e[k];
        second->e[k] = a.e[k + 1];
        second->e[k + 1] = b.e[k + 1];
    }
}

/* Pairs (x, y) become (y, -x). */
static inline v8 v8_turned(v8 a)
{
    V8_LANES(k % 2 ? -a.e[k - 1] : a.e[k + 1]);
}

/* Pairs, from their first and second ones. */
static inline void v8_scatter_pairs(double *v, const int32_t *i, v8 first, v8 second)
{
    for (int k = 0; k < 8; k++) {
        v[2 * (int64_t)i[k]] = first.e[k];
        v[2 * (int64_t)i[k] + 1] = second.e[k];
    }
}

/* Pairs in a row, and their first and second ones. */
static inline void v8_apart(v8 a, v8 b, v8 *first, v8 *second)
{
    for (int k = 0; k < 8; k++) {
        const double *pair = k < 4 ? a.e + 2 * k : b.e + 2 * k - 8;
        first->e[k] = pair[0];
        second->e[k] = pair[1];
    }
}

static inline void v8_together(v8 first, v8 second, v8 *a, v8 *b)
{
    for (int k = 0; k < 8; k++) {
        double *pair = k < 4 ? a->e + 2 * k : b->e + 2 * k - 8;
        pair[0] = first.e[k];
        pair[1] = second.e[k];
    }
}

static inline void v8_scatter(double *v, const int32_t *i, v8 x)
{
    for (int k = 0; k < 8; k++) v[i[k]] = x.e[k];
}

/* Powers of two from the upper 16 bits of their doubles. */
static inline v8 v8_load_powers(const uint16_t *p)
{
    V8_LANES(wlu_double_of_bits((uint64_t)p[k] << 48));
}

/* wlu_inverse_power of each lane. */
static inline v8 v8_inverse_power(v8 magnitude)
{
    V8_LANES(wlu_inverse_power(magnitude.e[k]));
}

/* Largest magnitudes by bit pattern, so that NaN beats infinity beats every number. */
static inline v8 v8_max_bits(v8 a, v8 magnitude)
{
    V8_LANES(wlu_larger_bits(a.e[k], magnitude.e[k]));
}

/* a where it is greater than b, else b: a NaN in a is passed over. */
static inline v8 v8_greater_of(v8 a, v8 b)
{
    V8_LANES(a.e[k] > b.e[k] ? a.e[k] : b.e[k]);
}

/* Whether a is greater than b in all lanes. */
static inline int v8_all_greater(v8 a, v8 b)
{
    int all = 1;
    for (int k = 0; k < 8; k++) all &= a.e[k] > b.e[k];
    return all;
}

/* a where the lane of sign has its sign bit set, else b. */
static inline v8 v8_select(v8 sign, v8 a, v8 b)
{
    V8_LANES(signbit(sign.e[k]) ? a.e[k] : b.e[k]);
}

/* Lane c of a[k] goes to lane k of a[c]. */
static inline void v8_transpose(v8 *a)
{
    for (int k = 0; k < 8; k++)
        for (int c = 0; c < k; c++) {
            double x = a[k].e[c];
            a[k].e[c] = a[c].e[k];
            a[c].e[k] = x;
        }
}

/* ((0+4)+(2+6)) + ((1+5)+(3+7)): the tree of opcodes.h. */
static inline double v8_tree(v8 a)
{
    const double *e = a.e;
    return ((e[0] + e[4]) + (e[2] + e[6])) + ((e[1] + e[5]) + (e[3] + e[7]));
}

/* Lane 0. */
static inline double v8_first(v8 a)
{
    return a.e[0];
}

/* Lane c in every lane. */
static inline v8 v8_lane(v8 a, int c)
{
    V8_LANES(a.e[c]);
}

/* Lanes from c on, zeros below. */
static inline v8 v8_from(v8 a, int c)
{
    V8_LANES(k < c ? 0.0 : a.e[k]);
}

/* -a * b + x in lanes above c, x in the others. */
static inline v8 v8_fnma_above(v8 a, v8 b, v8 x, int c)
{
    V8_LANES(k > c ? wlu_fused(-a.e[k], b.e[k], x.e[k]) : x.e[k]);
}

static inline v8 v8_fma_above(v8 a, v8 b, v8 x, int c)
{
    V8_LANES(k > c ? wlu_fused(a.e[k], b.e[k], x.e[k]) : x.e[k]);
}

/* Lane c of a, the others of x. */
static inline v8 v8_put(v8 x, v8 a, int c)
{
    V8_LANES(k == c ? a.e[k] : x.e[k]);
}

/* The trees of eight vectors. */
static inline v8 v8_trees(const v8 *a)
{
    V8_LANES(v8_tree(a[k]));
}

#undef V8_LANES
