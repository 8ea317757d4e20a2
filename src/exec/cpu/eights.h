/* Eight numbers side by side, n8: the operations of base/number.h by lanes, for kernels of replays and of batches. The
 * including file defines v8 and its functions (simd_*.h).
 *
 * Real numbers are a v8. Complex ones are two: real parts and imaginary parts. In memory the parts of a number stand
 * side by side, in slots as in the caller's arrays: a gather is eight loads of a pair each, which is less than one of
 * eight doubles takes on many machines, and what is contiguous is taken apart in registers. */
#include "base/number.h"

/* Where number k of those at v stands. */
static inline double *numbers_from(double *v, int64_t k)
{
    return v + WLU_NUMBER_REALS * k;
}

/* a - b. */
static inline v8 lanes_minus(v8 a, v8 b)
{
    return v8_fnma(b, v8_set(1.0), a);
}

#ifdef WLU_COMPLEX
typedef struct n8 {
    v8 re, im;
} n8;

static inline n8 n8_zero(void)
{
    return (n8){v8_zero(), v8_zero()};
}

static inline n8 n8_set(wlu_number a)
{
    return (n8){v8_set(a.re), v8_set(a.im)};
}

static inline n8 n8_load(const double *x)
{
    n8 a;
    v8_apart(v8_load(x), v8_load(x + 8), &a.re, &a.im);
    return a;
}

static inline void n8_store(double *x, n8 a)
{
    v8 first, second;
    v8_together(a.re, a.im, &first, &second);
    v8_store(x, first);
    v8_store(x + 8, second);
}

/* Eight numbers in a row as they stand in memory, four a register; and beside them, turned, what imaginary parts of
 * factors multiply: (im, -re) of each. */
typedef struct row8 {
    v8 first, second;
} row8;

typedef struct turned8 {
    row8 as_is, turned;
} turned8;

static inline row8 row8_load(const double *x)
{
    return (row8){v8_load(x), v8_load(x + 8)};
}

static inline void row8_store(double *x, row8 a)
{
    v8_store(x, a.first);
    v8_store(x + 8, a.second);
}

static inline turned8 row8_turned(row8 a)
{
    return (turned8){a, {v8_turned(a.first), v8_turned(a.second)}};
}

/* a - l u, for a number l in memory; as n8_fnma. */
WLU_UNROLLED row8 row8_fnma(const double *l, const turned8 *u, row8 a)
{
    v8 re = v8_set(l[0]), im = v8_set(l[1]);
    return (row8){v8_fma(im, u->turned.first, v8_fnma(re, u->as_is.first, a.first)),
                  v8_fma(im, u->turned.second, v8_fnma(re, u->as_is.second, a.second))};
}

/* Sizes, in an order of their own. */
static inline v8 row8_sizes(row8 a)
{
    v8 re, im;
    v8_exchange(a.first, a.second, &re, &im);
    return v8_max_bits(v8_abs(re), v8_abs(im));
}

/* Sizes of that order, by columns. */
static inline v8 in_order_of_columns(v8 a)
{
    double e[8], own[8];
    v8_store(e, a);
    for (int k = 0; k < 8; k++) own[k] = e[k < 4 ? 2 * k : 2 * k - 7];
    return v8_load(own);
}

/* Eight real parts, then eight imaginary ones. */
static inline n8 n8_load_parts(const double *x)
{
    return (n8){v8_load(x), v8_load(x + 8)};
}

static inline void n8_store_parts(double *x, n8 a)
{
    v8_store(x, a.re);
    v8_store(x + 8, a.im);
}

WLU_UNROLLED n8 n8_gather(const double *x, const int32_t *i)
{
    const double *pair[8];
    n8 a;
    for (int k = 0; k < 8; k++) pair[k] = x + 2 * (int64_t)i[k];
    v8_of_pairs(pair, &a.re, &a.im);
    return a;
}

/* 0 where the index is -1. */
WLU_UNROLLED n8 n8_gather_or_zero(const double *x, const int32_t *i)
{
    static const double zero[2] = {0.0, 0.0};
    const double *pair[8];
    n8 a;
    for (int k = 0; k < 8; k++) pair[k] = i[k] < 0 ? zero : x + 2 * (int64_t)i[k];
    v8_of_pairs(pair, &a.re, &a.im);
    return a;
}

WLU_UNROLLED void n8_scatter(double *x, const int32_t *i, n8 a)
{
    v8_scatter_pairs(x, i, a.re, a.im);
}

static inline n8 n8_add(n8 a, n8 b)
{
    return (n8){v8_add(a.re, b.re), v8_add(a.im, b.im)};
}

static inline n8 n8_sub(n8 a, n8 b)
{
    return (n8){lanes_minus(a.re, b.re), lanes_minus(a.im, b.im)};
}

WLU_UNROLLED n8 n8_fma(n8 a, n8 b, n8 c)
{
    return (n8){v8_fnma(a.im, b.im, v8_fma(a.re, b.re, c.re)), v8_fma(a.im, b.re, v8_fma(a.re, b.im, c.im))};
}

WLU_UNROLLED n8 n8_fnma(n8 a, n8 b, n8 c)
{
    return (n8){v8_fma(a.im, b.im, v8_fnma(a.re, b.re, c.re)), v8_fnma(a.im, b.re, v8_fnma(a.re, b.im, c.im))};
}

