/* Kernels of solos (kernel.h), where a row is one vector. This is a template, included behind an algebra of vectors,
 * elementary functions and model/exec/vectors.h: it makes solo_kernels.
 *
 * A row's operands stand in one line or in several. FMA, FNMA, SELECT and DIV, the commonest, have a kernel for each
 * form; other kernels look at the form when they run. FMA and FNMA of numbers anywhere are singles. */

WLM_INLINE V solo_line(const char *lines, int32_t at)
{
    return v_load((const double *)(const void *)(lines + at));
}

WLM_INLINE V solo_number(const char *lines, int32_t at)
{
    return v_set(*(const double *)(const void *)(lines + at));
}

WLM_INLINE V solo_picked(const wlm_solo_operand *o, const char *lines)
{
    return v_pick(solo_line(lines, o->at), solo_line(lines, o->pick->at), o->pick->place);
}

WLM_INLINE V solo_any(const wlm_solo_operand *o, const char *lines)
{
    if (o->form == WLM_SOLO_GATHERED) return v_gather(lines, o->lane);
    if (o->form == WLM_SOLO_PICKED) return solo_picked(o, lines);
    return o->form == WLM_SOLO_LINE ? solo_line(lines, o->at) : solo_number(lines, o->at);
}

/* Reads operand k by its form: a line, a number, picked, gathered; or any form. */
#define WLM_SOLO_L(k) solo_line(lines, i->of.from[k].at)
#define WLM_SOLO_N(k) solo_number(lines, i->of.from[k].at)
#define WLM_SOLO_P(k) solo_picked(&i->of.from[k], lines)
#define WLM_SOLO_G(k) v_gather(lines, i->of.from[k].lane)
#define WLM_SOLO_A(k) solo_any(&i->of.from[k], lines)

#define WLM_SOLO_KERNEL(name, value) \
    static void solo_##name(const wlm_solo_instruction *i, char *lines) \
    { \
        v_store((double *)(void *)(lines + i->to), value); \
    }
#define WLM_SOLO_0(name)
#define WLM_SOLO_1(name) WLM_SOLO_KERNEL(name, of_##name(WLM_SOLO_A(0)))
#define WLM_SOLO_2(name) WLM_SOLO_KERNEL(name, of_##name(WLM_SOLO_A(0), WLM_SOLO_A(1)))
#define WLM_SOLO_3(name) WLM_SOLO_KERNEL(name, of_##name(WLM_SOLO_A(0), WLM_SOLO_A(1), WLM_SOLO_A(2)))
#define WLM_OPCODE(name, operands, ...) WLM_SOLO_##operands(name)
#define WLM_TABLED(...)
#include "model/graph/opcodes.def"
#undef WLM_OPCODE
/* An item that reads a table is computed alone, and its operands stand in all lanes. */
#define WLM_SOLO_FIRST(k) (*(const double *)(const void *)(lines + i->of.from[k].at))
#define WLM_SOLO_READS i->of.from[WLM_SOLO_TABLE].table
WLM_SOLO_KERNEL(FIND, v_set(wlm_table_find(WLM_SOLO_READS, WLM_SOLO_FIRST(0))))
WLM_SOLO_KERNEL(PIECE, v_set(wlm_table_value(WLM_SOLO_READS, WLM_SOLO_FIRST(0), WLM_SOLO_FIRST(1))))
WLM_SOLO_KERNEL(DIV_ONE, v_div_one(WLM_SOLO_A(0), WLM_SOLO_A(1)))
WLM_SOLO_KERNEL(DIV_HALF, v_div_half(WLM_SOLO_A(0), WLM_SOLO_A(1)))

#define WLM_SOLO_K(k) solo_line(lines, i->of.exp.constant[k])
#define WLM_SOLO_BEFORE v_fma(v_fma(WLM_SOLO_A(0), WLM_SOLO_K(0), WLM_SOLO_K(1)), WLM_SOLO_K(2), WLM_SOLO_K(3))
WLM_SOLO_KERNEL(EXP_LINEAR, v_fma(wlm_exp(WLM_SOLO_BEFORE), WLM_SOLO_K(4), WLM_SOLO_K(5)))

