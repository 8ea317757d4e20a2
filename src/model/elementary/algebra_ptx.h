/* The algebra of elementary functions (algebra_portable.h says what it is) as PTX: a value is a register, or a
 * constant, which becomes an operand; an operation is a line, or two or three.
 *
 * .rn rounds as the CPU does, and subnormal numbers of 64 bits are always kept. A comparison with NaN is false
 * without the suffix u. Shifts by 64 and more leave nothing. */
#include <inttypes.h>
#include <stdint.h>
#include <string.h>

#include "model/ptx/writer.h"

#define WLM_INLINE static inline

typedef struct V {
    wlm_ptx *writer; /* NULL where it is a constant */
    int32_t number;  /* %fd */
    uint64_t constant;
} V;
typedef struct I {
    wlm_ptx *writer;
    int32_t number; /* %rd */
    uint64_t constant;
} I;
typedef struct M {
    wlm_ptx *writer;
    int32_t number; /* %p */
} M;

enum { WLM_OPERAND_BYTES = 24 };
typedef struct wlm_operand {
    char text[WLM_OPERAND_BYTES];
} wlm_operand;

WLM_INLINE wlm_operand of_v(V a)
{
    wlm_operand o;
    if (a.writer != NULL)
        snprintf(o.text, sizeof o.text, "%%fd%" PRId32, a.number);
    else
        snprintf(o.text, sizeof o.text, "0d%016" PRIX64, a.constant);
    return o;
}
WLM_INLINE wlm_operand of_i(I a)
{
    wlm_operand o;
    if (a.writer != NULL)
        snprintf(o.text, sizeof o.text, "%%rd%" PRId32, a.number);
    else
        snprintf(o.text, sizeof o.text, "0x%016" PRIX64, a.constant);
    return o;
}

WLM_INLINE V new_v(wlm_ptx *w)
{
    return (V){w, w->reals++, 0};
}
WLM_INLINE I new_i(wlm_ptx *w)
{
    return (I){w, w->words++, 0};
}
WLM_INLINE M new_m(wlm_ptx *w)
{
    return (M){w, w->truths++};
}

/* Writes a line of one operand. Every operation has at least one operand that is no constant. */
WLM_INLINE V v_one(const char *operation, V a)
{
    V r = new_v(a.writer);
    wlm_ptx_line(a.writer, "%s %s, %s;", operation, of_v(r).text, of_v(a).text);
    return r;
}
WLM_INLINE V v_two(const char *operation, V a, V b)
{
    wlm_ptx *w = a.writer != NULL ? a.writer : b.writer;
    V r = new_v(w);
    wlm_ptx_line(w, "%s %s, %s, %s;", operation, of_v(r).text, of_v(a).text, of_v(b).text);
    return r;
}
WLM_INLINE I i_two(const char *operation, I a, I b)
{
    wlm_ptx *w = a.writer != NULL ? a.writer : b.writer;
    I r = new_i(w);
    wlm_ptx_line(w, "%s %s, %s, %s;", operation, of_i(r).text, of_i(a).text, of_i(b).text);
    return r;
}
WLM_INLINE M m_compare(const char *operation, V a, V b)
{
    wlm_ptx *w = a.writer != NULL ? a.writer : b.writer;
    M r = new_m(w);
    wlm_ptx_line(w, "setp.%s.f64 %%p%" PRId32 ", %s, %s;", operation, r.number, of_v(a).text, of_v(b).text);
    return r;
}
WLM_INLINE M m_two(const char *operation, M a, M b)
{
    M r = new_m(a.writer);
    wlm_ptx_line(a.writer, "%s.pred %%p%" PRId32 ", %%p%" PRId32 ", %%p%" PRId32 ";", operation, r.number, a.number,
                 b.number);
    return r;
}

WLM_INLINE V v_set(double x)
{
    V r = {NULL, 0, 0};
    memcpy(&r.constant, &x, sizeof x);
    return r;
}
WLM_INLINE V v_negated(V a)
{
    if (a.writer != NULL) return v_one("neg.f64", a);
    return (V){NULL, 0, a.constant ^ (uint64_t)1 << 63};
}
WLM_INLINE V v_add(V a, V b)
{
    return v_two("add.rn.f64", a, b);
}
WLM_INLINE V v_sub(V a, V b)
{
    return v_two("sub.rn.f64", a, b);
}
WLM_INLINE V v_mul(V a, V b)
{
    return v_two("mul.rn.f64", a, b);
}
WLM_INLINE V v_div(V a, V b)
{
    return v_two("div.rn.f64", a, b);
}
WLM_INLINE V v_sqrt(V a)
{
    return v_one("sqrt.rn.f64", a);
}
WLM_INLINE V v_fma(V a, V b, V c)
{
    wlm_ptx *w = a.writer != NULL ? a.writer : b.writer != NULL ? b.writer : c.writer;
    V r = new_v(w);
    wlm_ptx_line(w, "fma.rn.f64 %s, %s, %s, %s;", of_v(r).text, of_v(a).text, of_v(b).text, of_v(c).text);
    return r;
}
WLM_INLINE V v_fnma(V a, V b, V c)
{
    return b.writer == NULL ? v_fma(a, v_negated(b), c) : v_fma(v_negated(a), b, c);
}
WLM_INLINE V v_fms(V a, V b, V c)
{
    return v_fma(a, b, v_negated(c));
}

