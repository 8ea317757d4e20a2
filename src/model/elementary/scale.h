/* p 2^k, rounded once, by integers: p is between 1/2 and 2, k of magnitude at most 2000 and whole; shifted is k +
 * WLM_SHIFT, whose lowest bits are k + 2046. Two powers of two, of nearly k / 2 each, so that both are normal and
 * only the last product rounds. */
WLM_INLINE V v_scale(V p, V k, V shifted)
{
    (void)k;
    I sum = v_bits(shifted);
    I half = i_right(sum, 1);
    V first = v_of_bits(i_left(half, 52)), second = v_of_bits(i_left(i_sub(sum, half), 52));
    return v_mul(v_mul(p, first), second);
}