/* Singles, four in a round. */
#define WLM_SOLO_AT(distance) ((double *)(void *)(lines + (distance)))
#define WLM_SOLO_SINGLES(name, value) \
    WLM_INLINE void solo_single_##name(const wlm_solo_single *s, char *lines) \
    { \
        const double a = *WLM_SOLO_AT(s->from[0]), b = *WLM_SOLO_AT(s->from[1]), c = *WLM_SOLO_AT(s->from[2]); \
        *WLM_SOLO_AT(s->to) = value; \
    } \
    static void solo_##name##_SINGLES(const wlm_solo_instruction *i, char *lines) \
    { \
        const wlm_solo_single *s = i->of.singles.single, *end = s + i->of.singles.count; \
        for (; end - s >= 4; s += 4) \
            for (int k = 0; k < 4; k++) solo_single_##name(s + k, lines); \
        for (; s < end; s++) solo_single_##name(s, lines); \
    }
WLM_SOLO_SINGLES(FMA, fma(a, b, c))
WLM_SOLO_SINGLES(FNMA, fma(-a, b, c))

/* Lists all forms in the order of their numbers. */
#define WLM_SOLO_FORMS_1(KERNEL, name, a, b) \
    KERNEL(name, a, b, L) KERNEL(name, a, b, N) KERNEL(name, a, b, P) KERNEL(name, a, b, G)
#define WLM_SOLO_FORMS_2(FORMS, KERNEL, name, a) \
    FORMS(KERNEL, name, a, L) FORMS(KERNEL, name, a, N) FORMS(KERNEL, name, a, P) FORMS(KERNEL, name, a, G)
#define WLM_SOLO_FORMS_3(FORMS, KERNEL, name) \
    WLM_SOLO_FORMS_2(FORMS, KERNEL, name, L) \
    WLM_SOLO_FORMS_2(FORMS, KERNEL, name, N) \
    WLM_SOLO_FORMS_2(FORMS, KERNEL, name, P) WLM_SOLO_FORMS_2(FORMS, KERNEL, name, G)
#define WLM_SOLO_LAST(KERNEL, name, a, b) KERNEL(name, a, b)
#define WLM_SOLO_OF_2(name, a, b) WLM_SOLO_KERNEL(name##_##a##b, of_##name(WLM_SOLO_##a(0), WLM_SOLO_##b(1)))
#define WLM_SOLO_OF_3(name, a, b, c) \
    WLM_SOLO_KERNEL(name##_##a##b##c, of_##name(WLM_SOLO_##a(0), WLM_SOLO_##b(1), WLM_SOLO_##c(2)))
WLM_SOLO_FORMS_3(WLM_SOLO_FORMS_1, WLM_SOLO_OF_3, FMA)
WLM_SOLO_FORMS_3(WLM_SOLO_FORMS_1, WLM_SOLO_OF_3, FNMA)
WLM_SOLO_FORMS_3(WLM_SOLO_FORMS_1, WLM_SOLO_OF_3, SELECT)
WLM_SOLO_FORMS_3(WLM_SOLO_LAST, WLM_SOLO_OF_2, DIV)

#define WLM_SOLO_NAME_2(name, a, b) solo_##name##_##a##b,
#define WLM_SOLO_NAME_3(name, a, b, c) solo_##name##_##a##b##c,
#define WLM_SOLO_ANY_0(name)
#define WLM_SOLO_ANY_1(name) [WLM_##name] = solo_##name,
#define WLM_SOLO_ANY_2 WLM_SOLO_ANY_1
#define WLM_SOLO_ANY_3 WLM_SOLO_ANY_1
static const wlm_solo_kernels solo_kernels = {.fma = {WLM_SOLO_FORMS_3(WLM_SOLO_FORMS_1, WLM_SOLO_NAME_3, FMA)},
                                              .fnma = {WLM_SOLO_FORMS_3(WLM_SOLO_FORMS_1, WLM_SOLO_NAME_3, FNMA)},
                                              .select = {WLM_SOLO_FORMS_3(WLM_SOLO_FORMS_1, WLM_SOLO_NAME_3, SELECT)},
                                              .div = {WLM_SOLO_FORMS_3(WLM_SOLO_LAST, WLM_SOLO_NAME_2, DIV)},
                                              .div_one = solo_DIV_ONE,
                                              .div_half = solo_DIV_HALF,
                                              .exp = solo_EXP_LINEAR,
                                              .fma_singles = solo_FMA_SINGLES,
                                              .fnma_singles = solo_FNMA_SINGLES,
                                              .any = {
#define WLM_OPCODE(name, operands, ...) WLM_SOLO_ANY_##operands(name)
#include "model/graph/opcodes.def"
#undef WLM_OPCODE
                                              }};
