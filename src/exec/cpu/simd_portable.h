/* Eight lanes of double in plain C: any machine, any compiler. fma() is the C library's, exact and, where the
 * processor has none, slow. The same functions as simd_avx512.h and simd_avx2.h. */
#include <math.h>
#include <string.h>

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
    V8_LANES(fma(a.e[k], b.e[k], c.e[k]));
}
static inline v8 v8_fnma(v8 a, v8 b, v8 c)
{
    V8_LANES(fma(-a.e[k], b.e[k], c.e[k]));
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

/* Lanes of row below c as they are, lane c from l, those above it -l * u + row. */
static inline v8 v8_eliminate(v8 row, v8 l, v8 u, int c)
{
    V8_LANES(k < c ? row.e[k] : k == c ? l.e[k] : fma(-l.e[k], u.e[k], row.e[k]));
}

/* The trees of eight vectors. */
static inline v8 v8_trees(const v8 *a)
{
    V8_LANES(v8_tree(a[k]));
}

#undef V8_LANES
