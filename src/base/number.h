/* The numbers that a matrix is of: one wlu_real each, or in what is compiled with WLU_COMPLEX two, the real part first,
 * as C99 and CUDA have them. One text, compiled for each; arrays of doubles hold them part by part.
 *
 * Rounding (docs/instruction-set.md): a complex multiply-subtract is four fused ones, two in turn for each part; a
 * product two products and two fused terms. The inverse is taken of the number scaled by a power of two, so that
 * nothing overflows or underflows on the way where the result does not.
 *
 * A number's size is the magnitude of its larger part: no more than the modulus, and no less than it by more than the
 * root of two. Guards, pivots and scales go by sizes; who needs a modulus from above takes wlu_modulus_bound, and a
 * close one from below wlu_inner_modulus. */
#ifndef WLU_BASE_NUMBER_H
#define WLU_BASE_NUMBER_H

#include "base/real.h"

#ifdef WLU_COMPLEX
#ifdef WLU_SINGLE
#error "complex numbers are of doubles"
#endif
#if defined(__CUDACC__)
#define WLU_AT_ONCE __align__(16) /* read and written at once */
#else
#define WLU_AT_ONCE
#endif
typedef struct WLU_AT_ONCE wlu_number {
    wlu_real re, im;
} wlu_number;
enum { WLU_NUMBER_REALS = 2 };
/* A name of this type's: of what is linked beside the others'. */
#define WLU_NUMBER_NAME(name) WLU_COMPLEX_NAME(name)
#define WLU_COMPLEX_NAME(name) name##_complex

/* The number of these parts. */
WLU_PORTABLE wlu_number wlu_number_of(wlu_real re, wlu_real im)
{
    wlu_number x = {re, im};
    return x;
}

/* Number k of doubles that stand part by part. */
WLU_PORTABLE wlu_number wlu_number_at(const double *x, int64_t k)
{
    return wlu_number_of(x[2 * k], x[2 * k + 1]);
}

WLU_PORTABLE void wlu_number_put(double *x, int64_t k, wlu_number a)
{
    x[2 * k] = a.re;
    x[2 * k + 1] = a.im;
}

WLU_PORTABLE wlu_number wlu_add(wlu_number a, wlu_number b)
{
    return wlu_number_of(WLU_ADD(a.re, b.re), WLU_ADD(a.im, b.im));
}

WLU_PORTABLE wlu_number wlu_sub(wlu_number a, wlu_number b)
{
    return wlu_number_of(WLU_SUB(a.re, b.re), WLU_SUB(a.im, b.im));
}

WLU_PORTABLE wlu_number wlu_negated(wlu_number a)
{
    return wlu_number_of(-a.re, -a.im);
}

/* a b + c: a.re times b first. */
WLU_PORTABLE wlu_number wlu_fma(wlu_number a, wlu_number b, wlu_number c)
{
    return wlu_number_of(WLU_FMA(-a.im, b.im, WLU_FMA(a.re, b.re, c.re)),
                         WLU_FMA(a.im, b.re, WLU_FMA(a.re, b.im, c.im)));
}

/* c - a b, in the same order. */
WLU_PORTABLE wlu_number wlu_fnma(wlu_number a, wlu_number b, wlu_number c)
{
    return wlu_number_of(WLU_FMA(a.im, b.im, WLU_FMA(-a.re, b.re, c.re)),
                         WLU_FMA(-a.im, b.re, WLU_FMA(-a.re, b.im, c.im)));
}

WLU_PORTABLE wlu_number wlu_mul(wlu_number a, wlu_number b)
{
    return wlu_number_of(WLU_FMA(-a.im, b.im, WLU_MUL(a.re, b.re)), WLU_FMA(a.im, b.re, WLU_MUL(a.re, b.im)));
}