static inline n8 n8_mul(n8 a, n8 b)
{
    return (n8){v8_fnma(a.im, b.im, v8_mul(a.re, b.re)), v8_fma(a.im, b.re, v8_mul(a.re, b.im))};
}

static inline n8 n8_scaled(v8 by, n8 a)
{
    return (n8){v8_mul(by, a.re), v8_mul(by, a.im)};
}

static inline n8 n8_settled(n8 a)
{
    return n8_add(a, n8_zero());
}

WLU_UNROLLED v8 n8_size(n8 a)
{
    return v8_max_bits(v8_abs(a.re), v8_abs(a.im));
}

static inline v8 n8_inner_modulus(n8 a)
{
    const v8 root = v8_set(0.70710678118654746);
    v8 re = v8_abs(a.re), im = v8_abs(a.im);
    return v8_max_bits(v8_max_bits(re, im), v8_fma(root, re, v8_mul(root, im)));
}

static inline v8 n8_modulus_bound(n8 a)
{
    const v8 root = v8_set(0.70710678118654757);
    v8 re = v8_abs(a.re), im = v8_abs(a.im), across = v8_fma(root, re, v8_mul(root, im));
    return v8_mul(v8_set(1.0823922002923942), v8_max_bits(v8_max_bits(re, im), across));
}

static inline n8 n8_inverse(n8 a)
{
    v8 scale = v8_greater_of(v8_inverse_power(n8_size(a)), v8_set(0x1p-1022));
    n8 s = n8_scaled(scale, a);
    v8 inverse = v8_div(v8_set(1.0), v8_fma(s.re, s.re, v8_mul(s.im, s.im)));
    return (n8){v8_mul(scale, v8_mul(s.re, inverse)), v8_mul(v8_mul(scale, v8_set(-1.0)), v8_mul(s.im, inverse))};
}

static inline wlu_number n8_tree(n8 a)
{
    return wlu_number_of(v8_tree(a.re), v8_tree(a.im));
}

static inline void parts_of_eight(const n8 *a, v8 *re, v8 *im)
{
    for (int k = 0; k < 8; k++) {
        re[k] = a[k].re;
        im[k] = a[k].im;
    }
}

/* The trees of eight. */
static inline n8 n8_trees(const n8 *a)
{
    v8 re[8], im[8];
    parts_of_eight(a, re, im);
    return (n8){v8_trees(re), v8_trees(im)};
}

/* Lane c of a[k] goes to lane k of a[c]. */
static inline void n8_transpose(n8 *a)
{
    v8 re[8], im[8];
    parts_of_eight(a, re, im);
    v8_transpose(re);
    v8_transpose(im);
    for (int k = 0; k < 8; k++) a[k] = (n8){re[k], im[k]};
}

/* Lane c in every lane. */
static inline n8 n8_lane(n8 a, int c)
{
    return (n8){v8_lane(a.re, c), v8_lane(a.im, c)};
}

static inline wlu_number n8_first(n8 a)
{
    return wlu_number_of(v8_first(a.re), v8_first(a.im));
}

/* Lanes of row below c as they are, lane c from l, those above it row - l u. */
WLU_UNROLLED n8 n8_eliminate(n8 row, n8 l, n8 u, int c)
{
    v8 re = v8_fma_above(l.im, u.im, v8_fnma_above(l.re, u.re, row.re, c), c);
    v8 im = v8_fnma_above(l.im, u.re, v8_fnma_above(l.re, u.im, row.im, c), c);
    return (n8){v8_put(re, l.re, c), v8_put(im, l.im, c)};
}
#else
typedef v8 n8;
#define n8_zero v8_zero
#define n8_set v8_set
#define n8_load v8_load
#define n8_store v8_store
typedef v8 row8;
typedef v8 turned8;
#define row8_load v8_load
#define row8_store v8_store
#define row8_turned(a) (a)
#define row8_fnma(l, u, a) v8_fnma(v8_set(*(l)), *(u), (a))
#define row8_sizes v8_abs
#define in_order_of_columns(a) (a)
#define n8_load_parts v8_load
#define n8_store_parts v8_store
#define n8_gather v8_gather
#define n8_gather_or_zero v8_gather_or_zero
#define n8_scatter v8_scatter
#define n8_add v8_add
#define n8_sub lanes_minus
#define n8_fma v8_fma
#define n8_fnma v8_fnma
#define n8_mul v8_mul
#define n8_scaled v8_mul
#define n8_settled(a) (a)
#define n8_size v8_abs
#define n8_modulus_bound v8_abs
#define n8_inner_modulus v8_abs
#define n8_inverse(a) v8_div(v8_set(1.0), (a))
#define n8_tree v8_tree
#define n8_trees v8_trees
#define n8_transpose v8_transpose
#define n8_lane v8_lane
#define n8_first v8_first
WLU_UNROLLED n8 n8_eliminate(n8 row, n8 l, n8 u, int c)
{
    return v8_put(v8_fnma_above(l, u, row, c), l, c);
}
#endif

/* The tree of each lane. */
static inline n8 lanes_tree(const n8 *a)
{
    return n8_add(n8_add(n8_add(a[0], a[4]), n8_add(a[2], a[6])), n8_add(n8_add(a[1], a[5]), n8_add(a[3], a[7])));
}
