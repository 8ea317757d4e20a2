/* rsqrt: 1 / sqrt(x), with a correction for the errors of rounding the root and the quotient. No branch. */
WLM_INLINE V wlm_rsqrt(V x)
{
    V root = v_sqrt(x), r = v_div(v_set(1.0), root);
    V of_root = v_mul(v_mul(v_fnma(root, root, x), r), v_mul(v_set(0.5), r)), of_quotient = v_fnma(r, root, v_set(1.0));
    M ordinary = m_and(v_less(v_set(0.0), x), v_less(x, wlm_infinity()));
    return v_select(ordinary, v_fma(r, v_sub(of_quotient, of_root), r), r);
}
