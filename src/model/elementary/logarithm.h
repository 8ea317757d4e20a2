/* Logarithms: x = 2^k (1 + f), log(1 + f) = f + f^2 P(f) with P of degree 20, no division and no table; the
 * product k ln 2 is taken in two parts, of which the first is exact. No branch. */
WLM_INLINE V wlm_log(V x)
{
    wlm_split s = wlm_split_log(x);
    V square = v_mul(s.f, s.f), tail = v_fma(square, wlm_log_tail(s.f, square), v_mul(s.k, v_set(WLM_LN2_LOW)));
    return wlm_log_special(x, v_fma(s.k, v_set(WLM_LN2_HIGH), v_add(s.f, tail)));
}

/* log10 goes as log, with f / ln 10 as a sum of two numbers. */
WLM_INLINE V wlm_log10(V x)
{
    const double log10_e = 0x1.bcb7b1526e50ep-2, log10_e_low = 0x1.95355baaafad3p-57;
    const double log10_2 = 0x1.34413509f78p-2, log10_2_low = 0x1.fef311f12b358p-46; /* 42 bits, the rest */
    wlm_split s = wlm_split_log(x);
    wlm_pair first = wlm_product(s.f, v_set(log10_e));
    wlm_pair sum = wlm_fast_sum(v_mul(s.k, v_set(log10_2)), first.high);
    V low = v_fma(s.f, v_set(log10_e_low), v_add(first.low, sum.low));
    low = v_fma(s.k, v_set(log10_2_low), low);
    V square = v_mul(s.f, s.f);
    low = v_fma(square, v_mul(wlm_log_tail(s.f, square), v_set(log10_e)), low);
    return wlm_log_special(x, v_add(sum.high, low));
}

/* log(1 + x): the error of rounding 1 + x is added as a correction. */
WLM_INLINE V wlm_log1p(V x)
{
    wlm_pair one = wlm_sum(v_set(1.0), x);
    wlm_split s = wlm_split_log(one.high);
    V low = v_fma(s.k, v_set(WLM_LN2_LOW), v_div(one.low, one.high));
    V square = v_mul(s.f, s.f);
    low = v_fma(square, wlm_log_tail(s.f, square), low);
    V r = wlm_log_special(one.high, v_fma(s.k, v_set(WLM_LN2_HIGH), v_add(s.f, low)));
    return v_select(v_less(v_abs(x), v_set(0x1p-54)), x, r);
}
