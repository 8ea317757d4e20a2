/* pow: exp(y log |x|) with the logarithm as a sum of two numbers, to 2^-64 of itself: log(1 + f) = 2 s + 2/3 s^3 + ...,
 * s = f / (2 + f), of which the first two terms are such sums. What C99 says of zeros, infinities, NaN and negative x
 * (F.9.4.4) stands in a block that lanes with x > 0 skip.
 *
 * Source: Muller, Elementary Functions, 2016, chapter 12. */

/* Returns log(x) as a sum of two numbers; x has to be positive. */
WLM_INLINE wlm_pair wlm_log_pair(V x)
{
    wlm_split split = wlm_split_log(x);
    V f = split.f, below = v_add(f, v_set(2.0)), below_low = v_sub(f, v_sub(below, v_set(2.0)));
    V inverse = v_div(v_set(1.0), below), s = v_mul(f, inverse);
    V s_low = v_mul(inverse, v_fnma(s, below_low, v_fnma(s, below, f)));
    wlm_pair square = wlm_product(s, s);
    square.low = v_fma(v_add(s, s), s_low, square.low);
    V z = square.high, rest = v_mul(z, wlm_polynomial(z, wlm_c_pow, 8));
    wlm_pair factor = wlm_fast_sum(v_set(0x1.5555555555555p-1), rest);
    factor.low = v_add(factor.low, v_set(0x1.5555555555555p-55));
    wlm_pair term = wlm_pair_product(factor, wlm_pair_product(square, (wlm_pair){s, s_low}));
    wlm_pair sum = wlm_fast_sum(v_mul(split.k, v_set(WLM_LN2_HIGH)), v_add(s, s)),
             all = wlm_fast_sum(sum.high, term.high);
    V low = v_add(v_fma(split.k, v_set(WLM_LN2_LOW), v_add(s_low, s_low)), term.low);
    return wlm_fast_sum(all.high, v_add(v_add(sum.low, all.low), low));
}

/* Says whether a number is whole; infinity is. */
WLM_INLINE M wlm_is_whole(V size)
{
    V shift = v_set(0x1p52);
    return m_or(v_less_equal(shift, size), v_equal(v_sub(v_add(size, shift), shift), size));
}

/* Returns x^y of any numbers; r is |x|^y, which is right where |x| and y are ordinary. */
WLM_INLINE V wlm_pow_special(V x, V y, V r)
{
    V size = v_abs(x), size_y = v_abs(y), one = v_set(1.0), zero = v_set(0.0), infinity = wlm_infinity();
    M endless = v_equal(size_y, infinity), extreme = m_or(m_or(v_equal(size, zero), v_equal(size, infinity)), endless);
    M grows = m_or(m_and(v_less(one, size), v_less(zero, y)), m_and(v_less(size, one), v_less(y, zero)));
    r = v_select(extreme, v_select(grows, infinity, zero), r);

    M whole = wlm_is_whole(size_y), odd = m_and(whole, m_not(wlm_is_whole(v_mul(size_y, v_set(0.5)))));
    r = wlm_turn(r, i_select(odd, wlm_sign(x), i_set(0)));
    M no_power = m_and(m_and(v_less(x, zero), v_less(size, infinity)), m_not(whole));
    M numbers = m_and(v_equal(x, x), v_equal(y, y));
    r = v_select(m_and(numbers, m_not(no_power)), r, wlm_nan());
    M is_one = m_or(v_equal(x, one), m_and(v_equal(size, one), endless));
    return v_select(m_or(is_one, v_equal(y, zero)), one, r);
}

WLM_INLINE V wlm_pow(V x, V y)
{
    wlm_pair log = wlm_log_pair(v_abs(x)), exponent = wlm_product(y, log.high);
    V low = v_select(v_less(v_abs(exponent.high), v_set(800.0)), v_fma(y, log.low, exponent.low), v_set(0.0));
    wlm_reduced e = wlm_reduce_exp(wlm_clamp(WLM_EXP_LOW, exponent.high, WLM_EXP_HIGH), low);
    V usual = v_scale(wlm_exp_reduced(e.r), e.k, e.shifted), r = v_variable(usual);

    M base = m_and(v_less(v_set(0.0), x), v_less(x, wlm_infinity()));
    M rare = m_not(m_and(base, v_less(v_abs(y), wlm_infinity())));
    int block = m_begin(rare);
    if (block) v_replace(&r, rare, wlm_pow_special(x, y, usual));
    m_end(rare, block);
    return r;
}
