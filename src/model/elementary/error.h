/* erf and erfc, the error function and its complement.
 *
 * |x| < 1/2: erf(x) = x 2 / sqrt(pi) + x^3 P(x^2) as a sum of two numbers, erfc(x) = 1 - erf(x). Beyond: erfc(|x|) =
 * exp(-x^2) f(t) / (1 + 2 |x|), where f, by one polynomial of degree 22 in t = (|x| - 15/4) / (|x| + 15/4), is between
 * 1.1 and 1.3 to |x| = 28, from where erfc is 0. x^2, exp and the quotient are sums of two numbers. No branch.
 *
 * Source: Shepherd and Laframboise, Chebyshev approximation of (1 + 2x) exp(x^2) erfc x, 1981. */
#define WLM_ERFC_END 28.0
#define WLM_ERFC_CENTRE 3.75
#define WLM_ERF_END 6.0 /* from here on erf is 1 */

/* erf(x) of |x| < 1/2. */
WLM_INLINE wlm_pair wlm_erf_near(V x)
{
    V z = v_mul(x, x), rest = v_fma(z, wlm_polynomial(z, wlm_c_erf, 8), v_set(0x1.1ae3a914fed8p-56));
    wlm_pair r = wlm_product(x, v_set(0x1.20dd750429b6dp0));
    return (wlm_pair){r.high, v_fma(x, rest, r.low)};
}

/* f(t) / (1 + 2 size) */
WLM_INLINE wlm_pair wlm_erfc_factor(V size)
{
    V one = v_set(1.0), centre = v_set(WLM_ERFC_CENTRE), t = v_div(v_sub(size, centre), v_add(size, centre));
    wlm_pair f = wlm_fast_sum(v_set(1.25), wlm_long_polynomial(t, v_mul(t, t), wlm_c_erfc, 23));
    wlm_division d = wlm_divide(f, wlm_sum(one, v_add(size, size)));
    return (wlm_pair){d.q, v_mul(d.rest, d.inverse)};
}

/* erfc(size), 1/2 <= size <= 28. */
WLM_INLINE V wlm_erfc_far(V size)
{
    wlm_pair factor = wlm_erfc_factor(size), square = wlm_product(size, size);
    const I minus = i_set(WLM_SIGN_BIT);
    wlm_reduced e = wlm_reduce_exp(wlm_turn(square.high, minus), wlm_turn(square.low, minus));
    wlm_pair power = wlm_fast_sum(v_set(1.0), e.r);
    power.low = v_add(power.low, v_fma(v_mul(e.r, e.r), wlm_exp_tail(e.r), v_mul(e.rest, power.high)));
    wlm_pair product = wlm_pair_product(power, factor);
    return v_scale(v_add(product.high, product.low), e.k, e.shifted);
}

WLM_INLINE V wlm_erf(V x)
{
    V size = v_min(v_set(WLM_ERF_END), v_abs(x));
    wlm_pair inner = wlm_erf_near(size);
    V outer = v_sub(v_set(1.0), wlm_erfc_far(size));
    return wlm_turn(v_select(v_less(size, v_set(0.5)), v_add(inner.high, inner.low), outer), wlm_sign(x));
}

WLM_INLINE V wlm_erfc(V x)
{
    V size = v_min(v_set(WLM_ERFC_END), v_abs(x)), right = wlm_erfc_far(size);
    wlm_pair inner = wlm_erf_near(wlm_turn(size, wlm_sign(x)));
    wlm_pair rest = wlm_fast_sum(v_set(1.0), wlm_turn(inner.high, i_set(WLM_SIGN_BIT)));
    V outer = v_select(v_less(x, v_set(0.0)), v_sub(v_set(2.0), right), right);
    return v_select(v_less(size, v_set(0.5)), v_add(rest.high, v_sub(rest.low, inner.low)), outer);
}
