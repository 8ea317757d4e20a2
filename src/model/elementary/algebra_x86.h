/* What the algebras of AVX2 and AVX-512 write alike. Who includes it has the types, and WLM_X86(name), the intrinsic of
 * this name for vectors of its width. */
WLM_INLINE V v_set(double x)
{
    return WLM_X86(set1_pd)(x);
}
WLM_INLINE V v_load(const double *p)
{
    return WLM_X86(loadu_pd)(p);
}
WLM_INLINE double v_number(const char *p)
{
    return *(const double *)(const void *)p;
}
WLM_INLINE void v_store(double *p, V x)
{
    WLM_X86(storeu_pd)(p, x);
}
WLM_INLINE V v_add(V a, V b)
{
    return WLM_X86(add_pd)(a, b);
}
WLM_INLINE V v_sub(V a, V b)
{
    return WLM_X86(sub_pd)(a, b);
}
WLM_INLINE V v_mul(V a, V b)
{
    return WLM_X86(mul_pd)(a, b);
}
WLM_INLINE V v_div(V a, V b)
{
    return WLM_X86(div_pd)(a, b);
}
WLM_INLINE V v_sqrt(V a)
{
    return WLM_X86(sqrt_pd)(a);
}
WLM_INLINE V v_fma(V a, V b, V c)
{
    return WLM_X86(fmadd_pd)(a, b, c);
}
WLM_INLINE V v_fnma(V a, V b, V c)
{
    return WLM_X86(fnmadd_pd)(a, b, c);
}
WLM_INLINE V v_fms(V a, V b, V c)
{
    return WLM_X86(fmsub_pd)(a, b, c);
}
WLM_INLINE V v_min(V a, V b)
{
    return WLM_X86(min_pd)(a, b);
}
WLM_INLINE V v_max(V a, V b)
{
    return WLM_X86(max_pd)(a, b);
}
WLM_INLINE I i_add(I a, I b)
{
    return WLM_X86(add_epi64)(a, b);
}
WLM_INLINE I i_sub(I a, I b)
{
    return WLM_X86(sub_epi64)(a, b);
}
WLM_INLINE I i_left_by(I a, I n)
{
    return WLM_X86(sllv_epi64)(a, n);
}
WLM_INLINE I i_right_by(I a, I n)
{
    return WLM_X86(srlv_epi64)(a, n);
}
WLM_INLINE I i_multiply_low(I a, I b)
{
    return WLM_X86(mul_epu32)(a, b);
}
