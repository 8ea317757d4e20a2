/* Computes each operation on vectors: of_NAME, for the names of opcodes.def and MOVE. It is included behind an algebra
 * and the elementary functions (model/elementary/functions.h). */

WLM_INLINE V truth(M m)
{
    return v_select(m, v_set(1.0), v_set(0.0));
}
WLM_INLINE M is_zero(V a)
{
    return v_equal(a, v_set(0.0));
}
WLM_INLINE V of_NEG(V a)
{
    return wlm_turn(a, i_set(WLM_SIGN_BIT));
}
WLM_INLINE V of_ABS(V a)
{
    return v_abs(a);
}
WLM_INLINE V of_SIGN(V a)
{
    V below = v_select(v_less(a, v_set(0.0)), v_set(-1.0), a);
    return v_select(is_zero(a), v_set(0.0), v_select(v_less(v_set(0.0), a), v_set(1.0), below));
}
/* Rounds down; from 2^52 on all doubles are whole. */
WLM_INLINE V of_FLOOR(V a)
{
    V size = v_abs(a);
    V nearest = wlm_turn(v_sub(v_add(size, v_set(0x1p52)), v_set(0x1p52)), wlm_sign(a));
    V below = v_select(v_less(a, nearest), v_sub(nearest, v_set(1.0)), nearest);
    return v_select(v_less(size, v_set(0x1p52)), below, a);
}
WLM_INLINE V of_CEIL(V a)
{
    return of_NEG(of_FLOOR(of_NEG(a)));
}
WLM_INLINE V of_SQRT(V a)
{
    return v_sqrt(a);
}
WLM_INLINE V of_NOT(V a)
{
    return truth(is_zero(a));
}
WLM_INLINE V of_ADD(V a, V b)
{
    return v_add(a, b);
}
WLM_INLINE V of_SUB(V a, V b)
{
    return v_sub(a, b);
}
WLM_INLINE V of_MUL(V a, V b)
{
    return v_mul(a, b);
}
WLM_INLINE V of_DIV(V a, V b)
{
    return v_div(a, b);
}
/* Takes care of NaN, for v_min and v_max are b where one is a NaN. */
WLM_INLINE V of_MIN(V a, V b)
{
    return v_select(v_equal(a, a), v_min(a, b), a);
}
WLM_INLINE V of_MAX(V a, V b)
{
    return v_select(v_equal(a, a), v_max(a, b), a);
}
WLM_INLINE V of_LT(V a, V b)
{
    return truth(v_less(a, b));
}
WLM_INLINE V of_LE(V a, V b)
{
    return truth(v_less_equal(a, b));
}
WLM_INLINE V of_EQ(V a, V b)
{
    return truth(v_equal(a, b));
}
WLM_INLINE V of_NE(V a, V b)
{
    return truth(m_not(v_equal(a, b)));
}
WLM_INLINE V of_AND(V a, V b)
{
    return truth(m_not(m_or(is_zero(a), is_zero(b))));
}
WLM_INLINE V of_OR(V a, V b)
{
    return truth(m_not(m_and(is_zero(a), is_zero(b))));
}
WLM_INLINE V of_FMA(V a, V b, V c)
{
    return v_fma(a, b, c);
}
WLM_INLINE V of_FNMA(V a, V b, V c)
{
    return v_fnma(a, b, c);
}
WLM_INLINE V of_SELECT(V a, V b, V c)
{
    return v_select(is_zero(a), c, b);
}
WLM_INLINE V of_MOVE(V a)
{
    return a;
}

#define WLM_VECTOR_1(name, function) \
    WLM_INLINE V of_##name(V a) \
    { \
        return wlm_##function(a); \
    }
#define WLM_VECTOR_2(name, function) \
    WLM_INLINE V of_##name(V a, V b) \
    { \
        return wlm_##function(a, b); \
    }
#define WLM_OPCODE(...)
#define WLM_ELEMENTARY(name, operands, text, written, cost, course, size, levels, function, ...) \
    WLM_VECTOR_##operands(name, function)
#include "model/graph/opcodes.def"
#undef WLM_OPCODE
