/* Signs of numbers, by their bits; after an algebra. */
#define WLM_SIGN_BIT 0x8000000000000000

WLM_INLINE V v_abs(V a)
{
    return v_of_bits(i_and(v_bits(a), i_set(~WLM_SIGN_BIT)));
}
WLM_INLINE I wlm_sign(V a)
{
    return i_and(v_bits(a), i_set(WLM_SIGN_BIT));
}
/* a with its sign changed where that of sign is set. */
WLM_INLINE V wlm_turn(V a, I sign)
{
    return v_of_bits(i_xor(v_bits(a), sign));
}
