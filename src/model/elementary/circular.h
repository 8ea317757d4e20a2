/* sin, cos, tan.
 *
 * x = k pi / 2 + r, |r| <= pi / 4, r as a sum of two numbers. Where |x| < 2^21 pi / 2 is in parts of 53, 32 and 53
 * bits: the first product is exact by fma, and with the second one what r is rounded by is a multiple of 2^-85
 * below 2^-33, hence exact as well. Above that large.h, in a block that lanes below skip. Polynomials of sin and
 * cos, of which one is selected.
 *
 * Source: Cody and Waite 1980; Muller, Elementary Functions, 2016, chapter 11. */
#include "model/elementary/large.h"

/* An angle r and its quadrant, whose lowest two bits are k modulo 4. */
typedef struct wlm_turned {
    V quadrant;
    wlm_pair r;
} wlm_turned;

WLM_INLINE wlm_turned wlm_reduce_circle(V size)
{
    V quadrant = v_fma(size, v_set(0x1.45f306dc9c883p-1), v_set(0x1.8p52)), k = v_sub(quadrant, v_set(0x1.8p52));
    V first = v_fnma(k, v_set(0x1.921fb54442d18p0), size), high = v_fnma(k, v_set(0x1.1a62633200000p-54), first);
    V rest = v_fnma(k, v_set(0x1.1a62633200000p-54), v_sub(first, high));
    wlm_pair r = {high, v_fnma(k, v_set(-0x1.747f23e32ed70p-87), rest)};

    M large = m_and(v_less_equal(v_set(0x1p21), size), v_less(size, wlm_infinity()));
    quadrant = v_variable(quadrant);
    r = (wlm_pair){v_variable(r.high), v_variable(r.low)};
    int block = m_begin(large);
    if (block) {
        V bits;
        wlm_pair of_large = wlm_reduce_large(size, &bits);
        v_replace(&quadrant, large, bits);
        v_replace(&r.high, large, of_large.high);
        v_replace(&r.low, large, of_large.low);
    }
    m_end(large, block);
    return (wlm_turned){quadrant, r};
}

/* sin and cos of r as sums: r.high + low, and 1 - r^2 / 2 + low. */
WLM_INLINE wlm_pair wlm_sin_pair(wlm_pair r)
{
    V z = v_mul(r.high, r.high), p = wlm_polynomial(z, wlm_c_sin, 6);
    return (wlm_pair){r.high, v_fma(v_mul(r.high, z), p, r.low)};
}
WLM_INLINE wlm_pair wlm_cos_pair(wlm_pair r)
{
    V z = v_mul(r.high, r.high), p = wlm_polynomial(z, wlm_c_cos, 6);
    V half = v_mul(v_set(0.5), z), most = v_sub(v_set(1.0), half);
    V low = v_fma(v_mul(z, z), p, v_fnma(r.high, r.low, v_sub(v_sub(v_set(1.0), most), half)));
    return (wlm_pair){most, low};
}

WLM_INLINE M wlm_is_odd(I quadrant)
{
    return i_equal(i_and(quadrant, i_set(1)), i_set(1));
}
/* sin(r + quadrant pi / 2), negated where the bit of sign is set. */
WLM_INLINE V wlm_of_quadrant(wlm_pair r, I quadrant, I sign)
{
    wlm_pair s = wlm_sin_pair(r), c = wlm_cos_pair(r);
    M odd = wlm_is_odd(quadrant);
    V value = v_add(v_select(odd, c.high, s.high), v_select(odd, c.low, s.low));
    return wlm_turn(value, i_xor(sign, i_left(i_right(quadrant, 1), 63)));
}

WLM_INLINE V wlm_sin(V x)
{
    wlm_turned t = wlm_reduce_circle(v_abs(x));
    return wlm_of_quadrant(t.r, v_bits(t.quadrant), wlm_sign(x));
}

WLM_INLINE V wlm_cos(V x)
{
    wlm_turned t = wlm_reduce_circle(v_abs(x));
    return wlm_of_quadrant(t.r, i_add(v_bits(t.quadrant), i_set(1)), i_set(0));
}

WLM_INLINE V wlm_tan(V x)
{
    wlm_turned t = wlm_reduce_circle(v_abs(x));
    wlm_pair s = wlm_sin_pair(t.r), c = wlm_cos_pair(t.r);
    s = wlm_fast_sum(s.high, s.low);
    c = wlm_fast_sum(c.high, c.low);
    I quadrant = v_bits(t.quadrant);
    M odd = wlm_is_odd(quadrant);
    wlm_pair above = {v_select(odd, c.high, s.high), v_select(odd, c.low, s.low)};
    wlm_pair below = {v_select(odd, s.high, c.high), v_select(odd, s.low, c.low)};
    return wlm_turn(wlm_quotient(above, below), i_xor(wlm_sign(x), i_left(quadrant, 63)));
}
