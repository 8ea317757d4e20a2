/* Blocks for rare lanes, where lanes stand in registers of the CPU: a block is skipped as a whole, or computed for all
 * lanes and selected from. */
WLM_INLINE void m_end(M m, int block)
{
    (void)m, (void)block;
}
WLM_INLINE V v_variable(V x)
{
    return x;
}
WLM_INLINE void v_replace(V *r, M m, V x)
{
    *r = v_select(m, x, *r);
}
