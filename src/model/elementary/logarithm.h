/* Logarithms: x = 2^k (1 + f), log(1 + f) = f + f^2 P(f) with P of degree 20, no division and no table; the
 * product k ln 2 is taken in two parts, of which the first is exact. No branch. Error: log 0.9 ulp. */
WLM_INLINE V wlm_log(V x)
{
    wlm_split s = wlm_split_log(x);
    V tail = v_fma(v_mul(s.f, s.f), wlm_log_tail(s.f), v_mul(s.k, v_set(WLM_LN2_LOW)));
    return wlm_log_special(x, v_fma(s.k, v_set(WLM_LN2_HIGH), v_add(s.f, tail)));
}
