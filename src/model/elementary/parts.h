/* Parts that elementary functions share: polynomials, exact sums and products, signs, the two halves of exp and log.
 *
 * Source of the exact operations: Dekker 1971; Knuth 1969; of the reductions: Cody and Waite, Software Manual for
 * the Elementary Functions, 1980; Muller, Elementary Functions, 2016, chapters 4 and 11. */
#include "model/elementary/coefficients.h"
#include "model/elementary/signs.h"

#define WLM_ONE_BITS 0x3ff0000000000000

/* A number as the sum of two; low is at most about half an ulp of high. */
typedef struct wlm_pair {
    V high, low;
} wlm_pair;

WLM_INLINE V wlm_infinity(void)
{
    return v_of_bits(i_set(0x7ff0000000000000));
}
WLM_INLINE V wlm_nan(void)
{
    return v_of_bits(i_set(0x7ff8000000000000));
}

/* c[first] + c[first + step] x + ..., of the coefficients below count, by Horner's rule. */
WLM_INLINE V wlm_horner(V x, const double *c, int count, int first, int step)
{
    int k = first + (count - 1 - first) / step * step;
    V p = v_set(c[k]);
    while ((k -= step) >= 0) p = v_fma(p, x, v_set(c[k]));
    return p;
}
WLM_INLINE V wlm_polynomial(V x, const double *c, int count)
{
    return wlm_horner(x, c, count, 0, 1);
}
/* Sums even and odd powers apart, so that they do not wait for one another: with AVX-512 exp takes 0.54 ns a number in
 * place of 0.58, log 1.10 in place of 1.32. square is x^2. */
WLM_INLINE V wlm_long_polynomial(V x, V square, const double *c, int count)
{
    return v_fma(wlm_horner(square, c, count, 1, 2), x, wlm_horner(square, c, count, 0, 2));
}

/* a + b exactly, where |a| >= |b| or a = 0. */
WLM_INLINE wlm_pair wlm_fast_sum(V a, V b)
{
    V high = v_add(a, b);
    return (wlm_pair){high, v_sub(b, v_sub(high, a))};
}
/* a + b exactly. */
WLM_INLINE wlm_pair wlm_sum(V a, V b)
{
    V high = v_add(a, b), of_b = v_sub(high, a);
    return (wlm_pair){high, v_add(v_sub(a, v_sub(high, of_b)), v_sub(b, of_b))};
}
/* a b exactly, but for underflow. */
WLM_INLINE wlm_pair wlm_product(V a, V b)
{
    V high = v_mul(a, b);
    return (wlm_pair){high, v_fms(a, b, high)};
}
/* a b for pairs. */
WLM_INLINE wlm_pair wlm_pair_product(wlm_pair a, wlm_pair b)
{
    wlm_pair p = wlm_product(a.high, b.high);
    p.low = v_fma(a.high, b.low, v_fma(a.low, b.high, p.low));
    return p;
}
/* The quotient of pairs is q + rest inverse. */
typedef struct wlm_division {
    V q, rest, inverse;
} wlm_division;

WLM_INLINE wlm_division wlm_divide(wlm_pair a, wlm_pair b)
{
    V inverse = v_div(v_set(1.0), b.high), q = v_mul(a.high, inverse);
    return (wlm_division){q, v_add(v_fnma(q, b.high, a.high), v_fnma(q, b.low, a.low)), inverse};
}
/* a / b for pairs, nearly correctly rounded. */
WLM_INLINE V wlm_quotient(wlm_pair a, wlm_pair b)
{
    wlm_division d = wlm_divide(a, b);
    return v_fma(d.rest, d.inverse, d.q);
}

/* v_scale takes k + WLM_SHIFT, which rounds k to a whole number and has k + 2046 in its lowest bits. */
#define WLM_SHIFT (0x1.8p52 + 2046.0)
#define WLM_LN2_HIGH 0x1.62e42fefa38p-1 /* 42 bits, so that its products with exponents are exact */
#define WLM_LN2_LOW 0x1.ef35793c7673p-45

/* exp(x + low) = 2^k exp(r + rest), |r| <= ln(2) / 2 or hardly more; rest is what r was rounded by. */
typedef struct wlm_reduced {
    V k, shifted, r, rest;
} wlm_reduced;

WLM_INLINE wlm_reduced wlm_reduce_exp(V x, V low)
{
    V shifted = v_fma(x, v_set(0x1.71547652b82fep0), v_set(WLM_SHIFT));
    V k = v_sub(shifted, v_set(WLM_SHIFT));
    V high = v_fnma(k, v_set(WLM_LN2_HIGH), x), minor = v_fnma(k, v_set(WLM_LN2_LOW), low);
    V r = v_add(high, minor);
    return (wlm_reduced){k, shifted, r, v_add(v_sub(high, r), minor)};
}

/* (exp(r) - 1 - r) / r^2 */
WLM_INLINE V wlm_exp_tail(V r)
{
    return wlm_long_polynomial(r, v_mul(r, r), wlm_c_exp, 10);
}
/* exp(r) */
WLM_INLINE V wlm_exp_reduced(V r)
{
    return v_fma(v_fma(wlm_exp_tail(r), r, v_set(1.0)), r, v_set(1.0));
}
/* Keeps x between low and high; NaN stays NaN. */
WLM_INLINE V wlm_clamp(double low, V x, double high)
{
    return v_max(v_set(low), v_min(v_set(high), x));
}

/* x = 2^k (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), where x is positive; else k and f mean nothing. */
typedef struct wlm_split {
    V k, f;
} wlm_split;

#define WLM_ROOT_BITS 0x3fe6a09e667f3bcd /* the bits of sqrt(1/2) */

WLM_INLINE wlm_split wlm_split_log(V x)
{
    M subnormal = v_less(x, v_set(0x1p-1022));
    I bits = v_bits(v_select(subnormal, v_mul(x, v_set(0x1p54)), x));
    I sum = i_add(bits, i_set(WLM_ONE_BITS - WLM_ROOT_BITS));
    I exponent = i_or(i_right(sum, 52), i_set(0x4330000000000000)); /* 2^52 + k + 1023 as a double */
    V offset = v_select(subnormal, v_set(0x1p52 + 1023.0 + 54.0), v_set(0x1p52 + 1023.0));
    I mantissa = i_add(i_and(sum, i_set(0x000fffffffffffff)), i_set(WLM_ROOT_BITS));
    return (wlm_split){v_sub(v_of_bits(exponent), offset), v_sub(v_of_bits(mantissa), v_set(1.0))};
}

/* (log(1 + f) - f) / f^2; the largest term is added last, for an error of log below 0.9 ulp. */
WLM_INLINE V wlm_log_tail(V f, V square)
{
    return v_fma(wlm_long_polynomial(f, square, wlm_c_log + 1, 20), f, v_set(wlm_c_log[0]));
}
/* Returns the logarithm r of x where x is positive and finite, else what IEEE 754 says. */
WLM_INLINE V wlm_log_special(V x, V r)
{
    V positive = v_select(v_less(x, wlm_infinity()), r, x);
    V other = v_select(v_equal(x, v_set(0.0)), v_of_bits(i_set(0xfff0000000000000)), wlm_nan());
    return v_select(v_less(v_set(0.0), x), positive, other);
}