WLM_INLINE I i_set(uint64_t x)
{
    return (I){NULL, 0, x};
}
WLM_INLINE I v_bits(V a)
{
    if (a.writer == NULL) return i_set(a.constant);
    I r = new_i(a.writer);
    wlm_ptx_line(a.writer, "mov.b64 %s, %s;", of_i(r).text, of_v(a).text);
    return r;
}
WLM_INLINE V v_of_bits(I a)
{
    if (a.writer == NULL) return (V){NULL, 0, a.constant};
    V r = new_v(a.writer);
    wlm_ptx_line(a.writer, "mov.b64 %s, %s;", of_v(r).text, of_i(a).text);
    return r;
}
WLM_INLINE I i_add(I a, I b)
{
    return i_two("add.s64", a, b);
}
WLM_INLINE I i_sub(I a, I b)
{
    return i_two("sub.s64", a, b);
}
WLM_INLINE I i_and(I a, I b)
{
    return i_two("and.b64", a, b);
}
WLM_INLINE I i_or(I a, I b)
{
    return i_two("or.b64", a, b);
}
WLM_INLINE I i_xor(I a, I b)
{
    return i_two("xor.b64", a, b);
}

WLM_INLINE I i_shift(const char *operation, I a, int n)
{
    I r = new_i(a.writer);
    wlm_ptx_line(a.writer, "%s %s, %s, %d;", operation, of_i(r).text, of_i(a).text, n);
    return r;
}
WLM_INLINE I i_left(I a, int n)
{
    return i_shift("shl.b64", a, n);
}
WLM_INLINE I i_right(I a, int n)
{
    return i_shift("shr.u64", a, n);
}
WLM_INLINE int32_t i_half(I a)
{
    int32_t half = a.writer->halves++;
    wlm_ptx_line(a.writer, "cvt.u32.u64 %%r%" PRId32 ", %s;", half, of_i(a).text);
    return half;
}
WLM_INLINE I i_shift_by(const char *operation, I a, I n)
{
    int32_t half = i_half(n);
    I r = new_i(n.writer);
    wlm_ptx_line(n.writer, "%s %s, %s, %%r%" PRId32 ";", operation, of_i(r).text, of_i(a).text, half);
    return r;
}
WLM_INLINE I i_left_by(I a, I n)
{
    return i_shift_by("shl.b64", a, n);
}
WLM_INLINE I i_right_by(I a, I n)
{
    return i_shift_by("shr.u64", a, n);
}
WLM_INLINE I i_multiply_low(I a, I b)
{
    int32_t x = i_half(a), y = i_half(b);
    I r = new_i(a.writer);
    wlm_ptx_line(a.writer, "mul.wide.u32 %s, %%r%" PRId32 ", %%r%" PRId32 ";", of_i(r).text, x, y);
    return r;
}

WLM_INLINE M v_less(V a, V b)
{
    return m_compare("lt", a, b);
}
WLM_INLINE M v_less_equal(V a, V b)
{
    return m_compare("le", a, b);
}
WLM_INLINE M v_equal(V a, V b)
{
    return m_compare("eq", a, b);
}
WLM_INLINE M i_equal(I a, I b)
{
    M r = new_m(a.writer);
    wlm_ptx_line(a.writer, "setp.eq.u64 %%p%" PRId32 ", %s, %s;", r.number, of_i(a).text, of_i(b).text);
    return r;
}
WLM_INLINE M m_and(M a, M b)
{
    return m_two("and", a, b);
}
WLM_INLINE M m_or(M a, M b)
{
    return m_two("or", a, b);
}
WLM_INLINE M m_not(M a)
{
    M r = new_m(a.writer);
    wlm_ptx_line(a.writer, "not.pred %%p%" PRId32 ", %%p%" PRId32 ";", r.number, a.number);
    return r;
}
WLM_INLINE V v_select(M m, V a, V b)
{
    V r = new_v(m.writer);
    wlm_ptx_line(m.writer, "selp.f64 %s, %s, %s, %%p%" PRId32 ";", of_v(r).text, of_v(a).text, of_v(b).text, m.number);
    return r;
}
WLM_INLINE I i_select(M m, I a, I b)
{
    I r = new_i(m.writer);
    wlm_ptx_line(m.writer, "selp.b64 %s, %s, %s, %%p%" PRId32 ";", of_i(r).text, of_i(a).text, of_i(b).text, m.number);
    return r;
}
WLM_INLINE V v_min(V a, V b)
{
    return v_select(v_less(a, b), a, b);
}
WLM_INLINE V v_max(V a, V b)
{
    return v_select(v_less(b, a), a, b);
}

#include "model/elementary/scale.h"

/* Begins a block, over which threads jump that do not need it. */
WLM_INLINE int m_begin(M m)
{
    int label = ++m.writer->labels;
    wlm_ptx_line(m.writer, "@!%%p%" PRId32 " bra L%d;", m.number, label);
    return label;
}
WLM_INLINE void m_end(M m, int block)
{
    wlm_ptx_line(m.writer, "L%d:", block);
}
WLM_INLINE V v_variable(V x)
{
    return v_one("mov.f64", x);
}
WLM_INLINE void v_replace(V *r, M m, V x)
{
    wlm_ptx_line(m.writer, "@%%p%" PRId32 " mov.f64 %s, %s;", m.number, of_v(*r).text, of_v(x).text);
}
