/* exp, expm1, and the hyperbolic functions.
 *
 * exp: k = round(x / ln 2), r = x - k ln 2 with ln 2 in two parts, a polynomial of degree 11 in r, and 2^k in two
 * factors, so that subnormal results are rounded once (Cody and Waite 1980). The others take exp(x) - 1 as a sum
 * of two numbers, which loses nothing by cancellation. No branch. */

#define WLM_EXP_HIGH 710.0    /* overflows */
#define WLM_EXP_LOW (-746.0)  /* underflows to 0 */
#define WLM_EXPM1_HIGH 710.6  /* sinh overflows */
#define WLM_EXPM1_LOW (-37.5) /* -1 */

WLM_INLINE V wlm_exp(V x)
{
    wlm_reduced e = wlm_reduce_exp(wlm_clamp(WLM_EXP_LOW, x, WLM_EXP_HIGH), v_set(0.0));
    return v_scale(wlm_exp_reduced(e.r), e.k, e.shifted);
}

/* (exp(x) - 1) / 4, for which 2^(k - 2) is a number; x in [WLM_EXPM1_LOW, WLM_EXPM1_HIGH]. */
WLM_INLINE wlm_pair wlm_expm1_quarter(V x)
{
    wlm_reduced e = wlm_reduce_exp(x, v_set(0.0));
    V power = v_of_bits(i_left(i_sub(v_bits(e.shifted), i_set(1025)), 52)); /* k + 2046 - 1025 = k - 2 + 1023 */
    V product = v_mul(power, e.r);
    wlm_pair sum = wlm_fast_sum(v_sub(power, v_set(0.25)), product);
    V low = v_fma(v_mul(product, e.r), wlm_exp_tail(e.r), v_fma(power, e.rest, sum.low));
    return wlm_fast_sum(sum.high, low);
}

WLM_INLINE V wlm_expm1(V x)
{
    wlm_pair quarter = wlm_expm1_quarter(wlm_clamp(WLM_EXPM1_LOW, x, WLM_EXPM1_HIGH));
    return v_select(v_less(v_abs(x), v_set(0x1p-54)), x, v_mul(v_set(4.0), quarter.high));
}

/* (e - 1) / (e + 1), e = exp(2 |x|) */
WLM_INLINE V wlm_tanh(V x)
{
    V size = v_min(v_set(20.0), v_abs(x));
    wlm_pair quarter = wlm_expm1_quarter(v_add(size, size)), below = wlm_sum(v_set(0.5), quarter.high);
    below.low = v_add(below.low, quarter.low);
    V r = v_select(v_less(size, v_set(0x1p-54)), size, wlm_quotient(quarter, below));
    return wlm_turn(r, wlm_sign(x));
}

/* ((e - 1) + (e - 1) / e) / 2, e = exp(|x|) */
WLM_INLINE V wlm_sinh(V x)
{
    V size = v_min(v_set(WLM_EXPM1_HIGH), v_abs(x));
    wlm_pair quarter = wlm_expm1_quarter(size), below = wlm_sum(v_set(0.25), quarter.high);
    below.low = v_add(below.low, quarter.low);
    wlm_pair above = {v_mul(v_set(0.25), quarter.high), v_mul(v_set(0.25), quarter.low)};
    V half = v_add(quarter.high, v_add(wlm_quotient(above, below), quarter.low));
    return wlm_turn(v_select(v_less(size, v_set(0x1p-54)), size, v_add(half, half)), wlm_sign(x));
}

/* (e + 1 / e) / 2, e = exp(|x|), of which a quarter is no infinity where cosh is none. */
WLM_INLINE V wlm_cosh(V x)
{
    wlm_reduced e = wlm_reduce_exp(v_min(v_set(WLM_EXPM1_HIGH), v_abs(x)), v_set(0.0));
    V quarter = v_scale(wlm_exp_reduced(e.r), v_sub(e.k, v_set(2.0)), v_sub(e.shifted, v_set(2.0)));
    V half = v_add(quarter, v_div(v_set(0.0625), quarter));
    return v_add(half, half);
}
