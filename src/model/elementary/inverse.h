/* atan, asin, acos.
 *
 * atan: |x| up to tan(pi / 8) as it is; up to its inverse as (|x| - 1) / (|x| + 1) from pi / 4; above as -1 / |x|
 * from pi / 2; one division, and a polynomial of degree 19. asin, acos: above 1/2 by sqrt((1 - |x|) / 2). No
 * branch.
 *
 * Source: Muller, Elementary Functions, 2016, chapter 11. */
#define WLM_PI_2 0x1.921fb54442d18p0
#define WLM_PI_2_LOW 0x1.1a62633145c07p-54

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

    V inverse = v_div(one, below.high), t = v_mul(above.high, inverse);
    V rest = v_add(v_fnma(t, below.high, above.high), v_fnma(t, below.low, above.low));
    V z = v_mul(t, t), p = wlm_polynomial(z, wlm_c_atan, 11);
    V low = v_fma(v_mul(t, z), p, v_mul(rest, inverse));

    V quarters = v_select(large, v_set(2.0), v_select(middle, one, zero));
    wlm_pair sum = wlm_fast_sum(v_mul(quarters, v_set(0.5 * WLM_PI_2)), t);
    low = v_add(sum.low, v_fma(quarters, v_set(0.5 * WLM_PI_2_LOW), low));
    return wlm_turn(v_add(sum.high, low), wlm_sign(x));
}

/* asin(t) = t + t z p with z = t^2, of |x| up to 1/2 or of sqrt((1 - |x|) / 2). */
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

/* pi / 2 - asin(x), 2 asin(t) or pi - 2 asin(t). */
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