/* The same where nothing is fused: products and their sum are rounded. */
WLU_PORTABLE wlu_number wlu_product(wlu_number a, wlu_number b)
{
    return wlu_number_of(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
}

/* Both parts times a real number, as loads and stores are scaled. */
WLU_PORTABLE wlu_number wlu_scaled(wlu_real by, wlu_number a)
{
    return wlu_number_of(WLU_MUL(by, a.re), WLU_MUL(by, a.im));
}

/* Without the signs of zeros, which a complex chain's padding does not keep. Real chains keep them. */
WLU_PORTABLE wlu_number wlu_settled(wlu_number a)
{
    return wlu_add(a, wlu_number_of(0.0, 0.0));
}

/* The magnitude of the larger part, by bits: a NaN in either stays. */
WLU_PORTABLE double wlu_size(wlu_number a)
{
    return wlu_larger_bits(fabs(a.re), fabs(a.im));
}

/* No less than the modulus, and at most 8.3 % more: by the octagon around the circle. */
WLU_PORTABLE double wlu_modulus_bound(wlu_number a)
{
    double re = fabs(a.re), im = fabs(a.im);
    double across = WLU_DOUBLE_FMA(0.70710678118654757, re, WLU_DOUBLE_MUL(0.70710678118654757, im));
    return WLU_DOUBLE_MUL(1.0823922002923942, wlu_larger_bits(wlu_larger_bits(re, im), across));
}

/* No more than the modulus, and at most 7.6 % less: by the octagon within the circle. */
WLU_PORTABLE double wlu_inner_modulus(wlu_number a)
{
    double re = fabs(a.re), im = fabs(a.im);
    double across = WLU_DOUBLE_FMA(0.70710678118654746, re, WLU_DOUBLE_MUL(0.70710678118654746, im));
    return wlu_larger_bits(wlu_larger_bits(re, im), across);
}

/* What brings a size close to 1: 2^-e for one in [2^e, 2^(e + 1)), no less than 2^-1022. */
WLU_PORTABLE double wlu_inverse_size(double size)
{
    uint64_t exponent = wlu_bits_of_double(size) >> 52;
    return wlu_double_of_bits((exponent < 2045 ? 2046 - exponent : 1) << 52);
}

/* 1 / a. */
WLU_PORTABLE wlu_number wlu_invert(wlu_number a)
{
    double scale = wlu_inverse_size(wlu_size(a));
    wlu_number s = wlu_scaled(scale, a);
    double inverse = WLU_DOUBLE_INVERT(WLU_DOUBLE_FMA(s.re, s.re, WLU_DOUBLE_MUL(s.im, s.im)));
    return wlu_scaled(scale, wlu_number_of(WLU_DOUBLE_MUL(s.re, inverse), WLU_DOUBLE_MUL(-s.im, inverse)));
}

/* A number of the caller's: of doubles, whatever slots are of. */
typedef wlu_number wlu_wide;
#define WLU_WIDE_OF(a) (a)
#define WLU_NUMBER_OF_WIDE(a) (a)
#define WLU_WIDE_ADD(a, b) wlu_add((a), (b))
#define WLU_WIDE_SUB(a, b) wlu_sub((a), (b))
#define WLU_WIDE_FMA(a, b, c) wlu_fma((a), (b), (c))
#define WLU_WIDE_SCALED(by, a) wlu_scaled((by), (a))
#define WLU_WIDE_SIZE(a) wlu_size(a)
#define WLU_WIDE_MODULUS_BOUND(a) wlu_modulus_bound(a)
#define WLU_WIDE_INNER_MODULUS(a) wlu_inner_modulus(a)
#define wlu_wide_of(re, im) wlu_number_of(re, im)
#define wlu_wide_at(x, k) wlu_number_at((x), (k))
#define wlu_wide_put(x, k, a) wlu_number_put((x), (k), (a))
#else
typedef wlu_real wlu_number;
enum { WLU_NUMBER_REALS = 1 };
#define WLU_NUMBER_NAME(name) WLU_REAL_NAME(name)
#define wlu_number_of(re, im) (re)
#define wlu_number_at(x, k) ((wlu_number)(x)[k])
#define wlu_number_put(x, k, a) ((void)((x)[k] = (a)))
#define wlu_add(a, b) WLU_ADD(a, b)
#define wlu_sub(a, b) WLU_SUB(a, b)
#define wlu_negated(a) (-(a))
#define wlu_fma(a, b, c) WLU_FMA(a, b, c)
#define wlu_fnma(a, b, c) WLU_FMA(-(a), b, c)
#define wlu_mul(a, b) WLU_MUL(a, b)
#define wlu_product(a, b) ((a) * (b))
#define wlu_scaled(by, a) WLU_MUL(by, a)
#define wlu_settled(a) (a)
#define wlu_size(a) fabs(a)
#define wlu_modulus_bound(a) fabs(a)
#define wlu_inner_modulus(a) fabs(a)
#define wlu_invert(a) WLU_INVERT(a)
typedef double wlu_wide;
#define WLU_WIDE_OF(a) ((double)(a))
#define WLU_NUMBER_OF_WIDE(a) ((wlu_real)(a))
#define WLU_WIDE_ADD(a, b) WLU_DOUBLE_ADD((a), (b))
#define WLU_WIDE_SUB(a, b) WLU_DOUBLE_ADD((a), -(b))
#define WLU_WIDE_FMA(a, b, c) WLU_DOUBLE_FMA((a), (b), (c))
#define WLU_WIDE_SCALED(by, a) WLU_DOUBLE_MUL((by), (a))
#define WLU_WIDE_SIZE(a) wlu_magnitude(a)
#define WLU_WIDE_MODULUS_BOUND(a) wlu_magnitude(a)
#define WLU_WIDE_INNER_MODULUS(a) wlu_magnitude(a)
#define wlu_wide_of(re, im) (re)
#define wlu_wide_at(x, k) ((x)[k])
#define wlu_wide_put(x, k, a) ((void)((x)[k] = (a)))
#endif

WLU_PORTABLE wlu_number wlu_zero(void)
{
    return wlu_number_of(0, 0);
}

/* What is withheld from the caller. */
WLU_PORTABLE wlu_wide wlu_wide_withheld(void)
{
    return wlu_wide_of(wlu_double_of_bits(WLU_CANONICAL_NAN), wlu_double_of_bits(WLU_CANONICAL_NAN));
}

#endif
