/* atan, atan2, asin, acos.
 *
 * atan: |x| up to tan(pi / 8) as it is; up to its inverse as (|x| - 1) / (|x| + 1) from pi / 4; above as -1 / |x|
 * from pi / 2; one division, and a polynomial of degree 19. atan2 does so with |y| / |x|, and turns to the left half
 * where the sign of x says so; what would over- or underflow, zeros and infinities stand in a block that other lanes
 * skip. asin, acos: above 1/2 by sqrt((1 - |x|) / 2). No branch else.
 *
 * Source: Muller, Elementary Functions, 2016, chapter 11. */
#define WLM_PI_2 0x1.921fb54442d18p0
#define WLM_PI_2_LOW 0x1.1a62633145c07p-54

/* Returns atan(above / below) as the sum t + low, for a quotient up to tan(pi / 8). */
WLM_INLINE wlm_pair wlm_atan_near(wlm_pair above, wlm_pair below)
{
    wlm_division d = wlm_divide(above, below);
    V t = d.q, z = v_mul(t, t), p = wlm_polynomial(z, wlm_c_atan, 11);
    return (wlm_pair){t, v_fma(v_mul(t, z), p, v_mul(d.rest, d.inverse))};
}

WLM_INLINE V wlm_atan(V x)
{
    V size = v_min(v_set(0x1p60), v_abs(x)), one = v_set(1.0), zero = v_set(0.0);
    M middle = v_less(v_set(0.4142135623730951), size), large = v_less(v_set(2.414213562373095), size);
    V less = v_sub(size, one), more = v_add(size, one);
    wlm_pair above = {v_select(large, v_set(-1.0), v_select(middle, less, size)),
                      v_select(middle, v_sub(size, v_add(less, one)), zero)};
    wlm_pair below = {v_select(large, size, v_select(middle, more, one)),
                      v_select(middle, v_sub(size, v_sub(more, one)), zero)};
    above.low = v_select(large, zero, above.low);
    below.low = v_select(large, zero, below.low);

    wlm_pair inner = wlm_atan_near(above, below);
    V quarters = v_select(large, v_set(2.0), v_select(middle, one, zero));
    wlm_pair sum = wlm_fast_sum(v_mul(quarters, v_set(0.5 * WLM_PI_2)), inner.high);
    V low = v_add(sum.low, v_fma(quarters, v_set(0.5 * WLM_PI_2_LOW), inner.low));
    return wlm_turn(v_add(sum.high, low), wlm_sign(x));
}

/* A fraction n / d, where neither is below 0. */
typedef struct wlm_fraction {
    V n, d;
} wlm_fraction;

/* Returns a fraction with the same angle whose numbers are neither large nor small: 0 / 0 becomes 0 / 1, an infinite
 * number becomes 1, and a finite one beside it 0. */
WLM_INLINE wlm_fraction wlm_tame(wlm_fraction f)
{
    V most = v_max(f.n, f.d), zero = v_set(0.0), one = v_set(1.0), infinity = wlm_infinity();
    V scale = v_select(v_less(most, one), v_set(0x1p200), v_set(0x1p-8));
    M endless = v_equal(most, infinity);
    V n = v_select(v_equal(f.n, infinity), one, v_mul(f.n, zero)), d = v_select(v_equal(f.d, infinity), one, zero);
    V below = v_select(v_equal(most, zero), one, v_mul(f.d, scale));
    return (wlm_fraction){v_select(endless, n, v_mul(f.n, scale)), v_select(endless, d, below)};
}

WLM_INLINE V wlm_atan2(V y, V x)
{
    wlm_fraction f = {v_abs(y), v_abs(x)};
    V size = v_add(f.n, f.d), zero = v_set(0.0), one = v_set(1.0);
    M rare = m_not(m_and(v_less_equal(v_set(0x1p-900), size), v_less(size, v_set(0x1p1000))));
    V n = v_variable(f.n), d = v_variable(f.d);
    int block = m_begin(rare);
    if (block) {
        wlm_fraction tame = wlm_tame(f);
        v_replace(&n, rare, tame.n);
        v_replace(&d, rare, tame.d);
    }
    m_end(rare, block);

    M middle = v_less(v_mul(d, v_set(0.4142135623730951)), n), large = v_less(v_mul(d, v_set(2.414213562373095)), n);
    V minus_d = wlm_turn(d, i_set(WLM_SIGN_BIT));
    wlm_pair less = wlm_sum(n, minus_d), more = wlm_sum(n, d);
    wlm_pair above = {v_select(large, minus_d, v_select(middle, less.high, n)),
                      v_select(large, zero, v_select(middle, less.low, zero))};
    wlm_pair below = {v_select(large, n, v_select(middle, more.high, d)),
                      v_select(large, zero, v_select(middle, more.low, zero))};
    wlm_pair inner = wlm_atan_near(above, below);

    I left = wlm_sign(x);
    V quarters = v_select(large, v_set(2.0), v_select(middle, one, zero));
    quarters = v_select(i_equal(left, i_set(0)), quarters, v_sub(v_set(4.0), quarters));
    wlm_pair whole = wlm_product(quarters, v_set(0.5 * WLM_PI_2));
    wlm_pair sum = wlm_fast_sum(whole.high, wlm_turn(inner.high, left));
    V low = v_fma(quarters, v_set(0.5 * WLM_PI_2_LOW), wlm_turn(inner.low, left));
    return wlm_turn(v_add(sum.high, v_add(v_add(sum.low, whole.low), low)), wlm_sign(y));
}

/* asin(t) = t + tail, where tail = t z p, z = t^2, and t is |x| up to 1/2 (small), else sqrt((1 - |x|) / 2). */
typedef struct wlm_arc {
    M small;
    V t, tail;
} wlm_arc;

WLM_INLINE wlm_arc wlm_arc_of(V size)
{
    M small = v_less_equal(size, v_set(0.5));
    V half = v_mul(v_set(0.5), v_sub(v_set(1.0), size));
    V z = v_select(small, v_mul(size, size), half), t = v_select(small, size, v_sqrt(half));
    V p = wlm_polynomial(z, wlm_c_asin, 13);
    return (wlm_arc){small, t, v_mul(v_mul(t, z), p)};
}

WLM_INLINE V wlm_asin(V x)
{
    wlm_arc a = wlm_arc_of(v_abs(x));
    wlm_pair sum = wlm_fast_sum(v_set(WLM_PI_2), v_mul(v_set(-2.0), a.t));
    V large = v_add(sum.high, v_fma(v_set(-2.0), a.tail, v_add(sum.low, v_set(WLM_PI_2_LOW))));
    return wlm_turn(v_select(a.small, v_add(a.t, a.tail), large), wlm_sign(x));
}

/* acos(x) is pi / 2 - asin(x), 2 asin(t) or pi - 2 asin(t). */
WLM_INLINE V wlm_acos(V x)
{
    wlm_arc a = wlm_arc_of(v_abs(x));
    M negative = v_less(x, v_set(0.0));
    V of_small = v_select(negative, v_set(1.0), v_set(-1.0)), of_large = v_select(negative, v_set(-2.0), v_set(2.0));
    V factor = v_select(a.small, of_small, of_large);
    V quarters = v_select(a.small, v_set(1.0), v_select(negative, v_set(2.0), v_set(0.0)));
    wlm_pair sum = wlm_fast_sum(v_mul(quarters, v_set(WLM_PI_2)), v_mul(factor, a.t));
    V low = v_fma(quarters, v_set(WLM_PI_2_LOW), v_fma(factor, a.tail, sum.low));
    return v_add(sum.high, low);
}
