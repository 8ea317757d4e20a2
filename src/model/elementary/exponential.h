/* exp, expm1, and the hyperbolic functions.
 *
 * exp: k = round(x / ln 2), r = x - k ln 2 with ln 2 in two parts, a polynomial of degree 11 in r, and 2^k in two
 * factors, so that subnormal results are rounded once (Cody and Waite 1980). The others take exp(x) - 1 as a sum
 * of two numbers, which loses nothing by cancellation. No branch. Error: exp 0.95 ulp, the others see
 * tests/model/elementary. */
WLM_INLINE V wlm_exp(V x)
{
    V clamped = wlm_exp_clamp(x);
    wlm_reduced e = wlm_reduce_exp(clamped, v_set(0.0));
    return v_scale(wlm_exp_reduced(e.r), e.k, e.shifted);
}
